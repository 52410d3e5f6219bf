//! Flags of `powercut`.

use crate::flags::sizes::read_bytes;
use clap::{Args, Subcommand, ValueEnum};
use ioproof_powercut::{How, Names, Order};
use ioproof_witness::{SyncPolicy, read_address, read_listen};
use std::path::PathBuf;
use std::time::Duration;

pub const EXAMPLES: &str = "Examples:
  ioproof powercut witness --listen 0.0.0.0             on a second machine: keeps what was acknowledged
  ioproof powercut write /dev/sdb --witness HOST --destroy SERIAL
                                                        on the machine under test; then cut its power
  ioproof powercut check /dev/sdb --witness HOST        after the restart: exit status 1 if a flushed write is lost";

const WITNESS_EXAMPLES: &str = "Examples:
  ioproof powercut witness                keeps records in ~/.local/state/ioproof/witness, and makes a key if there is none
  ioproof powercut witness --listen 192.0.2.7 --dir /srv/witness
  ioproof powercut witness --json         a line of JSON for whatever happens
It runs on another machine than the one that loses its power. The key is what lets writers in: copy its file to the machine that writes, to the same place or to
one that is named there by --key-file. What is sent can be neither changed nor repeated unnoticed, but it is not encrypted. Ctrl-C ends it; records stay.";

const LIST_EXAMPLES: &str = "Examples:
  ioproof powercut list --witness vault
  ioproof powercut list --witness 192.0.2.7:7741 --key-file vault.key --json

WRITTEN counts the sessions that wrote, CHECKS the results that are kept: of checks after a cut. A result is a session of its own, so sessions that write are not numbered without gaps.";

const WRITE_EXAMPLES: &str = "Examples:
  ioproof powercut write /dev/nvme0n1 --witness vault --destroy S4YPNE0N800120
                                          ALL DATA ON THE DRIVE IS LOST; pull the plug whenever you like
  truncate -s 256M cut && ioproof powercut write cut --overwrite cut --witness vault
                                          through a filesystem
  ioproof powercut write /mnt/data --witness vault
                                          files that are made, renamed, removed and grow, in folders of its own
  ioproof powercut write cut --overwrite cut --witness vault --cut-with 'ipmitool chassis power cycle' --cut-after 30s
  ioproof powercut write cut --overwrite cut --witness vault --campaign 6f1c09
                                          the next cut of the same campaign

Each group of blocks is written, made durable by its stream's way, and acknowledged before the next one of the stream. Of trims it is acknowledged what was read behind
them. Acknowledgements go to the witness over a queue of 16 MiB (800,000 of them), so that writing does not wait for the link; what is in it when the power goes is
checked by nobody. Where the witness is away the queue fills, then writing waits; the line of progress says how many it has.

Of a directory only --names chooses what is done; --sync, --order, --writes-per-sync, --bs and --size are for blocks.

A flush of one stream makes the writes of all durable. Where the drive has no forced unit access, streams with dsync and sync flush after each write, which would hide that
flushes are carried out in part: so they pause for three quarters of the time, counted by what the others flush.

Exit status: 0 it wrote, until the power went, the target failed, the time was over, or Ctrl-C; 3 the witness has not stored everything that was acknowledged; 2 an error.";

const CHECK_EXAMPLES: &str = "Examples:
  ioproof powercut check /dev/nvme0n1 --witness vault
  ioproof powercut check cut --witness vault --campaign 6f1c09 --json

Exit status: 1 acknowledged writes are lost after a cut; 3 that cannot be told (nothing acknowledged, nothing cut, others wrote there, records of the witness are damaged behind the first); 2 an error; else 0.";

/// Parts of a test of power cuts.
#[derive(Debug, Subcommand)]
pub enum PowercutAction {
    /// Keep what a writer on another machine was told to be durable
    #[command(after_help = WITNESS_EXAMPLES)]
    Witness(WitnessFlags),
    /// Write blocks, have each durable, and have the witness keep what was acknowledged, until the power goes
    #[command(after_help = WRITE_EXAMPLES)]
    Write(Box<CutWrite>),
    /// After a cut: read back what was acknowledged, and say what became of it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CutCheck),
    /// List the campaigns that a witness has kept
    #[command(after_help = LIST_EXAMPLES)]
    List(Campaigns),
}

/// Flags of `powercut witness`.
#[derive(Debug, Args)]
pub struct WitnessFlags {
    /// Address and port to listen at, or a port alone (`:7744`) at every address  [default: every address of this machine, port 7741]
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = read_listen)]
    pub listen: Option<String>,
    /// Directory for the records, on a durable disk  [default: `witness` in the state folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// File of the key; made where there is none  [default: ~/.config/ioproof/witness.key]
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// When a record is called stored
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = WitnessSync::Fdatasync)]
    pub witness_sync: WitnessSync,
    /// Print a line of JSON for whatever happens
    #[arg(long)]
    pub json: bool,
}

/// Moment at which the witness calls a record stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WitnessSync {
    /// After an fdatasync of its batch
    Fdatasync,
    /// Once the kernel has it: only for witnesses that cannot lose their own power
    None,
}

