//! One program of tests, so that it is linked once; `cargo xtask test` chooses modules by their names.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod captured;
mod io_path;
mod live;
