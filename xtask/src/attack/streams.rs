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

/// A call, the exit statuses that it has with whatever streams, and a file that it writes.
type Line = (&'static str, &'static [i32], Option<&'static str>);

/// Listings and results on a standard output that takes nothing are status 2, and 0 where a reader has seen enough; doctor's depends on the host.
const CALLS: &[Line] = &[
    ("verify mine --rw read --ios 4 --time 1s --runs 1 --backend psync --faults fail_after=0 -o x.json", &[2], Some("x.json")),
    ("verify mine --rw read --ios 4 --time 1s --runs 1 --backend psync --faults fail_after=0 --json -o x.html", &[2], Some("x.html")),
    ("verify mine --rw write --time 1s --runs 1", &[2], None),
    ("run --name=a --ioengine=null --rw=read --size=64k --output=x", &[0], Some("x")),
    ("run --name=a --ioengine=null --rw=read --size=64k --write_bw_log=x", &[0, 2], Some("x_bw.1.log")),
    ("run --name=a --rw=write --bs=4k --size=64k --eta=always --filename=x --output=y", &[0], Some("x")),
    ("run --name=a --rw=write --size=64k --filename=mine", &[2], None),
    ("report RUN -o x.md -o x.csv", &[0], Some("x.csv")),
    ("report RUN", &[0, 2], None),
    ("runs list", &[0, 2], None),
    ("datasheet list", &[0, 2], None),
    ("identify . --json", &[0, 2], None),
    ("doctor", &[0, 2, 3], None),
];

const ENDS: &[&str] = &[">&-", "2>&-", "<&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1", "| true", "2>&1 | true"];
const STATES: &[&str] = &["size=4k,nr_inodes=2", "size=16k", "ro"];

fn attempt(attempt: &mut Attempt) -> Result<()> {
    let (line, statuses, writes) = CALLS[attempt.number % CALLS.len()];
    let end = (attempt.number / CALLS.len()) % (ENDS.len() + STATES.len());
    attempt.foreign("mine", 1 << 20)?;
    let before = attempt.look(Care::Everything)?;
    let run = attempt.stored_run();
    let call = Call::text(&line.replace("RUN", &run));
    match ENDS.get(end) {
        Some(streams) => with_streams(attempt, call, statuses, streams)?,
        None => {
            let state = attempt.home("state");
            attempt.kept.mount(&["-t", "tmpfs", "-o", STATES[end - ENDS.len()], "none"], &state)?;
            attempt.run(call, statuses)?;
        }
    }
    if let Some(file) = writes.filter(|file| attempt.work(file).metadata().map_or(0, |found| found.len()) == 0) {
        attempt.fail(Kind::Other, format!("{file} was not written"));
    }
    attempt.compare(&before, Care::Everything)
}

/// The shell writes down the program's own status, whatever becomes of the pipe behind it.
fn with_streams(attempt: &mut Attempt, mut call: Call, statuses: &[i32], streams: &str) -> Result<()> {
    let file = attempt.home("status");
    call.script = Some(format!("{{ \"$@\"; echo $? >&4; }} 4>'{}' {streams}", file.display()));
    let mut ended = attempt.start(call)?.wait()?;
    let status = std::fs::read_to_string(file)?;
    match status.trim().parse() {
        Ok(status) => ended.end = crate::program::End::Exit(status),
        Err(_) => attempt.fail(Kind::Other, format!("no exit status, but {status:?}")),
    }
    attempt.judge(&ended, statuses);
    Ok(())
}
