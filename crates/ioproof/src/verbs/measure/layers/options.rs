//! Flags of `layers`.

use crate::flags::baseline::answers;
use crate::flags::outputs::OutputFlags;
use crate::flags::sizes::{read_bytes, read_duration, read_extent, read_share};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ioproof_core::record::Mix;
use ioproof_database::postgres::Setting;
use ioproof_session::compared::FailIf;
use ioproof_session::layers::db::Db;
use ioproof_session::request::TargetExtent;
use ioproof_target::FilesystemChoice;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub const EXAMPLES: &str = "Examples:
  ioproof layers --dir /mnt/data          reads of blocks and file, durable writes, commits of SQLite, in about a minute
  ioproof layers --dir /mnt/ext4 --dir /mnt/xfs
                                          the same on two filesystems in turns, and the second held against the first
  ioproof layers --dir /mnt/data --db sqlite,sqlite:rollback,sqlite:wal:normal
                                          one journal of SQLite against the other, and fewer syncs
  ioproof layers --dir /mnt/data --db postgres --clients 8 --db-user postgres
                                          a PostgreSQL server of its own, by pgbench
  ioproof layers --dir /mnt/data --clients 1,2,4,8
                                          up to how many clients commits grow
  ioproof layers --dir /mnt/data --db postgres --db-set max_wal_size=64MB --db-set full_page_writes=off
                                          the same with other settings
  ioproof layers --dir /mnt/data --db postgres --script order.sql@9 --script report.sql@1
                                          transactions of your own, nine of the one for one of the other
  ioproof layers --dir /mnt/data --db postgres --size 4GiB --memory-limit 1GiB
                                          a database that its memory does not hold
  ioproof layers --dir /mnt/data --postgres postgresql://bench@localhost:5432/bench
                                          a PostgreSQL server that runs already, by tables in a schema of its own, which goes at the end
  ioproof layers --dir /var/lib/postgresql --postgres 'postgresql:///bench?host=/run/postgresql' --db-user postgres
                                          the same by its socket, as its own user of the machine
  ioproof layers --dir /mnt/data --db postgres --pg-test-fsync
                                          the rates of pg_test_fsync beside, one run without an interval
  ioproof layers --drive /dev/nvme0n1 --fs xfs --destroy S4YPNE0N800120
                                          a new XFS on a whole drive: ALL DATA ON IT IS LOST
  ioproof layers --drive /dev/sdb --drive /dev/sdc --fs btrfs:mirror --destroy WD-1234 --destroy WD-5678
                                          a new Btrfs of two drives, which are measured alone and at once before: ALL DATA ON THEM IS LOST
  ioproof layers --drive /dev/sdb --fs zfs --destroy WD-1234 --mkfs-opt \"-O recordsize=8K\"
                                          a pool of ZFS, destroyed at the end
  ioproof layers --dir /mnt/data --dry-run
                                          every step, and nothing is written

Layers take turns, forwards and backwards, so that what changes meanwhile meets all alike; every figure has its interval.
All files are made in the directory and removed at the end; a drive keeps an empty filesystem, of ZFS none. Exit status: as verify without a datasheet;
1 where reads through a filesystem are less than half of those below it (--threshold-filesystem), 3 where that cannot be told.";

