//! A format of namespaces with a user data erase, in the format that each has. The command is answered when all is done, so nothing tells how far it is.

use super::admin::{self, CommandError};
use super::command::{Command, FormatBits, IDENTIFY_BYTES};
use super::{OpenDisk, PurgeProgress, timed_out};
use crate::error::TargetError;
use crate::system::kernel::namespace_id;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

const METHOD: &str = "format (user data erase)";

/// Formats every namespace, or by one command all of them where that reaches all.
pub(super) fn run(
    disks: &[OpenDisk<'_>],
    reaches_all: bool,
    at_most: Duration,
    tell: &mut PurgeProgress<'_>,
) -> Result<&'static str, TargetError> {
    let began = Instant::now();
    tell(METHOD, 0.0);
    for (done, disk) in disks.iter().take(if reaches_all { 1 } else { disks.len() }).enumerate() {
        format(disk, at_most.saturating_sub(began.elapsed()), at_most)?;
        tell(METHOD, (done + 1) as f64 / disks.len() as f64);
    }
    Ok(METHOD)
}

fn format(disk: &OpenDisk<'_>, left: Duration, at_most: Duration) -> Result<(), TargetError> {
    let fd = disk.handle.as_fd();
    let namespace = namespace_id(fd).map_err(|error| TargetError::io(&disk.path, "ask for its namespace", error))?;
    let mut identify = [0; IDENTIFY_BYTES];
    let refused = |error: &CommandError| TargetError::unsuitable(&disk.path, format!("was not formatted: {error}"));
    admin::send(fd, Command::IdentifyNamespace(namespace), None, &mut identify).map_err(|error| refused(&error))?;
    let command = Command::Format { namespace, format: FormatBits::of(&identify) };
    let began = Instant::now();
    admin::send(fd, command, Some(left), &mut []).map_err(|error| match error {
        // The kernel ends a command that takes too long by a reset of the drive, and answers so.
        _ if began.elapsed() >= left => {
            let hint = "the kernel has reset the drive; `dmesg` says how it is now, and the format may have to be given again";
            timed_out(&disk.path, "has not ended its format".to_owned(), hint, at_most)
        }
        error => refused(&error),
    })
}
