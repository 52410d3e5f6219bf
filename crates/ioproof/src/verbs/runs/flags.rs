//! Flags of `runs`.

use crate::flags::sizes::read_bytes;
use clap::{Args, Subcommand};
use ioproof_core::record::verbs;
use ioproof_store::labels::{check_name, check_tag};
use jiff::{Timestamp, ToSpan, civil};
use std::path::PathBuf;

pub const RUNS_EXAMPLES: &str = "Examples:
  ioproof runs list --last 10             the newest ten
  ioproof runs list --drive P3700 --verb verify --since 2026-11-01
  ioproof runs name last baseline         from now on `ioproof compare baseline last`
  ioproof runs export baseline -o baseline.json
                                          one file, which another machine imports and judges again
  ioproof runs prune --size 2GiB          removes the oldest until the rest takes no more

A run is named by its id, the beginning of one, its short id (as `list` shows it), its name, `last`, or the path of its directory.";

const LIST_EXAMPLES: &str = "Examples:
  ioproof runs list                       all of them, the newest last
  ioproof runs list --last 10 --verb sweep
  ioproof runs list --drive S4YPNE0N8     of a drive, by anything in its model, serial number, name or path
  ioproof runs list --since 2026-11-01 --until 2026-11-30 --tag night
  ioproof runs list --wide                full ids, tags, how each ended and what was judged, in lines of any length
  ioproof runs list --json                for programs

Lines fit the terminal, and 80 columns where there is none. An `@` marks a run that was imported: the machine that measured it.";

const SHOW_EXAMPLES: &str = "Examples:
  ioproof runs show last
  ioproof runs show 3f9a                  a short id
  ioproof runs show baseline --json       a name";

const FIND_EXAMPLES: &str = "Examples:
  ioproof runs find P3700                 in models, serial numbers, kernel names, paths, hosts, names, tags and names of jobs
  ioproof runs find nightly --since 2026-11-01 --json
Upper and lower case are the same. Exit status: 1 where none is found; 2 an error; else 0.";

const NAME_EXAMPLES: &str = "Examples:
  ioproof runs name last baseline         gives a name, which stands for the run wherever one is asked for
  ioproof runs name baseline --tag night --tag new-firmware
  ioproof runs name baseline --untag night
  ioproof runs name baseline --none       takes the name away
  ioproof runs name 3f9a                  prints name and tags
A name is of one run; runs with a name are never pruned. What was measured is not changed.";

const EXPORT_EXAMPLES: &str = "Examples:
  ioproof runs export last                ID.json in this directory
  ioproof runs export baseline -o /media/stick/baseline.json
The file is the report as JSON with a SHA-256 of its content; `report` and `compare` read it too. Names and tags stay here.
What stands at its name is replaced only if it is empty or an export that nobody changed since.";

const IMPORT_EXAMPLES: &str = "Examples:
  ioproof runs import baseline.json    judged again by the rules of this version
  ioproof runs import *.json --json
A file that is damaged, hostile or of a later format is refused, and the store stays as it was. The same run twice is said and not doubled.
Exit status: 2 where one is not imported; else 0.";

const PRUNE_EXAMPLES: &str = "Examples:
  ioproof runs prune --size 2GiB --dry-run
                                          what would go
  ioproof runs prune --size 2GiB          removes the oldest until all runs take at most 2 GiB
Runs with a name, runs that are still going on and runs that cannot be read stay. Exit status: 2 where more than the size is left; else 0.";

const RM_EXAMPLES: &str = "Examples:
  ioproof runs rm 20261121-031500-128-3f9a
  ioproof runs rm 20261121-0315 3f9a      by a beginning that only one id has, or by a short id
Names and `last` do not do here, and a run that is still going on stays. Files by other names than ioproof gives stay, and are told.";

