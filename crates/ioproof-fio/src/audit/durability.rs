//! Syncs that are missing, that do nothing, or that do not mean what they seem to.

use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use crate::settings::OpenSync;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "unsynced-writes",
        grade: Grade::Mistake,
        covers: &[],
        about: "buffered writes that nothing brings to the drive before the clock stops",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nrw=write\nbuffered=1\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrw=write\nbuffered=1\nend_fsync=1\n",
        check: Check::Job(unsynced),
    },
    Rule {
        name: "sync-with-depth",
        grade: Grade::Remark,
        covers: &[],
        about: "writes to a file opened with O_SYNC or O_DSYNC of which several are under way at once",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=io_uring\niodepth=32\nsync=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=io_uring\niodepth=1\nsync=1\n",
        check: Check::Job(sync_with_depth),
    },
    Rule {
        name: "fsync-with-depth",
        grade: Grade::Mistake,
        covers: &[],
        about: "an fsync after every few writes while others are still under way",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=libaio\niodepth=16\nfsync=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=libaio\niodepth=1\nfsync=1\n",
        check: Check::Job(fsync_with_depth),
    },
    Rule {
        name: "sync-without-writes",
        grade: Grade::Remark,
        covers: &[],
        about: "options that sync in a job that writes nothing",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nend_fsync=1\n",
        silent_on: "[global]\nend_fsync=1\n[a]\nfilename=/dev/nvme0n1\nrw=randread\n[b]\nfilename=/dev/nvme0n1\nrw=write\n",
        check: Check::Job(sync_without_writes),
    },
];

fn unsynced(view: &View) -> Option<Found> {
    let syncs = &view.set.syncs;
    let is_synced = syncs.end_fsync
        || syncs.fsync_on_close
        || syncs.fsync_every > 0
        || syncs.fdatasync_every > 0
        || syncs.range.is_some()
        || syncs.open != OpenSync::None;
    let is = view.is_buffered() && view.writes() && !is_synced && !view.verifies();
    let text = "the job ends with data that is in the page cache and not on the drive: its rate counts bytes that were never written there";
    is.then(|| found(text, "set end_fsync=1, so that the time includes bringing all data to the drive"))
}

fn sync_with_depth(view: &View) -> Option<Found> {
    let word = match view.set.syncs.open {
        OpenSync::None => return None,
        OpenSync::Sync => "O_SYNC",
        OpenSync::Dsync => "O_DSYNC",
    };
    let text = format!(
        "{} writes with {word} are under way at once in each clone: a program that waits for each write before the next sees the rate of iodepth=1",
        view.depth()
    );
    (view.writes() && view.depth() > 1).then(|| found(text, "set iodepth=1 for the rate of durable writes that follow one another"))
}

fn fsync_with_depth(view: &View) -> Option<Found> {
    let syncs = &view.set.syncs;
    let (option, every) = match (syncs.fsync_every, syncs.fdatasync_every) {
        (0, 0) => return None,
        (0, every) => ("fdatasync", every),
        (every, _) => ("fsync", every),
    };
    let depth = view.depth();
    let text = format!(
        "{option}={every} with iodepth={depth}: a sync covers only writes that have ended when it starts, and up to {} have not",
        depth - 1
    );
    // A sync that is rarer than the queue is deep is one of bulk data, where a few writes more or less do not matter.
    (view.writes() && depth > 1 && u64::from(every) <= depth)
        .then(|| found(text, "set iodepth=1, so that each sync stands for the writes before it"))
}

fn sync_without_writes(view: &View) -> Option<Found> {
    let syncs = &view.set.syncs;
    let asked = [
        ("end_fsync", syncs.end_fsync),
        ("fsync_on_close", syncs.fsync_on_close),
        ("fsync", syncs.fsync_every > 0),
        ("fdatasync", syncs.fdatasync_every > 0),
        ("sync", syncs.open != OpenSync::None),
        ("sync_file_range", syncs.range.is_some()),
    ];
    // In [global] an option is for those jobs that write.
    let is_meant = |option: &str| view.nobody_writes || view.job.typed.iter().any(|(key, _)| key == option);
    let options: Vec<&str> = asked.into_iter().filter(|(option, is_set)| *is_set && is_meant(option)).map(|(option, _)| option).collect();
    let text = format!("{} in a job that only reads: there is nothing to sync", options.join(" and "));
    (!view.writes() && !options.is_empty()).then(|| found(text, "leave it out, or check whether rw is what you mean"))
}