/// Flags of `powercut write`.
#[derive(Debug, Args)]
pub struct CutWrite {
    /// A file or a block device for blocks, or a directory for operations on names
    pub target: PathBuf,
    /// The witness and its key.
    #[command(flatten)]
    pub at: AtWitness,
    /// Operations in a directory, a stream each: create, rename, remove, append  [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = read_names)]
    pub names: Vec<Names>,
    /// Go on with this campaign, by its 32 digits or enough of the first, of which this is one more cut of the same target and streams  [default: a new one]
    #[arg(long, value_name = "CAMPAIGN")]
    pub campaign: Option<String>,
    /// Ways of making a block durable, a stream each: fdatasync, fsync, dsync, sync  [default: fdatasync,dsync]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = read_how)]
    pub sync: Vec<How>,
    /// Orders of the blocks, a stream each: sequential, random, trim (runs are written, synced, trimmed, synced)  [default: all; trim where the target takes trims]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = read_order)]
    pub order: Vec<Order>,
    /// Blocks that are written before one sync and acknowledged together, a stream each; with trims the most of them, with dsync and sync always 1  [default: 8]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub writes_per_sync: Vec<u32>,
    /// Size of a block  [default: 16KiB, of which a tear at 4096 bytes is seen]
    #[arg(long, value_name = "SIZE", value_parser = read_block)]
    pub bs: Option<u32>,
    /// Part of the target that is used  [default: 256MiB, or all of a smaller one]
    #[arg(long, value_name = "SIZE", value_parser = crate::flags::sizes::read_extent)]
    pub size: Option<ioproof_session::request::TargetExtent>,
    /// End by itself after this time  [default: when the power goes, or with Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = crate::flags::sizes::read_duration)]
    pub time: Option<Duration>,
    /// A command that cuts the power, run by the shell
    #[arg(long, value_name = "COMMAND", value_parser = read_command)]
    pub cut_with: Option<String>,
    /// Time of writing before that command
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = crate::flags::sizes::read_duration, requires = "cut_with")]
    pub cut_after: Duration,
    /// Consent to write.
    #[command(flatten)]
    pub consent: CutTarget,
    /// Print the result as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Consent to write to a target.
#[derive(Debug, Args)]
pub struct CutTarget {
    /// Write to this existing file, which must be the target; what it holds is lost
    #[arg(long, value_name = "FILE")]
    pub overwrite: Option<PathBuf>,
    /// Write to the device with this serial number (a loop device: its kernel name); what it holds is lost
    #[arg(long, value_name = "SERIAL")]
    pub destroy: Option<String>,
    /// Second consent: the device may hold content that no known signature explains
    #[arg(long, requires = "destroy")]
    pub destroy_unknown_content: bool,
    /// Further consent: processes that use the device or file cannot be seen here
    #[arg(long)]
    pub destroy_unseen_users: bool,
}

/// Flags of `powercut check`.
#[derive(Debug, Args)]
pub struct CutCheck {
    /// The file, block device or directory that was written
    pub target: PathBuf,
    /// The witness and its key.
    #[command(flatten)]
    pub at: AtWitness,
    /// The campaign, by its 32 digits or enough of the first  [default: the newest that was written to the target]
    #[arg(long, value_name = "CAMPAIGN")]
    pub campaign: Option<String>,
    /// The drive lost its power and this machine did not (an enclosure, a test bench)
    #[arg(long)]
    pub drive_alone: bool,
    /// Print the result as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

fn read_how(text: &str) -> Result<How, String> {
    match text {
        "fdatasync" => Ok(How::Fdatasync),
        "fsync" => Ok(How::Fsync),
        "dsync" => Ok(How::Dsync),
        "sync" => Ok(How::Sync),
        _ => Err("known: fdatasync, fsync, dsync, sync".into()),
    }
}

fn read_command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("no command is named".into()) } else { Ok(text.to_owned()) }
}

fn read_names(text: &str) -> Result<Names, String> {
    Names::ALL.into_iter().find(|names| names.name() == text).ok_or_else(|| "known: create, rename, remove, append".into())
}

fn read_order(text: &str) -> Result<Order, String> {
    Order::ALL.into_iter().find(|order| order.name() == text).ok_or_else(|| "known: sequential, random, trim".into())
}

fn read_block(text: &str) -> Result<u32, String> {
    u32::try_from(read_bytes(text)?).map_err(|_| format!("`{text}` is more than a block may have"))
}

/// A witness as others reach it.
#[derive(Debug, Args)]
pub struct AtWitness {
    /// The witness: host, or host and port
    #[arg(long, value_name = "HOST[:PORT]", value_parser = read_address)]
    pub witness: String,
    /// File of the key  [default: ~/.config/ioproof/witness.key]
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// Flags of `powercut list`.
#[derive(Debug, Args)]
pub struct Campaigns {
    /// The witness and its key.
    #[command(flatten)]
    pub at: AtWitness,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

impl WitnessSync {
    /// The same in the words of the log.
    pub fn syncs(self) -> SyncPolicy {
        match self {
            Self::Fdatasync => SyncPolicy::EachBatch,
            Self::None => SyncPolicy::Never,
        }
    }
}
