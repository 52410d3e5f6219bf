//! Campaign: the program is ended by a signal at a random moment; what it leaves must be whole, and nothing of anybody else's is touched.

use super::Campaign;
use super::attempt::Attempt;
use super::failure::Kind;
use super::snapshot::Care;
use crate::program::{Call, End, Ended};
use anyhow::Result;
use rustix::process::Signal;
use std::time::Duration;

pub const CAMPAIGN: Campaign = Campaign { name: "kills", short: 15, full: 300, needs_root: false, attempt };
const WORK_FOLDER: &str = ".ioproof-";

/// Something that runs for a while, as a line in which `RUN` is a stored run of the fixtures; the names that it may leave in its folder, beside what was there; and the
/// longest that it is let alone. Milliseconds.
type Victim = (&'static str, &'static str, u64);

const VICTIMS: &[Victim] = &[
    ("verify --size 16MiB --time 30s --runs 50 -o r.json", "r.json", 1_200),
    ("verify --size 4MiB --time 30s --runs 50 --rw randwrite --check --json", "", 1_200),
    ("verify mine --rw read --time 30s --runs 50 -o r.html -o r.md", "r.html r.md", 900),
    ("layers --size 4MiB --time 30s --runs 50", WORK_FOLDER, 2_000),
    (
        "run --name=a --rw=randrw --bs=4k --size=16m --time_based=1 --runtime=20 --filename=own --status-interval=100ms --output=out",
        "own out",
        900,
    ),
    (
        "run --name=a --rw=write --bs=4k --size=4m --nrfiles=4 --numjobs=2 --rate=4m --unlink=1 --write_bw_log=l --log_avg_msec=10",
        "a. l_bw.",
        900,
    ),
    ("run --name=a --rw=randread --bs=4k --time_based=1 --runtime=20 --unlink=1 --filename=mine", "", 600),
    ("report RUN -o r.json -o r.html -o r.csv", "r.json r.html r.csv", 60),
    ("runs export RUN -o r.json", "r.json", 60),
    ("identify --from CAPTURE", "", 60),
];

const SIGNALS: [(Signal, i32); 6] =
    [(Signal::KILL, 9), (Signal::KILL, 9), (Signal::KILL, 9), (Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)];

fn attempt(attempt: &mut Attempt) -> Result<()> {
    attempt.foreign("mine", 1 << 20)?;
    attempt.foreign("below/mine", 4096)?;
    let before = attempt.look(Care::Everything)?;
    let (line, leaves, longest_ms) = *attempt.random.pick(VICTIMS);
    let capture = attempt.setting.fixtures.join("devices/nvme-p3700-behind-switch").display().to_string();
    let line = line.replace("RUN", &attempt.stored_run()).replace("CAPTURE", &capture);
    let (signal, number) = *attempt.random.pick(&SIGNALS);
    let running = attempt.start(Call::text(&line))?;
    std::thread::sleep(Duration::from_millis(attempt.random.below(longest_ms)));
    running.signal(signal);
    let ended = running.wait()?;
    judge(attempt, &line, &ended, number)?;
    if number == 9 && leaves == WORK_FOLDER {
        remove_work_folder(attempt)?;
    }
    start_again(attempt, &line)?;
    attempt.compare(&before, Care::Everything)?;
    look_for_strangers(attempt, leaves)
}

/// A signal that can be caught ends a run with its report and status 3, or 2 where nothing could be judged yet; before it has
/// begun, and in verbs that do not measure, it ends the program as any other.
fn judge(attempt: &mut Attempt, line: &str, ended: &Ended, number: i32) -> Result<()> {
    let measures = !["report", "identify", "runs"].iter().any(|verb| line.starts_with(verb));
    // A run that was killed before it had a record meets no filter.
    let listed = attempt.run(Call::text("runs list --since 2000-01-01"), &[0])?;
    let says_nothing = ended.stdout.trim().is_empty() && !line.contains("--output");
    match ended.end {
        End::Signal(found) if found == number && (number == 9 || !measures || listed.stdout.trim().is_empty()) => {}
        End::Exit(3) if measures && says_nothing => attempt.fail(Kind::Other, "it was interrupted and showed nothing"),
        _ => attempt.judge(ended, if measures { &[0, 2, 3] } else { &[0] }),
    }
    Ok(())
}

/// Removes the folder of a database as a user does behind a kill, after which nobody else can; a signal that can be caught leaves none.
fn remove_work_folder(attempt: &Attempt) -> Result<()> {
    for entry in attempt.work("").read_dir()? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(WORK_FOLDER) && entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The stored runs are all readable, and the next start removes what the killed one left.
fn start_again(attempt: &mut Attempt, line: &str) -> Result<()> {
    attempt.run(Call::text("runs list --json"), &[0])?;
    let stored = attempt.home("state/ioproof/runs");
    if stored.is_dir() && stored.read_dir()?.next().is_some() {
        attempt.run(Call::text("runs list --last 1"), &[0])?;
    }
    let again = match line.split_once(' ') {
        Some(("report", _)) => Call::text(line),
        Some(("run", _)) => Call::text("run --name=a --ioengine=null --rw=read --size=16k --output=out --write_bw_log=l"),
        _ => Call::new(["report", &attempt.stored_run(), "-o", "z.json"]),
    };
    // A file that the killed run had not finished is not its own any more, so that this may be refused.
    attempt.run(again, &[0, 2]).map(drop)
}

/// Every file in the folder is one of ours, or one that the call may leave.
fn look_for_strangers(attempt: &mut Attempt, leaves: &str) -> Result<()> {
    for entry in attempt.work("").read_dir()? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let mut known = ["mine", "below", "z.json", "out", "l_bw."].into_iter().chain(leaves.split_whitespace());
        if !known.any(|known| name.starts_with(known)) {
            attempt.fail(Kind::Other, format!("left behind: {name}"));
        }
    }
    Ok(())
}
