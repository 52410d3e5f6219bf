//! The priority of a task's threads: its own thread takes it before it starts the engine, whose threads inherit it.

use crate::failure::Failure;

/// Takes a niceness; 0 is left alone. A thread cannot give it back.
///
/// # Errors
/// When the kernel refuses (EACCES without the right to be less nice).
pub(crate) fn take(nice: i8) -> Result<(), Failure> {
    if nice == 0 {
        return Ok(());
    }
    let set = rustix::process::setpriority_process(None, nice.into());
    set.map_err(|error| Failure::from((format!("nice={nice}: {error}"), error.raw_os_error())))
}
