//! The command line: flags mean the same under every verb. What was typed is turned into what it means here, with clap.

mod compare;
mod layers;
pub mod outputs;
mod powercut;
pub mod presets;
mod runs;
pub mod sync_presets;

pub use compare::{Baseline, Compare};
pub use layers::{Layers, makes_filesystem};
pub use powercut::{AtWitness, Campaigns, CutCheck, CutTarget, CutWrite, Powercut, Witness};
pub use runs::{Filter, Name, Runs};

use crate::load::Load;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use ioproof_core::faults::Faults;
use ioproof_core::text::visible;
use ioproof_core::units::{parse_duration, parse_size_bytes};
use ioproof_database::postgres::without_password;
use ioproof_pages::health::Admission;
use ioproof_process::{messages, output};
use ioproof_session::request::Extent;
use outputs::Outputs;
use presets::Preset;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Proves what a drive really does.
#[derive(Debug, Parser)]
#[command(name = "ioproof", version, about, after_help = EXAMPLES, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "Examples:
  ioproof verify                          measure the drive under this directory with a scratch file, in a minute
  ioproof verify /dev/nvme0n1             the same on a whole drive, only reading
  ioproof verify /dev/nvme0n1 --destroy S4YPNE0N800120 --time 30m
                                          reading and writing: ALL DATA ON THE DRIVE IS LOST
  ioproof sweep /dev/nvme0n1              what it does at every queue depth, and where more only queues
  ioproof sync /mnt/data                  what fsync, fdatasync and O_DSYNC cost on it
  ioproof layers --dir /mnt/data          what a database makes of what its filesystem can do
  ioproof list                            the drives of this machine
  ioproof identify /dev/nvme0             everything known about one of them
  ioproof runs list                       what was measured so far
  ioproof report last -o report.html      the last run as a page

Exit status: 1 a claim is missed, or data was lost (--check); 3 a claim cannot be told, a figure is not the drive's, or the run was interrupted or not steady;
2 nothing could be judged (usage, permission, an error of ours); else 0.
Data goes to standard output, talk to standard error. NO_COLOR is honoured.";

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure a drive against its datasheet, explain the numbers, and report
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Box<Verify>),
    /// Measure workers x queue depth (x block size): the floor, the knee, the ceiling, and where more only queues
    #[command(after_help = SWEEP_EXAMPLES, mut_args = presets::in_help)]
    Sweep(Box<Sweep>),
    /// Measure what durable writes cost: fsync, fdatasync, O_DSYNC, and what of them reaches the drive
    #[command(after_help = SYNC_EXAMPLES, mut_args = sync_presets::in_help)]
    Sync(Box<Sync>),
    /// Hold a filesystem's reads and durable writes against the commits of a database on it, and say what is lost where
    #[command(after_help = layers::EXAMPLES)]
    Layers(Box<Layers>),
    /// Run fio job files, and fio's own options, unchanged
    #[command(disable_help_flag = true)]
    Run {
        /// Arguments of fio; `ioproof run --help` says more
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FIO'S ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// One line a drive: model, serial, size, firmware, health, link, and what uses it
    List(List),
    /// Everything known about one drive, device or file, with the source of each fact
    #[command(after_help = IDENTIFY_EXAMPLES)]
    Identify(Identify),
    /// Say what of this host would distort a measurement, and how to mend it
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// List the rules that explain a figure, doubt it or take it away, or explain one
    #[command(after_help = RULES_EXAMPLES)]
    Rules(Rules),
    /// Write a stored run as text, JSON, Markdown, CSV, HTML and more
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Hold stored runs against the first of them: better, worse, or cannot tell
    #[command(after_help = compare::EXAMPLES, mut_args = compare::in_help)]
    Compare(Compare),
    /// List, show, find, name, export, import and remove stored runs
    #[command(after_help = runs::RUNS_EXAMPLES)]
    Runs {
        #[command(subcommand)]
        action: Runs,
    },
    /// Prove whether an acknowledged write survives a power cut: the witness, on another machine
    Powercut {
        #[command(subcommand)]
        action: Powercut,
    },
    /// List, show and check datasheets
    Datasheet {
        #[command(subcommand)]
        action: Datasheet,
    },
}

/// Flags of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// Only the drives that these are or lie on: devices, kernel names, files, directories
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Also loop, zram, device-mapper and md devices
    #[arg(long)]
    pub all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

