//! ZFS for the scripts that need it: its kernel modules, built from Debian's source for the guest's kernel, and its tools.
//!
//! Debian's contrib holds ZFS as source, because its licence keeps the modules out of the kernel's package. They are built once for each
//! kernel and kept in `target/rig/zfs/KERNEL+ZFS+LAYER` as a second cpio archive. The kernel unpacks archives that stand one behind
//! another, so the guest with ZFS is the usual initramfs with that archive behind it.
//!
//! Everything is made in `fresh`, which is renamed when it is done: an interrupted build leaves nothing that could be taken for a
//! finished one. Two that want to build at once wait for each other.

mod build;

use super::{apt, cpio::Archive, modules, parts};
use crate::command;
use anyhow::{Context, Result};
use parts::Parts;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Drives must be larger for ZFS, which takes no device below 64 MiB and on a whole disk keeps 9 MiB for its partition table. Bytes.
pub const DRIVE_BYTES: u64 = 80 << 20;

/// Raise when this file makes another archive from the same packages.
const LAYER: &str = "layer1";

/// Programs of Debian's packages that the guest gets beside the modules.
const TOOLS: [&str; 3] = ["/sbin/zpool", "/sbin/zfs", "/sbin/zdb"];

/// Where the modules lie in the guest: not in the kernel's folder, whose list of dependencies the first archive holds.
const MODULES: &str = "lib/zfs";

/// The same kernel with an initramfs that has ZFS too; builds ZFS where that was not done yet.
pub fn ensure(root: &Path, parts: &Parts) -> Result<Parts> {
    let folder = root.join("target/rig/zfs");
    let kernel = kernel_version(parts)?;
    let layer = match kept(&folder, &kernel) {
        Some(layer) => layer,
        None => make_alone(&folder, &kernel)?,
    };
    Ok(Parts { kernel: parts.kernel.clone(), initramfs: joined(&parts.initramfs, &layer)? })
}

/// The kernel's version, by which the folder of its parts begins.
fn kernel_version(parts: &Parts) -> Result<String> {
    let name = parts.kernel.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let version = name.as_deref().and_then(|name| name.rsplit_once('+')).map(|(version, _)| version.to_owned());
    version.with_context(|| format!("{} does not name the kernel's version", parts.kernel.display()))
}

/// The finished archive for this kernel; of several the one with the highest version.
fn kept(folder: &Path, kernel: &str) -> Option<PathBuf> {
    let (start, end) = (format!("{kernel}+"), format!("+{LAYER}"));
    let names = fs::read_dir(folder).ok()?.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let name = names.filter(|name| name.starts_with(&start) && name.ends_with(&end)).max()?;
    Some(archive_in(&folder.join(name)))
}

fn archive_in(folder: &Path) -> PathBuf {
    folder.join("zfs.cpio")
}

/// Makes it unless somebody else did so while we waited for the lock, which goes with the process that holds it.
fn make_alone(folder: &Path, kernel: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("lock");
    let lock = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
    if lock.try_lock().is_err() {
        println!("rig: waiting for another build of ZFS");
        lock.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    }
    match kept(folder, kernel) {
        Some(layer) => Ok(layer),
        None => make(folder, kernel),
    }
}

fn make(folder: &Path, kernel: &str) -> Result<PathBuf> {
    let fresh = folder.join("fresh");
    parts::remove(&fresh)?;
    let root = fresh.join("root");
    fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
    println!("rig: this script needs ZFS, which is not built for Linux {kernel} yet; that is done once");
    fetch(folder, kernel, &root)?;
    let source = build::Source::find(&root, kernel)?;
    source.build(&fresh.join("log"))?;
    let finished = fresh.join("finished");
    fs::create_dir_all(&finished).with_context(|| format!("cannot make {}", finished.display()))?;
    parts::write(&archive_in(&finished), &archive(&root, &source)?)?;
    let done = folder.join(format!("{kernel}+{}+{LAYER}", source.version));
    fs::rename(&finished, &done).with_context(|| format!("cannot rename {}", finished.display()))?;
    parts::remove(&fresh)?;
    Ok(archive_in(&done))
}

fn fetch(folder: &Path, kernel: &str, root: &Path) -> Result<()> {
    let folder = folder.join("apt");
    let packages = ["zfsutils-linux".to_owned(), "zfs-dkms".to_owned(), format!("linux-headers-{kernel}")];
    apt::add_component(&folder, "contrib")?;
    let fetched = apt::unpack(&packages, &folder, root);
    fetched.with_context(|| {
        format!("where Debian no longer has the headers of Linux {kernel}, remove target/rig: the guest then gets Debian's current kernel")
    })
}

