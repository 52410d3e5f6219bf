//! Campaign: a thread exchanges names while the program runs, so that what it looked at is not what it comes to.
//!
//! Each kind is a row: a call, two names that are exchanged, and what is precious, which may lie under any name afterwards but must be there.

use super::Campaign;
use super::attempt::Attempt;
use super::failure::Kind;
use super::snapshot::{Care, Snapshot};
use crate::program::Call;
use crate::random::Random;
use anyhow::Result;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub const CAMPAIGN: Campaign = Campaign { name: "races", short: 60, full: 5000, needs_root: false, attempt };

struct Race {
    call: String,
    names: [PathBuf; 2],
    moves: Moves,
    precious: Vec<PathBuf>,
}

enum Moves {
    Exchange,
    /// The second is put where the first is or is to be, and taken away again.
    Appear,
}

type SetUp = fn(&mut Attempt) -> Result<Race>;

const RACES: &[SetUp] = &[out, out, out, own, own, own, new_file, output, output, output, new_report];

const EXTRAS: &str =
    " | --unlink=1 | --overwrite=1 | --fallocate=truncate | --filesize=128k | --file_append=1 | --direct=1 | --verify=crc32c";

fn attempt(attempt: &mut Attempt) -> Result<()> {
    let set_up = *attempt.random.pick(RACES);
    let race = set_up(attempt)?;
    let mut before = Snapshot::take(&attempt.work(""), Care::Somewhere)?;
    before.keep_only(&race.precious);
    let stop = AtomicBool::new(false);
    let random = Random::of(attempt.setting.seed, "racer", attempt.number);
    let said = std::thread::scope(|scope| {
        let racer = scope.spawn(|| exchange(&race, random, &stop));
        let ended = attempt.run(Call::text(&race.call), &[0, 1, 2, 3]);
        stop.store(true, Ordering::Relaxed);
        let _ = racer.join();
        ended
    })?
    .stderr;
    let after = Snapshot::take(&attempt.work(""), Care::Somewhere)?;
    for difference in before.differences(&after) {
        attempt.fail(Kind::Lost(difference.bytes), difference.text);
    }
    // What the program could not remove, because its name led elsewhere meanwhile, it has to name.
    let is_named = |path: &Path| path.file_name().is_some_and(|name| said.contains(&*name.to_string_lossy()));
    for path in after.left_overs().into_iter().filter(|path| !is_named(path)) {
        attempt.fail(Kind::Other, format!("left behind: {}; said: {said}", path.display()));
    }
    Ok(())
}

/// Moves the names until it is told to stop. The longest pause is about as long as a look of the program. A move may fail, because the program moves them too.
fn exchange(race: &Race, mut random: Random, stop: &AtomicBool) {
    let longest_us = *random.pick(&[1, 20, 500, 5_000]);
    let [first, second] = &race.names;
    while !stop.load(Ordering::Relaxed) {
        match race.moves {
            Moves::Exchange => drop(renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE)),
            // The program's own file, if it is there, goes back and forth instead.
            Moves::Appear => drop(std::fs::rename(second, first).or_else(|_| std::fs::rename(first, second))),
        }
        std::thread::sleep(Duration::from_micros(random.below(longest_us)));
    }
}

fn exchanging(call: String, first: PathBuf, second: PathBuf, precious: PathBuf) -> Result<Race> {
    Ok(Race { call, names: [first, second], moves: Moves::Exchange, precious: vec![precious] })
}

/// A name inside a directory of consent and a link beside it that leads outside, for a job that may overwrite all inside, and no more.
fn out(attempt: &mut Attempt) -> Result<Race> {
    let kind = attempt.random.below(3);
    let (file, first, second) = [("a", "a", "b"), ("a", "a", "b"), ("below/a", "below", "link")][kind as usize];
    attempt.foreign(&format!("inside/{file}"), 65_536)?;
    let precious = attempt.foreign("outside/a", 65_536)?;
    let [first, second] = [first, second].map(|name| attempt.work("inside").join(name));
    match kind {
        0 => symlink("../outside/a", &second)?,
        1 => std::fs::hard_link(&precious, &second)?,
        _ => symlink("../outside", &second)?,
    }
    let extra = attempt.random.item(EXTRAS);
    let job = format!("run --name=a --rw=write --bs=4k --size=64k --number_ios=4 --filename=inside/{file}");
    exchanging(format!("{job} --overwrite-all-in inside {extra}"), first, second, precious)
}

