//! The parts that the machine boots: an uncompressed kernel and an initramfs, made of Debian packages and kept in `target/rig`.
//!
//! The kept parts are named by the kernel's version and by a hash of everything they were made from, so a change in `rig/guest` makes
//! new ones. A newer kernel in Debian does not: remove `target/rig` for that.

use super::{apt, cpio::Archive, list, modules};
use crate::{command, elf};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders in which the loader looks for libraries, in the guest as in Debian.
const LIBRARY_FOLDERS: [&str; 4] = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib", "usr/lib"];

/// Raise when this file makes different parts from the same recipe.
const RECIPE_VERSION: u32 = 2;

/// The finished parts.
#[derive(Debug)]
pub struct Parts {
    /// `vmlinux`, ready to be started by QEMU through its PVH entry.
    pub kernel: PathBuf,
    /// Not compressed: emulation unpacks slowly.
    pub initramfs: PathBuf,
}

/// The files below `rig/guest` that say what the guest is made of.
#[derive(Debug, Hash)]
struct Recipe {
    packages: Vec<String>,
    modules: String,
    files: Vec<String>,
    init: String,
    version: u32,
}

/// Gives the kept parts, or makes them.
pub fn ensure(root: &Path) -> Result<Parts> {
    let recipe = Recipe::load(&root.join("rig/guest"))?;
    let folder = root.join("target/rig");
    if let Some(parts) = kept(&folder, &recipe.key()) {
        return Ok(parts);
    }
    make(&recipe, &folder)
}

impl Recipe {
    fn load(folder: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let lines = |text: String| list::entries(&text).map(String::from).collect();
        Ok(Self {
            packages: lines(read("packages")?),
            modules: read("modules")?,
            files: lines(read("files")?),
            init: read("init")?,
            version: RECIPE_VERSION,
        })
    }

    fn key(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// The folder whose name ends with the key is only there when it is complete.
fn kept(folder: &Path, key: &str) -> Option<Parts> {
    let mut entries = fs::read_dir(folder).ok()?.flatten();
    let parts = entries.find(|e| e.file_name().to_string_lossy().ends_with(&format!("+{key}")))?;
    Some(Parts::in_folder(&parts.path()))
}

impl Parts {
    fn in_folder(folder: &Path) -> Self {
        Self { kernel: folder.join("vmlinux"), initramfs: folder.join("initramfs.cpio") }
    }
}

fn make(recipe: &Recipe, folder: &Path) -> Result<Parts> {
    let root = folder.join("root");
    let fresh = folder.join("fresh");
    remove(&root)?;
    remove(&fresh)?;
    fs::create_dir_all(&root).and_then(|()| fs::create_dir_all(&fresh)).with_context(|| format!("cannot make {}", folder.display()))?;
    apt::unpack(&recipe.packages, &folder.join("apt"), &root)?;
    let version = kernel_version(&root)?;
    println!("rig: making the guest with Linux {version}");
    let parts = Parts::in_folder(&fresh);
    write(&parts.kernel, &vmlinux(&root, &version)?)?;
    write(&parts.initramfs, &initramfs(recipe, &root, &version)?)?;
    remove(&root)?;
    let done = folder.join(format!("{version}+{}", recipe.key()));
    fs::rename(&fresh, &done).with_context(|| format!("cannot rename {}", fresh.display()))?;
    Ok(Parts::in_folder(&done))
}

pub(super) fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The version in the name of the one kernel that was unpacked: `6.1.0-1-amd64`.
fn kernel_version(root: &Path) -> Result<String> {
    let boot = root.join("boot");
    let entries = fs::read_dir(&boot).with_context(|| format!("cannot list {}", boot.display()))?;
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let mut versions: Vec<String> = names.filter_map(|n| n.strip_prefix("vmlinuz-").map(String::from)).collect();
    versions.sort();
    versions.pop().context("the packages hold no kernel")
}

/// The kernel without its decompressor, which would take seconds under emulation.
fn vmlinux(root: &Path, version: &str) -> Result<Vec<u8>> {
    let file = root.join(format!("boot/vmlinuz-{version}"));
    let image = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let payload = payload(&image).with_context(|| format!("{} is no kernel image as boot.rst describes it", file.display()))?;
    if !payload.starts_with(b"\xfd7zXZ\0") {
        bail!("the kernel in {} is not compressed with xz", file.display());
    }
    let packed = root.join("boot/vmlinux.xz");
    write(&packed, payload)?;
    let kernel = command::output(unpacked_program(root, "usr/bin/xz").args(["--decompress", "--stdout"]).arg(&packed))?;
    if !elf::is_elf(&kernel) {
        bail!("the payload of {} is no ELF file", file.display());
    }
    Ok(kernel)
}

/// A program of the unpacked tree, run here with the tree's own loader and libraries.
fn unpacked_program(root: &Path, path: &str) -> Command {
    let mut command = Command::new(root.join("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"));
    command.arg("--library-path").arg(root.join("lib/x86_64-linux-gnu")).arg(root.join(path));
    command
}

/// The compressed kernel inside a bzImage (kernel: Documentation/arch/x86/boot.rst, `setup_sects`, `payload_offset`,
/// `payload_length`). Debian's payload ends with four bytes that give the unpacked size, which xz must not see.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?) as usize);
    if image.get(0x202..0x206)? != b"HdrS" {
        return None;
    }
    let setup_sectors = match *image.get(0x1f1)? {
        0 => 4,
        count => usize::from(count),
    };
    let start = (setup_sectors + 1) * 512 + number(0x248)?;
    image.get(start..(start + number(0x24c)?).checked_sub(4)?)
}

fn initramfs(recipe: &Recipe, root: &Path, version: &str) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    archive.file("init", recipe.init.as_bytes());
    archive.character_device("dev/console", 5, 1);
    for path in &recipe.files {
        add_with_libraries(&mut archive, root, path)?;
    }
    archive.link("bin/sh", "/bin/dash");
    // The kernel calls these two by their full paths.
    archive.link("sbin/modprobe", "/bin/busybox");
    archive.link("sbin/depmod", "/bin/busybox");
    add_modules(&mut archive, recipe, root, version)?;
    Ok(archive.finish())
}

