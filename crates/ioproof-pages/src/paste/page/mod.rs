//! A page in the making: the rows that turn a label and its value into a field, and the builder that reads lines by them.
//!
//! The file of each tool takes from here all that it needs.

mod builder;
pub(super) mod keys;
mod kind;
mod row;
mod sanity;
mod start;
pub(super) mod structure;

pub(super) use super::text::json::{JsonDocument, Leaf};
pub(super) use super::text::lines::{PastedLine, labelled, pairs};
pub(super) use super::text::number::{hexadecimal, real, rounded_size_bytes, size_bytes, whole, whole_u64};
pub(super) use super::text::prompt::PastedCommand;
pub(super) use crate::field::Value;
pub(super) use builder::{BlockFormat, EventLog, LabelSplit, PageBuilder, ToolFormat};
pub(super) use kind::{TextKind, TextReading, WARNINGS};
pub(super) use row::{LabelRow, generalised, row, skip, skipped};
pub(super) use start::{JsonOutput, LineContext, OutputStart, page_of_json};
