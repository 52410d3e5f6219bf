//! `nvmecontrol perftest` reads the same blocks again and again: it is no random and no sequential test.

use crate::checks::{Findings, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let all: Vec<_> = reading.measured.iter().filter(|measured| measured.tool == "nvmecontrol perftest").collect();
    let Some(first) = all.first() else { return };
    let alone =
        all.iter().find(|measured| measured.load.workers == Some(1)).and_then(|measured| Some((measured.first, measured.total().0?)));
    let alone = alone.map_or(String::new(), |(line, iops)| {
        format!("; one thread at line {line}: {} I/Os of {} each", show::whole(iops), show::time(1e9 / iops))
    });
    let title = "perftest re-reads one block for each thread, one command at a time: its figures are not of random I/O".to_owned();
    let because = format!("thread n reads LBA n x 2048 only, and its depth is the count of threads ({} outputs){alone}", all.len());
    findings
        .doubt("one-block", reading.at(first.first), title, because)
        .mend("hold random-read claims against a tool that reads the whole drive");
}
