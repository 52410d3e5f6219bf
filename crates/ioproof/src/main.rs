//! The program: what was typed, which verb it is, and the exit status. The verbs are in `verbs`, the way of a measurement in `session`.

#![forbid(unsafe_code)]

mod cli;
mod complaint;
mod datasheets;
mod drives;
mod folders;
mod interrupt;
mod jobs;
mod load;
mod messages;
mod output;
mod plain;
mod progress;
mod session;
mod stages;
mod store;
mod verbs;

use std::process::ExitCode;

/// Exit status when nothing could be judged: usage, permission, an error of ours.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let command = match cli::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(e) => {
            // Help and version are no errors; clap knows which stream they belong on.
            let status = if e.use_stderr() { FAILED } else { 0 };
            let _ = e.print();
            return ExitCode::from(status);
        }
    };
    match verbs::run(command) {
        Ok(status) => ExitCode::from(status),
        Err(e) if output::is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            complaint::print(&e);
            ExitCode::from(FAILED)
        }
    }
}
