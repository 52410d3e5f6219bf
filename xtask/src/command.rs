//! Running other programs, and the place where they run: what was run is in every error, and nothing fails silently.
//!
//! Used by every verb. Deliberately absent: shells. Arguments are passed as they are.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time after which a step hangs. A loaded host is slow, not dead.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Where administrators' programs lie; an ordinary user's PATH often lacks them.
const ADMIN_FOLDERS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::workspace_root());
    command
}

/// cargo with Clippy's driver as the compiler of the workspace's tests: lints what it builds; warnings are errors. `cargo clippy` checks all crates and
/// dependencies apart from the build, which takes half as long as the build.
pub fn linting_cargo() -> Command {
    let mut command = cargo();
    // The form in which cargo-clippy passes on `-D warnings`.
    command
        .env("RUSTC_WORKSPACE_WRAPPER", crate::workspace_root().join("xtask/clippy-of-tests"))
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    command
}

pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::workspace_root().join("target"), PathBuf::from)
}

static TESTED: OnceLock<PathBuf> = OnceLock::new();

/// From now on the program that was built with the tests is good enough, and none is built.
pub fn take_tested() {
    let _ = TESTED.set(target_folder().join("debug/ioproof"));
}

pub fn ioproof(release: bool) -> Result<PathBuf> {
    if let Some(tested) = TESTED.get().filter(|_| !release) {
        return Ok(tested.clone());
    }
    let profile: &[&str] = if release { &["--release"] } else { &[] };
    run(cargo().args(["build", "--quiet", "--package", "ioproof"]).args(profile))?;
    Ok(target_folder().join(if release { "release" } else { "debug" }).join("ioproof"))
}

pub fn fresh(folder: &Path) -> Result<PathBuf> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.to_owned())
}

pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", describe(command)))?;
    ensure!(status.success(), "`{}` failed: {status}", describe(command));
    Ok(())
}

/// Runs to the end and gives back what it wrote to standard output; its standard error goes where ours goes.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let out = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{}`", describe(command)))?;
    ensure!(out.status.success(), "`{}` failed: {}", describe(command), out.status);
    Ok(out.stdout)
}

/// Runs a tool that must succeed, without input; gives its output.
pub fn tool(program: &str, words: &[&str]) -> Result<String> {
    let path = find_program(program).with_context(|| format!("{program} is not there"))?;
    text_of(Command::new(path).args(words))
}

/// Runs to an end that must be a good one, within [`LIMIT`]; gives standard output.
pub fn text_of(command: &mut Command) -> Result<String> {
    let output = finish(command)?;
    ensure!(output.status.success(), "`{}`: {}: {}", describe(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs to whatever end, within [`LIMIT`]. What hangs is killed and left behind: it may be the kernel that does not let it go.
pub fn finish(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", describe(command)))?;
    // It may hang; its pipes are emptied meanwhile, or it would at a full one.
    let streams = [child.stdout.take().map(read_all), child.stderr.take().map(read_all)];
    if let Err(error) = wait_until(&describe(command), || !matches!(child.try_wait(), Ok(None))) {
        child.kill()?;
        return Err(error);
    }
    let [stdout, stderr] = streams.map(|stream| stream.and_then(|thread| thread.join().ok()).unwrap_or_default());
    Ok(Output { status: child.wait()?, stdout, stderr })
}

fn read_all(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// Items of a JSON list; none of anything else.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Content of a mutex, whatever became of whoever held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks until something is so, within [`LIMIT`].
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let until = Instant::now() + LIMIT;
    while !is_so() {
        ensure!(Instant::now() <= until, "{what}: not in {} s", LIMIT.as_secs());
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

pub struct Background(pub Child);

impl Background {
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        // It may wait for a drive that does not let it go; then it is left behind.
        let _ = wait_until("the end of a program", || self.has_ended());
    }
}

pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ADMIN_FOLDERS.iter().map(PathBuf::from));
    let is_program = |file: &PathBuf| file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    folders.map(|folder| folder.join(name)).find(is_program)
}

/// The command as one would type it, good enough for a message.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

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
