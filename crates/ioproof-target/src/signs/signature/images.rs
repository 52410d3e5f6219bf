//! Signatures of images of disks and of archives, which somebody may have written to a device as they are. As `table.rs`; offsets are bytes.

use super::Place::{End, Start};
use super::Signature;
use super::table::row;

/// The header with the size of its blocks, 1 to 9, and the start of the first block.
const BZIP2: &[&[u8]] = &[
    b"BZh11AY&SY",
    b"BZh21AY&SY",
    b"BZh31AY&SY",
    b"BZh41AY&SY",
    b"BZh51AY&SY",
    b"BZh61AY&SY",
    b"BZh71AY&SY",
    b"BZh81AY&SY",
    b"BZh91AY&SY",
];

pub(super) const TABLE: &[Signature] = &[
    row("QCOW image", &[b"QFI\xfb"], &[Start(0)]),
    row("QED image", &[b"QED\0"], &[Start(0)]),
    row("VMDK image", &[b"KDMV", b"COWD", b"# Disk DescriptorFile"], &[Start(0)]),
    row("VHDX image", &[b"vhdxfile"], &[Start(0)]),
    row("VHD image", &[b"conectix"], &[Start(0), End(512, 512)]),
    row("VDI image", &[b"\x7f\x10\xda\xbe"], &[Start(64)]),
    row("Parallels image", &[b"WithoutFreeSpace", b"WithouFreSpacExt"], &[Start(0)]),
    row("tar archive", &[b"ustar\0", b"ustar "], &[Start(257)]),
    row("cpio archive", &[b"070701", b"070702", b"070707"], &[Start(0)]),
    row("zip archive", &[b"PK\x03\x04"], &[Start(0)]),
    row("7-Zip archive", &[b"7z\xbc\xaf\x27\x1c"], &[Start(0)]),
    row("xz data", &[b"\xfd7zXZ\0"], &[Start(0)]),
    row("gzip data", &[b"\x1f\x8b\x08\0", b"\x1f\x8b\x08\x08"], &[Start(0)]),
    row("bzip2 data", BZIP2, &[Start(0)]),
    row("LZ4 data", &[b"\x04\x22\x4d\x18"], &[Start(0)]),
    row("Android sparse image", &[b"\x3a\xff\x26\xed"], &[Start(0)]),
    row("Zstandard data", &[b"\x28\xb5\x2f\xfd"], &[Start(0)]),
];
