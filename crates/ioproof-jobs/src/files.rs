//! Files that results and logs go to.

pub mod log_folders;
pub mod place;
pub mod results_file;
