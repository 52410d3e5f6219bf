//! Transport to a SCSI or ATA drive of commands that read, and of nothing else: the twin of the transport for NVMe above.
//!
//! Only the commands of the closed list [`ScsiCommand`] can be sent; neither the trait nor the ioctl takes an opcode, and of ATA PASS-THROUGH, with which a drive can be erased,
//! only the ATA commands of that list exist. `node` opens a device and is the real transport, `sg_io` holds the ioctl, and tests answer from a script.

mod command;
#[cfg(test)]
pub(crate) mod listed;
mod node;
#[cfg(test)]
pub(crate) mod scripted;
mod sg_io;

pub use command::{AtaCommand, ScsiCommand};
pub use node::ScsiNode;

use ioproof_pages::pages::scsi::Sense;
use std::fmt;

/// Data of a drive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScsiAnswer {
    /// The data, as many bytes as came.
    pub data: Vec<u8>,
    /// Sense data that came with a command that succeeded: the registers of an ATA device. Mostly empty.
    pub sense: Vec<u8>,
}

/// Reason for which there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScsiRefusal {
    /// The kernel does not let this user send it.
    NotPermitted,
    /// The drive refused it, and said why.
    Sense(Sense),
    /// The drive ended it with a status, and did not say why.
    Status(u8),
    /// It did not reach the drive, or its answer did not come back: the host adapter's code.
    Host(u16),
    /// The kernel could not deliver it.
    System(String),
}

/// Something that answers SCSI commands.
pub trait ScsiTransport {
    /// Name of the device, for people: `/dev/sda`.
    fn name(&self) -> String;

    /// Sends a command and waits for its completion.
    ///
    /// # Errors
    /// When the user may not, the drive will not, or the kernel cannot.
    fn ask(&mut self, command: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal>;
}

/// Statuses of the SCSI Architecture Model (SAM-6) that may end a reading command.
const STATUSES: [(u8, &str); 7] = [
    (0x02, "check condition without sense data"),
    (0x04, "condition met"),
    (0x08, "busy"),
    (0x18, "reservation conflict"),
    (0x28, "task set full"),
    (0x30, "auto-contingent allegiance"),
    (0x40, "task aborted"),
];

/// The kernel's codes for the end of a command between host and drive (linux/scsi/scsi_status.h).
const HOSTS: [(u16, &str); 8] = [
    (0x01, "the drive could not be reached"),
    (0x02, "the bus stayed busy"),
    (0x03, "the drive did not answer in time"),
    (0x04, "there is no such target"),
    (0x05, "aborted"),
    (0x07, "an error within the host adapter"),
    (0x08, "the bus was reset"),
    (0x0f, "the transport failed"),
];

/// Of these codes, those after which the drive is not there, or did not answer within a minute.
const GONE_HOSTS: [u16; 3] = [0x01, 0x03, 0x04];

impl ScsiRefusal {
    /// True when the drive has gone or did not answer in time, so that nothing more is sent.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Host(code) => GONE_HOSTS.contains(code),
            Self::System(reason) => super::is_gone(reason),
            _ => false,
        }
    }
}

impl fmt::Display for ScsiRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPermitted => f.write_str("this user may not send it; root may"),
            Self::Sense(sense) => write!(f, "refused: {sense}"),
            Self::Status(status) => write!(f, "ended with status {status:02X}h: {}", describe(&STATUSES, *status)),
            Self::Host(code) => write!(f, "not delivered ({code:02X}h): {}", describe(&HOSTS, *code)),
            Self::System(reason) => write!(f, "cannot be sent: {reason}"),
        }
    }
}

fn describe<T: PartialEq>(known: &[(T, &'static str)], code: T) -> &'static str {
    known.iter().find(|(known, _)| *known == code).map_or("not known", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_has_gone_or_is_silent_is_asked_nothing_more() {
        let gone = ScsiRefusal::System(crate::transport::reason(rustix::io::Errno::NODEV));
        assert!(gone.is_final() && [1, 3, 4].map(ScsiRefusal::Host).iter().all(ScsiRefusal::is_final));
        let sense = Sense { key: 5, asc: 0x20, ascq: 0, registers: None };
        let others = [ScsiRefusal::NotPermitted, ScsiRefusal::Sense(sense), ScsiRefusal::Status(2), ScsiRefusal::Host(2)];
        assert!(!others.iter().any(ScsiRefusal::is_final));
    }

    #[test]
    fn refusals_in_words() {
        let sense = Sense { key: 5, asc: 0x20, ascq: 0, registers: None };
        assert_eq!(ScsiRefusal::Sense(sense).to_string(), "refused: illegal request: command is not known (5h/20h/00h)");
        assert_eq!(ScsiRefusal::Status(0x18).to_string(), "ended with status 18h: reservation conflict");
        assert_eq!(ScsiRefusal::Host(3).to_string(), "not delivered (03h): the drive did not answer in time");
        assert_eq!(ScsiRefusal::Host(0x77).to_string(), "not delivered (77h): not known");
    }
}
