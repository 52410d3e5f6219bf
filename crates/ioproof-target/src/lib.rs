//! Resolves paths, finds what stands on them, keeps the write rule, and makes every open of what is under test.
//!
//! The rule is one sentence: nothing is ever written to a place that holds data. [`guard`](crate::guard) keeps it as two tables of
//! small clauses, one for devices and one for files; [`open_to_write`] is the only way past them, apart from [`scratch`], which makes
//! a file of its own. Everything above this crate works on the [`Handle`]s that it gives out and opens nothing by path.
//!
//! Deliberately absent: what a drive says about itself (`ioproof-device`), and every decision about what to measure.

mod below;
mod block;
mod compressed;
mod content;
pub mod error;
mod file_numbers;
mod filesystem;
mod folder;
mod free_space;
pub mod guard;
pub mod handle;
mod held_folder;
mod holders;
mod identity;
mod image;
mod inherited;
mod job_files;
mod kernel;
pub mod laid_out;
mod left_behind;
mod leftovers;
pub mod mark;
mod mounts;
mod named;
mod nvlist;
mod open;
mod openers;
pub mod output_file;
mod own_filesystem;
mod own_tree;
mod ownership;
mod patience;
pub mod private_mounts;
mod proof_folder;
mod regular;
mod resolve;
mod sample;
mod scratch;
pub mod serial;
pub mod signals;
pub mod signature;
pub mod stack;
pub mod state_folder;
mod stdout;
pub mod system;
mod target;
pub mod threads;
mod traces;
#[cfg(test)]
mod tree;
mod trim;
mod twin;
mod users;
mod work_folder;
mod zpool;

pub use below::{Stretch, device_below, stretch_on};
pub use compressed::compressed_share;
pub use content::content;
pub use error::{Refusal, TargetError};
pub use folder::folder_of;
pub use free_space::{Growth, check_free_space};
pub use guard::{Consent, search_promise};
pub use handle::Handle;
pub use holders::{Holder, Use, disks, holders};
pub use inherited::inherited;
pub use job_files::{Foreseen, JobFiles, OpenRequest, Opened, Space, nothing};
pub use kernel::own_io_priority;
pub use left_behind::{LeftBehind, left_behind};
pub use leftovers::{claim, remove_leftovers};
pub use named::{Named, disk_of, named, node_of};
pub use open::{open_to_read, open_to_write};
pub use openers::openers;
pub use own_filesystem::{
    FILESYSTEMS, FilesystemChoice, FilesystemKind, Layout, OwnFilesystem, PermittedDrive, Recipe, check as check_filesystem, check_layout,
    remove_left_filesystems, stack_of as stack_of_filesystem,
};
pub use own_tree::{ANYTHING, OwnTree};
pub use ownership::{Changed, OwnFiles, OwnWrites, Writing};
pub use proof_folder::ProofFolder;
pub use regular::{open_own, open_regular, read_input, read_own, read_regular};
pub use resolve::{resolve, resolve_any};
pub use scratch::{check_room_of, scratch, synced_scratch};
pub use stdout::output_was_closed;
pub use system::System;
pub use target::Target;
pub use traces::traces;
pub use trim::{discard, punch_hole};
pub use work_folder::WorkFolder;
