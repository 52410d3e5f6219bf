//! The most of everything that a job file may ask for, looked at before anything is made of it: a few words of text can ask for more than any machine has.
//!
//! `grammar` keeps to the limits of text, `jobs` to those of jobs and clones. fio itself stops at 4096 jobs (`--max-jobs`). Memory and threads of the host are
//! looked at later, by whoever runs the jobs.

/// A job file with all that it includes and with its variables replaced. Bytes.
pub const TEXT_BYTES: usize = 16 << 20;
/// A line, and a value with its variables replaced. Bytes.
pub const LINE_BYTES: usize = 256 << 10;
/// Options of a job file with all that it includes.
pub const OPTIONS: usize = 100_000;
/// Sections of all job files and of the command line.
pub const SECTIONS: usize = 16_384;
/// Options of all jobs, with those that each takes over. Bytes of text.
pub const TAKEN_BYTES: usize = 256 << 20;
pub const COMPLAINTS: usize = 1000;
/// Clones of all jobs (`numjobs`).
pub const CLONES: u64 = 16_384;
/// Files of all clones (`nrfiles`, `filename`), those that they share as often.
pub const FILES: u64 = 1 << 20;
/// Names of all these files. Bytes.
pub const NAMES_BYTES: u64 = 256 << 20;
/// Clones that are waited for, once for each that waits (`wait_for`).
pub const WAITS: u64 = 1 << 22;
