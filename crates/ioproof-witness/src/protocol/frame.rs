//! Frames: length (4 bytes), kind (1), number (8), content, check (16).
//!
//! [`Sealer`] makes the frames of one direction, [`Incoming`] takes those of the other apart. Beside it: `handshake.rs` gives both their key.

use crate::key::mac;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::ops::Range;

const HEAD_BYTES: usize = 4 + 1 + 8;
const CHECK_BYTES: usize = 16;

/// Direction of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameDirection {
    /// From a writer or a reader to the witness.
    ToWitness = 1,
    /// From the witness.
    FromWitness = 2,
}

/// Reason to end a connection: nothing after such a frame can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A kind that is not of this direction.
    #[error("a frame of kind {0}, which is not known")]
    Kind(u8),
    /// More bytes than its kind may have.
    #[error("a frame of kind {kind} with {bytes} bytes, at most {most}")]
    Length {
        /// Kind of the frame.
        kind: u8,
        /// Length that it gives.
        bytes: u32,
        /// Longest of this kind.
        most: u32,
    },
    /// It was repeated, left out or reordered.
    #[error("frame {came} came where {expected} was due")]
    Number {
        /// Number that was due.
        expected: u64,
        /// Number that came.
        came: u64,
    },
    /// It is not from whom it should be, or was changed.
    #[error("frame {0} does not bear the check of its sender")]
    Check(u64),
}

/// The two halves of one end of a connection: what is sent and what is received, for the end that sends in this direction. `most` gives the longest content of
/// a kind that is received.
#[must_use]
pub fn pair(key: &[u8; 32], sends: FrameDirection, most: fn(u8) -> Option<u32>) -> (Sealer, Incoming) {
    let receives = match sends {
        FrameDirection::ToWitness => FrameDirection::FromWitness,
        FrameDirection::FromWitness => FrameDirection::ToWitness,
    };
    (Sealer { mac: start(key, sends), next: 0 }, Incoming { mac: start(key, receives), next: 0, most, buffer: Vec::new(), at: 0 })
}

fn start(key: &[u8; 32], direction: FrameDirection) -> Hmac<Sha256> {
    mac(key).chain_update([direction as u8])
}

/// Makes the frames of one direction.
#[derive(Clone)]
pub struct Sealer {
    mac: Hmac<Sha256>,
    next: u64,
}

impl Sealer {
    /// Adds a frame to `out`.
    pub fn put(&mut self, kind: u8, content: &[u8], out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend((content.len() as u32).to_le_bytes());
        out.push(kind);
        out.extend(self.next.to_le_bytes());
        out.extend(content);
        let check = self.mac.clone().chain_update(&out[begin..]).finalize().into_bytes();
        out.extend(&check[..CHECK_BYTES]);
        self.next += 1;
    }
}

/// A frame that has come whole and is authentic; [`Incoming::content`] has its content until more is fed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFrame {
    /// Its kind.
    pub kind: u8,
    content: Range<usize>,
}

/// Takes frames out of the bytes of one direction.
pub struct Incoming {
    mac: Hmac<Sha256>,
    next: u64,
    most: fn(u8) -> Option<u32>,
    buffer: Vec<u8>,
    at: usize,
}

