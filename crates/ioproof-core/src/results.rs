//! Kinds of results beyond single workloads, each with its figures and sentences.

pub mod layers;
pub mod sweep;
pub mod syncs;
mod table;
pub mod together;

pub use table::{Column, Figure, Part, ResultTable, Unit, with_ends};
