//! Lists packed as XDR (RFC 4506): numbers with the highest byte first, everything in units of four bytes.

use super::{List, TYPE_LIST, TYPE_LISTS, TYPE_STRING, TYPE_UINT64, Value};

/// Unpacks what follows the header.
pub(super) fn unpack(mut bytes: &[u8], depth: u32) -> Option<List> {
    list(&mut bytes, depth)
}

fn list(rest: &mut &[u8], depth: u32) -> Option<List> {
    let depth = depth.checked_sub(1)?;
    let (_version, _flags) = (word(rest)?, word(rest)?);
    let mut list = List::default();
    loop {
        let start = *rest;
        let (packed_bytes, unpacked_bytes) = (word(rest)? as usize, word(rest)?);
        if (packed_bytes, unpacked_bytes) == (0, 0) {
            return Some(list);
        }
        // The length counts from its own first byte.
        let mut pair = start.get(8..packed_bytes)?;
        *rest = start.get(packed_bytes..)?;
        let name = text(&mut pair)?;
        let (kind, count) = (word(&mut pair)?, word(&mut pair)?);
        list.pairs.push((name, value(&mut pair, kind, count, depth)?));
    }
}

fn value(rest: &mut &[u8], kind: u32, count: u32, depth: u32) -> Option<Value> {
    Some(match kind {
        TYPE_UINT64 => Value::Number(u64::from(word(rest)?) << 32 | u64::from(word(rest)?)),
        TYPE_STRING => Value::Text(text(rest)?),
        TYPE_LIST => Value::Lists(vec![list(rest, depth)?]),
        TYPE_LISTS => Value::Lists((0..count).map(|_| list(rest, depth)).collect::<Option<_>>()?),
        _ => Value::Other,
    })
}

/// A number of 32 bits, the highest byte first.
fn word(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_be_bytes(*bytes))
}

/// Its length, its bytes, and zeros up to a multiple of four.
fn text(rest: &mut &[u8]) -> Option<String> {
    let length = word(rest)? as usize;
    let text = String::from_utf8(rest.get(..length)?.to_vec()).ok()?;
    *rest = rest.get(length.checked_next_multiple_of(4)?..)?;
    Some(text)
}
