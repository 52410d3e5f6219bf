//! Kinds of results beyond single workloads, each with its figures and sentences.

mod bars;
pub mod layers;
pub mod sweep;
pub mod syncs;
mod table;
pub mod together;

pub use bars::{Bar, BarChart, BarGroup, top_of_shares};
pub use table::{Answer, Column, Figure, OF_ROUNDS, Part, ResultRow, ResultTable, Tidy, Unit, with_ends};
