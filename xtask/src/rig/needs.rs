//! Needs of a script: lines `# needs: WORD...` among its opening comment lines.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Needs of a script beyond the machine that every script gets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// ZFS's kernel modules and tools, and drives that are large enough for it.
    pub zfs: bool,
}

/// Reads a script's needs.
///
/// # Errors
/// When it cannot be read, or asks for something that the rig does not have.
pub fn of(script: &Path) -> Result<Needs> {
    let bytes = fs::read(script).with_context(|| format!("cannot read {}", script.display()))?;
    parse(&String::from_utf8_lossy(&bytes)).with_context(|| script.display().to_string())
}

fn parse(text: &str) -> Result<Needs> {
    let mut needs = Needs::default();
    let opening = text.lines().take_while(|line| line.starts_with('#'));
    for word in opening.filter_map(|line| line.strip_prefix("# needs:")).flat_map(str::split_whitespace) {
        match word {
            "zfs" => needs.zfs = true,
            _ => bail!("it needs `{word}`, which the rig does not have; it has: zfs"),
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opening_lines_count() {
        assert!(parse("#!/bin/sh\n# Says what it does.\n# needs: zfs\n\necho\n").unwrap().zfs);
        assert_eq!(parse("# Nothing.\n\n# needs: zfs\n").unwrap(), Needs::default());
        assert_eq!(parse("echo # needs: zfs\n").unwrap(), Needs::default());
    }

    #[test]
    fn what_the_rig_does_not_have_is_named() {
        let error = parse("# needs: zfs unicorn\n").unwrap_err().to_string();
        assert!(error.contains("`unicorn`"), "{error}");
    }
}
