//! The program: what was typed, which verb it is, and the exit status. The verbs are in `verbs`; those that measure have folders of their own (`verify`, `job_files`), and
//! `measure` is the one line that they share.

#![forbid(unsafe_code)]

mod cli;
mod complaint;
mod datasheets;
mod drive_health;
mod drives;
mod folders;
mod interrupt;
mod job_files;
mod load;
mod measure;
mod messages;
mod named_pipe;
mod observers;
mod output;
mod plain;
mod reports;
mod request;
mod run_id;
mod self_test;
mod sources;
mod store;
mod stream;
mod verbs;
mod verify;

use std::process::ExitCode;

/// Exit status when nothing could be judged: usage, permission, an error of ours.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let command = match cli::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(e) => {
            // Help and version are no errors; clap knows which stream they belong on.
            let status = if e.use_stderr() { FAILED } else { 0 };
            cli::print(&e);
            messages::finish();
            return ExitCode::from(status);
        }
    };
    interrupt::survive();
    let status = verbs::run(command).unwrap_or_else(|error| {
        complaint::print(&error);
        FAILED
    });
    messages::finish();
    ExitCode::from(status)
}
