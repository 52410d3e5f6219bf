//! Campaign: standard streams that are closed, full or read by nobody, and a state folder without room. Every combination once.
//!
//! Neither changes an exit status that a call has with good streams, a file that it writes, or a file that is there.

use super::Campaign;
use super::attempt::Attempt;
use super::failure::Kind;
use super::snapshot::Care;
use crate::program::Call;
use anyhow::Result;

pub const CAMPAIGN: Campaign = Campaign {
    name: "streams",
    short: CALLS.len() * (ENDS.len() + STATES.len()),
    full: CALLS.len() * (ENDS.len() + STATES.len()),
    needs_root: true,
    attempt,
};

/// A call, with the exit statuses that it has with whatever streams, and a file that it writes.
struct Line {
    call: &'static str,
    statuses: &'static [i32],
    writes: Option<&'static str>,
}

/// Listings and results on a standard output that takes nothing are status 2, and 0 where a reader has seen enough; doctor's depends on the host.
const CALLS: &[Line] = &[
    Line {
        call: "verify mine --rw read --ios 4 --time 1s --runs 1 --backend psync --faults fail_after=0 -o x.json",
        statuses: &[2],
        writes: Some("x.json"),
    },
    Line {
        call: "verify mine --rw read --ios 4 --time 1s --runs 1 --backend psync --faults fail_after=0 --json -o x.html",
        statuses: &[2],
        writes: Some("x.html"),
    },
    Line { call: "verify mine --rw write --time 1s --runs 1", statuses: &[2], writes: None },
    Line { call: "run --name=a --ioengine=null --rw=read --size=64k --output=x", statuses: &[0], writes: Some("x") },
    Line { call: "run --name=a --ioengine=null --rw=read --size=64k --write_bw_log=x", statuses: &[0, 2], writes: Some("x_bw.1.log") },
    Line { call: "run --name=a --rw=write --bs=4k --size=64k --eta=always --filename=x --output=y", statuses: &[0], writes: Some("x") },
    Line { call: "run --name=a --rw=write --size=64k --filename=mine", statuses: &[2], writes: None },
    Line { call: "report RUN -o x.md -o x.csv", statuses: &[0], writes: Some("x.csv") },
    Line { call: "report RUN", statuses: &[0, 2], writes: None },
    Line { call: "runs list", statuses: &[0, 2], writes: None },
    Line { call: "datasheet list", statuses: &[0, 2], writes: None },
    Line { call: "identify . --json", statuses: &[0, 2], writes: None },
    Line { call: "doctor", statuses: &[0, 2, 3], writes: None },
];

const ENDS: &[&str] = &[">&-", "2>&-", "<&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1", "| true", "2>&1 | true"];

/// Room for the state: pages and files of a filesystem in memory.
const STATES: &[&str] = &["size=4k,nr_inodes=2", "size=16k", "ro"];

fn attempt(attempt: &mut Attempt) -> Result<()> {
    let line = &CALLS[attempt.number % CALLS.len()];
    let end = (attempt.number / CALLS.len()) % (ENDS.len() + STATES.len());
    attempt.foreign("mine", 1 << 20)?;
    let before = attempt.look(Care::Everything)?;
    let run = attempt.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string();
    let call = Call::text(&line.call.replace("RUN", &run));
    match ENDS.get(end) {
        Some(streams) => with_streams(attempt, call, line, streams)?,
        None => {
            let state = attempt.home("state");
            attempt.kept.mount(&["-t", "tmpfs", "-o", STATES[end - ENDS.len()], "none"], &state)?;
            attempt.run(call, line.statuses)?;
        }
    }
    if let Some(file) = line.writes.filter(|file| attempt.work(file).metadata().map_or(0, |found| found.len()) == 0) {
        attempt.fail(Kind::Other, format!("{file} was not written"));
    }
    attempt.compare(&before, Care::Everything)
}

/// The shell writes down the program's own status, whatever becomes of the pipe behind it.
fn with_streams(attempt: &mut Attempt, mut call: Call, line: &Line, streams: &str) -> Result<()> {
    let file = attempt.home("status");
    call.script = Some(format!("{{ \"$@\"; echo $? >&4; }} 4>'{}' {streams}", file.display()));
    let mut ended = attempt.start(call)?.wait()?;
    let status = std::fs::read_to_string(file)?;
    match status.trim().parse() {
        Ok(status) => ended.end = crate::program::End::Exit(status),
        Err(_) => attempt.fail(Kind::Other, format!("no exit status, but {status:?}")),
    }
    attempt.judge(&ended, line.statuses);
    Ok(())
}
