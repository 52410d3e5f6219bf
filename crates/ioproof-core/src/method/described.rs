//! A load as rules of method look at it, and its options in the language of those who asked.

pub(super) mod derived;
pub(super) mod load;
mod recorded;
pub(super) mod words;
