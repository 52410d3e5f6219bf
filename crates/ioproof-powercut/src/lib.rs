//! Power cuts: blocks that are known again, a writer that makes them durable and hands over each acknowledgement, and a judge of what is there afterwards.
//!
//! `block` is the content of a block, `plan` what is written where, `write` writes one stream of blocks, `names` one of operations on names, `check` reads back what was acknowledged, and `judge`, which is
//! pure, says of each block what became of it. Who keeps the acknowledgements is the caller's matter ([`Keeper`]).
//! Deliberately absent: figures (nothing here is timed), a network, a command line.

#![forbid(unsafe_code)]

mod block;
mod check;
mod judge;
mod names;
mod plan;
mod write;

pub use block::Stamp;
pub use check::{Acknowledged, check};
pub use judge::{Found, Loss, Tally, judge};
pub use names::{Names, NamesPlan, NamesStream, check_names};
pub use plan::{Description, How, Order, StreamPlan, TargetId};
pub use write::{Keeper, Session, Stream, fill};
