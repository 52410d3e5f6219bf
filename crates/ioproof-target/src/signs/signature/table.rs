//! The table of signatures: name, magic numbers, places. Offsets are bytes. Rarer ones are in `rare.rs`, images and archives in `images.rs`, copies in
//! `backups.rs`.
//!
//! To add one: a row here, with the place counted from the start (`Start`) or from the end (`End(unit, back)`: the size rounded down to
//! `unit`, less `back`). Four bytes of magic and more need no check; shorter ones want one in `check.rs` and a test in `mod.rs`.

use super::Place::{Each, End, Start};
use super::{Check, Place, Signature, check};

pub(super) const fn row(name: &'static str, magics: &'static [&'static [u8]], places: &'static [Place]) -> Signature {
    Signature { name, magics, places, check: None }
}

pub(super) const fn checked(name: &'static str, magics: &'static [&'static [u8]], places: &'static [Place], check: Check) -> Signature {
    Signature { name, magics, places, check: Some(check) }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// The last ten bytes of the first page, for every page size that Linux has.
const PAGE_ENDS: &[Place] = &[Start(4 * KIB - 10), Start(8 * KIB - 10), Start(16 * KIB - 10), Start(32 * KIB - 10), Start(64 * KIB - 10)];

/// ISO 9660 and UDF descriptors: one byte into each block of 2 KiB from 32 KiB on, or of 4 KiB.
const DESCRIPTORS: &[Place] = &[
    Start(0x8001),
    Start(0x8801),
    Start(0x9001),
    Start(0x9801),
    Start(0xa001),
    Start(0xa801),
    Start(0xb001),
    Start(0xb801),
    Start(0xc001),
];

/// Bare descriptors that open, close or describe a volume (ECMA-167, 2/9 and 3/9).
const DESCRIPTOR_MAGICS: &[&[u8]] = &[b"NSR02", b"NSR03", b"BEA01", b"TEA01", b"BOOT2", b"CDW02"];

/// A secondary LUKS2 header is at 16 KiB or a doubling of it (LUKS2 On-Disk Format Specification, 2.1).
const LUKS2_COPIES: &[Place] = &[
    Start(0x4000),
    Start(0x8000),
    Start(0x1_0000),
    Start(0x2_0000),
    Start(0x4_0000),
    Start(0x8_0000),
    Start(MIB),
    Start(2 * MIB),
    Start(4 * MIB),
];

/// The header of a metadata area begins with a checksum. The first area is at 4 KiB, or at the memory page of a machine with larger ones; a second one lies at
/// the end.
const LVM2_AREAS: &[Place] = &[
    Start(4 * KIB + 4),
    Start(8 * KIB + 4),
    Start(16 * KIB + 4),
    Start(64 * KIB + 4),
    End(MIB, MIB - 4),
    End(MIB, 2 * MIB - 4),
    End(512, MIB - 4),
];

/// External metadata of DRBD: 128 MiB for each device that shares the disk; the magic number is 60 into them.
const DRBD_INDEXED: &[Place] = &[Each { first: 60, step: 128 * MIB, below: 2 * KIB * MIB }];

/// A write-intent bitmap is 1 or 4 KiB behind the superblock of its array, or in the last 4 KiB before it.
const MD_BITMAPS: &[Place] = &[
    Start(KIB),
    Start(4 * KIB),
    Start(5 * KIB),
    Start(8 * KIB),
    End(64 * KIB, 60 * KIB),
    End(4 * KIB, 4 * KIB),
    End(4 * KIB, 7 * KIB),
    End(4 * KIB, 12 * KIB),
];

/// `fs_magic` lies 0x55c into the superblock, which is at one of four places (FreeBSD, `ufs/ffs/fs.h`).
const UFS_PLACES: &[Place] = &[Start(0x55c), Start(8 * KIB + 0x55c), Start(64 * KIB + 0x55c), Start(256 * KIB + 0x55c)];

/// Offsets in sectors from the end where Promise controllers put their metadata.
const PROMISE_PLACES: &[Place] = &[
    End(512, 63 * 512),
    End(512, 255 * 512),
    End(512, 256 * 512),
    End(512, 16 * 512),
    End(512, 399 * 512),
    End(512, 591 * 512),
    End(512, 675 * 512),
    End(512, 735 * 512),
    End(512, 911 * 512),
    End(512, 974 * 512),
    End(512, 991 * 512),
    End(512, 951 * 512),
    End(512, 3087 * 512),
];

pub(super) const TABLE: &[Signature] = &[
    // Partition tables.
    row("GPT partition table", &[b"EFI PART"], &[Start(512), Start(4 * KIB)]),
    row("GPT partition table (backup)", &[b"EFI PART"], &[End(512, 512), End(4 * KIB, 4 * KIB)]),
    checked("DOS partition table or boot sector", &[b"\x55\xaa"], &[Start(510)], check::boot_sector),
    row("Apple partition map", &[b"PM\0\0"], &[Start(512), Start(2 * KIB), Start(4 * KIB)]),
    row("Apple driver map", &[b"ER\x02\0", b"ER\x08\0", b"ER\x10\0"], &[Start(0)]),
    row("BSD disklabel", &[b"WEV\x82", b"\x82VEW"], &[Start(0), Start(64), Start(512)]),
    row("SGI disk label", &[b"\x0b\xe5\xa9\x41"], &[Start(0)]),
    row("AIX disk label", &[b"\xc9\xc2\xd4\xc1"], &[Start(0)]),
    checked("Sun disk label", &[b"\xda\xbe"], &[Start(508)], check::sun),
    // Filesystems of Linux.
    checked("ext2, ext3 or ext4", &[b"\x53\xef"], &[Start(KIB + 0x38)], check::ext),
    row("XFS", &[b"XFSB"], &[Start(0)]),
    // An external log begins with a record only until its first wrap: later the first record is at any sector of the first 256 KiB, the largest record.
    row("XFS log", &[b"\xfe\xed\xba\xbe"], &[Each { first: 0, step: 512, below: 256 * KIB }]),
    row("Btrfs", &[b"_BHRfS_M"], &[Start(64 * KIB + 64), Start(64 * MIB + 64), Start(256 * KIB * MIB + 64)]),
    row("F2FS", &[b"\x10\x20\xf5\xf2"], &[Start(KIB), Start(5 * KIB)]),
    row("ReiserFS", &[b"ReIsEr"], &[Start(8 * KIB + 52), Start(64 * KIB + 52), Start(8 * KIB + 20)]),
    row("Reiser4", &[b"ReIsEr4"], &[Start(64 * KIB)]),
    row("JFS", &[b"JFS1"], &[Start(32 * KIB), Start(60 * KIB)]),
    row("JFS log", &[b"\x21\x43\x65\x87"], &[Start(4 * KIB)]),
    checked("NILFS2", &[b"\x34\x34"], &[Start(KIB + 6), End(512, 4 * KIB - 6), End(4 * KIB, 4 * KIB - 6)], check::nilfs),
    row("bcachefs or bcache", &[b"\xc6\x85\x73\xf6"], &[Start(4 * KIB + 24)]),
    row("squashfs", &[b"hsqs", b"sqsh"], &[Start(0)]),
    row("EROFS", &[b"\xe2\xe1\xf5\xe0"], &[Start(KIB)]),
    row("cramfs", &[b"\x45\x3d\xcd\x28", b"\x28\xcd\x3d\x45"], &[Start(0), Start(512)]),
    row("romfs", &[b"-rom1fs-"], &[Start(0)]),
    row("zonefs", &[b"SFOZ"], &[Start(0)]),
    row("UBI", &[b"UBI#"], &[Start(0)]),
    row("swap", &[b"SWAPSPACE2", b"SWAP-SPACE"], PAGE_ENDS),
    row("suspended system (TuxOnIce)", &[b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"], &[Start(0)]),
    row("suspended system", &[b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001"], PAGE_ENDS),
    // Filesystems of clusters.
    row("GFS or GFS2", &[b"\x01\x16\x19\x70"], &[Start(64 * KIB)]),
    row("OCFS2", &[b"OCFSV2"], &[Start(KIB), Start(2 * KIB), Start(4 * KIB), Start(8 * KIB)]),
    row("OCFS", &[b"OracleCFS"], &[Start(8 * KIB)]),
    row("Ceph BlueStore", &[b"bluestore block device"], &[Start(0)]),
    row("VMFS", &[b"\x5e\xf1\xab\x2f"], &[Start(2 * MIB)]),
    row("VMFS volume", &[b"\x0d\xd0\x01\xc0"], &[Start(MIB)]),
    // Filesystems of others.
    row("NTFS", &[b"NTFS    "], &[Start(3)]),
    row("NTFS (backup)", &[b"NTFS    "], &[End(512, 512 - 3), End(4 * KIB, 4 * KIB - 3)]),
    row("exFAT", &[b"EXFAT   "], &[Start(3), Start(12 * 512 + 3)]),
    row("ReFS", &[b"\0\0\0ReFS\0"], &[Start(0)]),
    row("BitLocker", &[b"-FVE-FS-"], &[Start(3)]),
    row("BitLocker To Go", &[b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01"], &[Start(0x1a8)]),
    row("FAT12 or FAT16", &[b"FAT12   ", b"FAT16   ", b"FAT     ", b"MSDOS"], &[Start(0x36)]),
    row("FAT32", &[b"FAT32   ", b"MSWIN"], &[Start(0x52), Start(6 * 512 + 0x52)]),
    row("ISO 9660", &[b"CD001"], DESCRIPTORS),
    row("High Sierra", &[b"CDROM"], &[Start(0x8009)]),
    row("UDF", DESCRIPTOR_MAGICS, DESCRIPTORS),
    row("APFS", &[b"NXSB"], &[Start(32)]),
    row("HFS+", &[b"H+\0\x04", b"HX\0\x05"], &[Start(KIB)]),
    row("HFS+ (backup)", &[b"H+\0\x04", b"HX\0\x05"], &[End(512, KIB)]),
    checked("HFS", &[b"BD"], &[Start(KIB)], check::hfs),
    row("UFS", UFS_MAGICS, UFS_PLACES),
    checked(
        "Minix",
        &[b"\x7f\x13", b"\x8f\x13", b"\x13\x7f", b"\x13\x8f", b"\x68\x24", b"\x78\x24", b"\x24\x68", b"\x24\x78"],
        &[Start(KIB + 16)],
        check::minix,
    ),
    checked("Minix 3", &[b"\x5a\x4d", b"\x4d\x5a"], &[Start(KIB + 0x18)], check::minix3),
    row("HPFS", &[b"\x49\xe8\x95\xf9"], &[Start(8 * KIB)]),
    row("HPFS (spare block)", &[b"\x49\x18\x91\xf9"], &[Start(17 * 512)]),
    row("BFS", &[b"\xce\xfa\xad\x1b"], &[Start(0)]),
    row("BeFS", &[b"BFS1", b"1SFB"], &[Start(0x20), Start(512 + 0x20)]),
    row("VxFS", &[b"\xf5\xfc\x01\xa5", b"\xa5\x01\xfc\xf5"], &[Start(KIB), Start(8 * KIB)]),
    row("NSS", &[b"SPB5"], &[Start(4 * KIB)]),
    row("Oracle ASM", &[b"ORCLDISK"], &[Start(32)]),
    row("Oracle ASM disk header", &[b"\x01\x82\x01\x01"], &[Start(0)]),
    // Volume managers and encryption.
    row("LVM2", &[b"LABELONE"], &[Start(0), Start(512), Start(KIB), Start(KIB + 512)]),
    row("LVM2 (metadata area)", &[b" LVM2 x[5A%r0N*>"], LVM2_AREAS),
    row("LVM1", &[b"HM\x01\0", b"HM\x02\0"], &[Start(0)]),
    row("LUKS", &[b"LUKS\xba\xbe"], &[Start(0)]),
    row("LUKS2 (secondary header)", &[b"SKUL\xba\xbe"], LUKS2_COPIES),
    row("dm-verity", &[b"verity\0\0"], &[Start(0)]),
    row("dm-integrity", &[b"integrt\0"], &[Start(0)]),
    row("dm-snapshot", &[b"SnAp"], &[Start(0)]),
    row("VDO", &[b"dmvdo001"], &[Start(0)]),
    row("Stratis", &[b"!Stra0tis\x86\xff\x02^\x41rh"], &[Start(512 + 4), Start(9 * 512 + 4)]),
    row("DRBD", &[b"\x83\x74\x02\x6b", b"\x83\x74\x02\x6c", b"\x83\x74\x02\x6d"], &[End(512, 4 * KIB - 60), End(4 * KIB, 4 * KIB - 60)]),
    row("DRBD (external metadata)", &[b"\x83\x74\x02\x6b", b"\x83\x74\x02\x6c", b"\x83\x74\x02\x6d"], DRBD_INDEXED),
    row("DRBD management", &[b"$DRBDmgr=q"], &[Start(0)]),
    // RAID.
    row("md RAID", &[b"\xfc\x4e\x2b\xa9"], &[Start(0), Start(4 * KIB), End(4 * KIB, 8 * KIB), End(64 * KIB, 64 * KIB)]),
    row("md RAID", &[b"\xa9\x2b\x4e\xfc"], &[End(64 * KIB, 64 * KIB)]),
    row("md RAID (bitmap)", &[b"bitm"], MD_BITMAPS),
    row("Intel RAID (IMSM)", &[b"Intel Raid ISM Cfg Sig. "], &[End(512, KIB), End(4 * KIB, 8 * KIB)]),
    row("DDF RAID", &[b"\xde\x11\xde\x11", b"\x11\xde\x11\xde"], &[End(512, 512), End(512, 257 * 512), End(4 * KIB, 4 * KIB)]),
    row("Adaptec RAID", &[b"\x37\xfc\x4d\x1e"], &[End(512, 512)]),
    row("NVIDIA RAID", &[b"NVIDIA"], &[End(512, KIB)]),
    row("LSI RAID", &[b"$XIDE$"], &[End(512, 512)]),
    row("Promise RAID", &[b"Promise Technology, Inc."], PROMISE_PLACES),
];

/// UFS1, UFS2 and four variants of other systems, in both byte orders.
pub(super) const UFS_MAGICS: &[&[u8]] = &[
    b"\x54\x19\x01\x00",
    b"\x00\x01\x19\x54",
    b"\x19\x01\x54\x19",
    b"\x19\x54\x01\x19",
    b"\x12\x56\x19\x00",
    b"\x00\x19\x56\x12",
    b"\x14\x50\x09\x00",
    b"\x00\x09\x50\x14",
    b"\x95\x21\x61\x00",
    b"\x00\x61\x21\x95",
    b"\x94\x19\x23\x05",
    b"\x05\x23\x19\x94",
];
