//! Second looks: magic numbers of two bytes turn up in random data once in 65 536, and ioproof writes random data.
//!
//! A check may only drop what cannot be the real thing. What it drops is still unknown content to the guard, unless it bears our mark.

use crate::signs::image::Image;
use crate::signs::mark::{MARK, looks_random};
use std::io;

/// A DOS table has four entries whose first byte is 0 or 0x80. What begins with our mark and has no such entries is our own data.
pub(super) fn boot_sector(image: &Image<'_>, _offset: u64) -> io::Result<bool> {
    let Some(sector) = image.bytes(0, 512)? else { return Ok(false) };
    let plausible = sector[446..510].chunks(16).all(|entry| entry[0] & 0x7f == 0);
    Ok(plausible || !sector.starts_with(&MARK))
}

/// The superblock begins 0x38 before its magic number: blocks of at most 64 KiB, revision 0 or 1 (Linux, `fs/ext4/ext4.h`).
pub(super) fn ext(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(block) = image.bytes(offset - 0x38, 0x54)? else { return Ok(false) };
    Ok(le32(&block, 0x18) <= 6 && le32(&block, 0x4c) <= 1)
}

/// The superblock begins 6 before its magic number with the revision, which is 2 (Linux, `nilfs2_ondisk.h`).
pub(super) fn nilfs(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    Ok(image.bytes(offset - 6, 4)?.is_some_and(|block| le32(&block, 0) == 2))
}

/// Minix versions 1 and 2, in either byte order: both maps have blocks, and a zone is at most 2^15 blocks (`linux/minix_fs.h`).
pub(super) fn minix(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(block) = image.bytes(offset - 12, 8)? else { return Ok(false) };
    let shift = u16::from_le_bytes([block[6], block[7]]);
    Ok(block[..2] != [0, 0] && block[2..4] != [0, 0] && shift.min(shift.swap_bytes()) <= 15)
}

/// Minix version 3: inodes in 32 bits, a pad of zero, then the two maps.
pub(super) fn minix3(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(block) = image.bytes(offset - 0x18, 10)? else { return Ok(false) };
    Ok(block[4..6] == [0, 0] && block[6..8] != [0, 0] && block[8..10] != [0, 0])
}

/// HFS: the size of an allocation block is a multiple of 512 and not zero (Inside Macintosh: Files, 2-61).
pub(super) fn hfs(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let size = image.bytes(offset + 20, 4)?.map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    Ok(size.is_some_and(|size| size != 0 && size.is_multiple_of(512)))
}

/// A Sun label: the exclusive or of all its 16-bit words is zero.
pub(super) fn sun(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(sector) = image.bytes(offset - 508, 512)? else { return Ok(false) };
    Ok(sector.chunks(2).fold([0, 0], |sum, word| [sum[0] ^ word[0], sum[1] ^ word[1]]) == [0, 0])
}

/// Metadata whose magic number is short is no random data, as ours is.
pub(super) fn not_random(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    Ok(image.bytes(offset / 512 * 512, 512)?.is_some_and(|sector| !looks_random(&sector)))
}

/// VIA: a version of at most 2, and the sum of the first 50 bytes in the byte behind them.
pub(super) fn via(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(block) = image.bytes(offset, 51)? else { return Ok(false) };
    Ok(block[2] <= 2 && block[..50].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) == block[50])
}

/// UDF: the byte at 4 is the sum of the other 15 of a descriptor's tag (ECMA-167, 3/7.2.3).
pub(super) fn udf_anchor(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(tag) = image.bytes(offset, 16)? else { return Ok(false) };
    let sum = tag.iter().enumerate().filter(|(at, _)| *at != 4).fold(0u8, |sum, (_, byte)| sum.wrapping_add(*byte));
    Ok(sum == tag[4])
}

/// Core Storage: version 1 eight bytes into the header, and checksums of kind 1 behind the magic number (libfvde, the description of its format).
pub(super) fn core_storage(image: &Image<'_>, offset: u64) -> io::Result<bool> {
    let Some(block) = image.bytes(offset - 88, 94)? else { return Ok(false) };
    Ok(block[8..10] == [1, 0] && le32(&block, 90) == 1)
}

fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
