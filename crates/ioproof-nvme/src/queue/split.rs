//! Division of an I/O into commands: none is longer than the drive takes (`MDTS`), nor crosses its boundary (`NOIOB`), as the kernel's block layer does it.

use super::prp::TRANSFER_BYTES_MAX;
use crate::controller::{Facts, Namespace};

/// Page of `MDTS`, which is the smallest that the controller knows; it was refused where that is larger than 4 KiB. Bytes.
const TRANSFER_PAGE_BYTES: u64 = 4096;

/// Limits of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Largest transfer of one command. Bytes.
    pub(super) transfer_bytes: u32,
    /// Distance of the boundaries; 0 for none. Bytes.
    pub(super) boundary_bytes: u64,
}

impl Limits {
    /// Limits of a controller's namespace. A command's 65536 blocks are more than one list reaches, and are no limit of their own.
    pub(super) fn new(facts: &Facts, namespace: &Namespace) -> Self {
        let pages = facts.page.transfer_pages_max.unwrap_or(u64::MAX);
        let most = u32::try_from(pages.saturating_mul(TRANSFER_PAGE_BYTES)).unwrap_or(u32::MAX);
        Self { transfer_bytes: most.min(TRANSFER_BYTES_MAX), boundary_bytes: namespace.boundary_bytes }
    }

    /// Length of the command that begins at `offset`, where `bytes` are left. Bytes.
    #[inline]
    pub(super) fn first(self, offset: u64, bytes: u32) -> u32 {
        let most = bytes.min(self.transfer_bytes);
        if self.boundary_bytes == 0 {
            return most;
        }
        let to_boundary = self.boundary_bytes - offset % self.boundary_bytes;
        most.min(u32::try_from(to_boundary).unwrap_or(u32::MAX))
    }

    /// Most commands of an I/O of `bytes`, wherever it begins.
    pub(super) fn commands_max(self, bytes: u32) -> u32 {
        let each = u64::from(self.transfer_bytes);
        let bytes = u64::from(bytes);
        let commands = match self.boundary_bytes {
            0 => bytes.div_ceil(each),
            // Between two boundaries there are whole commands and a rest; before the first and behind the last there is a rest as well.
            boundary => (bytes / boundary + 2) * boundary.min(bytes.max(1)).div_ceil(each),
        };
        commands.max(1) as u32
    }
}

/// The test for an I/O of whole blocks that is one command. It divides only where a boundary is crossed, or is no power of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    limits: Limits,
    /// Bits of a place inside a block.
    in_block: u64,
    /// Bits of the number of a part between two boundaries.
    part: u64,
}

impl Short {
    pub(super) fn new(limits: Limits, block_bytes: u32) -> Self {
        let part = match limits.boundary_bytes {
            0 => 0,
            boundary if boundary.is_power_of_two() => !(boundary - 1),
            _ => u64::MAX,
        };
        Self { limits, in_block: u64::from(block_bytes - 1), part }
    }

    /// True for a length that a command may have.
    #[inline]
    pub(super) fn has_length(&self, bytes: u32) -> bool {
        bytes.wrapping_sub(1) < self.limits.transfer_bytes && u64::from(bytes) & self.in_block == 0
    }

    /// True for a place at which a command of such a length may begin.
    #[inline]
    pub(super) fn has_place(&self, offset: u64, bytes: u32) -> bool {
        let last = offset.wrapping_add(bytes.into()).wrapping_sub(1);
        offset & self.in_block == 0 && ((offset ^ last) & self.part == 0 || self.is_first(offset, bytes))
    }

    /// Tells places of I/Os of one length, without a boundary to look at: one at which `offset & bits == 0` is good; `None` where length and boundary do not fit.
    #[inline]
    pub(super) fn aligned_bits(&self, bytes: u32) -> Option<u64> {
        let bytes = u64::from(bytes);
        (bytes.is_power_of_two() && self.limits.boundary_bytes & (bytes - 1) == 0).then_some(bytes - 1)
    }

    #[inline(never)]
    fn is_first(&self, offset: u64, bytes: u32) -> bool {
        self.limits.first(offset, bytes) == bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(limits: Limits, offset: u64, bytes: u32) -> Vec<u32> {
        let (mut at, mut left, mut parts) = (offset, bytes, Vec::new());
        while left > 0 {
            let part = limits.first(at, left);
            parts.push(part);
            (at, left) = (at + u64::from(part), left - part);
        }
        assert!(parts.len() <= limits.commands_max(bytes) as usize, "{limits:?} {offset} {bytes} {parts:?}");
        parts
    }

    #[test]
    fn commands_end_at_the_largest_transfer_and_at_boundaries() {
        let plain = Limits { transfer_bytes: 128 << 10, boundary_bytes: 0 };
        assert_eq!(parts(plain, 0, 4096), [4096]);
        assert_eq!(parts(plain, 512, 300 << 10), [128 << 10, 128 << 10, 44 << 10]);
        let bounded = Limits { transfer_bytes: 16 << 10, boundary_bytes: 24 << 10 };
        assert_eq!(parts(bounded, 20 << 10, 40 << 10), [4 << 10, 16 << 10, 8 << 10, 12 << 10]);
        assert_eq!(parts(bounded, 24 << 10, 4096), [4096]);
    }

    #[test]
    fn only_whole_blocks_are_short() {
        let short = Short::new(Limits { transfer_bytes: 8192, boundary_bytes: 0 }, 4096);
        let fits = [(0, 4096), (4096, 8192), (0, 0), (512, 4096), (0, 512)]
            .map(|(at, bytes)| short.has_length(bytes) && short.has_place(at, bytes));
        assert_eq!(fits, [true, true, false, false, false]);
    }

    #[test]
    fn no_io_takes_more_commands_than_were_foreseen() {
        for boundary_bytes in [0, 4096, 12 << 10, 128 << 10, 1 << 20] {
            for transfer_bytes in [4096, 8192, 64 << 10] {
                for bytes in [512, 4096, 20 << 10, 256 << 10] {
                    for offset in [0, 512, 4096, 11 << 10, 127 << 10] {
                        let limits = Limits { transfer_bytes, boundary_bytes };
                        let is_one = parts(limits, offset, bytes).len() == 1;
                        let short = Short::new(limits, 512);
                        assert_eq!(short.has_length(bytes) && short.has_place(offset, bytes), is_one, "{limits:?} {offset} {bytes}");
                        let is_aligned = short.has_length(bytes) && short.aligned_bits(bytes).is_some_and(|bits| offset & bits == 0);
                        assert!(is_one || !is_aligned, "{limits:?} {offset} {bytes}");
                    }
                }
            }
        }
    }
}
