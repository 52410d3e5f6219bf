//! Checks of command lines and job files: mistakes that show before anything runs.

mod fio;
mod limit;
mod settings;
mod shell_loop;
mod spdk;
mod sysbench;

use super::{Check, one};

pub(super) const CHECKS: &[Check] = &[
    one("job-file", fio::jobs),
    one("overwrites-filesystem", fio::overwrites),
    one("one-filename", fio::one_filename),
    one("sysbench", sysbench::check),
    one("spdk", spdk::check),
    one("not-this-command", settings::check),
    one("rate-limit", limit::check),
];
