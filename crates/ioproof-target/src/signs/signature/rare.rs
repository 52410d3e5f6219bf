//! Signatures of what is seldom met: partition tables and filesystems of other systems, RAID of mainboards, metadata of device-mapper targets.
//! As `table.rs`; offsets are bytes.

use super::Place::{End, Start};
use super::table::{checked, row};
use super::{Place, Signature, check};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// A Rigid Disk Block may be in any of the first 16 blocks (AmigaOS, `devices/hardblocks.h`, RDB_LOCATION_LIMIT).
const RDB_PLACES: &[Place] = &[
    Start(0),
    Start(512),
    Start(2 * 512),
    Start(3 * 512),
    Start(4 * 512),
    Start(5 * 512),
    Start(6 * 512),
    Start(7 * 512),
    Start(8 * 512),
    Start(9 * 512),
    Start(10 * 512),
    Start(11 * 512),
    Start(12 * 512),
    Start(13 * 512),
    Start(14 * 512),
    Start(15 * 512),
];

/// The four entries of an AHDI root sector, and the first two of its ICD extension: a flag, of which bit 0 says that it exists, and three letters.
const ATARI_PLACES: &[Place] = &[Start(0x1c6), Start(0x1d2), Start(0x1de), Start(0x1ea), Start(0x156), Start(0x162)];
const ATARI_ENTRIES: &[&[u8]] = &[
    b"\x01GEM", b"\x81GEM", b"\x01BGM", b"\x81BGM", b"\x01XGM", b"\x81XGM", b"\x01LNX", b"\x81LNX", b"\x01RAW", b"\x81RAW", b"\x01SWP",
    b"\x01F32", b"\x01MIX", b"\x01UNX", b"\x01MAC",
];

/// The superblock of System V is in the second half of one of four blocks of 1 KiB; its magic number is 504 into it (Linux, `linux/sysv_fs.h`).
const SYSV_PLACES: &[Place] = &[Start(1016), Start(9 * KIB + 1016), Start(15 * KIB + 1016), Start(18 * KIB + 1016)];

/// Volume headers of HAMMER2 are at each of the first four multiples of 2 GiB (DragonFly BSD, `hammer2_disk.h`).
const HAMMER2_PLACES: &[Place] = &[Start(0), Start(2 * GIB), Start(4 * GIB), Start(6 * GIB)];

/// A database of 1 MiB at the end of the disk: its private headers, tables of contents and the database itself (Linux, `block/partitions/ldm.h`).
const LDM_HEADERS: &[Place] = &[Start(6 * 512), End(512, 192 * 512), End(512, 512)];
const LDM_CONTENTS: &[Place] = &[End(512, 2047 * 512), End(512, 2046 * 512), End(512, 3 * 512), End(512, 2 * 512)];

/// Node headers of JFFS2 in both byte orders: inodes, entries, clean markers, padding, summaries, attributes (Linux, `linux/jffs2.h`).
const JFFS2_NODES: &[&[u8]] = &[
    b"\x85\x19\x01\xe0",
    b"\x85\x19\x02\xe0",
    b"\x85\x19\x03\x20",
    b"\x85\x19\x04\x20",
    b"\x85\x19\x06\x20",
    b"\x85\x19\x08\xe0",
    b"\x85\x19\x09\xe0",
    b"\x19\x85\xe0\x01",
    b"\x19\x85\xe0\x02",
    b"\x19\x85\x20\x03",
    b"\x19\x85\x20\x04",
    b"\x19\x85\x20\x06",
    b"\x19\x85\xe0\x08",
    b"\x19\x85\xe0\x09",
];

/// `DOS` and the variant: original or fast, international, with a cache of directories, with long names.
const AMIGA_BOOT: &[&[u8]] = &[b"DOS\0", b"DOS\x01", b"DOS\x02", b"DOS\x03", b"DOS\x04", b"DOS\x05", b"DOS\x06", b"DOS\x07"];

/// The last sector, where classes of FreeBSD's GEOM keep their metadata: mirrors, stripes, labels, encryption.
const LAST_SECTOR: &[Place] = &[End(512, 512), End(4 * KIB, 4 * KIB)];

/// Translation tables and pages on persistent memory: behind the first 4 KiB, or from 2.0 on at the start, and copied at the end.
const NVDIMM_PLACES: &[Place] = &[Start(0), Start(4 * KIB), End(4 * KIB, 4 * KIB)];

