//! Space that a Btrfs still gives to data: it hands out chunks, each to data or to metadata. Where data has taken the last of them, metadata cannot grow, and nobody can make or write a
//! file any more although room for data is told (btrfs(5), "filesystem usage").

use crate::kernel::BtrfsSpace;

/// `BTRFS_BLOCK_GROUP_*`, linux/btrfs_tree.h.
const DATA: u64 = 1;
const METADATA: u64 = 4;
/// Not a part, but what the filesystem sets aside within metadata for its own use (`BTRFS_SPACE_INFO_GLOBAL_RSV`, fs/btrfs/space-info.h).
const RESERVE: u64 = 1 << 49;
/// Profiles that keep everything twice: RAID1, DUP, RAID10.
const TWICE: u64 = 1 << 4 | 1 << 5 | 1 << 6;
const THREE_TIMES: u64 = 1 << 9;
const FOUR_TIMES: u64 = 1 << 10;

/// Largest chunk: a tenth of the filesystem, or this (fs/btrfs/volumes.c, `decide_stripe_size_regular`). Bytes.
const LARGEST_CHUNK_BYTES: u64 = 1 << 30;

/// Parts of a filesystem, as it counts them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Space {
    data: Part,
    metadata: Part,
    /// Taken of the drives by all parts, each copy counted. Bytes.
    raw_bytes: u64,
    /// Data and metadata share their chunks.
    is_mixed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Part {
    free_bytes: u64,
    copies: u64,
}

impl Space {
    pub(crate) fn of(told: &[BtrfsSpace]) -> Self {
        let (reserves, spaces): (Vec<&BtrfsSpace>, Vec<&BtrfsSpace>) = told.iter().partition(|space| space.flags & RESERVE != 0);
        let part = |kind: u64| {
            let mut these = spaces.iter().filter(|space| space.flags & kind != 0);
            let free_bytes = these.clone().map(|space| space.total.saturating_sub(space.used)).fold(0, u64::saturating_add);
            Part { free_bytes, copies: these.next().map_or(1, |space| copies(space.flags)) }
        };
        let raw = spaces.iter().map(|space| space.total.saturating_mul(copies(space.flags)));
        let is_mixed = spaces.iter().any(|space| space.flags & DATA != 0 && space.flags & METADATA != 0);
        let reserved_bytes = reserves.iter().map(|space| space.total).fold(0, u64::saturating_add);
        let metadata = part(METADATA);
        let metadata = Part { free_bytes: metadata.free_bytes.saturating_sub(reserved_bytes), ..metadata };
        Self { data: part(DATA), metadata, raw_bytes: raw.fold(0, u64::saturating_add), is_mixed }
    }

    /// Room that data can have of a filesystem of `total_bytes` if so much is to be left for metadata to grow. Bytes.
    pub(crate) fn free_bytes(&self, total_bytes: u64, keep_bytes: u64) -> u64 {
        if self.is_mixed {
            return u64::MAX;
        }
        let unallocated = total_bytes.saturating_mul(self.data.copies).saturating_sub(self.raw_bytes);
        if self.metadata.free_bytes.saturating_add(unallocated / self.metadata.copies) < keep_bytes / 2 {
            return 0;
        }
        let chunk_bytes = LARGEST_CHUNK_BYTES.min(total_bytes / 10).max(1);
        let for_data = unallocated.saturating_sub(keep_bytes.saturating_mul(self.metadata.copies)) / self.data.copies;
        self.data.free_bytes.saturating_add(for_data / chunk_bytes * chunk_bytes)
    }
}

fn copies(flags: u64) -> u64 {
    match flags {
        _ if flags & FOUR_TIMES != 0 => 4,
        _ if flags & THREE_TIMES != 0 => 3,
        _ if flags & TWICE != 0 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const DUP: u64 = 1 << 5;

    fn space(flags: u64, total: u64, used: u64) -> BtrfsSpace {
        BtrfsSpace { flags, total: total * MIB, used: used * MIB }
    }

    #[test]
    fn the_last_chunks_are_left_to_metadata() {
        let free = |spaces: &[BtrfsSpace]| Space::of(spaces).free_bytes(600 * MIB, 30 * MIB) / MIB;
        let [system, metadata] = [space(2, 4, 0), space(METADATA, 8, 1)];
        assert_eq!(free(&[space(DATA, 8, 8), system, metadata]), 540, "nine chunks of 60");
        assert_eq!(free(&[space(DATA, 528, 500), system, metadata]), 28, "what is given to data already");
        assert_eq!(free(&[space(DATA, 587, 500), system, metadata]), 0, "metadata cannot grow");
        assert_eq!(free(&[space(DATA, 500, 500), system, space(METADATA, 90, 1)]), 0, "no chunk is left");
        assert_eq!(free(&[space(DATA, 400, 400), system, space(METADATA | DUP, 8, 1)]), 120);
        let reserve = space(RESERVE, 3, 0);
        assert_eq!(free(&[space(DATA, 587, 500), space(METADATA, 20, 1), reserve]), 87);
        assert_eq!(free(&[space(DATA, 587, 500), space(METADATA, 18, 1), reserve]), 0, "a part of it is set aside");
        assert_eq!(Space::of(&[space(DATA | METADATA, 100, 1)]).free_bytes(600 * MIB, 30 * MIB), u64::MAX);
    }
}
