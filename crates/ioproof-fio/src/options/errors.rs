//! Which errors a job survives.

use super::kind::Kind;
use super::row::{Row, approximated, put};
use super::value::Value;
use crate::settings::{ErrorKind, Settings};

pub(super) const ROWS: &[Row] = &[
    approximated(
        "continue_on_error",
        Kind::Word(&["none", "read", "write", "io", "verify", "all", "0", "1"]),
        "a job goes on after failed I/Os of either direction, and ends in error if the first was of a direction that is not named, or a write for which there was no space; data that is not what was written never ends a job early",
        "Which I/Os may fail without ending the job; `none` by default.",
        set_survived,
    ),
    approximated(
        "ignore_error",
        Kind::Form("lists for reads, writes and verifying between commas, errors between colons"),
        "the first failed I/O alone decides at the end whether the job failed; ignored errors are counted and shown",
        "Errors, by name or number, that are not counted.",
        set_ignored,
    ),
    approximated("error_dump", Kind::Bool, "the first error of each clone is shown", "Every error is shown; 0 by default.", |s, v| {
        put(&mut s.errors.dump, v.bool())
    }),
];

fn set_survived(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    use ErrorKind::{Read, Verify, Write};
    settings.errors.survived = match value.text()? {
        "read" => vec![Read],
        "write" => vec![Write],
        "io" => vec![Read, Write],
        "verify" => vec![Verify],
        "all" | "1" => vec![Read, Write, Verify],
        _ => Vec::new(),
    };
    Ok(())
}

fn set_ignored(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let lists: Vec<&str> = value.text()?.split(',').collect();
    if lists.len() > 3 {
        return Err("at most three lists are expected: for reads, writes and verifying".into());
    }
    for (place, list) in settings.errors.ignored.iter_mut().zip(lists) {
        *place = list.split(':').filter(|word| !word.is_empty()).map(error_number).collect::<Result<_, _>>()?;
    }
    Ok(())
}

/// Errors that are known by name (errno(3)).
const NAMES: &[&str] = &[
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT",
    "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG",
    "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE",
];

fn error_number(word: &str) -> Result<i32, String> {
    if let Some(at) = NAMES.iter().position(|name| *name == word) {
        return i32::try_from(at + 1).map_err(|_| word.to_owned());
    }
    let number = word.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("{word} is no error that is known by name; give its number"))
}
