//! Depths that are not reached, and threads that do not get a processor.

use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::{Scene, View};
use super::text::many;
use crate::settings::EngineName;
use crate::values::Mode;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "depth-of-one",
        grade: Grade::Mistake,
        covers: &["name-against-depth"],
        about: "iodepth above 1 with an engine or a direction that keeps one I/O outstanding",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nioengine=psync\niodepth=32\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nioengine=libaio\niodepth=32\n",
        check: Check::Job(depth_of_one),
    },
    Rule {
        name: "buffered-depth",
        grade: Grade::Mistake,
        covers: &[],
        about: "libaio through the page cache, where submitting waits for the I/O",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nioengine=libaio\niodepth=32\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nioengine=libaio\niodepth=32\ndirect=1\n",
        check: Check::Job(buffered_depth),
    },
    Rule {
        name: "polling-cpus",
        grade: Grade::Mistake,
        covers: &[],
        about: "more threads that never sleep than processors",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nioengine=io_uring\nhipri=1\ndirect=1\nnumjobs=16\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nioengine=io_uring\nhipri=1\ndirect=1\nnumjobs=4\n",
        check: Check::All(polling_cpus),
    },
];

fn depth_of_one(view: &View) -> Option<Found> {
    let asked = view.set.submission.depth;
    let engine = view.set.engine.name;
    if asked <= 1 || view.depth() > 1 {
        return None;
    }
    let why = if engine.is_synchronous() {
        format!("ioengine={} does one I/O at a time", engine.word())
    } else {
        "trims are done one at a time".into()
    };
    let each = if view.clone_count() > 1 { format!(" for each of {}", many(view.clone_count(), "clone")) } else { String::new() };
    let text = format!("iodepth={asked} has no effect: {why}, so the depth is 1{each}");
    let remedy = if view.mode() == Mode::Trim {
        format!("make depth with clones: iodepth=1 and numjobs={asked}")
    } else {
        format!("use ioengine=io_uring or libaio with direct=1, or iodepth=1 and numjobs={asked}")
    };
    Some(found(text, remedy))
}

fn buffered_depth(view: &View) -> Option<Found> {
    let is = view.set.engine.name == EngineName::Libaio && view.depth() > 1 && view.is_buffered();
    let text = format!(
        "libaio does not keep iodepth={} through the page cache: the kernel finishes each buffered I/O before io_submit returns",
        view.set.submission.depth
    );
    is.then(|| found(text, "set direct=1, or take io_uring"))
}

/// Threads of a stage that spin; a thread of the kernel that submits spins beside the clone's own.
fn polling_cpus(scene: &Scene) -> Vec<(usize, Found)> {
    let of_stage = |stage: &Vec<usize>| {
        let jobs = stage.iter().map(|clone| scene.schedule.clones[*clone].job);
        let spinning: Vec<(usize, u64)> = jobs.map(|job| (job, spinning(&scene.views[job]))).filter(|(_, count)| *count > 0).collect();
        let threads: u64 = spinning.iter().map(|(_, count)| count).sum();
        let cpus = scene.facts.cpus;
        let (job, _) = *spinning.first().filter(|_| cpus > 0 && threads > cpus)?;
        let text = format!(
            "{threads} threads poll without sleeping at once, and there are {}: they take turns, which shows as latency",
            many(cpus, "processor")
        );
        Some((job, found(text, format!("keep numjobs so small that at most {cpus} threads poll"))))
    };
    scene.schedule.stages.iter().filter_map(of_stage).collect()
}

fn spinning(view: &View) -> u64 {
    u64::from(view.set.engine.polled) + u64::from(view.set.engine.kernel_thread)
}
