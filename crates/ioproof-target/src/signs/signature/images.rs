//! Signatures of images of disks and of archives, which somebody may have written to a device as they are. As `table.rs`; offsets are bytes.

use super::Place::{End, Start};
use super::Signature;
use super::table::row;

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
    row("Zstandard data", &[b"\x28\xb5\x2f\xfd"], &[Start(0)]),
];