impl Incoming {
    /// Adds bytes as they came. Whoever feeds takes all whole frames first, so no more than one frame and these bytes are held.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.buffer.extend(bytes);
    }

    /// The next frame, if it is there as a whole.
    ///
    /// # Errors
    /// When it is not the one that was due; a length is told as soon as it is there.
    pub fn take(&mut self) -> Result<Option<WholeFrame>, FrameError> {
        let bytes = &self.buffer[self.at..];
        let Some(head) = bytes.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let (kind, length) = self.check_head(head)?;
        let Some(frame) = bytes.get(..HEAD_BYTES + length + CHECK_BYTES) else { return Ok(None) };
        let (covered, check) = frame.split_at(HEAD_BYTES + length);
        let mac = self.mac.clone().chain_update(covered);
        mac.verify_truncated_left(check).map_err(|_| FrameError::Check(self.next))?;
        let content = self.at + HEAD_BYTES..self.at + HEAD_BYTES + length;
        self.at = content.end + CHECK_BYTES;
        self.next += 1;
        Ok(Some(WholeFrame { kind, content }))
    }

    fn check_head(&self, head: &[u8; HEAD_BYTES]) -> Result<(u8, usize), FrameError> {
        let [a, b, c, d, kind, number @ ..] = *head;
        let (bytes, came) = (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(number));
        let most = (self.most)(kind).ok_or(FrameError::Kind(kind))?;
        if bytes > most {
            return Err(FrameError::Length { kind, bytes, most });
        }
        if came != self.next {
            return Err(FrameError::Number { expected: self.next, came });
        }
        Ok((kind, bytes as usize))
    }

    /// Content of a frame that was given since the last time that something was fed.
    #[must_use]
    pub fn content(&self, whole: &WholeFrame) -> &[u8] {
        self.buffer.get(whole.content.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: [u8; 32] = [7; 32];

    fn most(kind: u8) -> Option<u32> {
        (kind < 8).then_some(u32::from(kind) * 100)
    }

    fn ends() -> (Sealer, Incoming) {
        let (sealer, _) = pair(&KEY, FrameDirection::ToWitness, most);
        let (_, incoming) = pair(&KEY, FrameDirection::FromWitness, most);
        (sealer, incoming)
    }

    fn frames(contents: &[(u8, Vec<u8>)]) -> Vec<Vec<u8>> {
        let (mut sealer, _) = ends();
        let mut one = |kind, content: &[u8]| {
            let mut out = Vec::new();
            sealer.put(kind, content, &mut out);
            out
        };
        contents.iter().map(|(kind, content)| one(*kind, content)).collect()
    }

    fn taken(incoming: &mut Incoming, bytes: &[u8]) -> Result<Vec<(u8, Vec<u8>)>, FrameError> {
        incoming.feed(bytes);
        let mut all = Vec::new();
        while let Some(whole) = incoming.take()? {
            all.push((whole.kind, incoming.content(&whole).to_vec()));
        }
        Ok(all)
    }

    fn contents() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
        prop::collection::vec((1u8..8, prop::collection::vec(any::<u8>(), 0..100)), 1..6)
    }

    proptest! {
        #[test]
        fn frames_come_out_as_they_went_in_however_they_are_cut(contents in contents(), pieces in prop::collection::vec(1usize..64, 1..64)) {
            let bytes = frames(&contents).concat();
            let (mut incoming, mut at, mut all) = (ends().1, 0, Vec::new());
            for piece in pieces.iter().cycle() {
                let end = bytes.len().min(at + piece);
                all.extend(taken(&mut incoming, &bytes[at..end]).unwrap());
                at = end;
                if at == bytes.len() { break }
            }
            prop_assert_eq!(all, contents);
        }

        #[test]
        fn a_changed_bit_is_noticed_and_nothing_of_its_frame_comes_out(contents in contents(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let frames = frames(&contents);
            let mut bytes = frames.concat();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let whole = frames.iter().scan(0, |end, frame| { *end += frame.len(); Some(*end) }).filter(|end| *end <= at).count();
            let mut incoming = ends().1;
            incoming.feed(&bytes);
            let mut came = 0;
            // A length that became larger within its limit waits for more.
            while let Ok(Some(_)) = incoming.take() { came += 1 }
            prop_assert_eq!(came, whole);
        }

        #[test]
        fn hostile_bytes_are_no_frames(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut incoming = ends().1;
            incoming.feed(&bytes);
            prop_assert!(!matches!(incoming.take(), Ok(Some(_))));
        }
    }

    #[test]
    fn repeated_reordered_reflected_and_foreign_frames_end_the_connection() {
        let frames = frames(&[(1, vec![1]), (2, vec![2]), (3, vec![3])]);
        let [first, second, third] = &frames[..] else { panic!() };
        let came = |frames: &[&Vec<u8>]| taken(&mut ends().1, &frames.iter().flat_map(|f| f.iter().copied()).collect::<Vec<_>>());
        assert_eq!(came(&[first, second, third]).unwrap().len(), 3);
        assert_eq!(came(&[first, first]), Err(FrameError::Number { expected: 1, came: 0 }));
        assert_eq!(came(&[first, third]), Err(FrameError::Number { expected: 1, came: 2 }));
        let (mut of_witness, _) = pair(&KEY, FrameDirection::FromWitness, most);
        let (mut of_other, _) = pair(&[8; 32], FrameDirection::ToWitness, most);
        for sealer in [&mut of_witness, &mut of_other] {
            let mut out = Vec::new();
            sealer.put(1, &[1], &mut out);
            assert_eq!(came(&[&out]), Err(FrameError::Check(0)));
        }
    }

    #[test]
    fn a_length_is_refused_before_its_content_has_come() {
        let head = |bytes: u32, kind: u8| [&bytes.to_le_bytes()[..], &[kind], &[0; 8]].concat();
        assert_eq!(taken(&mut ends().1, &head(101, 1)), Err(FrameError::Length { kind: 1, bytes: 101, most: 100 }));
        assert_eq!(taken(&mut ends().1, &head(u32::MAX, 7)), Err(FrameError::Length { kind: 7, bytes: u32::MAX, most: 700 }));
        assert_eq!(taken(&mut ends().1, &head(0, 9)), Err(FrameError::Kind(9)));
        assert_eq!(taken(&mut ends().1, &head(100, 1)), Ok(Vec::new()));
    }
}
