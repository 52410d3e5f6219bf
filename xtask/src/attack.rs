//! `cargo xtask attack`: hostile attempts at the real program, which must lose nothing of anybody's and tell nothing false.
//!
//! `attack/README.md` says how to add a campaign. An attempt follows from the seed, its campaign and its number, but for races.

mod attempt;
mod failure;
mod input;
mod kills;
mod races;
mod snapshot;
mod streams;
mod write_rule;

use crate::command::locked;
use crate::{Verb, command, debian, kept, random};
use anyhow::{Context, Result, bail, ensure};
use attempt::Attempt;
use failure::{COLUMNS, Failure, Kind, Tally};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const VERB: Verb = Verb {
    name: "attack",
    usage: "[--full] [--seed N] [FILTER]",
    about: "hostile attempts at the program: nothing lost, no panic, no hang",
    help: include_str!("attack/README.md"),
    run: main,
};

pub struct Campaign {
    pub name: &'static str,
    pub short: usize,
    pub full: usize,
    pub needs_root: bool,
    pub attempt: fn(&mut Attempt) -> Result<()>,
}

const CAMPAIGNS: [&Campaign; 5] = [&write_rule::CAMPAIGN, &races::CAMPAIGN, &kills::CAMPAIGN, &streams::CAMPAIGN, &input::CAMPAIGN];

/// No attempt is started later; what was left out is said.
const TIME: Duration = Duration::from_secs(300);
const TIME_FULL: Duration = Duration::from_secs(3600);

/// Failures of one campaign after which it goes on no further.
const FAILURES_MAX: usize = 20;

pub struct Setting {
    pub seed: u64,
    pub folder: PathBuf,
    pub program: PathBuf,
    pub fixtures: PathBuf,
    pub images: Mutex<BTreeSet<&'static str>>,
}

struct Options {
    full: bool,
    seed: u64,
    filter: String,
    only: Option<usize>,
}

fn main(args: &[String]) -> Result<ExitCode> {
    let options = parse(args)?;
    debian::ensure(&debian::LOOP_PACKAGES.iter().collect::<Vec<_>>())?;
    if run(&options)? { Ok(ExitCode::SUCCESS) } else { Ok(ExitCode::FAILURE) }
}

/// A step of `cargo xtask test`. Its short form has a fixed seed, so everybody makes the same attempts, and a new failure is the change's.
pub fn step(args: &[&str]) -> Result<()> {
    ensure!(run(&parse(&args.iter().map(ToString::to_string).collect::<Vec<_>>())?)?, "the attack found something");
    Ok(())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options { full: false, seed: random::seed_from_clock(), filter: String::new(), only: None };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--full" => options.full = true,
            "--seed" => options.seed = words.next().and_then(|n| n.parse().ok()).context("--seed takes a number")?,
            flag if flag.starts_with('-') => bail!("usage: cargo xtask attack {}", VERB.usage),
            filter => {
                let (name, number) = filter.split_once('/').map_or((filter, None), |(name, number)| (name, Some(number)));
                options.only = number.map(|n| n.parse().with_context(|| format!("`{n}` is no number of an attempt"))).transpose()?;
                name.clone_into(&mut options.filter);
            }
        }
    }
    ensure!(CAMPAIGNS.iter().any(|campaign| campaign.name.contains(&options.filter)), "there is no campaign `{}`", options.filter);
    Ok(options)
}

fn run(options: &Options) -> Result<bool> {
    // Folders of calls that were killed stay, which may hold a failure.
    let folder = kept::fresh_folder("attack", |_| ())?;
    let (program, fixtures) = (kept::program(&folder, false)?, crate::workspace_root().join("fixtures"));
    let setting = Setting { seed: options.seed, folder, program, fixtures, images: Mutex::default() };
    println!("seed {}, in {}\n", options.seed, setting.folder.display());
    println!("{}", row("campaign", &COLUMNS));
    let until = Instant::now() + if options.full { TIME_FULL } else { TIME };
    let mut clean = true;
    for campaign in CAMPAIGNS.iter().filter(|campaign| campaign.name.contains(&options.filter)) {
        clean &= fight(campaign, &setting, options, until)?;
    }
    if clean {
        let _ = std::fs::remove_dir_all(&setting.folder);
    }
    Ok(clean)
}

