//! fio's outputs: what a run of job files measured, as fio 3 would have printed it, so that people's scripts read it unchanged.
//!
//! Every output is a pure function of [`Results`]; all of them show the same figures, because they are made in one place: [`side`] and
//! [`latency`] the figures of a direction, [`shares`] classes of queue depth and latency, [`bins`] fio's histogram, [`number`] its digits.
//! `README.md` tells the way to add a format. Deliberately absent: files, clocks, and the lines that fio prints before its jobs begin.

mod bins;
mod disk;
mod json;
mod latency;
pub mod logs;
mod number;
mod shares;
mod side;
mod steady;
mod terse;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;

pub use json::json;
pub use number::size;
pub use terse::{TerseVersion, terse};
pub use text::text;

/// Scripts take from it which shape to expect, so it is that of the fio whose shape this is.
pub const FIO_VERSION: &str = "fio-3.33";
