//! Jobs that run or are reported together and should not be.

use super::names::rw_word;
use super::rule::{Check, Found, Grade, Rule, found};
use super::said::said;
use super::scene::{Scene, View};
use super::text::size;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "side-by-side",
        grade: Grade::Mistake,
        covers: &["mixed-group"],
        about: "jobs that look like separate tests and run at the same time",
        fires_on: "[seq-read]\nfilename=/dev/nvme0n1\nrw=read\nbs=128k\n[rand-read]\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\n",
        silent_on: "[seq-read]\nfilename=/dev/nvme0n1\nrw=read\nbs=128k\n[rand-read]\nstonewall\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\n",
        check: Check::All(side_by_side),
    },
    Rule {
        name: "mixed-group",
        grade: Grade::Remark,
        covers: &[],
        about: "one line of the report for different workloads",
        fires_on: "[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\n",
        silent_on: "[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\nnew_group\n",
        check: Check::All(mixed_group),
    },
];

/// The workload of a job in a few words.
fn workload(view: &View) -> String {
    let sizes: Vec<String> = view.block_sizes().into_iter().map(size).collect();
    format!("{} of {}", rw_word(view), sizes.join(", "))
}

fn side_by_side(scene: &Scene) -> Vec<(usize, Found)> {
    scene.schedule.stages.iter().filter_map(|stage| of_stage(scene, stage)).collect()
}

/// The first job of a stage that looks like a test of its own beside the one that the stage begins with.
fn of_stage(scene: &Scene, stage: &[usize]) -> Option<(usize, Found)> {
    let mut jobs: Vec<usize> = stage.iter().map(|clone| scene.schedule.clones[*clone].job).collect();
    jobs.dedup();
    let views = || jobs.iter().map(|job| &scene.views[*job]);
    let (one, other) =
        views().flat_map(|one| views().map(move |other| (one, other))).find(|(one, other)| one.at < other.at && are_tests(one, other))?;
    let (name, before) = (&other.job.name, &one.job.name);
    let text = format!(
        "{name} ({}) runs at the same time as {before} ({}): {} jobs start together, and each measures the others too",
        workload(other),
        workload(one),
        jobs.len()
    );
    Some((other.at, found(text, format!("put stonewall into {name} and every job after it"))))
}

fn are_tests(one: &View, other: &View) -> bool {
    let named = [one, other].iter().all(|view| said(&view.job.name).names_a_workload());
    let waits = other.set.start.wait_for.is_some();
    let start_ns = other.set.time.start_delay_ns.0;
    let ends_ns = one.set.time.start_delay_ns.1.saturating_add(one.set.time.ramp_ns).saturating_add(one.set.time.runtime_ns);
    let is_later = one.set.time.runtime_ns > 0 && start_ns >= ends_ns;
    named && workload(one) != workload(other) && !waits && !is_later && !are_apart(one, other)
}

/// Whether both name their files and have none in common: two drives at once are a test of their own.
fn are_apart(one: &View, other: &View) -> bool {
    let (ones, others) = (&one.set.files.names, &other.set.files.names);
    !ones.is_empty() && !others.is_empty() && !ones.iter().any(|name| others.contains(name))
}

fn mixed_group(scene: &Scene) -> Vec<(usize, Found)> {
    let of_line = |line: &crate::schedule::Line| {
        let jobs = line.clones.iter().map(|clone| &scene.views[scene.schedule.clones[*clone].job]);
        let first = jobs.clone().next()?;
        let other = jobs.into_iter().find(|view| workload(view) != workload(first))?;
        let text = format!(
            "group_reporting puts {} ({}) and {} ({}) into one line, whose figures are sums over both",
            first.job.name,
            workload(first),
            other.job.name,
            workload(other)
        );
        Some((other.at, found(text, format!("put new_group or stonewall into {}", other.job.name))))
    };
    scene.schedule.lines.iter().filter_map(of_line).collect()
}