/// Exchanges a file of the program with one of somebody else, while a job removes it, writes it, or reaches it by a link.
fn own(attempt: &mut Attempt) -> Result<Race> {
    attempt.run(Call::text("run --name=a --rw=write --bs=4k --size=64k --number_ios=1 --filename=own"), &[0])?;
    let (own, mine) = (attempt.work("own"), attempt.foreign("mine", 65_536)?);
    let kind = attempt.random.below(3);
    let more = match kind {
        0 => format!("--rw={} --number_ios=1 --unlink=1 --filename=own", attempt.random.item("read | write | randrw")),
        1 => format!("--rw=randwrite --number_ios=4 --filename=own {}", attempt.random.item(EXTRAS)),
        _ => format!("--rw=write --number_ios=4 --filename=x {}", attempt.random.item(EXTRAS)),
    };
    let call = format!("run --name=a --bs=4k --size=64k {more}");
    if kind < 2 {
        return exchanging(call, own, mine.clone(), mine);
    }
    symlink(own, attempt.work("x"))?;
    symlink(&mine, attempt.work("y"))?;
    exchanging(call, attempt.work("x"), attempt.work("y"), mine)
}

/// A name that is to be made, at which somebody's file or a link to it appears.
fn new_file(attempt: &mut Attempt) -> Result<Race> {
    let appears = thing_to_appear(attempt, 65_536)?;
    let call = format!("run --name=a --rw=write --bs=4k --size=64k --number_ios=4 --filename=new {}", attempt.random.item(EXTRAS));
    Ok(appears(call, attempt.work("new")))
}

/// A race for a name, at which somebody's file appears by another name, or a link to it.
fn thing_to_appear(attempt: &mut Attempt, length: usize) -> Result<impl FnOnce(String, PathBuf) -> Race + use<>> {
    let (mine, thing) = (attempt.foreign("mine", length)?, attempt.work("thing"));
    if attempt.random.once_in(2) {
        std::fs::hard_link(&mine, &thing)?
    } else {
        symlink(&mine, &thing)?
    }
    Ok(move |call, name| Race { call, names: [name, thing], moves: Moves::Appear, precious: vec![mine] })
}

const JOB: &str = "run --name=a --ioengine=null --rw=read --size=16k";

/// A report, results or a log that the call replaces, and a file of the same name's kind that is not the program's.
fn output(attempt: &mut Attempt) -> Result<Race> {
    let (call, own, mine) = match attempt.random.below(3) {
        0 => {
            let ending = attempt.random.item("json | md | csv | html | txt | xml | prom");
            (format!("report {} -o own.{ending}", attempt.stored_run()), format!("own.{ending}"), format!("mine.{ending}"))
        }
        1 => {
            let format = attempt.random.item("normal | json | terse");
            (format!("{JOB} --output=own --output-format={format}"), "own".to_owned(), "mine".to_owned())
        }
        _ => (format!("{JOB} --write_bw_log=own"), "own_bw.1.log".to_owned(), "mine".to_owned()),
    };
    attempt.run(Call::text(&call), &[0])?;
    let mine = attempt.foreign(&mine, 4096)?;
    exchanging(call, attempt.work(&own), mine.clone(), mine)
}

fn new_report(attempt: &mut Attempt) -> Result<Race> {
    let appears = thing_to_appear(attempt, 4096)?;
    let (call, name) = match attempt.random.below(2) {
        0 => (format!("report {} -o new.json", attempt.stored_run()), "new.json"),
        _ => (format!("{JOB} --output=new"), "new"),
    };
    Ok(appears(call, attempt.work(name)))
}
