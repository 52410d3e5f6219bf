//! Tests of the real program, each in a fresh directory. One program, so that it is linked once; `cargo xtask test` chooses modules by their names.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod against;
mod browser;
mod common;
mod facts;
mod fleets;
mod job_files;
mod loops;
mod measured;
mod office;
mod powercuts;
mod pypi;
mod runs;
