//! Mutual proof of the key: challenge and answer in three messages of fixed length, before any frame.
//!
//! Hello of whoever connects: magic, version, challenge, CRC32C. Answer of the witness: magic, version, status, challenge, proof, CRC32C. Proof of whoever
//! connected, CRC32C. A proof is an HMAC-SHA256 with the shared key over a label of its side and all that was said so far, so neither side can be answered
//! with its own words, and both challenges make the key of the frames. Magic and version stand first in every version. The CRC tells bytes that were damaged
//! on the way from a wrong key.

use crate::bytes::MessageReader;
use crate::key::Key;
use hmac::Mac;

/// Version of the protocol.
pub const VERSION: u16 = 1;

const MAGIC: &[u8; 8] = b"ioproofw";
const CRC_BYTES: usize = 4;

/// Bytes of magic and version.
pub const PREFIX_BYTES: usize = 8 + 2;

/// Bytes of the first message.
pub const HELLO_BYTES: usize = PREFIX_BYTES + 32 + CRC_BYTES;

/// Bytes of the second.
pub const ANSWER_BYTES: usize = PREFIX_BYTES + 1 + 32 + 32 + CRC_BYTES;

/// Bytes of the third.
pub const PROOF_BYTES: usize = 32 + CRC_BYTES;

const WITNESS: &[u8] = b"ioproof: the witness has the key";
const WRITER: &[u8] = b"ioproof: whoever connected has the key";
const FRAMES: &[u8] = b"ioproof: the key of the frames";

/// Reason for which two ends do not come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Something else than this protocol.
    #[error("it does not speak the protocol of witnesses")]
    NotThis,
    /// Another version.
    #[error("it speaks version {0} of the protocol")]
    Version(u16),
    /// Bytes that changed on the way.
    #[error("what it said was damaged on the way")]
    Damaged,
    /// The other end has another key.
    #[error("it has another key")]
    WrongKey,
    /// The witness takes no more connections now.
    #[error("it has as many connections as it takes")]
    Busy,
}

/// Status in the witness's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Go on.
    Welcome = 0,
    /// The other end speaks another version.
    OtherVersion = 1,
    /// Too many connections.
    Busy = 2,
}

/// The end that connects, while it waits for the answer.
pub struct Hello {
    bytes: [u8; HELLO_BYTES],
}

/// The witness, while it waits for the proof.
pub struct Answered {
    key: Key,
    transcript: Vec<u8>,
}

/// The witness's answer.
pub struct Answer {
    /// Its bytes.
    pub bytes: [u8; ANSWER_BYTES],
}

/// Begins as the end that connects, with a challenge that nobody can foresee.
#[must_use]
pub fn begin(challenge: &[u8; 32]) -> Hello {
    let mut bytes = [0; HELLO_BYTES];
    put(&mut bytes, &[MAGIC, &VERSION.to_le_bytes(), challenge]);
    Hello { bytes }
}

/// Looks at magic and version, which are the same in all versions.
///
/// # Errors
/// When they are not those of this version.
pub fn begins_alike(prefix: &[u8; PREFIX_BYTES]) -> Result<(), HandshakeError> {
    let (magic, version) = prefix.split_at(MAGIC.len());
    let version = version.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
    if magic != MAGIC {
        return Err(HandshakeError::NotThis);
    }
    if version == VERSION { Ok(()) } else { Err(HandshakeError::Version(version)) }
}

impl Hello {
    /// The first message.
    #[must_use]
    pub fn bytes(&self) -> &[u8; HELLO_BYTES] {
        &self.bytes
    }

    /// Checks the answer; gives the third message and the key of the frames.
    ///
    /// # Errors
    /// When the witness has another key or will not go on.
    pub fn finish(&self, key: &Key, answer: &[u8; ANSWER_BYTES]) -> Result<([u8; PROOF_BYTES], [u8; 32]), HandshakeError> {
        begins_alike(answer.first_chunk().ok_or(HandshakeError::NotThis)?)?;
        let said = checked(answer)?;
        match said[PREFIX_BYTES] {
            0 => {}
            // It would have said its own, other version before.
            1 => return Err(HandshakeError::Damaged),
            2 => return Err(HandshakeError::Busy),
            _ => return Err(HandshakeError::NotThis),
        }
        let (head, proof) = said.split_at(PREFIX_BYTES + 1 + 32);
        let transcript = [&self.bytes[..], head].concat();
        let expected = key.mac().chain_update(WITNESS).chain_update(&transcript);
        expected.verify_slice(proof).map_err(|_| HandshakeError::WrongKey)?;
        let mut third = [0; PROOF_BYTES];
        put(&mut third, &[&authenticate(key, WRITER, &transcript)]);
        Ok((third, authenticate(key, FRAMES, &transcript)))
    }
}

impl Answer {
    /// An answer that ends the connection.
    #[must_use]
    pub fn refusal(status: Status) -> Self {
        let mut bytes = [0; ANSWER_BYTES];
        put(&mut bytes, &[MAGIC, &VERSION.to_le_bytes(), &[status as u8], &[0; 64]]);
        Self { bytes }
    }