const IDENTIFY_EXAMPLES: &str = "Examples:
  ioproof identify /dev/nvme0             a drive, by any of its nodes: /dev/nvme0n1, /dev/ng0n1, /dev/sda, /dev/sg2
  ioproof identify /mnt/data              the drives under a directory or a file
  ioproof identify /dev/sda --json --raw  all of it for programs, with the pages as the drive gave them
  smartctl -j -x /dev/sda | ioproof identify --from -
                                          what another tool printed, on this machine or any other
  ioproof identify --from id-ctrl.txt --from smart-log.txt
                                          several of its outputs; each drive in them is shown by itself
  ioproof identify /dev/sda --capture sda-bug --anonymise
                                          a folder for a bug report, without serial numbers
Nothing is written to any drive, and nothing is opened for writing. Exit status: 2 when nothing could be learned; else 0.";

/// Flags of `identify`.
#[derive(Debug, Args)]
pub struct Identify {
    /// A block device, a character node of a drive, a kernel name, a file or a directory
    #[arg(required_unless_present = "from")]
    pub target: Option<PathBuf>,
    /// Read a folder that --capture made, or what another tool printed (nvme, smartctl, nvmecontrol, camcontrol), instead; - is standard input; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    pub from: Vec<PathBuf>,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Keep the pages as the drive gave them, in hexadecimal digits
    #[arg(long)]
    pub raw: bool,
    /// Write all that was read into this new folder, so that it can be replayed
    #[arg(long, value_name = "DIR")]
    pub capture: Option<PathBuf>,
    /// Replace serial numbers and other unique names in the capture
    #[arg(long, requires = "capture")]
    pub anonymise: bool,
}

const VERIFY_EXAMPLES: &str = "Examples:
  ioproof verify                          a scratch file of 1 GiB in this directory, removed afterwards
  ioproof verify /mnt/data --size 20GiB   a scratch file on another filesystem
  ioproof verify big.img                  an existing file, only read
  ioproof verify big.img --overwrite big.img
  ioproof verify /dev/sda                 a whole drive, only read
  ioproof verify /dev/sda --live          the same on a full screen: IOPS, MB/s, latency, depth, CPU, findings while it runs
  ioproof verify /dev/sda --destroy BTTV449503TE800JGN --dry-run
                                          what would be written, and whether it would be allowed
  ioproof verify --datasheet intel-dc-p3700 -o result.html -o result.json
  ioproof verify --rw randread,randrw:70 --bs 4KiB,16KiB --depth 1,32 --workers 1
                                          only these eight workloads
  ioproof verify --rw randread --bs 4KiB:60/16KiB:40 --distribution zipf:1.2
                                          two block sizes; some blocks far more often than others
  ioproof verify --rw randread --rate 20k an open loop: response time counts from when an I/O was to start
  ioproof verify --rw randread --latency-target p99.9:1ms --time 5m
                                          the highest rate at which 99.9 % of the reads take at most 1 ms
  ioproof verify --rw randwrite --sync fsync:8 --end-fsync --split-latency
  ioproof verify --rw randwrite --check   write, read everything back and compare; exit status 1 if data was lost
  ioproof verify --rw rw:70:10 --bs 64KiB --workers 2 --worker-span 256MiB --pin 0,1
                                          70 % reads, 10 % trims, 20 % writes; each worker on a CPU and a part of its own
  ioproof verify --interleave /dev/sda /dev/sdb --rw randread
                                          two drives in turns, so that what changes meanwhile meets both; then compared
  ioproof verify /dev/sda /dev/sdb /dev/sdc --rw randread,read
                                          each alone and all at once, and what they share where that is less than the sum
  ioproof verify /dev/sda --baseline last --fail-if worse
                                          held against the run before it; exit status 1 where a figure is worse
  ioproof verify --rw randread --backend null
                                          what the generator itself can do, without any I/O

Nothing is ever written to a place that holds data: an existing file and a device are only read, unless --overwrite names
the file, or --destroy names the drive's serial number (of a loop device its kernel name, as loop0) and nothing is on it.";

