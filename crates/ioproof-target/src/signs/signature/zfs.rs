//! ZFS keeps four labels of 256 KiB: two at the start and two at the end, counted from the size rounded down to a label
//! (OpenZFS, `vdev_label.c`). Each has a list of names and values, which tells the pool, and a ring of uberblocks, which does not.

use super::Trace;
use crate::block::nvlist::{self, List};
use crate::signs::image::Image;
use std::borrow::Cow;
use std::io;

const LABEL_BYTES: u64 = 256 << 10;
const LIST_AT: u64 = 16 << 10;
const LIST_BYTES: usize = 112 << 10;
const RING_AT: u64 = 128 << 10;
const RING_BYTES: usize = 128 << 10;
/// Slots are 1 KiB at least; larger ones begin at multiples of it.
const SLOT_BYTES: usize = 1024;
const UBERBLOCK_MAGIC: u64 = 0x00ba_b10c;
/// A list in XDR of version 0 with unique names; the second byte tells the byte order of the writer.
const LIST_HEADERS: [[u8; 12]; 2] = [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]];
/// `POOL_STATE_SPARE` and `POOL_STATE_L2CACHE` (OpenZFS, `fs/zfs.h`): devices whose labels name no pool, as several may share them.
const SPARE: u64 = 3;
const CACHE: u64 = 4;

/// The place of a label's list or an uberblock, with the pool. The first label with a list tells.
pub(super) fn find(image: &Image<'_>) -> io::Result<Option<Trace>> {
    let end = image.size_bytes() / LABEL_BYTES * LABEL_BYTES;
    let labels = [Some(0), Some(LABEL_BYTES), end.checked_sub(2 * LABEL_BYTES), end.checked_sub(LABEL_BYTES)];
    for look in [list, ring] {
        for label in labels.into_iter().flatten() {
            if let Some(trace) = look(image, label)? {
                return Ok(Some(trace));
            }
        }
    }
    Ok(None)
}

fn list(image: &Image<'_>, label: u64) -> io::Result<Option<Trace>> {
    let Some(bytes) = image.bytes(label + LIST_AT, LIST_BYTES)? else { return Ok(None) };
    let is_list = LIST_HEADERS.iter().any(|header| bytes.starts_with(header));
    Ok(is_list.then(|| Trace { name: name(&nvlist::unpack(&bytes).unwrap_or_default()), offset_bytes: label + LIST_AT }))
}

fn ring(image: &Image<'_>, label: u64) -> io::Result<Option<Trace>> {
    let Some(ring) = image.bytes(label + RING_AT, RING_BYTES)? else { return Ok(None) };
    let magics = [UBERBLOCK_MAGIC.to_le_bytes(), UBERBLOCK_MAGIC.to_be_bytes()];
    let slot = ring.chunks(SLOT_BYTES).position(|slot| magics.iter().any(|magic| slot.starts_with(magic)));
    Ok(slot.map(|i| Trace { name: "ZFS".into(), offset_bytes: label + RING_AT + (i * SLOT_BYTES) as u64 }))
}

fn name(label: &List) -> Cow<'static, str> {
    match (label.text("name").filter(|name| is_pool_name(name)), label.number("state")) {
        (Some(pool), _) => format!("ZFS pool {pool}").into(),
        (None, Some(SPARE)) => "ZFS spare".into(),
        (None, Some(CACHE)) => "ZFS cache".into(),
        (None, _) => "ZFS".into(),
    }
}

/// The characters that zpool(8) allows; anything may stand on a device, and this is shown on terminals.
fn is_pool_name(name: &str) -> bool {
    name.len() < 256 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.: ".contains(&b))
}
