//! The user and the place: root or not, under continuous integration or not.

use anyhow::{Result, ensure};

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// True when a machine checks a change, with nobody to read a hint: the variable CI is set and is neither empty nor `false`.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}

/// Says that something cannot run here, which under continuous integration is an error.
pub fn leave_out(what: &str, reason: &str) -> Result<()> {
    println!("{what} does not run: {reason}");
    ensure!(!is_ci(), "CI must run {what}, and cannot: {reason}");
    Ok(())
}
