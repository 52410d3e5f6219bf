//! The one way in which anything is measured: a run is stages, a stage is tasks side by side on targets, and a source decides the next stage from what has
//! been recorded so far.
//!
//! `run` goes from stage to stage; `stage` runs the tasks of one, a thread each, and watches them; `bracket` reads the counters of the kernel before and after;
//! `event` is what observers are told: progress, status lines and the store are observers and nothing else. `execute` is the seam below: the engine
//! ([`Engine`]), or a script of outcomes ([`Script`]), with which schedules and searches are tested without a drive and without time passing.
//! Deliberately absent: command lines, fio's language, formats, a terminal, files of ours. Whoever calls brings a [`Source`] and observers.

#![forbid(unsafe_code)]

mod clock;
mod database;
mod end;
mod event;
mod execute;
mod failure;
mod fill;
mod lay_out;
mod limits;
mod live;
mod presence;
mod read_back;
mod round;
mod run;
mod script;
mod source;
mod stage;
mod task;

pub use clock::{WallTime, now};
pub use database::DatabaseRunner;
pub use end::TaskEnd;
pub use event::{Event, Observer, StageTick};
pub use execute::{Engine, Execute, Ran};
pub use failure::Failure;
pub use fill::{ToFill, fill, look_at_content};
pub use lay_out::{FileLayout, lay_out};
pub use limits::TaskLimits;
pub use live::{Counts, Latencies, LiveTask};
pub use presence::gone;
pub use read_back::{Ledgers, note_of_writers, unit_bytes};
pub use run::{RunEnding, Runner, close, was_refused};
pub use script::Script;
pub use source::{Sequence, Source, StageSpec};
pub use task::{Before, ContentCheck, EndsOthers, Generate, Survives, Task, TaskDepthSearch};
