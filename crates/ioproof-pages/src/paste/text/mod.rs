//! Text as people paste it: lines without what mail and forums added, rows joined again, command lines, numbers in any dress, lines that nothing read, and JSON that may be
//! cut or wrapped.
//!
//! The readers of drives (`paste`) and of measurements share it. Deliberately absent: the meaning of any line.

mod dress;
mod flattened;
pub(super) mod json;
pub mod lines;
mod literals;
pub(super) mod number;
pub(super) mod prefixed;
pub mod prompt;
pub mod unread;
pub mod wrap;
