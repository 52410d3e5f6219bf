//! Completion queue entries (4.6): 16 bytes with a phase tag, and status codes with the errno that the kernel's driver gives for each.

use std::fmt;

/// A completion queue entry (figure 122).
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completion {
    /// Command specific result.
    pub result: u32,
    /// Dword 1.
    pub reserved: u32,
    /// Head of the submission queue in bits 15:0, its number above.
    pub queue: u32,
    /// Identifier in bits 15:0, phase tag in bit 16, status above (figure 124).
    pub dword3: u32,
}

const _: () = assert!(size_of::<Completion>() == 16);

impl Completion {
    /// Identifier of the command.
    #[must_use]
    #[inline]
    pub fn identifier(&self) -> u16 {
        self.dword3 as u16
    }

    /// Phase tag.
    #[must_use]
    #[inline]
    pub fn phase(&self) -> bool {
        self.dword3 >> 16 & 1 == 1
    }

    /// Status of the command.
    #[must_use]
    #[inline]
    pub fn status(&self) -> Status {
        Status((self.dword3 >> 17) as u16)
    }
}

/// Status field without the phase tag: code in bits 7:0, type in bits 10:8, Do Not Retry in bit 14 (figure 124).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// Successful Completion.
    pub const GOOD: Self = Self(0);
    /// Command Abort Requested (figure 126).
    pub const ABORTED: Self = Self(0x007);
    /// LBA Out of Range (figure 127).
    pub const OUT_OF_RANGE: Self = Self(0x080);
    /// Unrecovered Read Error (figure 130).
    pub const UNREADABLE: Self = Self(0x281);

    /// Type and code.
    fn kind(self) -> u16 {
        self.0 & 0x7ff
    }

    /// True for a command that succeeded.
    #[must_use]
    #[inline]
    pub fn is_good(self) -> bool {
        self.kind() == 0
    }

    /// The errno that Linux gives for it (`nvme_error_status`, `blk_status_to_errno`), so that both paths report one fault alike. Aborted commands timed out.
    #[must_use]
    #[cold]
    pub fn errno(self) -> i32 {
        match self.kind() {
            0x001 | 0x002 | 0x00b => libc::EOPNOTSUPP,
            0x007 => libc::ETIMEDOUT,
            0x080 => libc::EREMOTEIO,
            0x081 => libc::ENOSPC,
            0x083 => libc::EBADE,
            0x020 | 0x180 | 0x182 | 0x280 | 0x281 | 0x285 | 0x286 | 0x287 => libc::ENODATA,
            0x282..=0x284 => libc::EILSEQ,
            _ => libc::EIO,
        }
    }

    /// Name of the common codes.
    fn name(self) -> &'static str {
        match self.kind() {
            0x001 => "invalid opcode",
            0x002 => "invalid field",
            0x004 => "data transfer error",
            0x006 => "internal error",
            0x007 => "aborted",
            0x00b => "invalid namespace or format",
            0x020 => "namespace is write protected",
            0x080 => "block out of range",
            0x081 => "capacity exceeded",
            0x082 => "namespace not ready",
            0x100 => "invalid completion queue",
            0x101 => "invalid queue number",
            0x102 => "invalid queue size",
            0x280 => "write fault",
            0x281 => "unrecovered read error",
            _ => "error",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (status type {:x}h, code {:02x}h)", self.name(), self.kind() >> 8, self.0 & 0xff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_apart() {
        let done = Completion { dword3: 7 | 1 << 16 | 0x281 << 17 | 1 << 31, ..Completion::default() };
        assert_eq!((done.identifier(), done.phase()), (7, true));
        assert_eq!(done.status().to_string(), "unrecovered read error (status type 2h, code 81h)");
        assert!(!done.status().is_good() && Status::GOOD.is_good() && Status(1 << 14).is_good());
    }

    #[test]
    fn errors_are_those_of_the_kernel() {
        let errnos = [0x281, 0x080, 0x002, 0x282, 0x006, 0x007].map(|code| Status(code | 1 << 14).errno());
        assert_eq!(errnos, [libc::ENODATA, libc::EREMOTEIO, libc::EOPNOTSUPP, libc::EILSEQ, libc::EIO, libc::ETIMEDOUT]);
    }
}