/// Modules without what debuggers want, a program that loads them, and the tools with their libraries.
fn archive(root: &Path, source: &build::Source) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    let modules = modules::collect(&source.modules(), &["zfs".to_owned()])?;
    for (name, module) in &modules {
        command::run(Command::new("strip").arg("--strip-debug").arg(&module.file))?;
        let bytes = fs::read(&module.file).with_context(|| format!("cannot read {}", module.file.display()))?;
        archive.file(&format!("{MODULES}/{name}.ko"), &bytes);
    }
    archive.file("sbin/load-zfs", loader(&modules::dependencies(&modules))?.as_bytes());
    TOOLS.iter().try_for_each(|path| parts::add_with_libraries(&mut archive, root, path))?;
    Ok(archive.finish())
}

/// The script that loads `zfs` and before it all that it depends on, the nearest last in the list of dependencies.
fn loader(dependencies: &str) -> Result<String> {
    let needed = dependencies.lines().find_map(|line| line.strip_prefix("zfs.ko: ")).context("no module is called zfs")?;
    let order: Vec<&str> = needed.split_whitespace().rev().chain(["zfs.ko"]).collect();
    // ZFS keeps the list of imported pools in a file there, as it does wherever its package is installed.
    Ok(format!("#!/bin/sh\nmkdir -p /etc/zfs\ncd /{MODULES} || exit\nfor file in {}; do insmod $file || exit; done\n", order.join(" ")))
}

/// The two archives in one file beside the first, made when it is wanted for the first time.
fn joined(initramfs: &Path, layer: &Path) -> Result<PathBuf> {
    let name = layer.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let done = initramfs.with_file_name(format!("initramfs-zfs-{name}.cpio"));
    if done.exists() {
        return Ok(done);
    }
    let fresh = done.with_extension(format!("fresh{}", std::process::id()));
    let concatenated = concatenate(&[initramfs, layer], &fresh).and_then(|()| fs::rename(&fresh, &done));
    concatenated.with_context(|| format!("cannot make {}", done.display()))?;
    Ok(done)
}

fn concatenate(from: &[&Path], to: &Path) -> io::Result<()> {
    let mut file = File::create(to)?;
    from.iter().try_for_each(|path| io::copy(&mut File::open(path)?, &mut file).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test alone.
    fn folder(name: &str) -> PathBuf {
        let folder = crate::workspace_root().join("target/tmp").join(format!("xtask-zfs-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_kernel_is_told_by_the_folder_of_its_parts() {
        let parts = |path: &str| Parts { kernel: path.into(), initramfs: "/x".into() };
        assert_eq!(kernel_version(&parts("/r/6.1.0-5-amd64+0123/vmlinux")).unwrap(), "6.1.0-5-amd64");
        assert_eq!(kernel_version(&parts("/r/6.12.9+bpo-amd64+0123/vmlinux")).unwrap(), "6.12.9+bpo-amd64");
        assert!(kernel_version(&parts("/r/x/vmlinux")).is_err());
    }

    #[test]
    fn only_what_was_finished_for_this_very_kernel_is_taken() {
        let folder = folder("kept");
        for name in ["fresh", "6.1.0-56-amd64+2.1.11+layer0", "6.1.0-5-amd64+2.1.11+layer1", "apt"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        assert_eq!(kept(&folder, "6.1.0-56-amd64"), None);
        assert_eq!(kept(&folder, "6.1.0-5-amd64"), Some(folder.join("6.1.0-5-amd64+2.1.11+layer1/zfs.cpio")));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn archives_are_joined_once_and_in_order() {
        let folder = folder("joined");
        let (first, layer) = (folder.join("initramfs.cpio"), folder.join("k+1+layer1/zfs.cpio"));
        fs::create_dir_all(layer.parent().unwrap()).unwrap();
        fs::write(&first, "first").unwrap();
        fs::write(&layer, "second").unwrap();
        let joined = |first: &Path, layer: &Path| fs::read_to_string(super::joined(first, layer).unwrap()).unwrap();
        assert_eq!(joined(&first, &layer), "firstsecond");
        fs::write(&layer, "other").unwrap();
        assert_eq!(joined(&first, &layer), "firstsecond");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_zfs_depends_on_is_loaded_first() {
        let script = loader("spl.ko: \nzfs.ko: zcommon.ko znvpair.ko spl.ko\nzcommon.ko: znvpair.ko spl.ko\n").unwrap();
        assert!(script.contains("for file in spl.ko znvpair.ko zcommon.ko zfs.ko;"), "{script}");
        assert!(loader("spl.ko: \n").is_err());
    }
}