/// Actions on stored runs.
#[derive(Debug, Subcommand)]
pub enum RunsAction {
    /// One line a run, the newest last: when, by which verb, on which drive, its first figure
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Runs to be listed.
        #[command(flatten)]
        filter: Filter,
        /// Lines of any length, with full ids, tags and verdicts
        #[arg(long, conflicts_with = "json")]
        wide: bool,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// The summary of one run
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// The run: its id, the beginning of it, its short id, its name, `last`, or a path
        run: String,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// List the runs in which a text is found
    #[command(after_help = FIND_EXAMPLES)]
    Find {
        /// The text, of any case
        text: String,
        /// Runs to be looked through.
        #[command(flatten)]
        filter: Filter,
        /// Lines of any length, with full ids, tags and verdicts
        #[arg(long, conflicts_with = "json")]
        wide: bool,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Give a run a name or tags, or take them away
    #[command(after_help = NAME_EXAMPLES)]
    Name(NameFlags),
    /// Write a run to one file, which another machine imports
    #[command(after_help = EXPORT_EXAMPLES)]
    Export {
        /// The run: its id, the beginning of it, its short id, its name, `last`, or a path
        run: String,
        /// The file; what stands there is replaced only if it is empty or an export  [default: ID.json in this directory]
        #[arg(short = 'o', long = "output", value_name = "FILE")]
        output: Option<PathBuf>,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Take exported runs into the store, and judge them again
    #[command(after_help = IMPORT_EXAMPLES)]
    Import {
        /// Files of `runs export` or `report -o run.json`
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Remove the oldest runs until the rest takes no more than a size
    #[command(after_help = PRUNE_EXAMPLES)]
    Prune {
        /// Room that all runs may take together: 500MiB, 2GiB
        #[arg(long, value_name = "SIZE", value_parser = read_bytes)]
        size: u64,
        /// Show what would be removed, and remove nothing
        #[arg(long)]
        dry_run: bool,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Remove runs by their ids
    #[command(after_help = RM_EXAMPLES)]
    Rm {
        /// Ids in full, beginnings that only one id has, or short ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
}

/// Flags of `runs name`.
#[derive(Debug, Args)]
pub struct NameFlags {
    /// The run: its id, the beginning of it, its short id, its name or `last`
    pub run: String,
    /// Its name from now on
    #[arg(value_parser = |text: &str| check_name(text))]
    pub name: Option<String>,
    /// Take its name away
    #[arg(long, conflicts_with = "name")]
    pub none: bool,
    /// Add this tag; may be repeated
    #[arg(long, value_parser = |text: &str| check_tag(text))]
    pub tag: Vec<String>,
    /// Take this tag away; may be repeated
    #[arg(long, value_name = "TAG")]
    pub untag: Vec<String>,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Conditions that a run must meet, all of them, to be listed.
#[derive(Debug, Clone, Default, Args)]
pub struct Filter {
    /// Only the newest N of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub last: Option<u32>,
    /// Only of drives with this text in model, serial number, kernel name or path
    #[arg(long, value_name = "TEXT")]
    pub drive: Option<String>,
    /// Only of hosts with this text in name, CPU or kernel
    #[arg(long, value_name = "TEXT")]
    pub host: Option<String>,
    /// Only runs of this verb
    #[arg(long, value_parser = verbs::ALL)]
    pub verb: Option<String>,
    /// Only runs that began then or later: 2026-11-21, 2026-11-21T03:15, 7d (days ago), 12h
    #[arg(long, value_name = "DATE", value_parser = |text: &str| moment(text, false))]
    pub since: Option<Timestamp>,
    /// Only runs that began then or before; a day counts to its end
    #[arg(long, value_name = "DATE", value_parser = |text: &str| moment(text, true))]
    pub until: Option<Timestamp>,
    /// Only runs with this tag; of several, with all of them
    #[arg(long)]
    pub tag: Vec<String>,
}

/// A moment as people write it, in local time; of a day or a minute its beginning or its end.
fn moment(text: &str, at_end: bool) -> Result<Timestamp, String> {
    let local = |time: civil::DateTime| time.to_zoned(ioproof_process::zone::local()).map(|zoned| zoned.timestamp());
    let whole = |time: civil::DateTime, unit: jiff::Span| match at_end {
        true => time.checked_add(unit)?.checked_sub(1.nanosecond()),
        false => Ok(time),
    };
    let ago = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let hours = number.parse::<i64>().ok()?.checked_mul(match unit {
            "d" => 24,
            "h" => 1,
            _ => return None,
        })?;
        Timestamp::now().checked_sub(Some(hours).filter(|hours| (0..1_000_000).contains(hours))?.hours()).ok()
    };
    let day = || whole(civil::Date::strptime("%Y-%m-%d", text).ok()?.at(0, 0, 0, 0), 1.day()).ok();
    let minute = || {
        let found = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"].iter().find_map(|format| civil::DateTime::strptime(format, text).ok());
        whole(found?, 1.minute()).ok()
    };
    let exact = || text.parse::<Timestamp>().ok();
    let typed = day().or_else(minute).or_else(|| civil::DateTime::strptime("%Y-%m-%dT%H:%M:%S", text).ok());
    let found = typed.and_then(|time| local(time).ok()).or_else(exact).or_else(ago);
    found.ok_or_else(|| "write 2026-11-21, 2026-11-21T03:15, 7d or 12h".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let at = |text: &str| moment(text, false).map(|time| time.to_zoned(ioproof_process::zone::local()).strftime("%F %T").to_string());
        let end = |text: &str| moment(text, true).map(|time| time.to_zoned(ioproof_process::zone::local()).strftime("%F %T").to_string());
        assert_eq!(at("2026-11-21").unwrap(), "2026-11-21 00:00:00");
        assert_eq!(end("2026-11-21").unwrap(), "2026-11-21 23:59:59");
        assert_eq!(
            (at("2026-11-21T03:15").unwrap(), end("2026-11-21 03:15").unwrap()),
            ("2026-11-21 03:15:00".into(), "2026-11-21 03:15:59".into())
        );
        assert_eq!(at("2026-11-21T03:15:07").unwrap(), "2026-11-21 03:15:07");
        assert_eq!(moment("2026-11-21T03:15:07Z", true).unwrap().to_string(), "2026-11-21T03:15:07Z");
        assert!(moment("7d", false).unwrap() < moment("12h", false).unwrap());
        for wrong in ["", "yesterday", "2026-13-01", "-1d", "2026", "d", "99999999999d", "é", "21.11.2026"] {
            assert!(moment(wrong, false).is_err(), "{wrong}");
        }
    }
}
