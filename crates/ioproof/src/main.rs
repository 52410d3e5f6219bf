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
mod memory_room;
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
mod sweep;
mod verbs;
mod verify;

use std::process::ExitCode;

/// Exit status when nothing could be judged: usage, permission, an error of ours.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    ExitCode::from(ioproof_target::threads::run_program(program))
}

/// The program; gives the exit status.
fn program() -> u8 {
    let done = match cli::parse(std::env::args_os()) {
        Ok(command) => {
            interrupt::survive();
            verbs::run(command)
        }
        // Help and version are no errors; clap knows which stream they belong on.
        Err(e) => cli::print(&e).map(|()| if e.use_stderr() { FAILED } else { 0 }),
    };
    let status = done.unwrap_or_else(|error| {
        complaint::print(&error);
        FAILED
    });
    messages::finish();
    status
}
