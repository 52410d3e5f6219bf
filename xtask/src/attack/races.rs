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

#[derive(Debug, Clone, Copy, PartialEq)]
enum Moves {
    /// The two change places (`RENAME_EXCHANGE`).
    Exchange,
    /// The second is put where the first is or is to be, and taken away again.
    Appear,
}

type SetUp = fn(&mut Attempt) -> Result<Race>;

const RACES: &[SetUp] =
    &[link_out, hard_link_out, folder_out, own_to_unlink, own_to_write, own_behind_a_link, new_file, report, results, log, new_report];

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
    for path in after.left_overs().into_iter().filter(|path| !said.contains(&*path.to_string_lossy())) {
        attempt.fail(Kind::Other, format!("left behind: {}; said: {said}", path.display()));
    }
    Ok(())
}

/// Moves the names until it is told to stop, with pauses from none to about as long as the program takes for its looks.
fn exchange(race: &Race, mut random: Random, stop: &AtomicBool) {
    let longest_us = *random.pick(&[1, 20, 500, 5_000]);
    while !stop.load(Ordering::Relaxed) {
        move_once(race);
        std::thread::sleep(Duration::from_micros(random.below(longest_us)));
    }
}

/// That a name is not there just now is part of the game.
fn move_once(race: &Race) {
    let [first, second] = &race.names;
    match race.moves {
        Moves::Exchange => drop(renameat_with(CWD, first, CWD, second, RenameFlags::EXCHANGE)),
        Moves::Appear => {
            if std::fs::rename(second, first).is_err() {
                // The program's own file, if it is there, goes back and forth instead.
                let _ = std::fs::rename(first, second);
            }
        }
    }
}

/// A name inside a directory of consent and a link beside it that leads outside.
fn link_out(attempt: &mut Attempt) -> Result<Race> {
    attempt.foreign("inside/a", 65_536)?;
    let precious = attempt.foreign("outside/a", 65_536)?;
    symlink("../outside/a", attempt.work("inside/b"))?;
    overwriting(attempt, "inside/a", "inside/a", "inside/b", precious)
}

fn hard_link_out(attempt: &mut Attempt) -> Result<Race> {
    attempt.foreign("inside/a", 65_536)?;
    let precious = attempt.foreign("outside/a", 65_536)?;
    std::fs::hard_link(&precious, attempt.work("inside/b"))?;
    overwriting(attempt, "inside/a", "inside/a", "inside/b", precious)
}

fn folder_out(attempt: &mut Attempt) -> Result<Race> {
    attempt.foreign("inside/below/a", 65_536)?;
    let precious = attempt.foreign("outside/a", 65_536)?;
    symlink("../outside", attempt.work("inside/link"))?;
    overwriting(attempt, "inside/below/a", "inside/below", "inside/link", precious)
}

/// A job that may overwrite all inside, and no more.
fn overwriting(attempt: &mut Attempt, file: &str, first: &str, second: &str, precious: PathBuf) -> Result<Race> {
    let extra = attempt.random.item(EXTRAS);
    let call = format!("run --name=a --rw=write --bs=4k --size=64k --number_ios=4 --filename={file} --overwrite-all-in inside {extra}");
    Ok(Race { call, names: [attempt.work(first), attempt.work(second)], moves: Moves::Exchange, precious: vec![precious] })
}

/// Makes a file of the program's own, and one of somebody else.
fn own_and_mine(attempt: &mut Attempt) -> Result<[PathBuf; 2]> {
    attempt.run(Call::text("run --name=a --rw=write --bs=4k --size=64k --number_ios=1 --filename=own"), &[0])?;
    let mine = attempt.foreign("mine", 65_536)?;
    Ok([attempt.work("own"), mine])
}

fn own_to_unlink(attempt: &mut Attempt) -> Result<Race> {
    let [own, mine] = own_and_mine(attempt)?;
    let rw = attempt.random.word(&["read", "write", "randrw"]);
    let call = format!("run --name=a --rw={rw} --bs=4k --size=64k --number_ios=1 --unlink=1 --filename=own");
    Ok(Race { call, names: [own, mine.clone()], moves: Moves::Exchange, precious: vec![mine] })
}