fn fight(campaign: &Campaign, setting: &Setting, options: &Options, until: Instant) -> Result<bool> {
    let packages: Vec<_> = debian::LOOP_PACKAGES.iter().collect();
    if let Some(reason) = debian::obstacle(&packages, true).filter(|_| campaign.needs_root) {
        return command::leave_out(campaign.name, &reason).map(|()| true);
    }
    let count = if options.full { campaign.full } else { campaign.short };
    let numbers: Vec<usize> = options.only.map_or_else(|| (0..count).collect(), |only| vec![only]);
    let begun = Instant::now();
    let (tally, failures) = all_attempts(campaign, setting, &numbers, until);
    let left_out = numbers.len().saturating_sub(tally.0[0] as usize);
    let note = if left_out > 0 { format!("  {left_out} of {} left out", numbers.len()) } else { String::new() };
    let seconds = begun.elapsed().as_secs_f64();
    println!("{}  {seconds:.0} s{note}", row(campaign.name, &tally.0.map(|cell| cell.to_string())));
    for (number, failure) in &failures {
        let folder = setting.folder.join(format!("{}-{number}", campaign.name));
        println!("  {:?}: {}\n    {}\n    in {};", failure.kind, failure.reason, failure.command, folder.display());
        println!("    again: cargo xtask attack --seed {} {}/{number}", setting.seed, campaign.name);
    }
    Ok(!tally.failed())
}

/// The attempts, two a CPU since most of them wait, in the order of their numbers as far as they are started.
fn all_attempts(campaign: &Campaign, setting: &Setting, numbers: &[usize], until: Instant) -> (Tally, Vec<(usize, Failure)>) {
    let next = AtomicUsize::new(0);
    let sum: Mutex<(Tally, Vec<(usize, Failure)>)> = Mutex::default();
    let work = || {
        while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            if Instant::now() > until || locked(&sum).1.len() >= FAILURES_MAX {
                break;
            }
            let failures = one_attempt(campaign, setting, *number);
            let mut sum = locked(&sum);
            sum.0.add(&failures);
            sum.1.extend(failures.into_iter().map(|failure| (*number, failure)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get().min(8)) * 2 {
            scope.spawn(work);
        }
    });
    std::mem::take(&mut locked(&sum))
}

/// Makes one attempt. That it could not be prepared is a failure too: what did not run proves nothing.
fn one_attempt(campaign: &Campaign, setting: &Setting, number: usize) -> Vec<Failure> {
    let mut attempt = match Attempt::new(setting, campaign.name, number) {
        Ok(attempt) => attempt,
        Err(error) => return vec![Failure { kind: Kind::Other, reason: format!("{error:#}"), command: String::new() }],
    };
    if let Err(error) = (campaign.attempt)(&mut attempt) {
        attempt.fail(Kind::Other, format!("it could not be made: {error:#}"));
    }
    let (failures, folder) = (std::mem::take(&mut attempt.failures), attempt.folder.clone());
    drop(attempt);
    if failures.is_empty() {
        let _ = std::fs::remove_dir_all(folder);
    }
    failures
}

fn row<S: AsRef<str>>(name: &str, cells: &[S]) -> String {
    cells.iter().fold(format!("{name:<12}"), |line, cell| line + &format!("{:>13}", cell.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::snapshot::Care;
    use super::*;
    use crate::program::Call;

    #[test]
    fn a_program_that_writes_where_it_must_not_is_found_out() {
        let steal = |attempt: &mut Attempt| {
            attempt.foreign("precious", 10_000)?;
            let before = attempt.look(Care::Everything)?;
            attempt.run(Call::new(["-c", "printf abc | dd of=precious bs=1 seek=5000 conv=notrunc 2>/dev/null"]), &[0])?;
            attempt.compare(&before, Care::Everything)
        };
        let campaign = Campaign { name: "thief", short: 3, full: 3, needs_root: false, attempt: steal };
        let folder = std::env::temp_dir().join(format!("xtask-attack-{}", std::process::id()));
        let setting = Setting { seed: 5, folder, program: "/bin/sh".into(), fixtures: PathBuf::new(), images: Mutex::default() };
        let (tally, failures) = all_attempts(&campaign, &setting, &[0, 1, 2], Instant::now() + TIME);
        let _ = std::fs::remove_dir_all(&setting.folder);
        assert!(tally.failed() && tally.0[0] == 3 && tally.0[1] >= 6, "{tally:?}");
        assert!(failures.iter().all(|(_, failure)| failure.reason.contains("precious") && failure.command.contains("dd of=")));
    }
}
