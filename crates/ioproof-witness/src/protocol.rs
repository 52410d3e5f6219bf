//! The protocol between writers, readers and the witness: pure, from bytes to messages and back.
//!
//! **Who speaks** (`handshake`): three messages of fixed length. The writer sends a challenge; the witness answers with its own and proves by HMAC-SHA256 over both
//! that it has the key; the writer proves the same. Both get a key for this connection from the two challenges. **Frames** (`frame`): length, kind, number,
//! content, and 16 bytes of an HMAC-SHA256 with that key over direction, length, kind, number and content. So a frame from another connection, another
//! direction or another place in the row is noticed, and the connection ends. **Messages** (`message`): contents of frames. Numbers are little-endian; every
//! length is held against the limit of its kind before anything is kept. Nothing is encrypted.

mod frame;
mod handshake;
mod message;

pub use crate::bytes::Malformed;
pub use frame::{FrameDirection, FrameError, Incoming, Sealer, WholeFrame, pair};
pub use handshake::{
    ANSWER_BYTES, Answer, Answered, HELLO_BYTES, HandshakeError, Hello, PREFIX_BYTES, PROOF_BYTES, Status, VERSION, begin, begins_alike,
};
pub use message::{
    ACKNOWLEDGEMENTS_MAX, Answering, Asking, DESCRIPTION_BYTES_MAX, EVENT_BYTES_MAX, SESSION_MAX, WITNESS_KINDS, WRITER_KINDS, event,
    refused_text,
};
pub(crate) use message::{FETCHED_KIND, acknowledged, add, ended};
