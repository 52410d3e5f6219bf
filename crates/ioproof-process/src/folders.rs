//! Where ioproof keeps its own files, by the XDG Base Directory Specification 0.8.

use crate::complaint::complaint;
use anyhow::Result;
use ioproof_target::folder_of;
use std::path::{Path, PathBuf};

/// Runs and what belongs to them: `$XDG_STATE_HOME/ioproof`, by default `~/.local/state/ioproof`. Without HOME the home folder is that of `/etc/passwd`.
///
/// # Errors
/// When neither XDG_STATE_HOME nor HOME is set and the user has no home folder.
pub fn state() -> Result<PathBuf> {
    find("XDG_STATE_HOME", ".local/state").ok_or_else(|| complaint("there is no folder to keep runs in", "set HOME or XDG_STATE_HOME"))
}

/// Refuses an output among ioproof's own runs, locks and lists, by whatever path it is named: an empty file there is nothing that may be replaced.
///
/// # Errors
/// When its folder is the state folder, or lies in it.
pub fn spare_state(output: &Path) -> Result<()> {
    let whole = |folder: &Path| folder.canonicalize().ok();
    let Some(state) = state().ok().as_deref().and_then(whole) else { return Ok(()) };
    match whole(folder_of(output)) {
        Some(folder) if folder.starts_with(&state) => {
            let text = format!("{} is in the folder in which ioproof keeps its runs", output.display());
            Err(complaint(text, "name a file in another folder"))
        }
        _ => Ok(()),
    }
}

/// The user's own datasheets: `$XDG_CONFIG_HOME/ioproof/datasheets`, by default `~/.config/ioproof/datasheets`.
pub fn datasheets() -> Option<PathBuf> {
    configuration().map(|folder| folder.join("datasheets"))
}

/// The user's own settings: `$XDG_CONFIG_HOME/ioproof`, by default `~/.config/ioproof`.
pub fn configuration() -> Option<PathBuf> {
    find("XDG_CONFIG_HOME", ".config")
}

fn find(variable: &str, below_home: &str) -> Option<PathBuf> {
    // The specification says that relative paths are to be ignored.
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || absolute("HOME").or_else(|| home_of(rustix::process::geteuid().as_raw(), &std::fs::read_to_string("/etc/passwd").ok()?));
    let base = absolute(variable).or_else(|| Some(home()?.join(below_home)))?;
    Some(base.join("ioproof"))
}

/// The home folder of a user, by the lines of passwd(5): `name:password:uid:gid:comment:home:shell`.
fn home_of(uid: u32, passwd: &str) -> Option<PathBuf> {
    let home = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.len() == 7 && fields[2].parse() == Ok(uid)).then(|| PathBuf::from(fields[5]))
    };
    passwd.lines().find_map(home).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_of_a_user_is_the_sixth_field_of_his_line() {
        let passwd =
            "root:x:0:0:root:/root:/bin/sh\n# a remark\nann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\nbob:x:1001:1001::relative:/bin/sh\n";
        assert_eq!(home_of(1000, passwd).as_deref(), Some(std::path::Path::new("/home/ann")));
        assert_eq!([home_of(1001, passwd), home_of(5, passwd), home_of(1000, "ann:x:1000")], [None, None, None]);
    }
}
