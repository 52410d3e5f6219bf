//! `ioproof device`: takes NVMe drives from the kernel, so that `--backend polled` drives them, gives them back as they were, and purges drives.

mod purge;

use anyhow::{Result, bail};
use clap::Subcommand;
use ioproof_core::text::visible;
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_target::{BoundDrive, Consent, System, UNCONFINED};

pub const EXAMPLES: &str = "Examples:
  ioproof device bind S4EVNX0M123         take the drive with this serial number from the kernel
  ioproof sweep 'trtype:PCIe traddr:0000:04:00.0'   measure it by ioproof's own driver
  ioproof device unbind S4EVNX0M123       give it back as it was
  ioproof device recover                  give back whatever a killed program left bound
  ioproof device purge S4EVNX0M123 --destroy   all data is lost: sanitize, format or discard the drive, so that it is as new
  ioproof device purge /dev/sda --destroy WD-12345 --method discard   a disk by its path";

/// Actions on drives.
#[derive(Debug, Subcommand)]
pub enum DeviceAction {
    /// Take an NVMe drive from the kernel; refused while anything stands on one of its namespaces
    Bind {
        /// Serial number of the drive
        serial: String,
        /// Also where a namespace holds content that no signature explains
        #[arg(long)]
        destroy_unknown_content: bool,
        /// Also where processes that may use the drive cannot be seen, as in a container
        #[arg(long)]
        destroy_unseen_users: bool,
        /// Also where the drive is behind no IOMMU: a fault or a kill may then overwrite memory of any program or of the kernel
        ///
        /// Nothing keeps such a drive from any memory. A fault of the drive or of this program, or a kill -9 in the middle of a read, may
        /// overwrite memory of any program or of the kernel. Use it only on a machine that may crash, with nothing of worth mounted.
        #[arg(long)]
        unsafe_no_iommu: bool,
    },
    /// Give a drive back to the kernel as it was
    Unbind {
        /// Serial number or PCI address of the drive
        serial: String,
    },
    /// Give back every drive that is bound and that no program drives
    Recover,
    /// Purge a drive, all of whose data is lost: sanitize, format or discard, after which it writes as a new one
    Purge(purge::PurgeFlags),
}

/// Runs the verb.
///
/// # Errors
/// When a drive cannot be taken or given back.
pub fn run(action: &DeviceAction) -> Result<u8> {
    let system = System::host();
    match action {
        DeviceAction::Bind { serial, destroy_unknown_content, destroy_unseen_users, unsafe_no_iommu } => {
            let (destroy_unknown_content, in_use_unseen) = (*destroy_unknown_content, *destroy_unseen_users);
            let consent = Consent { destroy_unknown_content, in_use_unseen, ..Consent::default() };
            let drive = ioproof_target::bind(&system, serial, &consent, *unsafe_no_iommu)?;
            output::print_lines(drive.names())?;
            messages::note(&format!("{} is bound; `ioproof device unbind {}` gives it back", shown(&drive), visible(serial)));
            if !drive.is_confined() {
                messages::warning(UNCONFINED);
            }
            Ok(0)
        }
        DeviceAction::Unbind { serial } => {
            let drive = ioproof_target::unbind(&system, serial)?;
            messages::note(&format!("{} is with the kernel again", shown(&drive)));
            Ok(0)
        }
        DeviceAction::Recover => recover(&system),
        DeviceAction::Purge(flags) => purge::run(&system, flags),
    }
}

fn recover(system: &System) -> Result<u8> {
    let outcomes = ioproof_target::recover(system);
    if outcomes.is_empty() {
        messages::note("no drive is bound");
    }
    let mut failed = Vec::new();
    for (drive, outcome) in outcomes {
        match outcome {
            Ok(()) => messages::note(&format!("{} is with the kernel again", shown(&drive))),
            Err(error) => failed.push(error.to_string()),
        }
    }
    if failed.is_empty() { Ok(0) } else { bail!("{}", failed.join("; ")) }
}

/// A drive in a sentence.
pub(super) fn shown(drive: &BoundDrive) -> String {
    format!("{} ({}, {})", visible(&drive.serial), visible(&drive.model), drive.address)
}
