//! Files and folders that ioproof makes, how they are known again, and handles on what is under test.

pub mod handle;
pub(crate) mod held_folder;
pub(crate) mod left_behind;
pub(crate) mod leftovers;
pub(crate) mod named_files;
pub(crate) mod named_scratch;
pub mod output_file;
pub(crate) mod own_tree;
pub(crate) mod ownership;
pub(crate) mod passthrough;
pub(crate) mod proof_folder;
pub(crate) mod regular;
pub mod state_folder;
