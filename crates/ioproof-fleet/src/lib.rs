//! Many machines measured the same way: a plan, nodes with their attempts, and the files that they leave.
//!
//! ```text
//! DIR/plan.toml                 a copy of the plan
//!     state.json                nodes, their attempts and states; replaced whole
//!     lock                      held by a command that changes the state
//!     nodes/NODE/SERIAL.json    a run file a drive, with the SHA-256 of its content in it
//!                talk.txt       the output of ioproof there
//!                end.json       exit status, times, clock offset, version, drives, refused drives; written last
//! ```
//!
//! A file is the whole state: no daemon, no database. Deliberately absent: measuring (`verify --all-idle-drives` does that on each node), and reports.

#![forbid(unsafe_code)]

mod conduct;
mod end;
mod files;
mod folder;
mod launch;
mod names;
mod plan;
mod state;

pub use conduct::{Fleet, prepare};
pub use end::{ClockOffset, DriveEnd, NodeEnd, RefusedDrive};
pub use files::{RunFile, check_run_file, run_file_name};
pub use folder::{FleetFolder, write_end};
pub use launch::Seen;
pub use names::expanded;
pub use plan::{Launcher, NodePlan, Plan, SlurmPlan, SshPlan, Start};
pub use state::{Attempt, FleetState, NodeState, Phase};

/// Version of `state.json` and `end.json`.
pub const SCHEMA_VERSION: u32 = 1;
