//! Kinds of results beyond single workloads, each with its figures and sentences.

mod bars;
mod chart;
mod in_words;
pub mod layers;
mod scale;
pub mod standard;
mod strip;
pub mod sweep;
pub mod syncs;
mod table;
pub mod together;

pub use bars::{Bar, BarChart, BarGroup, top_of_shares};
pub use chart::{ChartLine, ChartNames, LineChart};
pub use in_words::{coverage, match_range, runs_text, share};
pub use scale::Scale;
pub use strip::{DotStrip, StripDot, spark};
pub use table::{Answer, Column, Figure, OF_ROUNDS, Part, ResultRow, ResultTable, Tidy, Unit, column, with_ends};
