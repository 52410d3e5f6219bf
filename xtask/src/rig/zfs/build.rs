//! Builds ZFS's kernel modules in an unpacked tree of Debian packages, showing how far it is.
//!
//! Only the compiler comes from the host: the tree's kernel says which one it was built with, and that is installed where it is missing.

use super::parts;
use crate::debian::{self, Package};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Usual time of each step on two cores; only to say so.
const CONFIGURE_USUAL: Duration = Duration::from_secs(115);
const MAKE_USUAL: Duration = Duration::from_secs(240);

/// Pause between two reports of the time so far: on a terminal in one line, elsewhere as lines of their own.
const SHOW_ON_TERMINAL: Duration = Duration::from_secs(1);
const SHOW_IN_LOG: Duration = Duration::from_secs(30);

/// Pause between two looks at a step that runs.
const POLL: Duration = Duration::from_millis(100);

/// Lines of the log shown after a failure.
const LOG_LINES: usize = 30;

const MAKE: Package = Package { name: "make", provides: "make", why: "to build ZFS" };
const LIBELF: Package =
    Package { name: "libelf1", provides: "/usr/lib/x86_64-linux-gnu/libelf.so.1", why: "by objtool, which checks kernel modules" };

/// ZFS's source and the kernel's headers in the unpacked tree.
#[derive(Debug)]
pub struct Source {
    /// ZFS's version: `2.1.11`.
    pub version: String,
    zfs: PathBuf,
    /// The headers' folder for this architecture; `common` is the one that all architectures share.
    headers: PathBuf,
    common: PathBuf,
}

impl Source {
    /// Finds them by the names that Debian gives them.
    pub fn find(root: &Path, kernel: &str) -> Result<Self> {
        let sources = root.join("usr/src");
        let entries = fs::read_dir(&sources).with_context(|| format!("cannot list {}", sources.display()))?;
        let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        let version = names.filter_map(|name| name.strip_prefix("zfs-").map(str::to_owned)).max().context("zfs-dkms holds no source")?;
        let headers = sources.join(format!("linux-headers-{kernel}"));
        let general = kernel.rsplit_once('-').map_or(kernel, |(general, _)| general);
        let common = sources.join(format!("linux-headers-{general}-common"));
        Ok(Self { zfs: sources.join(format!("zfs-{version}")), version, headers, common })
    }

    /// Where the modules are once they are built.
    pub fn modules(&self) -> PathBuf {
        self.zfs.join("module")
    }

    /// Configures and compiles; what the tools say goes to `log`.
    pub fn build(&self, log: &Path) -> Result<()> {
        self.require_compiler()?;
        self.relocate()?;
        println!("rig: building ZFS {}, which takes about {} minutes", self.version, (CONFIGURE_USUAL + MAKE_USUAL).as_secs().div_ceil(60));
        let mut configure = self.step("./configure");
        configure.args(["--disable-dependency-tracking", "--with-config=kernel"]);
        configure.arg(option("--with-linux", &self.common)).arg(option("--with-linux-obj", &self.headers));
        run(&mut configure, "configuring", CONFIGURE_USUAL, log)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        run(self.step("make").arg(format!("-j{jobs}")), "compiling", MAKE_USUAL, log)
    }

    /// A program in ZFS's folder that gives way to all others and does not outlive this one.
    fn step(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "nice", program]).current_dir(&self.zfs);
        command
    }

    fn require_compiler(&self) -> Result<()> {
        let path = self.headers.join(".kernelvariables");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = compiler(&text).with_context(|| format!("{} names no compiler", path.display()))?;
        // Once in the life of this program: a package's name is part of the program everywhere else.
        let name: &'static str = name.to_owned().leak();
        let compiler = Package { name, provides: name, why: "to build ZFS: the kernel was built with it" };
        let missing = debian::ensure(&[&compiler, &MAKE, &LIBELF])?;
        if !missing.is_empty() {
            bail!("ZFS cannot be built without {}", debian::names(&missing));
        }
        Ok(())
    }

    /// The headers include one another by the path at which the package would be installed.
    fn relocate(&self) -> Result<()> {
        let path = self.headers.join("Makefile");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let here = format!("{}/", self.headers.with_file_name("").display().to_string().trim_end_matches('/'));
        parts::write(&path, text.replace(" /usr/src/", &format!(" {here}")).as_bytes())
    }
}

fn option(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}

/// The compiler in Debian's `.kernelvariables`: `CC = $(if ...) $(CROSS_COMPILE)gcc-12`.
fn compiler(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("CC =") || line.starts_with("CC="))?;
    let name = line.rsplit([' ', ')']).next()?;
    name.starts_with("gcc").then_some(name)
}

/// Runs one step to its end, shows the time it has taken, and the end of its log when it fails.
fn run(command: &mut Command, what: &str, usual: Duration, log: &Path) -> Result<()> {
    let out = File::options().create(true).append(true).open(log).with_context(|| format!("cannot make {}", log.display()))?;
    let errors = out.try_clone().with_context(|| format!("cannot make {}", log.display()))?;
    let child = command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn();
    let mut child = child.with_context(|| format!("cannot start {what} ZFS"))?;
    let start = Instant::now();
    let status = watch(&mut child, |so_far| show(what, so_far, usual)).with_context(|| format!("cannot wait for {what} ZFS"))?;
    println!("{}rig: {what} ZFS took {} s", if std::io::stdout().is_terminal() { "\r\x1b[K" } else { "" }, start.elapsed().as_secs());
    if !status.success() {
        bail!("{what} ZFS failed: {status}; the end of {}:\n{}", log.display(), tail(log));
    }
    Ok(())
}

fn watch(child: &mut Child, show: impl Fn(Duration)) -> std::io::Result<std::process::ExitStatus> {
    let interval = if std::io::stdout().is_terminal() { SHOW_ON_TERMINAL } else { SHOW_IN_LOG };
    let start = Instant::now();
    let mut next = interval;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() >= next {
            show(start.elapsed());
            next += interval;
        }
        std::thread::sleep(POLL);
    }
}

fn show(what: &str, so_far: Duration, usual: Duration) {
    let text = format!("rig: {what} ZFS: {} s of usually {} s", so_far.as_secs(), usual.as_secs());
    if std::io::stdout().is_terminal() {
        print!("\r\x1b[K{text}");
        let _ = std::io::stdout().flush();
    } else {
        println!("{text}");
    }
}

fn tail(log: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_names_its_compiler() {
        let text = "override ARCH = x86\nCCACHE = ccache\nCC = $(if $(USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-12\nifneq (a,b)\n";
        assert_eq!(compiler(text), Some("gcc-12"));
        assert_eq!(compiler("CC = clang\n"), None);
        assert_eq!(compiler("CCACHE = gcc-12\n"), None);
    }

    #[test]
    fn a_failed_step_shows_the_end_of_its_log() {
        let log = std::env::temp_dir().join(format!("xtask-zfs-log-{}", std::process::id()));
        let second = Duration::from_secs(1);
        run(Command::new("sh").args(["-c", "echo first"]), "trying", second, &log).unwrap();
        let error = run(Command::new("sh").args(["-c", "echo why >&2; exit 3"]), "trying", second, &log).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.ends_with("first\nwhy"), "{error}");
        fs::remove_file(&log).unwrap();
    }
}
