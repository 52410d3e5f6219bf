//! The user and the place: root or not, under continuous integration or not.

use anyhow::{Result, bail};
use std::path::Path;

/// True when this process may do everything: its effective user is 0.
///
/// Read from `/proc/self/status` (proc(5), line `Uid`: real, effective, saved, filesystem), because asking libc needs unsafe code.
pub fn is_root() -> bool {
    std::fs::read_to_string(Path::new("/proc/self/status")).is_ok_and(|text| effective_uid(&text) == Some(0))
}

/// True when a machine checks a change, with nobody to read a hint: the variable CI is set and is neither empty nor `false`.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}

/// Says that something cannot run here, which under continuous integration is an error.
pub fn leave_out(what: &str, reason: &str) -> Result<()> {
    println!("{what} does not run: {reason}");
    if is_ci() {
        bail!("CI must run {what}, and cannot: {reason}");
    }
    Ok(())
}

fn effective_uid(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|l| l.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_user_is_the_second_number() {
        assert_eq!(effective_uid("Name:\tx\nUid:\t1000\t0\t0\t0\nGid:\t1\t1\t1\t1\n"), Some(0));
        assert_eq!(effective_uid("Uid:\t0\t1000\t0\t0\n"), Some(1000));
    }

    #[test]
    fn a_status_without_users_is_nobody() {
        assert_eq!(effective_uid(""), None);
        assert_eq!(effective_uid("Uid:\t0\n"), None);
        assert_eq!(effective_uid("Uid:\tx y\n"), None);
    }
}
