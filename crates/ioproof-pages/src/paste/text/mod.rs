//! Text as people paste it: lines without what mail and forums added, command lines, numbers in any dress, and JSON that may be cut or wrapped.

pub(super) mod json;
pub(super) mod lines;
pub(super) mod number;
pub(super) mod prompt;