    /// Answers a hello as the witness, with a challenge of its own.
    ///
    /// # Errors
    /// When it is no hello of this version.
    pub fn to(hello: &[u8; HELLO_BYTES], key: &Key, challenge: &[u8; 32]) -> Result<(Self, Answered), HandshakeError> {
        begins_alike(hello.first_chunk().ok_or(HandshakeError::NotThis)?)?;
        checked(hello)?;
        let head = [MAGIC, &VERSION.to_le_bytes()[..], &[Status::Welcome as u8], challenge].concat();
        let transcript = [&hello[..], &head].concat();
        let mut bytes = [0; ANSWER_BYTES];
        put(&mut bytes, &[&head, &authenticate(key, WITNESS, &transcript)]);
        Ok((Self { bytes }, Answered { key: key.clone(), transcript }))
    }
}

impl Answered {
    /// Checks the third message; gives the key of the frames.
    ///
    /// # Errors
    /// When the other end has another key.
    pub fn finish(&self, proof: &[u8; PROOF_BYTES]) -> Result<[u8; 32], HandshakeError> {
        let expected = self.key.mac().chain_update(WRITER).chain_update(&self.transcript);
        expected.verify_slice(checked(proof)?).map_err(|_| HandshakeError::WrongKey)?;
        Ok(authenticate(&self.key, FRAMES, &self.transcript))
    }
}

fn authenticate(key: &Key, label: &[u8], transcript: &[u8]) -> [u8; 32] {
    key.mac().chain_update(label).chain_update(transcript).finalize().into_bytes().into()
}

/// Fills a message with its parts, and a CRC32C behind them.
fn put<const N: usize>(message: &mut [u8; N], parts: &[&[u8]]) {
    let said = parts.concat();
    let crc = crc32c::crc32c(&said).to_le_bytes();
    for (to, from) in message.iter_mut().zip(said.iter().chain(&crc)) {
        *to = *from;
    }
}

/// A message without its CRC32C, which holds.
fn checked(message: &[u8]) -> Result<&[u8], HandshakeError> {
    let (said, crc) = message.split_at(message.len() - CRC_BYTES);
    let crc = MessageReader::of(crc).u32().map_err(|_| HandshakeError::Damaged)?;
    if crc32c::crc32c(said) == crc { Ok(said) } else { Err(HandshakeError::Damaged) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(byte: u8) -> Key {
        Key::of([byte; 32])
    }

    fn error<T>(outcome: Result<T, HandshakeError>) -> HandshakeError {
        outcome.err().unwrap()
    }

    #[test]
    fn both_ends_get_the_same_key_and_another_one_each_time() {
        let mut keys = Vec::new();
        for challenges in [(1, 2), (3, 2), (1, 4)] {
            let hello = begin(&[challenges.0; 32]);
            let (answer, answered) = Answer::to(hello.bytes(), &key(7), &[challenges.1; 32]).unwrap();
            let (proof, of_writer) = hello.finish(&key(7), &answer.bytes).unwrap();
            assert_eq!(answered.finish(&proof).unwrap(), of_writer);
            keys.push(of_writer);
        }
        keys.dedup();
        assert_eq!(keys.len(), 3);
    }

    #[test]
    fn another_key_is_noticed_at_both_ends() {
        let hello = begin(&[1; 32]);
        let (answer, answered) = Answer::to(hello.bytes(), &key(7), &[2; 32]).unwrap();
        assert_eq!(error(hello.finish(&key(8), &answer.bytes)), HandshakeError::WrongKey);
        // Who answers with the witness's own proof, or with one for other challenges.
        let mut reflected = [0; PROOF_BYTES];
        put(&mut reflected, &[&answer.bytes[PREFIX_BYTES + 33..ANSWER_BYTES - CRC_BYTES]]);
        assert_eq!(error(answered.finish(&reflected)), HandshakeError::WrongKey);
        let (other, _) = Answer::to(hello.bytes(), &key(7), &[3; 32]).unwrap();
        let (proof, _) = hello.finish(&key(7), &other.bytes).unwrap();
        assert_eq!(error(answered.finish(&proof)), HandshakeError::WrongKey);
    }

    #[test]
    fn refusals_are_told() {
        let hello = begin(&[1; 32]);
        assert_eq!(error(hello.finish(&key(7), &Answer::refusal(Status::Busy).bytes)), HandshakeError::Busy);
        let mut newer = Answer::refusal(Status::OtherVersion).bytes;
        newer[8] = 2;
        assert_eq!(error(hello.finish(&key(7), &newer)), HandshakeError::Version(2));
        let mut newer = *hello.bytes();
        newer[8] = 9;
        assert_eq!(error(Answer::to(&newer, &key(7), &[2; 32])), HandshakeError::Version(9));
        assert_eq!(error(Answer::to(&[0; HELLO_BYTES], &key(7), &[2; 32])), HandshakeError::NotThis);
    }

    proptest! {
        #[test]
        fn damage_is_no_wrong_key(at in PREFIX_BYTES..ANSWER_BYTES, bit in 0u8..8) {
            let hello = begin(&[1; 32]);
            let (mut answer, _) = Answer::to(hello.bytes(), &key(7), &[2; 32]).unwrap();
            answer.bytes[at] ^= 1 << bit;
            prop_assert_eq!(error(hello.finish(&key(7), &answer.bytes)), HandshakeError::Damaged);
        }

        #[test]
        fn hostile_bytes_come_through_neither_end(hello in any::<[u8; 16]>(), answer in prop::collection::vec(any::<u8>(), ANSWER_BYTES)) {
            let mut bytes = [0; HELLO_BYTES];
            bytes[..16].copy_from_slice(&hello);
            prop_assert!(Answer::to(&bytes, &key(7), &[2; 32]).is_err());
            prop_assert!(begin(&[1; 32]).finish(&key(7), answer[..].try_into().unwrap()).is_err());
        }
    }
}
