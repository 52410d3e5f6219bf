//! The page cache and other memory in place of a drive.

use super::facts::FileKind;
use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::size;
use crate::settings::EngineName;
use ioproof_core::units::percent;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "in-memory",
        grade: Grade::Mistake,
        covers: &[
            "fits-in-memory",
            "buffered-reads",
            "buffered-writes",
            "meant-buffered",
            "buffered-depth",
            "unsynced-writes",
            "repeated-buffers",
            "same-offsets",
            "percentile-samples",
            "tail-samples",
        ],
        about: "files that are kept in memory",
        fires_on: "[a]\nfilename=/dev/shm/x\nsize=1g\nrw=randread\n",
        silent_on: "[a]\nfilename=/data/x\nsize=1g\nrw=randread\n",
        check: Check::Job(in_memory),
    },
    Rule {
        name: "fits-in-memory",
        grade: Grade::Mistake,
        covers: &[
            "buffered-depth",
            "unsynced-writes",
            "repeated-buffers",
            "same-offsets",
            "percentile-samples",
            "tail-samples",
            "short-run",
            "no-ramp",
            "small-share",
        ],
        about: "I/O through the page cache on less data than there is memory",
        fires_on: "[a]\nfilename=/data/x\nsize=8g\nrw=randread\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randread\n",
        check: Check::Job(fits_in_memory),
    },
    Rule {
        name: "buffered-reads",
        grade: Grade::Mistake,
        covers: &["buffered-writes", "unsynced-writes", "repeated-buffers"],
        about: "reads through the page cache on more data than there is memory, or on an unknown amount",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randread\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randread\ndirect=1\n",
        check: Check::Job(|view| if is_meant(view) { None } else { reads(view) }),
    },
    Rule {
        name: "buffered-writes",
        grade: Grade::Mistake,
        covers: &["unsynced-writes", "repeated-buffers"],
        about: "writes into the page cache whose way to the drive is not part of the time",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randwrite\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randwrite\nfdatasync=1\n",
        check: Check::Job(|view| if is_meant(view) { None } else { writes(view) }),
    },
    Rule {
        name: "meant-buffered",
        grade: Grade::Remark,
        covers: &[],
        about: "I/O through the page cache in a job that says it is to go there",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randread\nbuffered=1\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrw=randread\ndirect=1\n",
        check: Check::Job(|view| if is_meant(view) { reads(view).or_else(|| writes(view)) } else { None }),
    },
];

const DIRECT: &str = "set direct=1";

fn in_memory(view: &View) -> Option<Found> {
    let is = view.set.engine.name != EngineName::Null && view.has(&[FileKind::Memory]);
    is.then(|| {
        found("its files lie on tmpfs, in memory: no drive is involved", "put them on a file system of the drive, or name the device")
    })
}

/// The data in bytes and the memory in bytes, where both are known.
fn data_and_memory(view: &View) -> Option<(u64, u64)> {
    view.data_bytes().zip(view.memory_bytes)
}

fn fits_in_memory(view: &View) -> Option<Found> {
    let (data, memory) = data_and_memory(view).filter(|(data, memory)| data < memory)?;
    // Writes that are waited for reach the drive, whatever their number.
    if !view.is_buffered() || (!view.reads() && view.syncs_each_write()) {
        return None;
    }
    let text = format!(
        "{} of data go through the page cache and fit into the {} of memory: little or nothing of the drive is seen{}",
        size(data),
        size(memory),
        kept(view)
    );
    Some(found(text, remedy(view)))
}

fn remedy(view: &View) -> String {
    match view.set.engine.name {
        EngineName::Mmap => "use another ioengine and set direct=1: what is mapped always goes through the page cache".into(),
        _ => DIRECT.into(),
    }
}

/// Whether the job says that it is to go through the page cache, so that nobody is deceived.
fn is_meant(view: &View) -> bool {
    let says = view.typed("direct").is_some() || view.typed("buffered").is_some();
    says && !view.set.access.direct
}

fn reads(view: &View) -> Option<Found> {
    if !view.is_buffered() || !view.reads() || fits_in_memory(view).is_some() {
        return None;
    }
    let text = match (view.is_random(), data_and_memory(view)) {
        (false, _) => "sequential reads go through the page cache: the kernel reads ahead, so the drive sees other sizes and another depth than bs and iodepth say"
            .to_owned(),
        (true, Some((data, memory))) => {
            let share = percent(memory as f64 / data.max(1) as f64);
            format!("random reads go through the page cache: up to {share} of them can be answered by {} of memory", size(memory))
        }
        (true, None) => "random reads go through the page cache, which answers some of them in place of the drive".into(),
    };
    let writes = if view.writes() && !view.syncs_each_write() { "; writes end there and not on the drive" } else { "" };
    Some(found(format!("{text}{writes}{}", kept(view)), remedy(view)))
}

fn writes(view: &View) -> Option<Found> {
    let syncs = &view.set.syncs;
    let is_large = data_and_memory(view).is_some_and(|(data, memory)| data / 2 >= memory);
    let ends_on_drive = is_large && (syncs.end_fsync || syncs.fsync_on_close);
    if !view.is_buffered() || !view.writes() || view.syncs_each_write() || ends_on_drive || fits_in_memory(view).is_some() {
        return None;
    }
    let text = "writes go into the page cache, so their latency is that of memory and the rate that of the drive only in the long run";
    Some(found(text, remedy(view)))
}

/// What fills the cache beforehand, where the job asks for it.
fn kept(view: &View) -> &'static str {
    match (view.set.files.pre_read, view.set.files.invalidate) {
        _ if !view.reads() => "",
        (true, _) => "; pre_read=1 fills it first",
        (false, false) => "; invalidate=0 keeps what is in it from before",
        (false, true) => "",
    }
}
