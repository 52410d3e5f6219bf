//! The verb `run`: job files of fio, with the full screen of this program.

use crate::live::{self, LiveView};
use crate::settle;
use anyhow::Result;
use ioproof_jobs::FullScreen;
use ioproof_runner::Observer;
use std::ffi::OsString;

/// Runs it with fio's own arguments, and gives the exit status.
pub fn run(arguments: &[OsString]) -> Result<u8> {
    let begin = |record: &_| Ok(LiveView::begin(record)?.map(|view| Box::new(view) as Box<dyn Observer>));
    ioproof_jobs::run(arguments, settle::command(), FullScreen { check: live::check, begin })
}
