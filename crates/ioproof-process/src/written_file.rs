//! A file that was written, as it is found by its name.

use crate::complaint::complaint;
use anyhow::Result;
use ioproof_target::output_file::OutputFile;

/// Looks whether a file that was written is found by the name that was typed.
///
/// # Errors
/// When that leads to another folder by now, or to none: whoever takes the file from there gets another one, or nothing.
pub fn found(file: &OutputFile) -> Result<()> {
    let Some(now) = file.moved_to() else { return Ok(()) };
    let is_mounted_over = std::path::absolute(file.path()).is_ok_and(|path| path == now);
    let below = if is_mounted_over { ", below what was mounted there" } else { "" };
    let text = format!(
        "{} was written as {}{below}: another folder, or none, stood at its name by then, and what is there is not it",
        file.path().display(),
        now.display()
    );
    Err(complaint(text, "take it from there, or have it written anew: `ioproof report last -o FILE`"))
}
