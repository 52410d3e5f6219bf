//! Jobs that are called what they are not. A name is all that remains of a job in most tables and plots.

use super::rule::{Check, Found, Grade, Rule, found};
use super::said::said;
use super::scene::View;
use super::text::size;
use crate::values::{Amount, Mode, RW_WORDS, Suffix};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "name-against-order",
        grade: Grade::Mistake,
        covers: &[],
        about: "a name that says random or sequential, against rw",
        fires_on: "[random-read-4k]\nfilename=/data/x\nsize=64g\nrw=read\n",
        silent_on: "[random-read-4k]\nfilename=/data/x\nsize=64g\nrw=randread\n",
        check: Check::Job(order),
    },
    Rule {
        name: "name-against-direction",
        grade: Grade::Mistake,
        covers: &["sync-without-writes"],
        about: "a name that says read or write, against rw",
        fires_on: "[write-test]\nfilename=/data/x\nsize=64g\nrw=read\n",
        silent_on: "[write-test]\nfilename=/data/x\nsize=64g\nrw=write\n",
        check: Check::Job(direction),
    },
    Rule {
        name: "name-against-size",
        grade: Grade::Mistake,
        covers: &[],
        about: "a name with a size, against bs",
        fires_on: "[read-4k]\nfilename=/data/x\nsize=64g\nbs=128k\n",
        silent_on: "[read-4k]\nfilename=/data/x\nsize=64g\nbs=4k\n",
        check: Check::Job(block),
    },
    Rule {
        name: "name-against-depth",
        grade: Grade::Mistake,
        covers: &[],
        about: "a name with a depth, against iodepth and numjobs",
        fires_on: "[read-qd32]\nfilename=/data/x\nsize=64g\n",
        silent_on: "[read-qd32]\nfilename=/data/x\nsize=64g\nioengine=libaio\niodepth=8\nnumjobs=4\n",
        check: Check::Job(depth),
    },
    Rule {
        name: "name-against-engine",
        grade: Grade::Mistake,
        covers: &[],
        about: "a name with an engine, against ioengine",
        fires_on: "[read-libaio]\nfilename=/data/x\nsize=64g\nioengine=io_uring\n",
        silent_on: "[read-libaio]\nfilename=/data/x\nsize=64g\nioengine=libaio\n",
        check: Check::Job(engine),
    },
];

/// `rw` in fio's word.
pub(super) fn rw_word(view: &View) -> &'static str {
    let (mode, random) = (view.mode(), view.is_random());
    RW_WORDS.into_iter().find(|(_, known, is_random)| (*known, *is_random) == (mode, random)).map_or("", |(word, ..)| word)
}

fn against(view: &View, is: &str, remedy: String) -> Found {
    found(format!("the job is called {}, but {is}", view.job.name), remedy)
}

fn order(view: &View) -> Option<Found> {
    let said = said(&view.job.name);
    // Part random and part sequential is both.
    let random = &view.set.random.random_percent;
    let is_plain = view.set.access.rw.suffix == Suffix::None && view.of_directions(random).into_iter().all(|percent| *percent == 100);
    let contradicts = if view.is_random() { said.sequential } else { said.random };
    let meant = if view.is_random() { rw_word(view).trim_start_matches("rand").to_owned() } else { format!("rand{}", rw_word(view)) };
    let (is, remedy) = (
        format!("rw={} is {}", rw_word(view), if view.is_random() { "random" } else { "sequential" }),
        format!("set rw={meant}, or rename the job"),
    );
    (is_plain && contradicts && said.random != said.sequential).then(|| against(view, &is, remedy))
}

fn direction(view: &View) -> Option<Found> {
    let said = said(&view.job.name);
    let lacks = match view.mode() {
        Mode::Read if said.writes || said.mixed => "does not write",
        Mode::Write if said.reads || said.mixed => "does not read",
        Mode::Trim if said.reads || said.writes || said.mixed => "neither reads nor writes",
        _ => return None,
    };
    let is = format!("rw={} {lacks}", rw_word(view));
    (!said.hedged).then(|| against(view, &is, "set rw to what the name says, or rename the job".into()))
}

fn block(view: &View) -> Option<Found> {
    let said = said(&view.job.name);
    let has = view.block_sizes();
    let is = |bytes: u64, (number, bits): (u64, u32)| bytes == number << bits || bytes == number * 10_u64.pow(bits / 10 * 3);
    // A size in a name may be that of the file.
    let region = [view.set.region.size, view.set.region.io_size].into_iter().flatten();
    let others: Vec<u64> = region.filter_map(|amount| if let Amount::Bytes(bytes) = amount { Some(bytes) } else { None }).collect();
    let fits = |named: &(u64, u32)| has.iter().chain(&others).any(|bytes| is(*bytes, *named));
    let (number, bits) = *said.sizes.first().filter(|_| !said.sizes.iter().any(fits))?;
    let sizes: Vec<String> = has.iter().map(|bytes| size(*bytes)).collect();
    Some(against(view, &format!("bs is {}", sizes.join(", ")), format!("set bs={}, or rename the job", size(number << bits))))
}

fn depth(view: &View) -> Option<Found> {
    let named = *said(&view.job.name).depths.first()?;
    let (depth, clones) = (view.depth(), view.clone_count());
    let is = format!(
        "it keeps {depth} outstanding in {} (iodepth={}, ioengine={})",
        each(clones),
        view.set.submission.depth,
        view.set.engine.name.word()
    );
    let is_right = named == depth || named == depth.saturating_mul(clones);
    (!is_right).then(|| against(view, &is, format!("set iodepth={named} with an asynchronous engine, or rename the job")))
}

fn each(clones: u64) -> String {
    if clones > 1 { format!("each of {clones} clones") } else { "one clone".into() }
}

fn engine(view: &View) -> Option<Found> {
    let said = said(&view.job.name).engines;
    let is = view.set.engine.name.word();
    let named = *said.first().filter(|_| !said.contains(&is))?;
    Some(against(view, &format!("ioengine={is}"), format!("set ioengine={named}, or rename the job")))
}
