//! A page in the making: the rows that turn a label and its value into a field, and the builder that reads lines by them.

pub(super) mod builder;
pub(super) mod keys;
pub(super) mod kind;
pub(super) mod row;
mod sanity;
pub(super) mod start;
pub(super) mod structure;
