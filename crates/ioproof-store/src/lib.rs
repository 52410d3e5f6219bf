//! The run store: a directory a run, written so that a kill at any moment leaves a complete earlier state.
//!
//!     <state>/runs/<id>/run.json           the record without its stages
//!                       stages/0000.json   one file a stage
//!                       judgement.json     once it was judged
//!                       summary.json       what a list shows of it; made anew where it does not fit
//!                       labels.json        its name and tags, and when it was imported, where it has any
//!                       digests.json       SHA-256 of the first three, once it has ended
//!                       lock               held while the run goes on
//!     <state>/drives/<serial>.json   the past of a drive
//!     <state>/last-run      the id of the run that began last, since clocks are set
//!
//! Every file is written without a name, and gets it when it is whole. A run whose record says *running* and whose lock nobody holds was killed: it is shown
//! as interrupted, with the stages that it has. A file that is not as it was stored is told in a note of the record; of a stage and a judgement nothing is believed
//! then. Reads are bounded, and of regular files only. A run file (`run_file`) is a stored run in one file.

#![forbid(unsafe_code)]

pub mod config_hash;
mod digests;
pub mod drives;
mod earlier;
mod find;
mod import;
mod kept_files;
pub mod labels;
mod layout;
mod list;
mod load;
mod locks;
mod record_room;
mod remove;
mod room;
pub mod run_file;
pub mod run_id;
mod summary;
mod writer;

pub use earlier::earlier;
pub use find::{bears_name, find, folder_of, id_in, id_of, is_from_here, short_ids};
pub use import::{Imported, import};
pub use layout::place;
pub use list::{ListedRun, all_ids, all_ids_and_others, newest_first};
pub use load::{StoredRun, changed_record, damage};
pub use locks::{is_locked, lock_store};
pub use remove::{remove, sweep, used_bytes};
pub use room::check_room;
pub use summary::Summary;
pub use writer::RunWriter;
