//! Runs that tests make reports of: stored ones, and made-up ones.

pub mod job_file;
pub mod machine;
pub mod stored;
pub mod swept;
