//! Copies of superblocks further inside, which remain when the beginning was wiped: those of ext2, ext3, ext4 and XFS lie where the geometry of the
//! filesystem has it, so the usual geometries are tried. As `table.rs`.

use super::Place::{Each, End, Groups, Share, Start};
use super::table::{UFS_MAGICS, checked, row};
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

/// The layout in sector 7, a second superblock behind the 1 MiB of the first, another 2 MiB in, and one in the last 1 MiB, rounded down to a bucket.
const BCACHEFS: &[Place] = &[
    Start(7 * 512),
    Start(MIB + 4 * KIB + 24),
    Start(2 * MIB + 24),
    End(512, MIB - 24),
    End(128 * KIB, MIB - 24),
    End(256 * KIB, MIB - 24),
    End(512 * KIB, MIB - 24),
    End(MIB, MIB - 24),
    End(2 * MIB, 2 * MIB - 24),
    End(4 * MIB, 4 * MIB - 24),
];

/// Copies are 1 GiB from the start and at four, sixteen and so on times that (OCFS2, `ocfs2_fs.h`).
const OCFS2: &[Place] = &[Start(GIB), Start(4 * GIB), Start(16 * GIB), Start(64 * GIB), Start(256 * GIB), Start(TIB)];

/// Since release 19 a label has copies at 1, 10, 100 and 1000 GiB.
const BLUESTORE: &[Place] = &[Start(GIB), Start(10 * GIB), Start(100 * GIB), Start(1000 * GIB)];

/// Copies in the area of checkpoints, which begins in block 1 as a rule; the magic number is 32 into a block of 4 KiB.
const APFS: &[Place] = &[Each { first: 4 * KIB + 32, step: 4 * KIB, below: 4 * MIB }];

/// The first copy of UFS1 is at sector 32, that of UFS2 at sector 160 or 192 (FreeBSD, fsck_ffs(8)).
const UFS: &[Place] = &[Start(32 * 512 + 0x55c), Start(160 * 512 + 0x55c), Start(192 * 512 + 0x55c)];

/// An anchor is in block 256, in the last block, and 256 before that (ECMA-167, 3/8.4.2.1).
const UDF: &[Place] = &[
    Start(256 * 512),
    Start(256 * 2 * KIB),
    Start(256 * 4 * KIB),
    End(512, 512),
    End(2 * KIB, 2 * KIB),
    End(4 * KIB, 4 * KIB),
    End(512, 257 * 512),
    End(2 * KIB, 257 * 2 * KIB),
    End(4 * KIB, 257 * 4 * KIB),
];

pub(super) const TABLE: &[Signature] = &[
    checked("ext2, ext3 or ext4 (backup)", &[b"\x53\xef"], EXT, check::ext),
    checked("ext2, ext3 or ext4 in a partition", &[b"\x53\xef"], EXT_IN_PARTITIONS, check::ext),
    row("XFS (backup)", &[b"XFSB"], XFS),
    row("bcachefs (backup)", &[b"\xc6\x85\x73\xf6\x66\xce\x90\xa9"], BCACHEFS),
    row("OCFS2 (backup)", &[b"OCFSV2"], OCFS2),
    row("Ceph BlueStore (backup)", &[b"bluestore block device"], BLUESTORE),
    row("APFS (checkpoint)", &[b"NXSB"], APFS),
    row("UFS (backup)", UFS_MAGICS, UFS),
    checked("UDF (anchor)", &[b"\x02\0\x02\0", b"\x02\0\x03\0"], UDF, check::udf_anchor),
    row("exFAT (backup)", &[b"EXFAT   "], &[Start(12 * 4 * KIB + 3)]),
    row("ReFS (backup)", &[b"\0\0\0ReFS\0"], &[End(512, 512), End(4 * KIB, 4 * KIB)]),
    checked("HFS (backup)", &[b"BD"], &[End(512, KIB)], check::hfs),
    checked("Core Storage (backup)", &[b"CS"], &[End(512, 512 - 88), End(4 * KIB, 4 * KIB - 88)], check::core_storage),
];
