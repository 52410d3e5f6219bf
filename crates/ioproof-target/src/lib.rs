//! Resolves paths, finds what stands on them, keeps the write rule, and makes every open of what is under test.
//!
//! The rule is one sentence: nothing is ever written to a place that holds data. [`guard`](crate::guard) keeps it as two tables of
//! small clauses, one for devices and one for files; [`open_to_write`] is the only way past them, apart from [`scratch`], which makes
//! a file of its own. Everything above this crate works on the [`Handle`]s that it gives out and opens nothing by path.
//!
//! Deliberately absent: what a drive says about itself (`ioproof-device`), and every decision about what to measure.

mod below;
mod block;
mod bound;
mod content;
pub mod error;
pub mod guard;
mod handover;
mod holders;
mod job_files;
mod open;
mod own_filesystem;
mod owned;
pub mod purge;
mod resolve;
mod signs;
mod space;
pub mod system;
mod traces;
mod trim;

pub use below::{Stretch, device_below, stretch_on};
pub use block::openers::openers;
pub use block::{serial, stack};
pub use bound::{BoundDrive, BoundNamespace, UNCONFINED, bound_drives, is_drive_name};
pub use content::content;
pub use error::{Refusal, TargetError};
pub use guard::{Consent, search_promise};
pub use handover::{bind, recover, unbind};
pub use holders::{Holder, Use, disks, holders};
pub use job_files::{Foreseen, JobFiles, OpenRequest, Opened, Space, nothing};
pub use open::{open_to_read, open_to_write, reasons_against, scripted_drive};
pub use own_filesystem::{
    FILESYSTEMS, FilesystemChoice, FilesystemKind, Layout, OwnFilesystem, PermittedDrive, Recipe, check as check_filesystem, check_layout,
    remove_left_filesystems, stack_of as stack_of_filesystem,
};
pub use owned::handle::Handle;
pub use owned::left_behind::{LeftBehind, left_behind};
pub use owned::leftovers::{claim, remove_leftovers};
pub use owned::named_files::{NameCall, NamedFiles};
pub use owned::own_tree::{ANYTHING, OwnTree};
pub use owned::ownership::{Changed, OwnFiles, OwnWrites, Writing};
pub use owned::passthrough::Passthrough;
pub use owned::proof_folder::ProofFolder;
pub use owned::regular::{open_own, open_regular, read_input, read_own, read_regular};
pub use owned::{handle, output_file, state_folder};
pub use resolve::named::{Named, disk_of, named, node_of};
pub use resolve::target::Target;
pub use resolve::{resolve, resolve_any};
pub use signs::{laid_out, mark, signature};
pub use space::compressed::compressed_share;
pub use space::free_space::{Growth, check_free_space};
pub use space::scratch::{check_room_of, scratch, synced_scratch};
pub use space::work_folder::WorkFolder;
pub use system::System;
pub use system::folder::folder_of;
pub use system::inherited::inherited;
pub use system::kernel::own_io_priority;
pub use system::stdout::output_was_closed;
pub use system::{private_mounts, signals, threads};
pub use traces::traces;
pub use trim::{discard, punch_hole};
