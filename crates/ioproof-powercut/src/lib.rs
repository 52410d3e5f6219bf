//! Power cuts: blocks that are known again, a writer that makes them durable and hands over each acknowledgement, and a judge of what is there afterwards.
//!
//! `block` is the content of a block, `plan` what is written where, `places` in which order, `turns` when, `write` writes and trims one stream of blocks, `step` is what it acknowledges, `names` writes a stream of
//! operations on names, `check` reads back what was acknowledged; `judge`, which is pure, says of each block what became of it, `tally` counts that, and `naming` says what the drive does that loses so; `shown` is a demonstration for the eye.
//! Who keeps the acknowledgements is the caller's matter ([`Keeper`]). Deliberately absent: figures (nothing here is timed), a network, a command line.

#![forbid(unsafe_code)]

mod block;
mod check;
mod judge;
mod names;
mod naming;
mod places;
mod plan;
mod shown;
mod step;
mod tally;
mod turns;
mod write;

pub use block::WriteStamp;
pub use check::{Acknowledged, check};
pub use judge::{Found, Loss, judge, judge_trimmed, judge_trimmed_to_anything};
pub use names::{Names, NamesPlan, NamesStream, all_names_lost, check_names};
pub use naming::{CutEvidence, DurableWay, Habit, Sums, name};
pub use plan::{Description, How, Order, StreamPlan, TargetId, VERSION};
pub use shown::{STEPS_MAX, ShownFiles, Steps};
pub use step::{After, Step, StepAction};
pub use tally::{FAR, Judged, Tally};
pub use turns::SessionTurns;
pub use write::{Keeper, Stream, WriteSession, fill};
