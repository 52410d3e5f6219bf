//! ZFS for the scripts that need it: its kernel modules, built from Debian's source (contrib) for the guest's kernel, and its tools.
//!
//! They are built once for each kernel and kept as a second cpio archive: the kernel unpacks archives that stand one behind another. Only the compiler comes from the
//! host: the tree's kernel says which one it was built with, and that is installed where it is missing.

use super::parts;
use crate::command;
use crate::debian::{self, Package};
use anyhow::{Context, Result, bail};
use parts::Parts;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Drives must be larger for ZFS, which takes no device below 64 MiB and on a whole disk keeps 9 MiB for its partition table. Bytes.
pub const DRIVE_BYTES: u64 = 80 << 20;
const LAYER: &str = "layer2";
const TOOLS: [&str; 3] = ["/sbin/zpool", "/sbin/zfs", "/sbin/zdb"];

/// Where the modules lie in the guest: not in the kernel's folder, whose list of dependencies the first archive holds.
const MODULES: &str = "lib/zfs";

/// The same kernel with an initramfs that has ZFS too; builds ZFS where that was not done yet.
pub fn ensure(root: &Path, parts: &Parts) -> Result<Parts> {
    let folder = root.join("target/rig/zfs");
    let name = parts.kernel.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let (kernel, _) = name.rsplit_once('+').with_context(|| format!("{} does not name the kernel's version", parts.kernel.display()))?;
    fs::create_dir_all(&folder)?;
    // Two that want to build at once wait for each other.
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    let layer = match kept(&folder, kernel) {
        Some(layer) => layer,
        None => make(&folder, kernel)?,
    };
    Ok(Parts { kernel: parts.kernel.clone(), initramfs: joined(&parts.initramfs, &layer)? })
}

/// The finished archive for this kernel; of several the one with the highest version.
fn kept(folder: &Path, kernel: &str) -> Option<PathBuf> {
    let (start, end) = (format!("{kernel}+"), format!("+{LAYER}"));
    let names = fs::read_dir(folder).ok()?.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let name = names.filter(|name| name.starts_with(&start) && name.ends_with(&end)).max()?;
    Some(folder.join(name).join("zfs.cpio"))
}

fn make(folder: &Path, kernel: &str) -> Result<PathBuf> {
    let fresh = command::fresh(&folder.join("fresh"))?;
    let root = command::fresh(&fresh.join("root"))?;
    println!("rig: this script needs ZFS, which is not built for Linux {kernel} yet; that is done once");
    let apt = folder.join("apt");
    debian::take_sources(&apt, "deb", "main contrib")?;
    debian::unpack(&["zfsutils-linux", "zfs-dkms", "busybox-static", &format!("linux-headers-{kernel}")], &apt, &root).with_context(
        || {
            format!(
                "where Debian no longer has the headers of Linux {kernel}, remove target/rig: the guest then gets Debian's current kernel"
            )
        },
    )?;
    let (version, modules) = build(&root, kernel, &fresh.join("log"))?;
    let (image, finished) = (command::fresh(&fresh.join("image"))?, command::fresh(&fresh.join("finished"))?);
    fill(&image, &root, kernel, &modules)?;
    parts::pack(&root, &image, &finished.join("zfs.cpio"))?;
    let done = folder.join(format!("{kernel}+{}+{LAYER}", version));
    fs::rename(&finished, &done).with_context(|| format!("cannot rename {}", finished.display()))?;
    fs::remove_dir_all(&fresh)?;
    Ok(done.join("zfs.cpio"))
}