fn own_to_write(attempt: &mut Attempt) -> Result<Race> {
    let [own, mine] = own_and_mine(attempt)?;
    let extra = attempt.random.item(EXTRAS);
    let call = format!("run --name=a --rw=randwrite --bs=4k --size=64k --number_ios=4 --filename=own {extra}");
    Ok(Race { call, names: [own, mine.clone()], moves: Moves::Exchange, precious: vec![mine] })
}

fn own_behind_a_link(attempt: &mut Attempt) -> Result<Race> {
    let [own, mine] = own_and_mine(attempt)?;
    let (to_own, to_mine) = (attempt.work("x"), attempt.work("y"));
    symlink(own, &to_own)?;
    symlink(&mine, &to_mine)?;
    let extra = attempt.random.item(EXTRAS);
    let call = format!("run --name=a --rw=write --bs=4k --size=64k --number_ios=4 --filename=x {extra}");
    Ok(Race { call, names: [to_own, to_mine], moves: Moves::Exchange, precious: vec![mine] })
}

/// A name that is to be made, at which somebody's file or a link to it appears.
fn new_file(attempt: &mut Attempt) -> Result<Race> {
    let mine = attempt.foreign("mine", 65_536)?;
    let other = thing_to_appear(attempt, &mine, "thing")?;
    let extra = attempt.random.item(EXTRAS);
    let call = format!("run --name=a --rw=write --bs=4k --size=64k --number_ios=4 --filename=new {extra}");
    Ok(Race { call, names: [attempt.work("new"), other], moves: Moves::Appear, precious: vec![mine] })
}

/// The file itself by another name, or a link to it.
fn thing_to_appear(attempt: &mut Attempt, mine: &Path, name: &str) -> Result<PathBuf> {
    let thing = attempt.work(name);
    if attempt.random.once_in(2) {
        std::fs::hard_link(mine, &thing)?
    } else {
        symlink(mine, &thing)?
    }
    Ok(thing)
}

const JOB: &str = "run --name=a --ioengine=null --rw=read --size=16k";

/// A report, results or a log that the call replaces, and a file of the same name's kind that is not the program's.
fn output(attempt: &mut Attempt, call: String, own: &str, mine: &str) -> Result<Race> {
    attempt.run(Call::text(&call), &[0])?;
    let mine = attempt.foreign(mine, 4096)?;
    Ok(Race { call, names: [attempt.work(own), mine.clone()], moves: Moves::Exchange, precious: vec![mine] })
}

fn a_run(attempt: &Attempt) -> String {
    attempt.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string()
}

fn report(attempt: &mut Attempt) -> Result<Race> {
    let ending = attempt.random.word(&["json", "md", "csv", "html", "txt", "xml", "prom"]);
    let call = format!("report {} -o own.{ending}", a_run(attempt));
    output(attempt, call, &format!("own.{ending}"), &format!("mine.{ending}"))
}

fn results(attempt: &mut Attempt) -> Result<Race> {
    let format = attempt.random.word(&["normal", "json", "terse"]);
    output(attempt, format!("{JOB} --output=own --output-format={format}"), "own", "mine")
}

fn log(attempt: &mut Attempt) -> Result<Race> {
    output(attempt, format!("{JOB} --write_bw_log=own"), "own_bw.1.log", "mine")
}

fn new_report(attempt: &mut Attempt) -> Result<Race> {
    let mine = attempt.foreign("mine", 4096)?;
    let other = thing_to_appear(attempt, &mine, "thing")?;
    let (call, name) = match attempt.random.below(2) {
        0 => (format!("report {} -o new.json", a_run(attempt)), "new.json"),
        _ => (format!("{JOB} --output=new"), "new"),
    };
    Ok(Race { call, names: [attempt.work(name), other], moves: Moves::Appear, precious: vec![mine] })
}