/// Flags of `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// A directory (a scratch file is made in it), a file, or a block device; left out: this directory
    pub target: Option<PathBuf>,
    /// Further targets, 64 in all: each is measured alone and all of them at once; consent to write is given for each, in their order
    #[arg(value_name = "TARGET")]
    pub more: Vec<PathBuf>,
    /// Size of the scratch file, or how much of the target to use: 4GiB, 100%  [default: 1GiB; all of what is only read]
    #[arg(long, value_name = "SIZE", value_parser = read_extent)]
    pub size: Option<Extent>,
    /// Where on the target the part that is used begins  [default: 0]
    #[arg(long, value_name = "SIZE", value_parser = read_offset)]
    pub offset: Option<u64>,
    /// Directory for the scratch file, when no target is given
    #[arg(long, value_name = "DIR", conflicts_with = "target")]
    pub dir: Option<PathBuf>,
    /// Measure two targets in turns (A B B A) and compare the second with the first; consent to write is given for each, in their order
    #[arg(long, num_args = 2, value_names = ["TARGET", "TARGET"], conflicts_with_all = ["target", "dir", "baseline"])]
    pub interleave: Vec<PathBuf>,
    /// Time for everything but --precondition and what --check reads back: 90s, 10m, 2h  [default: 60s for a scratch file, else 10m]
    #[arg(long, value_name = "TIME", value_parser = read_duration)]
    pub time: Option<Duration>,
    /// Runs of each workload, as far as --time allows; six are the fewest that give an interval  [default: 6 to 30, until precise]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// About a minute in all
    #[arg(long, conflicts_with = "time")]
    pub quick: bool,
    /// Judge by this datasheet: a name as in `datasheet list`, or a file  [default: by the drive's model]
    #[arg(long, value_name = "NAME|FILE")]
    pub datasheet: Option<String>,
    /// Write to this existing file, which must be the target; what it holds is lost
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
    /// Write to the device with this serial number (a loop device: its kernel name); what it holds is lost
    #[arg(long, value_name = "SERIAL")]
    pub destroy: Vec<String>,
    /// Second consent: the device may hold content that no known signature explains
    #[arg(long, requires = "destroy")]
    pub destroy_unknown_content: bool,
    /// Further consent: processes that use the device or file cannot be seen here (a container, no rights), so that it may be in use
    #[arg(long)]
    pub destroy_unseen_users: bool,
    /// Measure only a drive that says of itself that it is new (no warnings, spare 100 %, used 0 %), or healthy
    #[arg(long, value_parser = admissions(), value_name = "new|healthy")]
    pub admit: Option<Admission>,
    /// Before writes are measured, bring the target to steady state: two passes over it, then rounds until they are steady (SNIA SSS PTS)
    #[arg(long)]
    pub precondition: bool,
    /// Show what would be run and written, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Share of a claim that passes on a block device: 80% or 0.8
    #[arg(long, value_name = "SHARE", value_parser = read_share)]
    pub threshold: Option<f64>,
    /// Share of a claim that passes through a filesystem: 50% or 0.5
    #[arg(long, value_name = "SHARE", value_parser = read_share)]
    pub threshold_filesystem: Option<f64>,
    /// Seed of offsets, data and the order of rounds  [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Places of reports.
    #[command(flatten)]
    pub outputs: Outputs,
    /// Show a full screen of the run while it goes on: figures now and over time, findings as they come; q ends it
    #[arg(long, conflicts_with = "dry_run")]
    pub live: bool,
    /// Inject faults, for tests of ioproof itself: errors=SHARE, short=SHARE, drop_writes=SHARE, fail_after=N, gone_after=N, hang_at=N, delay_us=N, stall_at=N with stall_ms=N, seed=N
    #[arg(long, value_name = "FAULTS", hide = true)]
    pub faults: Option<Faults>,
    /// An I/O outstanding for longer ends the run as hung
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = read_duration, hide = true)]
    pub io_timeout: Duration,
    /// Flags of a comparison at the end.
    #[command(flatten)]
    pub baseline: Baseline,
    /// Flags of the load.
    #[command(flatten)]
    pub load: Load,
}

const SWEEP_EXAMPLES: &str = "Examples:
  ioproof sweep /dev/nvme0n1              random reads of 4 KiB by one worker, queue depth 1 to 256
  ioproof sweep /dev/nvme0n1 --as wal --destroy S4YPNE0N800120 -o wal.html
                                          a write-ahead log, 1 to 8 workers: ALL DATA ON THE DRIVE IS LOST
  ioproof sweep /mnt/data --as threads    1 to 128 threads, on a scratch file
  ioproof sweep big.img --overwrite big.img --rw randread,randrw:70 --bs 4KiB,16KiB --workers 1,4
                                          the axes of your own; those left out are the preset's
  ioproof sweep big.img --backend io_uring,psync,libaio
                                          a series for each backend
  ioproof sweep /dev/nvme0n1 --live       on a full screen
  ioproof sweep --resume last             goes on with a sweep that was interrupted

A series is climbed until two steps in a row bring no more throughput; --full measures what is beyond too. Knee: the greatest throughput per latency, beyond
which latency grows faster than throughput. Flags are those of verify; a sweep takes 5 minutes unless --time says otherwise.";

