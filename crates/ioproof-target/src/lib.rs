//! What a path is, what stands on it, the write rule, and every open of what is under test.
//!
//! The rule is one sentence: nothing is ever written to a place that holds data. [`guard`](crate::guard) keeps it as two tables of
//! small clauses, one for devices and one for files; [`open_to_write`] is the only way past them, apart from [`scratch`], which makes
//! a file of its own. Everything above this crate works on the [`Handle`]s that it gives out and opens nothing by path.
//!
//! Deliberately absent: what a drive says about itself (`ioproof-device`), and every decision about what to measure.

mod above;
mod block;
mod content;
pub mod error;
mod filesystem;
mod folder;
pub mod guard;
pub mod handle;
mod image;
mod job_files;
mod kernel;
pub mod laid_out;
mod made;
pub mod mark;
mod mounts;
mod named;
mod nvlist;
mod open;
mod resolve;
mod room;
mod sample;
mod scratch;
pub mod serial;
pub mod signature;
pub mod stack;
mod standard;
pub mod system;
mod target;
mod traces;
#[cfg(test)]
mod tree;
mod zpool;

pub use above::{Above, Use, above, disks};
pub use content::content;
pub use error::{Refusal, TargetError};
pub use folder::folder_of;
pub use guard::Consent;
pub use handle::Handle;
pub use job_files::{Foreseen, JobFiles, Opened, Space, Wish, nothing};
pub use made::Made;
pub use named::{Named, disk_of, named, node_of};
pub use open::{open_to_read, open_to_write};
pub use resolve::{resolve, resolve_any};
pub use room::{Growth, check_room};
pub use scratch::scratch;
pub use standard::output_was_closed;
pub use system::System;
pub use target::Target;
pub use traces::traces;
