//! A table of mounts of this process's own, in which it may mount what nobody else sees, and which the kernel takes down with the process, however that ends.
//!
//! It is asked for before there is a second thread: `/proc/self` shows the mounts of the first one, and by these the write rule and the facts of a target go.

use crate::system::kernel;
use rustix::mount::{MountPropagationFlags, mount_change};
use std::io;
use std::sync::OnceLock;

/// The answer to the one attempt.
static OWN: OnceLock<Result<(), String>> = OnceLock::new();

/// Parts the mounts of this process from those of all others. What others mount and unmount still comes here where they share it (systemd has all shared), so that what
/// is in use is seen, and what they take away is not kept; nothing goes from here to them (mount_namespaces(7), slave mounts). A refusal is kept for [`check`].
pub fn begin() {
    OWN.get_or_init(|| parted().map_err(|error| error.to_string()));
}

fn parted() -> io::Result<()> {
    kernel::own_mount_table()?;
    Ok(mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?)
}

/// Says why the mounts are not this process's own.
///
/// # Errors
/// The system's answer, or that nobody has asked for it.
pub fn check() -> Result<(), String> {
    OWN.get().cloned().unwrap_or_else(|| Err("it was not asked for when the program began".to_owned()))
}
