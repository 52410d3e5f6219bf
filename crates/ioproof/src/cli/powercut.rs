//! Flags of `powercut`.

use clap::{Args, Subcommand, ValueEnum};
use ioproof_witness::Syncs;
use std::path::PathBuf;

const WITNESS_EXAMPLES: &str = "Examples:
  ioproof powercut witness                keeps records in ~/.local/state/ioproof/witness, and makes a key if there is none
  ioproof powercut witness --listen 192.0.2.7 --dir /srv/witness
  ioproof powercut witness --json         a line of JSON for whatever happens
It runs on another machine than the one that loses its power. The key is what lets writers in: copy its file to the machine that writes, to the same place or to
one that is named there by --key-file. What is sent can be neither changed nor repeated unnoticed, but it is not encrypted. Ctrl-C ends it; records stay.";

const LIST_EXAMPLES: &str = "Examples:
  ioproof powercut list --witness vault
  ioproof powercut list --witness 192.0.2.7:7741 --key-file vault.key --json";

/// Parts of a test of power cuts.
#[derive(Debug, Subcommand)]
pub enum Powercut {
    /// Keep what a writer on another machine was told to be durable
    #[command(after_help = WITNESS_EXAMPLES)]
    Witness(Witness),
    /// List the campaigns that a witness has kept
    #[command(after_help = LIST_EXAMPLES)]
    List(Campaigns),
}

/// Flags of `powercut witness`.
#[derive(Debug, Args)]
pub struct Witness {
    /// Address and port to listen at  [default: every address of this machine, port 7741]
    #[arg(long, value_name = "ADDRESS[:PORT]")]
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

/// A witness as others reach it.
#[derive(Debug, Args)]
pub struct AtWitness {
    /// The witness: host, or host and port
    #[arg(long, value_name = "HOST[:PORT]")]
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
    pub fn syncs(self) -> Syncs {
        match self {
            Self::Fdatasync => Syncs::EachBatch,
            Self::None => Syncs::Never,
        }
    }
}
