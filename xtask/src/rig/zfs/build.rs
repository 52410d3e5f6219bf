//! Builds ZFS's kernel modules in an unpacked tree of Debian packages.
//!
//! Only the compiler comes from the host: the tree's kernel says which one it was built with, and that is installed where it is missing.

use crate::debian::{self, Package};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LOG_LINES: usize = 30;

const MAKE: Package = Package { name: "make", provides: "make", why: "to build ZFS" };
const LIBELF: Package =
    Package { name: "libelf1", provides: "/usr/lib/x86_64-linux-gnu/libelf.so.1", why: "by objtool, which checks kernel modules" };

pub struct Source {
    pub version: String,
    zfs: PathBuf,
    /// The headers' folder for this architecture; `common` is the one that all architectures share.
    headers: PathBuf,
    common: PathBuf,
}

impl Source {
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

    pub fn modules(&self) -> PathBuf {
        self.zfs.join("module")
    }

    pub fn build(&self, log: &Path) -> Result<()> {
        self.require_compiler()?;
        self.relocate()?;
        println!("rig: building ZFS {}, which takes about six minutes", self.version);
        let script =
            "./configure --disable-dependency-tracking --with-config=kernel --with-linux=\"$0\" --with-linux-obj=\"$1\" && make -j$(nproc)";
        let out = File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
        // It gives way to all others and does not outlive this program.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "nice", "sh", "-ec", script]).arg(&self.common).arg(&self.headers);
        command.current_dir(&self.zfs).stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
        let status = command.status().context("cannot start the build of ZFS")?;
        if !status.success() {
            let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            bail!("building ZFS failed: {status}; the end of {}:\n{end}", log.display());
        }
        Ok(())
    }

    fn require_compiler(&self) -> Result<()> {
        let path = self.headers.join(".kernelvariables");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // `CC = $(if ...) $(CROSS_COMPILE)gcc-12`
        let line = text.lines().find(|line| line.starts_with("CC =") || line.starts_with("CC="));
        let name = line.and_then(|line| line.rsplit([' ', ')']).next()).filter(|name| name.starts_with("gcc"));
        // Once in the life of this program: a package's name is part of the program everywhere else.
        let name: &'static str = name.with_context(|| format!("{} names no compiler", path.display()))?.to_owned().leak();
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
        Ok(fs::write(&path, text.replace(" /usr/src/", &format!(" {here}")))?)
    }
}
