//! `ioproof device purge`: erases or discards a whole drive, so that it writes as a new one.

use crate::flags::sizes::read_duration;
use anyhow::Result;
use clap::{Args, ValueEnum};
use ioproof_core::text::visible;
use ioproof_core::units::duration;
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_session::purge;
use ioproof_target::purge::{PurgeMethod, PurgeOrder};
use ioproof_target::{Consent, System};
use std::time::Duration;

/// Flags of `device purge`.
#[derive(Debug, Args)]
pub struct PurgeFlags {
    /// Serial number of a drive (all of its namespaces), or the path of a disk
    pub drive: String,
    /// Consent: all data is lost; with a path also the serial number (a loop device: its kernel name)
    #[arg(long, value_name = "SERIAL", num_args = 0..=1)]
    pub destroy: Option<Option<String>>,
    /// Method  [default: the strongest that the drive has and that reaches only what was named]
    #[arg(long)]
    pub method: Option<Method>,
    /// Give up after this time: 90s, 10m, 2h  [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = read_duration)]
    pub time_limit: Option<Duration>,
    /// Second consent: the drive may hold content that no known signature explains
    #[arg(long, requires = "destroy")]
    pub destroy_unknown_content: bool,
    /// Further consent: processes that use the drive cannot be seen here (a container), so that it may be in use
    #[arg(long, requires = "destroy")]
    pub destroy_unseen_users: bool,
}

/// Method of a purge, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Method {
    /// NVMe Sanitize: block erase, else crypto erase
    Sanitize,
    /// NVMe Format with a user data erase
    Format,
    /// Discard of all blocks; the only one for ATA and SCSI
    Discard,
}

impl From<Method> for PurgeMethod {
    fn from(method: Method) -> Self {
        match method {
            Method::Sanitize => Self::Sanitize,
            Method::Format => Self::Format,
            Method::Discard => Self::Discard,
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// A refusal of the write rule; a method that the drive does not have or refuses; a purge that does not end in time.
pub fn run(system: &System, flags: &PurgeFlags) -> Result<u8> {
    // A serial number that is given as the drive is its own consent.
    let destroy = flags.destroy.clone().map(|named| named.unwrap_or_else(|| flags.drive.clone()));
    let consent = Consent {
        destroy,
        destroy_unknown_content: flags.destroy_unknown_content,
        in_use_unseen: flags.destroy_unseen_users,
        ..Consent::default()
    };
    let order = PurgeOrder { method: flags.method.map(Into::into), at_most: flags.time_limit.unwrap_or(purge::AT_MOST) };
    let purged = purge::by_name(system, &flags.drive, &consent, &order)?;
    purged.notes.iter().for_each(|note| messages::warning(note));
    output::print_lines([format!("{} was purged by {} in {}", visible(&flags.drive), purged.method, duration(purged.elapsed))])?;
    Ok(0)
}