/// Flags of `layers`.
#[derive(Debug, Args)]
pub struct LayersFlags {
    /// A directory on the filesystem to be measured; may be repeated  [default: this directory]
    #[arg(long = "dir", value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// A whole drive on which a filesystem is made for the run, mounted where nobody else sees it; what the drive holds is lost. May be repeated
    #[arg(long = "drive", value_name = "DEVICE", conflicts_with = "dirs", requires = "fs")]
    pub drives: Vec<PathBuf>,
    /// The filesystem that is made on the drives, and how it puts several together: ext4, xfs, btrfs[:single|stripe|mirror|raid10], zfs[:single|stripe|mirror|raidz|raidz2]
    #[arg(long, value_name = "NAME", requires = "drives")]
    pub fs: Option<FilesystemChoice>,
    /// Write to the drive with this serial number (a loop device: its kernel name); what it holds is lost. Once for each drive, in any order
    #[arg(long, value_name = "SERIAL", requires = "drives")]
    pub destroy: Vec<String>,
    /// Second consent: the drive may hold content that no known signature explains
    #[arg(long, requires = "destroy")]
    pub destroy_unknown_content: bool,
    /// Further consent: processes that use the drive cannot be seen here (a container), so that it may be in use
    #[arg(long, requires = "destroy")]
    pub destroy_unseen_users: bool,
    /// An option of the program that makes the filesystem, with its value: "-b 1024", of ZFS "-O recordsize=16K"; may be repeated
    #[arg(long, value_name = "OPTION", requires = "drives", conflicts_with = "dirs", allow_hyphen_values = true)]
    pub mkfs_opt: Vec<String>,
    /// Options of its mount: noatime,commit=30
    #[arg(long, value_name = "LIST", requires = "drives", conflicts_with = "dirs")]
    pub mount_opt: Vec<String>,
    /// Databases: sqlite, postgres or none; sqlite:wal or :rollback for its journal, and behind it :full, :normal or :off for its syncs
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "sqlite")]
    pub db: Vec<Db>,
    /// Transactions under way at a time, and as many readers and writers on the filesystem; of a list each is measured: 1,2,4,8
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub clients: Vec<u32>,
    /// The transaction, a standard script of pgbench: tpcb-like, simple-update, select-only
    #[arg(long, value_name = "NAME", default_value = Mix::TpcbLike.name(), value_parser = mixes())]
    pub mix: Mix,
    /// A script of pgbench in place of the transaction, on its tables; may be repeated with weights. Those that run the shell or reach beyond the tables are refused
    #[arg(long = "script", value_name = "FILE[@WEIGHT]", conflicts_with = "mix")]
    pub scripts: Vec<OsString>,
    /// Size of a page of SQLite, and of reads and writes of the filesystem: 512 to 64KiB  [default: 4KiB, with postgres its own 8KiB]
    #[arg(long, value_name = "SIZE", value_parser = page)]
    pub page: Option<u32>,
    /// Size of the scratch file, and the most of each database, which has whole branches of pgbench  [default: 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = read_extent)]
    pub size: Option<TargetExtent>,
    /// The database's own cache: of each client of SQLite, the shared buffers of PostgreSQL  [default: 2 MB, 128MiB]
    #[arg(long, value_name = "SIZE", value_parser = cache)]
    pub db_cache: Option<u64>,
    /// Memory that the whole run may use, with what the page cache keeps for it, by a control group of its own; the ARC of ZFS is not counted
    #[arg(long, value_name = "SIZE", value_parser = read_bytes)]
    pub memory_limit: Option<u64>,
    /// Folder of PostgreSQL's programs  [default: the newest that this machine has]
    #[arg(long, value_name = "DIR")]
    pub db_bin: Option<PathBuf>,
    /// User who runs PostgreSQL where ioproof runs as root, as whom it refuses to run  [default: the owner of the directory]
    #[arg(long, value_name = "NAME")]
    pub db_user: Option<String>,
    /// A setting of PostgreSQL that bears on its log, checkpoints, memory or commits: fsync=off, max_wal_size=64MB; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub db_set: Vec<Setting>,
    /// Measure at this PostgreSQL server, as it is set, in place of one of its own: postgresql://USER@HOST:PORT/DATABASE. A schema is made in the database that is named, and removed
    #[arg(long, value_name = "URI", conflicts_with_all = ["db", "db_set", "db_cache", "memory_limit", "scripts", "drives"])]
    pub postgres: Option<String>,
    /// Run PostgreSQL's pg_test_fsync once in each directory before anything is measured, for 16 s, and show its rates beside
    #[arg(long)]
    pub pg_test_fsync: bool,
    /// Call that makes a write of the filesystem durable: fdatasync, fsync, dsync
    #[arg(long, value_name = "NAME", default_value = "fdatasync", value_parser = ["fdatasync", "fsync", "dsync"])]
    pub sync: String,
    /// Time for all turns, beside what is made first: 90s, 10m  [default: 20s for each layer]
    #[arg(long, value_name = "TIME", value_parser = read_duration)]
    pub time: Option<Duration>,
    /// Turns of each layer; six are the fewest that give an interval
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Share of reads below it (of the same blocks past it, or of all drives at once) that reads through the filesystem are to be: 50% or 0.5
    #[arg(long, value_name = "SHARE", value_parser = read_share)]
    pub threshold_filesystem: Option<f64>,
    /// End with status 1 where that is so of the second of two directories against the first
    #[arg(long, value_parser = answers(), value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
    /// Show every step, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Seed of offsets and of the accounts that are touched  [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Places of reports.
    #[command(flatten)]
    pub outputs: OutputFlags,
}

/// True for a command line that makes a filesystem, which takes mounts of the program's own. It is asked before the program has a second thread, thus before the words
/// are read; one that it does not understand is refused later, where the filesystem would be made.
pub fn makes_filesystem(words: impl IntoIterator<Item = OsString>) -> bool {
    let mut words = words.into_iter().skip(1);
    let is_drive = |word: OsString| word.to_str().is_some_and(|word| word == "--drive" || word.starts_with("--drive="));
    words.next().is_some_and(|verb| verb == ioproof_core::record::verbs::LAYERS) && words.any(is_drive)
}

fn mixes() -> impl TypedValueParser<Value = Mix> {
    PossibleValuesParser::new(Mix::ALL.map(Mix::name)).map(|name| Mix::ALL.into_iter().find(|mix| mix.name() == name).unwrap_or_default())
}

/// Page sizes that SQLite knows (sqlite.org/fileformat2.html, "Page Size").
fn page(text: &str) -> Result<u32, String> {
    match read_bytes(text)? {
        bytes @ 512..=65_536 if bytes.is_power_of_two() => Ok(bytes as u32),
        _ => Err(format!("`{text}` is no power of two from 512 to 64KiB")),
    }
}

fn cache(text: &str) -> Result<u64, String> {
    match read_bytes(text)? {
        bytes if bytes >= 128 << 10 => Ok(bytes),
        _ => Err(format!("`{text}` is less than 128KiB")),
    }
}
