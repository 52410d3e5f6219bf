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

/// Something that runs for a while, as a line in which `RUN` is a stored run of the fixtures.
struct Victim {
    call: &'static str,
    /// Names that it may leave in its folder, beside what was there.
    leaves: &'static [&'static str],
    /// The longest that it is let alone. Milliseconds.
    longest_ms: u64,
}

/// Beginning of the name of a folder in which a database is.
const WORK_FOLDER: &str = ".ioproof-";

const VICTIMS: &[Victim] = &[
    Victim { call: "verify --size 16MiB --time 30s --runs 50 -o r.json", leaves: &["r.json"], longest_ms: 1_200 },
    Victim { call: "verify --size 4MiB --time 30s --runs 50 --rw randwrite --check --json", leaves: &[], longest_ms: 1_200 },
    Victim { call: "verify mine --rw read --time 30s --runs 50 -o r.html -o r.md", leaves: &["r.html", "r.md"], longest_ms: 900 },
    Victim { call: "layers --size 4MiB --time 30s --runs 50", leaves: &[WORK_FOLDER], longest_ms: 2_000 },
    Victim {
        call: "run --name=a --rw=randrw --bs=4k --size=16m --time_based=1 --runtime=20 --filename=own --status-interval=100ms --output=out",
        leaves: &["own", "out"],
        longest_ms: 900,
    },
    Victim {
        call: "run --name=a --rw=write --bs=4k --size=4m --nrfiles=4 --numjobs=2 --rate=4m --unlink=1 --write_bw_log=l --log_avg_msec=10",
        leaves: &["a.", "l_bw."],
        longest_ms: 900,
    },
    Victim {
        call: "run --name=a --rw=randread --bs=4k --time_based=1 --runtime=20 --unlink=1 --filename=mine",
        leaves: &[],
        longest_ms: 600,
    },
    Victim { call: "report RUN -o r.json -o r.html -o r.csv", leaves: &["r.json", "r.html", "r.csv"], longest_ms: 60 },
    Victim { call: "runs export RUN -o r.json", leaves: &["r.json"], longest_ms: 60 },
    Victim { call: "identify --from CAPTURE", leaves: &[], longest_ms: 60 },
];

const SIGNALS: [(Signal, i32); 6] =
    [(Signal::KILL, 9), (Signal::KILL, 9), (Signal::KILL, 9), (Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)];

fn attempt(attempt: &mut Attempt) -> Result<()> {
    attempt.foreign("mine", 1 << 20)?;
    attempt.foreign("below/mine", 4096)?;
    let before = attempt.look(Care::Everything)?;
    let victim = attempt.random.pick(VICTIMS);
    let (signal, number) = *attempt.random.pick(&SIGNALS);
    let running = attempt.start(call(attempt, victim))?;
    std::thread::sleep(Duration::from_millis(attempt.random.below(victim.longest_ms)));
    running.signal(signal);
    let ended = running.wait()?;
    judge(attempt, victim, &ended, number)?;
    if number == 9 {
        remove_work_folder(attempt, victim)?;
    }
    start_again(attempt, victim)?;
    attempt.compare(&before, Care::Everything)?;
    look_for_strangers(attempt, victim)
}

fn call(attempt: &Attempt, victim: &Victim) -> Call {
    let fixture = |name: &str| attempt.setting.fixtures.join(name).display().to_string();
    let line = victim.call.replace("RUN", &fixture("runs/20261203-101500-7b21"));
    Call::text(&line.replace("CAPTURE", &fixture("devices/nvme-p3700-behind-switch")))
}

/// A signal that can be caught ends a run with its report and status 3, or 2 where nothing could be judged yet; before it has
/// begun, and in verbs that do not measure, it ends the program as any other.
fn judge(attempt: &mut Attempt, victim: &Victim, ended: &Ended, number: i32) -> Result<()> {
    let measures = !["report", "identify", "runs"].iter().any(|verb| victim.call.starts_with(verb));
    // A run that was killed before it had a record meets no filter.
    let listed = attempt.run(Call::text("runs list --since 2000-01-01"), &[0])?;
    match ended.end {
        End::Signal(found) if found == number && (number == 9 || !measures) => Ok(()),
        End::Signal(found) if found == number && listed.stdout.trim().is_empty() => Ok(()),
        End::Exit(3) if measures && says_nothing(victim, ended) => {
            attempt.fail(Kind::Other, "it was interrupted and showed nothing");
            Ok(())
        }
        _ => {
            attempt.judge(ended, if measures { &[0, 2, 3] } else { &[0] });
            Ok(())
        }
    }
}

fn says_nothing(victim: &Victim, ended: &Ended) -> bool {
    ended.stdout.trim().is_empty() && !victim.call.contains("--output")
}

/// Removes the folder of a database as a user does behind a kill, after which nobody else can; a signal that can be caught leaves none.
fn remove_work_folder(attempt: &Attempt, victim: &Victim) -> Result<()> {
    for entry in attempt.work("").read_dir()? {
        let entry = entry?;
        let is_left = entry.file_name().to_string_lossy().starts_with(WORK_FOLDER) && victim.leaves.contains(&WORK_FOLDER);
        if is_left && entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The stored runs are all readable, and the next start removes what the killed one left.
fn start_again(attempt: &mut Attempt, victim: &Victim) -> Result<()> {
    attempt.run(Call::text("runs list --json"), &[0])?;
    let stored = attempt.home("state/ioproof/runs");
    if stored.is_dir() && stored.read_dir()?.next().is_some() {
        attempt.run(Call::text("runs list --last 1"), &[0])?;
    }
    let again = match victim.call.split_once(' ') {
        Some(("report", _)) => call(attempt, victim),
        Some(("run", _)) => Call::text("run --name=a --ioengine=null --rw=read --size=16k --output=out --write_bw_log=l"),
        _ => Call::text("report")
            .and([attempt.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string()])
            .and(["-o", "z.json"]),
    };
    // A file that the killed run had not finished is not its own any more, so that this may be refused.
    attempt.run(again, &[0, 2]).map(drop)
}

/// Every file in the folder is one of ours, or one that the call may leave.
fn look_for_strangers(attempt: &mut Attempt, victim: &Victim) -> Result<()> {
    for entry in attempt.work("").read_dir()? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_known = |known: &&str| name.starts_with(known);
        if !["mine", "below", "z.json", "out", "l_bw."].iter().chain(victim.leaves).any(is_known) {
            attempt.fail(Kind::Other, format!("left behind: {name}"));
        }
    }
    Ok(())
}