/// Flags of `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The axes that this question needs  [default: depth]
    #[arg(long = "as", value_name = "PRESET", value_parser = presets::names())]
    pub preset: Option<Preset>,
    /// Also measure cells beyond the point where more only queues
    #[arg(long)]
    pub full: bool,
    /// Go on with this sweep, which was interrupted, on the same file or device: its id, the beginning of one, its short id, its name, or `last`
    #[arg(long, value_name = "RUN")]
    pub resume: Option<String>,
    /// Flags of `verify`.
    #[command(flatten)]
    pub verify: Verify,
}

const SYNC_EXAMPLES: &str = "Examples:
  ioproof sync /mnt/data                  every way of making a write durable, on scratch files, in a minute
  ioproof sync /mnt/data --as etcd        whether the disk is fast enough for etcd: p99 of fdatasync at most 10 ms
  ioproof sync /dev/nvme0n1 --as ceph-journal --destroy S4YPNE0N800120
                                          the journal of Ceph on a whole drive: ALL DATA ON THE DRIVE IS LOST
  ioproof sync /mnt/data --as postgres-wal -o wal.html
  ioproof sync /mnt/data --sync fdatasync,dsync --bs 4KiB,16KiB --workers 1,8
                                          the ways, sizes and writers of your own; what is left out is the preset's
                                          (its loads that vary what you typed are not run)
  ioproof sync --show-loss /mnt/data      what is gone after a power cut, and what fsync kept; --after says it
  ioproof compare RUN RUN                 two drives by this one command on each

A commit is one write, or one group of writes, that is durable. Flags are those of verify.
Exit status: 1 a limit of the preset is missed; 3 it cannot be told; else as verify.";

/// Flags of `sync`.
#[derive(Debug, Args)]
pub struct Sync {
    /// The durable writes of this program  [default: ways]
    #[arg(long = "as", value_name = "PRESET", value_parser = sync_presets::names())]
    pub preset: Option<sync_presets::Preset>,
    /// Measure nothing: show what a power cut takes of writes without fsync, with files in a folder of its own in a directory
    #[arg(long)]
    pub show_loss: bool,
    /// With --show-loss, after the cut: say what is there
    #[arg(long, requires = "show_loss")]
    pub after: bool,
    /// Flags of `verify`.
    #[command(flatten)]
    pub verify: Verify,
}

const RULES_EXAMPLES: &str = "Examples:
  ioproof rules                           every rule, by what it looks at
  ioproof rules page-cache                one of them, as findings name it, explained
  ioproof rules cpu                       all whose name or sentence has this in it";

/// Flags of `rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// A rule by its name, which is explained; else only rules whose name or sentence has this in it
    #[arg(value_name = "WORD")]
    pub word: Option<String>,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

const DOCTOR_EXAMPLES: &str = "Examples:
  ioproof doctor                          this host, and the way to each of its drives
  ioproof doctor /dev/nvme0n1             this host, and the way to this drive
  ioproof doctor /mnt/data                the same for the drives under a directory
  ioproof doctor --json                   with every fact that was looked at, and its source

Nothing is changed; the commands that it prints (behind #, or behind $ where you are not root) can be pasted, and hold until the next boot.
Exit status: 3 something would distort measurements; 2 an error; else 0.";

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// A directory, a file, a block device or its kernel name (sda); left out: every drive of this host
    pub target: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

const REPORT_EXAMPLES: &str = "Examples:
  ioproof report last                     the last run as text
  ioproof report 20261121-031500-3f9a -o x.html -o x.csv
  ioproof report last --format csv        the results as a table on standard output
  ioproof report last -o tables/          results, latency, rounds and notes, a .csv each
A run is named by its id, the beginning of one, its short id, its name, `last`, or the path of its directory.";

/// Flags of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run: its id, the beginning of it, its short id, its name, `last`, or a path
    pub run: String,
    /// Places of reports  [default: text to standard output].
    #[command(flatten)]
    pub outputs: Outputs,
    /// Judge the run again by the rules of this version instead of showing the stored judgement
    #[arg(long)]
    pub rejudge: bool,
}

