//! Running other programs: what was run is in every error, and nothing fails silently.
//!
//! Used by every verb. Deliberately absent: shells. Arguments are passed as they are.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where administrators' programs lie; an ordinary user's PATH often lacks them.
const ADMIN_FOLDERS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// The cargo that runs this program, in the workspace's root.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::workspace_root());
    command
}

/// Folder in which cargo builds.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::workspace_root().join("target"), PathBuf::from)
}

/// Builds ioproof; gives the program.
pub fn ioproof(release: bool) -> Result<PathBuf> {
    let profile: &[&str] = if release { &["--release"] } else { &[] };
    run(cargo().args(["build", "--quiet", "--package", "ioproof"]).args(profile))?;
    Ok(target_folder().join(if release { "release" } else { "debug" }).join("ioproof"))
}

/// Runs to the end with our own input and output; an error when the exit status is not 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", describe(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", describe(command));
    }
    Ok(())
}

/// Runs to the end and gives back what it wrote to standard output; its standard error goes where ours goes.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let out = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{}`", describe(command)))?;
    if !out.status.success() {
        bail!("`{}` failed: {}", describe(command), out.status);
    }
    Ok(out.stdout)
}

/// Where a program lies: in PATH, or in the folders for administrators.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ADMIN_FOLDERS.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The command as one would type it, good enough for a message.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_its_status() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("sh -c exit 3") && error.contains('3'), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = output(&mut Command::new("no-such-program-here")).unwrap_err().to_string();
        assert!(error.contains("no-such-program-here"), "{error}");
    }

    #[test]
    fn output_is_what_the_program_wrote() {
        assert_eq!(output(Command::new("printf").arg("a b")).unwrap(), b"a b");
    }

    #[test]
    fn programs_are_found_in_the_path_only_when_they_can_run() {
        assert!(find_program("sh").is_some());
        assert_eq!(find_program("no-such-program-here"), None);
        assert!(!is_program(Path::new("/etc/passwd")) && !is_program(Path::new("/etc")));
    }
}
