//! The program that makes a filesystem: where it is, and its run, which ends with the run of ours.

use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Folders of such programs, behind those of `PATH`, which need not have them.
const FOLDERS: [&str; 5] = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
/// Between two looks if it has ended.
const PAUSE: Duration = Duration::from_millis(20);
/// For a program that works in a moment, unless a drive does not answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// More than such a program says: a pipe as the kernel makes it (pipe(7)).
const PIPE_BYTES: u64 = 64 << 10;

/// The end of a program.
#[derive(Debug)]
pub(super) enum End {
    /// It did its work.
    Well,
    /// The user ended it.
    Stopped,
    /// It failed, and said this in the end.
    Failed(String),
}

/// The path of a program.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect::<Vec<_>>();
    find_in(own.into_iter().chain(FOLDERS.map(PathBuf::from)), name)
}

fn find_in(folders: impl Iterator<Item = PathBuf>, name: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    folders.map(|folder| folder.join(name)).find(is_program)
}

/// A program that asks nobody, finds its helpers, and speaks a language that is read here.
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear().env("PATH", FOLDERS.join(":")).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// Runs a short program to its end, which Ctrl-C on a terminal does not reach, and gives what it prints.
///
/// # Errors
/// What it says when it fails, or that it does not end: it waits in the kernel then, and stays.
pub(super) fn ask(name: &str, arguments: &[&str]) -> Result<String, String> {
    let program = find(name).ok_or_else(|| format!("{name} is gone"))?;
    let failed = |error: io::Error| format!("{name}: {error}");
    let mut command = command(&program, Path::new("/"));
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().map_err(failed)?;
    let began = Instant::now();
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if began.elapsed() > PATIENCE => return Err(format!("{name} {} does not end", arguments.join(" "))),
            None => std::thread::sleep(PAUSE),
        }
    };
    if status.success() { Ok(text(child.stdout)) } else { Err(text(child.stderr).trim().replace('\n', "; ")) }
}

/// Text of a pipe that holds all of it, so that nobody waited for it to be read.
fn text(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let read = from.map(|from| from.take(PIPE_BYTES).read_to_end(&mut bytes));
    drop(read);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs a program in a folder of ours, in which what it says is kept, until it ends or `stop` is set. It keeps the lock of the folder: a kill of ours does not end it.
///
/// # Errors
/// When it cannot be begun.
pub(super) fn run(program: &Path, arguments: &[String], folder: &Path, lock: OwnedFd, stop: &AtomicBool) -> io::Result<End> {
    if stop.load(Relaxed) {
        return Ok(End::Stopped);
    }
    let said = folder.join("said");
    let mut command = command(program, folder);
    // It stays open in the program, which is begun by nobody else meanwhile.
    fcntl_setfd(&lock, FdFlags::empty())?;
    let mut child = command.args(arguments).stdout(Stdio::null()).stderr(File::create(&said)?).spawn()?;
    drop(lock);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop.load(Relaxed) {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            child.wait()?;
            break ExitStatus::default();
        }
        std::thread::sleep(PAUSE);
    };
    Ok(match () {
        () if stop.load(Relaxed) => End::Stopped,
        () if status.success() => End::Well,
        () => End::Failed(last_words(&said).unwrap_or_else(|| status.to_string())),
    })
}

/// Lines of a program that says why it fails, and no more; one that says more shows how it is used behind the reason.
const FEW: usize = 4;

/// The reason in what a program said: its last two lines, of which the last alone is often only advice, or the first two of many.
fn last_words(said: &Path) -> Option<String> {
    let text = std::fs::read(said).ok()?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = if lines.len() > FEW { 0 } else { lines.len().saturating_sub(2) };
    (!lines.is_empty()).then(|| lines[first..lines.len().min(first + 2)].join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_only_where_it_can_be_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mkfs.x");
        std::fs::write(&path, "").unwrap();
        let find = || find_in([PathBuf::from("/nowhere"), folder.path().to_owned()].into_iter(), "mkfs.x");
        assert_eq!(find(), None);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(), Some(path));
    }

    #[test]
    fn the_end_of_a_program_is_told() {
        let (folder, stop) = (tempfile::tempdir().unwrap(), AtomicBool::new(false));
        let run = |script: &str| {
            run(Path::new("/bin/sh"), &["-c".to_owned(), script.to_owned()], folder.path(), File::open("/").unwrap().into(), &stop).unwrap()
        };
        assert!(matches!(run("exit 0"), End::Well));
        assert!(
            matches!(run("echo a >&2; echo it is full >&2; echo use another >&2; exit 1"), End::Failed(said) if said == "it is full; use another")
        );
        assert!(matches!(run("exit 3"), End::Failed(said) if said.contains('3')));
        stop.store(true, Relaxed);
        assert!(matches!(run("sleep 100"), End::Stopped));
    }
}
