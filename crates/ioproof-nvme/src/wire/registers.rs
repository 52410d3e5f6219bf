//! Controller registers (3.1) and their fields.

/// Controller Capabilities (3.1.1). 64 bits.
pub const CAP: usize = 0x00;
/// Version (3.1.2).
pub const VS: usize = 0x08;
/// Controller Configuration (3.1.5).
pub const CC: usize = 0x14;
/// Controller Status (3.1.6).
pub const CSTS: usize = 0x1c;
/// Admin Queue Attributes (3.1.8).
pub const AQA: usize = 0x24;
/// Admin Submission Queue Base Address (3.1.9). 64 bits.
pub const ASQ: usize = 0x28;
/// Admin Completion Queue Base Address (3.1.10). 64 bits.
pub const ACQ: usize = 0x30;
/// First doorbell (3.1.24, 3.1.25).
pub const DOORBELLS: usize = 0x1000;

/// Reading of any 32-bit register of a drive that is no longer there: the bus answers with ones (9.3 of the PCIe transport).
pub const GONE: u32 = u32::MAX;

/// `CC.EN`.
pub const ENABLE: u32 = 1;
/// `CC.SHN` of a normal shutdown.
pub const SHUTDOWN: u32 = 1 << 14;
/// The mask of `CC.SHN`.
pub const SHUTDOWN_MASK: u32 = 3 << 14;
/// Entries of 64 and 16 bytes (`CC.IOSQES`, `CC.IOCQES`), pages of 4 KiB (`CC.MPS`), NVM command set (`CC.CSS`), round robin (`CC.AMS`).
pub const CONFIGURATION: u32 = 6 << 16 | 4 << 20;

/// Controller Capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities(pub u64);

impl Capabilities {
    /// Most entries of a queue (`MQES`, which counts from zero).
    #[must_use]
    pub fn queue_entries_max(self) -> u32 {
        (self.0 & 0xffff) as u32 + 1
    }

    /// Longest time to become ready or to stop being so (`TO`, in halves of a second; at least one). Nanoseconds.
    #[must_use]
    pub fn ready_within_ns(self) -> u64 {
        (self.0 >> 24 & 0xff).max(1) * 500_000_000
    }

    /// Distance of two doorbells (`DSTRD`). Bytes.
    #[must_use]
    pub fn doorbell_stride_bytes(self) -> usize {
        4 << (self.0 >> 32 & 0xf)
    }

    /// True where it has the NVM command set (`CSS`, bit 37).
    #[must_use]
    pub fn has_nvm_commands(self) -> bool {
        self.0 >> 37 & 1 == 1
    }

    /// Smallest memory page (`MPSMIN`). Bytes.
    #[must_use]
    pub fn page_bytes_min(self) -> u64 {
        4096 << (self.0 >> 48 & 0xf)
    }

    /// Place of a doorbell: of the submission queue, or of the completion queue.
    #[must_use]
    pub fn doorbell(self, queue: u16, of_completions: bool) -> usize {
        DOORBELLS + (2 * queue as usize + usize::from(of_completions)) * self.doorbell_stride_bytes()
    }
}

/// Controller Status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerStatus(pub u32);

impl ControllerStatus {
    /// True where the drive no longer answers the bus.
    #[must_use]
    pub fn is_gone(self) -> bool {
        self.0 == GONE
    }

    /// `RDY`.
    #[must_use]
    pub fn is_ready(self) -> bool {
        self.0 & 1 == 1
    }

    /// `CFS`: the controller cannot go on.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        self.0 & 2 == 2
    }

    /// `SHST` of a shutdown that is complete.
    #[must_use]
    pub fn is_shut_down(self) -> bool {
        self.0 >> 2 & 3 == 2
    }
}

/// Value of AQA for queues of so many entries.
#[must_use]
pub fn admin_attributes(entries: u32) -> u32 {
    (entries - 1) << 16 | (entries - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_specification_has_them() {
        let capabilities = Capabilities(1023 | 40 << 24 | 1 << 32 | 1 << 37 | 1 << 48);
        assert_eq!((capabilities.queue_entries_max(), capabilities.ready_within_ns()), (1024, 20_000_000_000));
        assert_eq!((capabilities.doorbell_stride_bytes(), capabilities.page_bytes_min()), (8, 8192));
        assert!(capabilities.has_nvm_commands() && !Capabilities(0).has_nvm_commands());
        assert_eq!((capabilities.doorbell(0, false), capabilities.doorbell(3, true)), (0x1000, 0x1000 + 7 * 8));
        assert_eq!(admin_attributes(32), 31 << 16 | 31);
        assert!(ControllerStatus(GONE).is_gone() && ControllerStatus(2).is_fatal() && ControllerStatus(8).is_shut_down());
    }
}
