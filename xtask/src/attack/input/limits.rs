//! Limits of the user (`ulimit`): files, length of a file, memory, processes.

use super::{JUDGED, Reading};
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

const CALLS: &[&str] = &[
    "run --name=a --ioengine=null --rw=read --size=16k --numjobs=8",
    "run --name=a --rw=write --bs=4k --size=64k --nrfiles=8 --numjobs=2",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=libaio --iodepth=8",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=io_uring --iodepth=8",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=posixaio --iodepth=8",
    "run --name=a --rw=read --bs=4k --size=64k --filename=mine --output=x --write_bw_log=x",
    "verify mine --rw read --time 1s --runs 1 --ios 4 -o x.json",
    "verify --size 1MiB --rw write --time 1s --runs 1 --ios 4",
    "doctor",
    "list --all",
    "identify .",
    "report RUN -o x.html",
    "report RUN -o x.xlsx",
    "runs list",
];

/// The user `nobody` of every system; limits of processes do not hold for root.
const NOBODY: u32 = 65_534;

pub fn limited(attempt: &mut Attempt) -> Result<Reading> {
    let run = attempt.stored_run();
    let mut call = Call::text(&attempt.random.word(CALLS).replace("RUN", &run));
    let limit = match attempt.random.below(4) {
        0 => format!("--nofile={}", 5 + attempt.random.below(20)),
        1 => format!("--fsize={}", attempt.random.pick(&[0, 1, 511, 4096, 65_536])),
        2 => format!("--as={}", (256 + attempt.random.below(2048)) << 20),
        _ => format!("--nproc={}", 1 + attempt.random.below(12)),
    };
    // Another user cannot come to a tree that is below somebody's closed folder; there only the limit itself is tried.
    if limit.starts_with("--nproc") && is_open_to_all(&attempt.folder) {
        for folder in [attempt.work(""), attempt.home("")] {
            chown(folder, Some(NOBODY), Some(NOBODY))?;
        }
        call.user = Some(NOBODY);
    }
    call.wrapper = ["prlimit".to_owned(), limit].into();
    Ok(Reading { call, statuses: JUDGED })
}

fn is_open_to_all(path: &Path) -> bool {
    path.ancestors().all(|folder| folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o001 != 0))
}