pub(super) const TABLE: &[Signature] = &[
    // Partition tables.
    row("Amiga Rigid Disk Block", &[b"RDSK"], RDB_PLACES),
    row("Atari partition table", ATARI_ENTRIES, ATARI_PLACES),
    row("Ultrix partition table", &[b"\x57\x29\x03\0", b"\0\x03\x29\x57"], &[Start(16 * KIB - 72)]),
    row("DragonFly disk label", &[b"\x59\x4c\x46\xc4"], &[Start(512)]),
    row("Android dynamic partitions", &[b"gDla"], &[Start(4 * KIB), Start(8 * KIB)]),
    row("UnixWare disk label", &[b"\x0d\x60\x5e\xca"], &[Start(29 * 512 + 4), Start((63 + 29) * 512 + 4), Start(MIB + 29 * 512 + 4)]),
    row("Solaris disk label", &[b"\xee\xde\x0d\x60"], &[Start(512 + 12), Start(64 * 512 + 12), Start(MIB + 512 + 12)]),
    row("Windows dynamic disk (LDM)", &[b"PRIVHEAD"], LDM_HEADERS),
    row("Windows dynamic disk (LDM)", &[b"TOCBLOCK"], LDM_CONTENTS),
    row("Windows dynamic disk (LDM)", &[b"VMDB"], &[End(512, 2031 * 512)]),
    row("Windows Storage Spaces", &[b"SPACEDB "], &[Start(0), Start(4 * KIB), Start(MIB), Start(MIB + 4 * KIB), Start(16 * MIB)]),
    // Filesystems.
    row("UBIFS", &[b"\x31\x18\x10\x06"], &[Start(0)]),
    row("JFFS2", JFFS2_NODES, &[Start(0)]),
    row("EXFS", &[b"EXFS"], &[Start(0)]),
    row("mpool", &[b"mpoolDev"], &[Start(0)]),
    row("ScoutFS", &[b"\x8b\x42\x3c\x10"], &[Start(64 * KIB + 4)]),
    row("System V filesystem", &[b"\x20\x7e\x18\xfd", b"\xfd\x18\x7e\x20"], SYSV_PLACES),
    row("Xenix filesystem", &[b"\x44\x55\x2b\0", b"\0\x2b\x55\x44"], &[Start(1016), Start(KIB + 1016), Start(2 * KIB)]),
    row("Amiga filesystem", AMIGA_BOOT, &[Start(0)]),
    row("Amiga SFS or PFS", &[b"SFS\0", b"SFS\x02", b"PFS\x01", b"PFS\x02", b"PDS\x03", b"muFS"], &[Start(0)]),
    row("SGI EFS", &[b"\0\x07\x29\x59", b"\0\x07\x29\x5a"], &[Start(512 + 28)]),
    row("HAMMER", &[b"\x31\x30\x52\xc5\x4d\x4d\x41\xc8"], &[Start(0)]),
    row("HAMMER2", &[b"\x11\x20\x17\x05\x32\x4d\x41\x48", b"\x48\x41\x4d\x32\x05\x17\x20\x11"], HAMMER2_PLACES),
    row("QNX4", &[b"/\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"], &[Start(512)]),
    row("QNX6", &[b"\x22\x11\x19\x68", b"\x68\x19\x11\x22"], &[Start(0), Start(4 * KIB), Start(8 * KIB)]),
    // Volume managers, encryption and clusters.
    checked("Core Storage", &[b"CS"], &[Start(88)], check::core_storage),
    row("dm-thin metadata", &[&27_022_010u64.to_le_bytes()], &[Start(32)]),
    row("dm-cache metadata", &[&0o6_142_003u64.to_le_bytes()], &[Start(32)]),
    row("dm-era metadata", &[&2_126_579_579u64.to_le_bytes()], &[Start(32)]),
    row("dm-clone metadata", &[&0x8af2_7f64u64.to_le_bytes()], &[Start(32)]),
    row("dm-writecache", &[b"\x21\x93\x48\x23\x01\0\0\0"], &[Start(0)]),
    row("dm-mirror log", &[b"rRiM"], &[Start(0)]),
    row("dm-raid metadata", &[b"DmRd"], &[Start(0)]),
    row("dm-log-writes", &[b"rhswfsj\0"], &[Start(0)]),
    row("dm-zoned", &[b"DBZD"], &[Start(0)]),
    row("NVDIMM block translation table", &[b"BTT_ARENA_INFO\0\0"], NVDIMM_PLACES),
    row("NVDIMM namespace", &[b"NVDIMM_PFN_INFO\0", b"NVDIMM_DAX_INFO\0"], NVDIMM_PLACES),
    row("SPDK blobstore", &[b"SPDKBLOB"], &[Start(0)]),
    row("SPDK RAID", &[b"SPDKRAID"], &[Start(0)]),
    row("AIX LVM", &[b"_LVM"], &[Start(7 * 512), Start(70 * 512)]),
    row("FreeBSD GEOM", &[b"GEOM::"], LAST_SECTOR),
    row("OpenBSD softraid", &[b"marcCRAM"], &[Start(8 * KIB)]),
    row("Apple RAID", &[b"AppleRAIDHeader\0"], &[End(4 * KIB, 4 * KIB)]),
    row("DRBD Proxy data log", &[b"DRBDdlh*"], &[Start(0)]),
    row("OpenSVC heartbeat", &[b"\x3d\xc1\x3c\x87\xc0\x5b\xe3\xb6"], &[Start(4)]),
    // RAID of mainboards and cheap controllers.
    row("HighPoint 37x RAID", &[b"\xf0\x16\x78\x5a", b"\xfd\x16\x78\x5a"], &[Start(9 * 512 + 32)]),
    row("HighPoint 45x RAID", &[b"\xf3\x16\x78\x5a", b"\xfd\x16\x78\x5a"], &[End(512, 11 * 512)]),
    row("Silicon Image Medley RAID", &[b"\0\0\0\x2f"], &[End(512, 512 - 0x60)]),
    row("JMicron RAID", &[b"JM\x01\0", b"JM\0\x01", b"JM\x01\x01"], &[End(512, 512)]),
    checked("JMicron RAID", &[b"JM"], &[End(512, 512)], check::not_random),
    checked("VIA RAID", &[b"\x55\xaa"], &[End(512, 512)], check::via),
];
