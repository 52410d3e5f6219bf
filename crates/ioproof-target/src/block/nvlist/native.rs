//! Lists as they lie in memory: each pair is a head, its name and its value in units of eight bytes; the pairs of a list that is a value
//! follow the pair, and a length of zero ends them.

use super::{List, TYPE_LIST, TYPE_LISTS, TYPE_STRING, TYPE_UINT64, Value};

/// Length, length of the name, a reserve, number of values, type.
const HEAD_BYTES: usize = 16;

/// The rest of the input, and the byte order of its numbers.
struct Input<'a> {
    rest: &'a [u8],
    little: bool,
}

/// Unpacks what follows the header.
pub(super) fn unpack(bytes: &[u8], little: bool, depth: u32) -> Option<List> {
    // Version and flags.
    Input { rest: bytes.get(8..)?, little }.list(depth)
}

impl<'a> Input<'a> {
    fn list(&mut self, depth: u32) -> Option<List> {
        let depth = depth.checked_sub(1)?;
        let mut list = List::default();
        loop {
            let length = self.number(self.rest.get(..4)?) as usize;
            if length == 0 {
                self.rest = self.rest.get(4..)?;
                return Some(list);
            }
            let pair = self.rest.get(..length)?;
            self.rest = self.rest.get(length..)?;
            let pair = self.pair(pair, depth)?;
            list.pairs.push(pair);
        }
    }

    fn pair(&mut self, pair: &'a [u8], depth: u32) -> Option<(String, Value)> {
        let name_bytes = self.number(pair.get(4..6)?) as usize;
        let (count, kind) = (self.number(pair.get(8..12)?), self.number(pair.get(12..16)?));
        let name = text(pair.get(HEAD_BYTES..HEAD_BYTES + name_bytes)?)?;
        let value = pair.get(HEAD_BYTES + name_bytes.next_multiple_of(8)..)?;
        Some((name, self.value(value, kind, count, depth)?))
    }

    fn value(&mut self, value: &[u8], kind: u64, count: u64, depth: u32) -> Option<Value> {
        Some(match u32::try_from(kind).ok()? {
            TYPE_UINT64 => Value::Number(self.number(value.get(..8)?)),
            TYPE_STRING => Value::Text(text(value)?),
            TYPE_LIST => Value::Lists(vec![self.list(depth)?]),
            TYPE_LISTS => Value::Lists((0..count).map(|_| self.list(depth)).collect::<Option<_>>()?),
            _ => Value::Other,
        })
    }

    fn number(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
    }
}

/// Up to the zero that ends it.
fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}
