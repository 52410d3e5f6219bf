//! The NVMe commands of a purge: three that read and two that erase (Base Specification 2.0c, clauses 5.14, 5.16, 5.17 and 5.24), as the kernel takes them.

use super::status::SanitizeAction;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    IdentifyController,
    IdentifyNamespace(u32),
    /// Get Log Page 81h.
    SanitizeStatus,
    Sanitize(SanitizeAction),
    /// Format NVM of a namespace, whose present format is kept.
    Format {
        namespace: u32,
        format: FormatBits,
    },
}

/// The format of a namespace (Identify Namespace, FLBAS and DPS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FormatBits {
    flbas: u8,
    dps: u8,
}

/// Fields of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wire {
    pub opcode: u8,
    pub namespace: u32,
    pub cdw10: u32,
    /// Bytes that the drive gives.
    pub length: u32,
}

pub(super) const IDENTIFY_BYTES: usize = 4096;
pub(super) const SANITIZE_STATUS_BYTES: usize = 512;

impl FormatBits {
    /// Of the data of Identify Namespace.
    pub(super) fn of(identify: &[u8; IDENTIFY_BYTES]) -> Self {
        Self { flbas: identify[26], dps: identify[29] }
    }

    /// Dword 10 of Format NVM with a user data erase: LBAFL, MSET, PI, PIL, SES, LBAFU.
    fn cdw10(self) -> u32 {
        /// User data erase.
        const ERASE: u32 = 1;
        let (flbas, dps) = (u32::from(self.flbas), u32::from(self.dps));
        (flbas & 0xf) | (flbas >> 4 & 1) << 4 | (dps & 7) << 5 | (dps >> 3 & 1) << 8 | ERASE << 9 | (flbas >> 5 & 3) << 12
    }
}

impl Command {
    pub(super) fn wire(self) -> Wire {
        match self {
            Self::IdentifyController => Wire { opcode: 0x06, namespace: 0, cdw10: 1, length: IDENTIFY_BYTES as u32 },
            Self::IdentifyNamespace(namespace) => Wire { opcode: 0x06, namespace, cdw10: 0, length: IDENTIFY_BYTES as u32 },
            // The length goes in dwords, counted from zero.
            Self::SanitizeStatus => {
                let dwords = SANITIZE_STATUS_BYTES as u32 / 4 - 1;
                Wire { opcode: 0x02, namespace: u32::MAX, cdw10: 0x81 | dwords << 16, length: SANITIZE_STATUS_BYTES as u32 }
            }
            // Unrestricted exit (bit 3): after a failed one the drive can be used again without a further sanitize. Blocks are deallocated (bit 9 clear).
            Self::Sanitize(action) => Wire { opcode: 0x84, namespace: 0, cdw10: action as u32 | 1 << 3, length: 0 },
            Self::Format { namespace, format } => Wire { opcode: 0x80, namespace, cdw10: format.cdw10(), length: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_specification() {
        let erase = |action| Command::Sanitize(action).wire();
        assert_eq!(erase(SanitizeAction::BlockErase), Wire { opcode: 0x84, namespace: 0, cdw10: 0xa, length: 0 });
        assert_eq!(erase(SanitizeAction::CryptoErase).cdw10, 0xc);
        assert_eq!(Command::SanitizeStatus.wire(), Wire { opcode: 2, namespace: u32::MAX, cdw10: 0x007f_0081, length: 512 });
        assert_eq!(Command::IdentifyController.wire(), Wire { opcode: 6, namespace: 0, cdw10: 1, length: 4096 });
    }

    #[test]
    fn a_format_keeps_that_of_the_namespace() {
        let format = |flbas, dps| {
            let mut identify = [0; IDENTIFY_BYTES];
            (identify[26], identify[29]) = (flbas, dps);
            Command::Format { namespace: 2, format: FormatBits::of(&identify) }.wire()
        };
        assert_eq!(format(0, 0), Wire { opcode: 0x80, namespace: 2, cdw10: 0x200, length: 0 });
        // Format 2 with metadata in the block and protection of type 1 in its first bytes.
        assert_eq!(format(0x12, 0x09).cdw10, 0x200 | 0x2 | 0x10 | 0x20 | 0x100);
        // Format 35: its upper bits lie in bits 5 and 6 of FLBAS.
        assert_eq!(format(0x43, 0).cdw10, 0x200 | 0x3 | 0x2000);
    }
}
