//! The flags of `verify`, which other verbs that measure have too.

use super::baseline::BaselineFlags;
use super::load::LoadFlags;
use super::outputs::OutputFlags;
use super::sizes::{read_duration, read_extent, read_offset, read_share};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ioproof_core::faults::Faults;
use ioproof_pages::health::Admission;
use ioproof_session::request::TargetExtent;
use std::path::PathBuf;
use std::time::Duration;

/// Flags that name drives to be written.
pub const CONSENTS: &str = "consents";

/// Flags of `verify`.
#[derive(Debug, Clone, Args)]
pub struct VerifyFlags {
    /// A directory (a scratch file is made in it), a file, or a block device; left out: this directory
    pub target: Option<PathBuf>,
    /// Further targets, 64 in all: each is measured alone and all of them at once; consent to write is given for each, in their order
    #[arg(value_name = "TARGET")]
    pub more: Vec<PathBuf>,
    /// Size of the scratch file, or how much of the target to use: 4GiB, 100%  [default: 1GiB; all of what is only read]
    #[arg(long, value_name = "SIZE", value_parser = read_extent)]
    pub size: Option<TargetExtent>,
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
    #[arg(long, alias = "runtime", value_name = "TIME", value_parser = read_duration)]
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
    #[arg(long, value_name = "SERIAL", group = CONSENTS)]
    pub destroy: Vec<String>,
    /// Second consent: the device may hold content that no known signature explains
    #[arg(long, requires = CONSENTS)]
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
    pub outputs: OutputFlags,
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
    pub baseline: BaselineFlags,
    /// Flags of the load.
    #[command(flatten)]
    pub load: LoadFlags,
}

fn admissions() -> impl TypedValueParser<Value = Admission> {
    let new = PossibleValue::new("new").help("No warnings, spare 100 %, used 0 %");
    let healthy = PossibleValue::new("healthy").help("Neither worn nor failing");
    PossibleValuesParser::new([new, healthy]).map(|name| if name == "new" { Admission::New } else { Admission::Healthy })
}