/// Actions on datasheets.
#[derive(Debug, Subcommand)]
pub enum Datasheet {
    /// One line a family
    List {
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Every claim of one family with its conditions and source
    Show {
        /// Name as in `datasheet list`, or a file
        name: String,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Check files, naming line and field of what is wrong
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Reads the command line.
///
/// # Errors
/// clap's own, which also carries help and version.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Verb, clap::Error> {
    Cli::try_parse_from(args).map(|cli| cli.verb)
}

/// Prints help or the version on standard output, or what is wrong with a command line on standard error, where words that would do something to a terminal are
/// shown.
pub fn print(error: &clap::Error) -> anyhow::Result<()> {
    let text = error.render().to_string();
    if !error.use_stderr() {
        return output::print(&text);
    }
    let shown: String = text.lines().map(|line| without_password(&visible(line)) + "\n").collect();
    match shown == text {
        true => drop(error.print()),
        false => shown.lines().for_each(messages::say),
    }
    Ok(())
}

fn admissions() -> impl TypedValueParser<Value = Admission> {
    let new = PossibleValue::new("new").help("No warnings, spare 100 %, used 0 %");
    let healthy = PossibleValue::new("healthy").help("Neither worn nor failing");
    PossibleValuesParser::new([new, healthy]).map(|name| if name == "new" { Admission::New } else { Admission::Healthy })
}

fn read_offset(text: &str) -> Result<u64, String> {
    match parse_size_bytes(text).map_err(|e| e.to_string())? {
        bytes if bytes.is_multiple_of(4096) => Ok(bytes),
        _ => Err(format!("`{text}` is no multiple of 4 KiB")),
    }
}

fn read_extent(text: &str) -> Result<Extent, String> {
    match text.strip_suffix('%') {
        Some(_) => read_share(text).map(Extent::Share),
        None => match parse_size_bytes(text).map_err(|e| e.to_string())? {
            0 => Err("a size of 0 bytes".into()),
            bytes => Ok(Extent::Bytes(bytes)),
        },
    }
}

fn read_duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text).map_err(|e| e.to_string())? {
        Duration::ZERO => Err("a time of 0".into()),
        time => Ok(time),
    }
}

fn read_share(text: &str) -> Result<f64, String> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |n| (n, 100.0));
    let share = number.trim().parse::<f64>().map_err(|_| format!("`{text}` is no share; write 80% or 0.8"))? / scale;
    if share > 0.0 && share <= 1.0 { Ok(share) } else { Err(format!("`{text}` is not more than 0 and at most 100 %")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_of_verify_without_a_value_are_known_to_whoever_reads_a_command_again() {
        let verify = Cli::command().find_subcommand("verify").unwrap().clone();
        let without =
            verify.get_arguments().filter(|argument| !argument.get_action().takes_values()).filter_map(|argument| argument.get_long());
        let mut found: Vec<String> = without.map(|name| format!("--{name}")).collect();
        let mut known = ioproof_core::limited_by::SWITCHES.to_vec();
        found.sort();
        known.sort_unstable();
        assert_eq!(found, known);
    }

    #[test]
    fn help_has_the_defaults_of_its_verb_and_no_flag_that_it_refuses() {
        let help = |verb: &str| Cli::command().find_subcommand_mut(verb).unwrap().render_help().to_string();
        let flag = |help: &str, name: &str| {
            let lines: Vec<&str> = help.lines().skip_while(|line| !line.trim_start().starts_with(name)).collect();
            let more = lines.iter().skip(1).take_while(|line| !line.trim_start().starts_with('-') && !line.trim().is_empty());
            lines.iter().take(1).chain(more).map(|line| line.trim()).collect::<Vec<_>>().join(" ")
        };
        let (verify, sweep, sync) = (help("verify"), help("sweep"), help("sync"));
        for name in ["--interleave", "--latency-target <", "--check"] {
            let has = |help: &str| help.lines().any(|line| line.trim_start().starts_with(name));
            assert!(has(&verify) && !has(&sweep) && !has(&sync), "{name}");
        }
        assert!(flag(&sync, "--time").ends_with("[default: 60s for a scratch file, else 3m]"), "{}", flag(&sync, "--time"));
        for name in ["--depth", "--workers", "--bs", "--sync", "--write-to", "--files"] {
            assert!(flag(&sync, name).ends_with("[default: the preset's]"), "{}", flag(&sync, name));
        }
        assert_eq!(flag(&sync, "--backend").matches("[default: ").count(), 1, "{}", flag(&sync, "--backend"));
    }

    #[test]
    fn shares_and_sizes() {
        assert_eq!(read_share("80%"), Ok(0.8));
        assert_eq!(read_share("0.5"), Ok(0.5));
        assert!(read_share("80").is_err() && read_share("0").is_err() && read_share("x%").is_err());
        for text in ["0", "101%"] {
            assert!(read_share(text).unwrap_err().contains("more than 0 and at most 100 %"), "{text}");
        }
        assert_eq!(read_extent("100%").map(|e| e.of(1000)), Ok(1000));
        assert_eq!(read_extent("4KiB").map(|e| e.of(1 << 30)), Ok(4096));
        assert!(read_extent("0").is_err());
        assert_eq!((read_offset("1MiB"), read_offset("0")), (Ok(1 << 20), Ok(0)));
        assert!(read_offset("100B").is_err() && read_offset("x").is_err());
    }
}
