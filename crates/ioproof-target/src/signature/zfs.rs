//! ZFS keeps four labels of 256 KiB: two at the start and two at the end, counted from the size rounded down to a label
//! (OpenZFS, `vdev_label.c`). Each has a list of names and values and a ring of uberblocks.

use crate::image::Image;
use std::io;

const LABEL_BYTES: u64 = 256 << 10;
const LIST_AT: u64 = 16 << 10;
const RING_AT: u64 = 128 << 10;
const RING_BYTES: usize = 128 << 10;
/// Slots are 1 KiB at least; larger ones begin at multiples of it.
const SLOT_BYTES: usize = 1024;
const UBERBLOCK_MAGIC: u64 = 0x00ba_b10c;
/// A list in XDR of version 0 with unique names; the second byte tells the byte order of the writer.
const LIST_HEADERS: [[u8; 12]; 2] = [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]];

/// Where a label's list or an uberblock was found.
pub(super) fn find(image: &Image<'_>) -> io::Result<Option<u64>> {
    let end = image.size_bytes() / LABEL_BYTES * LABEL_BYTES;
    let labels = [Some(0), Some(LABEL_BYTES), end.checked_sub(2 * LABEL_BYTES), end.checked_sub(LABEL_BYTES)];
    for label in labels.into_iter().flatten() {
        if let Some(offset) = in_label(image, label)? {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

fn in_label(image: &Image<'_>, label: u64) -> io::Result<Option<u64>> {
    let header = image.bytes(label + LIST_AT, 12)?;
    if header.is_some_and(|header| LIST_HEADERS.iter().any(|known| header == known)) {
        return Ok(Some(label + LIST_AT));
    }
    let Some(ring) = image.bytes(label + RING_AT, RING_BYTES)? else { return Ok(None) };
    let magics = [UBERBLOCK_MAGIC.to_le_bytes(), UBERBLOCK_MAGIC.to_be_bytes()];
    let slot = ring.chunks(SLOT_BYTES).position(|slot| magics.iter().any(|magic| slot.starts_with(magic)));
    Ok(slot.map(|i| label + RING_AT + (i * SLOT_BYTES) as u64))
}
