//! Copies of superblocks further inside, which remain when the beginning was wiped: those of ext2, ext3, ext4 and XFS lie where the geometry of the
//! filesystem has it, so the usual geometries are tried. As `table.rs`.

use super::Place::{End, Groups, Share, Start};
use super::table::{checked, row};
use super::{PARTITION_STARTS, Place, Signature, check};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

/// The magic number is 0x38 into the superblock. A group is as many blocks as one block has bits; with blocks of 1 KiB the first group begins at block 1.
/// With `sparse_super` copies are in group 1 and those of powers of 3, 5 and 7 (Linux, `Documentation/filesystems/ext4/blockgroup.rst`).
const EXT: &[Place] = &[
    Groups { bytes: 8 * MIB, at: KIB + 0x38 },
    Groups { bytes: 32 * MIB, at: 0x38 },
    Groups { bytes: 128 * MIB, at: 0x38 },
    Groups { bytes: 512 * MIB, at: 0x38 },
    Groups { bytes: 2 * GIB, at: 0x38 },
    Groups { bytes: 8 * GIB, at: 0x38 },
    Groups { bytes: 32 * GIB, at: 0x38 },
    End(128 * MIB, 128 * MIB - 0x38),
];

/// mkfs.xfs makes 4 allocation groups of equal size, 2 in less than 128 MiB, 16 or 32 on arrays, and from 4 TiB on groups of 1 TiB less a block; each begins
/// with a superblock.
const XFS: &[Place] = &[
    Share { part: 1, of_log2: 1 },
    Share { part: 1, of_log2: 2 },
    Share { part: 3, of_log2: 2 },
    Share { part: 1, of_log2: 3 },
    Share { part: 1, of_log2: 4 },
    Share { part: 2, of_log2: 4 },
    Share { part: 3, of_log2: 4 },
    Share { part: 1, of_log2: 5 },
    Share { part: 2, of_log2: 5 },
    Share { part: 3, of_log2: 5 },
    Start(TIB - 4 * KIB),
    Start(2 * (TIB - 4 * KIB)),
    Start(3 * (TIB - 4 * KIB)),
    Start(TIB),
    Start(2 * TIB),
    Start(3 * TIB),
];

/// The first superblock at the usual starts of partitions; its magic number is too short for a search that knows no check.
const EXT_IN_PARTITIONS: &[Place] = &[
    Start(PARTITION_STARTS[0] + KIB + 0x38),
    Start(PARTITION_STARTS[1] + KIB + 0x38),
    Start(PARTITION_STARTS[2] + KIB + 0x38),
    Start(PARTITION_STARTS[3] + KIB + 0x38),
];

pub(super) const TABLE: &[Signature] = &[
    checked("ext2, ext3 or ext4 (backup)", &[b"\x53\xef"], EXT, check::ext),
    checked("ext2, ext3 or ext4 in a partition", &[b"\x53\xef"], EXT_IN_PARTITIONS, check::ext),
    row("XFS (backup)", &[b"XFSB"], XFS),
];