/// Adds a file at its own path, and the libraries that it and they name.
pub(super) fn add_with_libraries(archive: &mut Archive, root: &Path, path: &str) -> Result<()> {
    let file = resolve(root, path)?;
    let bytes = fs::read(&file).with_context(|| format!("no package holds {path}; see rig/guest/files"))?;
    archive.file(path, &bytes);
    if !elf::is_elf(&bytes) {
        return Ok(());
    }
    let linkage = elf::linkage(&bytes).with_context(|| path.to_owned())?;
    let libraries = linkage.needed.iter().map(|name| find_library(root, name)).collect::<Result<Vec<_>>>()?;
    let all: BTreeSet<String> = libraries.into_iter().chain(linkage.interpreter).collect();
    all.iter().filter(|p| !archive.contains(p)).cloned().collect::<Vec<_>>().iter().try_for_each(|p| add_with_libraries(archive, root, p))
}

fn find_library(root: &Path, name: &str) -> Result<String> {
    let paths = LIBRARY_FOLDERS.iter().map(|folder| format!("/{folder}/{name}"));
    let found = paths.into_iter().find(|path| resolve(root, path).is_ok_and(|file| file.is_file()));
    found.with_context(|| format!("no package holds the library {name}; see rig/guest/packages"))
}

/// Follows links inside the unpacked tree, where an absolute one means the tree's root.
fn resolve(root: &Path, path: &str) -> Result<PathBuf> {
    let mut file = root.join(path.trim_start_matches('/'));
    for _ in 0..8 {
        match fs::read_link(&file) {
            Ok(target) if target.is_absolute() => file = root.join(target.strip_prefix("/").unwrap_or(&target)),
            Ok(target) => file = file.with_file_name("").join(target),
            Err(_) => return Ok(file),
        }
    }
    bail!("too many links at {path}")
}

fn add_modules(archive: &mut Archive, recipe: &Recipe, root: &Path, version: &str) -> Result<()> {
    let wanted = modules::Wanted::parse(&recipe.modules);
    let modules = modules::collect(&root.join("lib/modules").join(version), &wanted.names)?;
    let folder = format!("lib/modules/{version}");
    for (name, module) in &modules {
        let bytes = fs::read(&module.file).with_context(|| format!("cannot read {}", module.file.display()))?;
        archive.file(&format!("{folder}/{name}.ko"), &bytes);
    }
    archive.file(&format!("{folder}/modules.dep"), modules::dependencies(&modules).as_bytes());
    archive.file(&format!("{folder}/modules.alias"), modules::aliases(&modules).as_bytes());
    archive.file("etc/rig-modules", (wanted.at_boot.join("\n") + "\n").as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_in_this_tree_is_complete() {
        let recipe = Recipe::load(&crate::workspace_root().join("rig/guest")).unwrap();
        assert!(recipe.packages.iter().any(|p| p.starts_with("linux-image")));
        assert!(recipe.files.iter().any(|f| f == "/bin/busybox") && recipe.files.iter().all(|f| f.starts_with('/')));
        assert!(recipe.init.starts_with("#!/bin/busybox sh\n"));
    }

    #[test]
    fn another_recipe_has_another_key() {
        let recipe = |init: &str| Recipe { packages: vec![], modules: String::new(), files: vec![], init: init.into(), version: 1 };
        assert_eq!(recipe("a").key(), recipe("a").key());
        assert_ne!(recipe("a").key(), recipe("b").key());
    }

    #[test]
    fn the_payload_lies_behind_the_setup_sectors() {
        let mut image = vec![0; 2048];
        image[0x1f1] = 1;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x248] = 8;
        image[0x24c] = 7;
        image[1024 + 8..1024 + 11].copy_from_slice(b"xyz");
        assert_eq!(payload(&image), Some(b"xyz".as_slice()));
        image[0x24c] = 3;
        assert_eq!(payload(&image), None);
        assert_eq!(payload(b"short"), None);
    }
}