/// Modules without what debuggers want, a script that loads `zfs` and before it all that it depends on, and the tools with their libraries.
fn fill(image: &Path, root: &Path, kernel: &str, modules: &Path) -> Result<()> {
    let folder = command::fresh(&root.join("lib/modules").join(kernel))?;
    let script = "find \"$0\" -name '*.ko' -exec cp -t \"$1\" {} +; strip --strip-debug \"$1\"/*.ko";
    command::run(Command::new("sh").args(["-ec", script]).arg(modules).arg(&folder))?;
    let known = parts::module_files(root, kernel)?;
    let files = known.into_iter().find(|line| parts::module_name(&line[0]) == "zfs").context("no module is called zfs")?;
    let order: Vec<&str> = files.iter().rev().map(|file| file.rsplit('/').next().unwrap_or(file)).collect();
    for file in &order {
        parts::put(image, &format!("{MODULES}/{file}"), &fs::read(folder.join(file))?)?;
    }
    // ZFS keeps the list of imported pools in a file there, as it does wherever its package is installed.
    let load =
        format!("#!/bin/sh\nmkdir -p /etc/zfs\ncd /{MODULES} || exit\nfor file in {}; do insmod $file || exit; done\n", order.join(" "));
    parts::put(image, "sbin/load-zfs", load.as_bytes())?;
    TOOLS.iter().try_for_each(|path| parts::add_with_libraries(image, root, path))
}

/// The two archives in one file beside the first, made when it is wanted for the first time.
fn joined(initramfs: &Path, layer: &Path) -> Result<PathBuf> {
    let name = layer.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let done = initramfs.with_file_name(format!("initramfs-zfs-{name}.cpio"));
    if !done.exists() {
        let fresh = done.with_extension("fresh");
        let mut file = File::create(&fresh)?;
        [initramfs, layer].iter().try_for_each(|path| io::copy(&mut File::open(path)?, &mut file).map(drop))?;
        fs::rename(&fresh, &done)?;
    }
    Ok(done)
}

const LOG_LINES: usize = 30;
const MAKE: Package = Package { name: "make", provides: "make", why: "to build ZFS" };
const LIBELF: Package =
    Package { name: "libelf1", provides: "/usr/lib/x86_64-linux-gnu/libelf.so.1", why: "by objtool, which checks kernel modules" };

/// Configures and compiles ZFS's modules; gives its version and the folder of the modules. What the tools say goes to `log`.
fn build(root: &Path, kernel: &str, log: &Path) -> Result<(String, PathBuf)> {
    let sources = root.join("usr/src");
    let entries = fs::read_dir(&sources).with_context(|| format!("cannot list {}", sources.display()))?;
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let version = names.filter_map(|name| name.strip_prefix("zfs-").map(str::to_owned)).max().context("zfs-dkms holds no source")?;
    // The headers' folder for this architecture, and the one that all architectures share.
    let headers = sources.join(format!("linux-headers-{kernel}"));
    let common = sources.join(format!("linux-headers-{}-common", kernel.rsplit_once('-').map_or(kernel, |(general, _)| general)));
    require_compiler(&headers)?;
    // The headers include one another by the path at which the package would be installed.
    let makefile = headers.join("Makefile");
    let text = fs::read_to_string(&makefile).with_context(|| format!("cannot read {}", makefile.display()))?;
    fs::write(&makefile, text.replace(" /usr/src/", &format!(" {}/", sources.display())))?;
    println!("rig: building ZFS {version}, which takes about six minutes");
    let script =
        "./configure --disable-dependency-tracking --with-config=kernel --with-linux=\"$0\" --with-linux-obj=\"$1\" && make -j$(nproc)";
    let out = File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
    let folder = sources.join(format!("zfs-{version}"));
    // It gives way to all others and does not outlive this program.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "nice", "sh", "-ec", script]).arg(common).arg(headers);
    command.current_dir(&folder).stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
    let status = command.status().context("cannot start the build of ZFS")?;
    if !status.success() {
        let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
        bail!("building ZFS failed: {status}; the end of {}:\n{end}", log.display());
    }
    Ok((version, folder.join("module")))
}

fn require_compiler(headers: &Path) -> Result<()> {
    let path = headers.join(".kernelvariables");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    // `CC = $(if ...) $(CROSS_COMPILE)gcc-12`
    let line = text.lines().find(|line| line.starts_with("CC =") || line.starts_with("CC="));
    let name = line.and_then(|line| line.rsplit([' ', ')']).next()).filter(|name| name.starts_with("gcc"));
    // Once in the life of this program: a package's name is part of the program everywhere else.
    let name: &'static str = name.with_context(|| format!("{} names no compiler", path.display()))?.to_owned().leak();
    let compiler = Package { name, provides: name, why: "to build ZFS: the kernel was built with it" };
    debian::require(&[&compiler, &MAKE, &LIBELF])
}
