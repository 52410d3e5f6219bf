//! The program: what was typed, which verb it is, and the exit status.

#![forbid(unsafe_code)]

mod columns;
mod command;
mod flags;
mod live;
mod reports;
mod settle;
mod verbs;

use ioproof_process::{complaint, interrupt, memory_room, messages, output, stream};
use std::io::{stderr, stdout};
use std::process::ExitCode;

/// Exit status when nothing could be judged: usage, permission, an error of ours.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    interrupt::survive();
    // Before there is a second thread, for which the C library wants memory too.
    if let Err(error) = memory_room::for_the_program() {
        complaint::print(&error);
        messages::finish();
        return ExitCode::from(FAILED);
    }
    // Before there is a second thread too: `/proc/self` tells the mounts of the first.
    if verbs::makes_filesystem(std::env::args_os()) {
        ioproof_target::private_mounts::begin();
    }
    ExitCode::from(ioproof_target::threads::run_program(program))
}

fn program() -> u8 {
    if says_that_streams_hold_data() {
        return FAILED;
    }
    let done = match command::parse(std::env::args_os()) {
        Ok(command) => verbs::run(command),
        // Help and version are no errors; clap knows which stream they belong on.
        Err(e) => command::print(&e).map(|()| if e.use_stderr() { FAILED } else { 0 }),
    };
    let status = done.unwrap_or_else(|error| {
        complaint::print(&error);
        FAILED
    });
    for left in ioproof_target::left_behind() {
        messages::warning(&format!(
            "{} is of ioproof and could not be removed: {}",
            ioproof_core::text::visible(&left.path.to_string_lossy()),
            left.why
        ));
        messages::hint(match left.has_others {
            true => "what somebody else put into it keeps it; nothing of ioproof uses it any more",
            false => "remove it; nothing uses it any more",
        });
    }
    for left in ioproof_database::left_behind() {
        let place = format!("the schema {} of the database {}", left.schema, ioproof_core::text::visible(&left.database));
        messages::warning(&format!("{place} is of ioproof and could not be removed in full: {}", ioproof_core::text::visible(&left.why)));
        messages::hint(
            "the next run there removes it, or DROP SCHEMA does; what somebody else laid in it keeps it, until that is moved elsewhere",
        );
    }
    messages::finish();
    status
}

/// True where a stream of the program would write over data, which is said on the other one.
fn says_that_streams_hold_data() -> bool {
    let hint = "redirect it with >> or to a new file, or give its name: -o FILE, --output=FILE";
    match (stream::holds_data(stdout()), stream::holds_data(stderr())) {
        (None, None) => return false,
        (Some(why), None) => {
            messages::error(&format!("standard output {why}, which would be written over"));
            messages::hint(hint);
            messages::finish();
        }
        (None, Some(why)) => {
            // There is nobody else whom it could be told.
            let _ = output::print(&format!("error: standard error {why}, which would be written over\nhint: {hint}\n"));
        }
        (Some(_), Some(_)) => {}
    }
    true
}
