//! The parts that the machine boots: an uncompressed kernel and an initramfs, made of Debian packages and kept in `target/rig`.
//!
//! They are named by kernel and by a hash of `rig/guest`. For a newer kernel of Debian remove `target/rig`.

use crate::{command, debian, package};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders in which the loader looks for libraries, in the guest as in Debian.
const LIBRARY_FOLDERS: [&str; 4] = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib", "usr/lib"];

/// Raise when this file makes different parts from the same recipe.
const RECIPE_VERSION: u32 = 3;

pub struct Parts {
    /// `vmlinux`, ready to be started by QEMU through its PVH entry.
    pub kernel: PathBuf,
    /// Not compressed: emulation unpacks slowly.
    pub initramfs: PathBuf,
}

#[derive(Debug, Hash)]
struct Recipe {
    packages: String,
    modules: String,
    files: String,
    init: String,
    version: u32,
}

pub fn ensure(root: &Path) -> Result<Parts> {
    let read = |name: &str| fs::read_to_string(root.join("rig/guest").join(name)).with_context(|| format!("cannot read rig/guest/{name}"));
    let (packages, modules, files, init) = (read("packages")?, read("modules")?, read("files")?, read("init")?);
    let recipe = Recipe { packages, modules, files, init, version: RECIPE_VERSION };
    let mut hasher = DefaultHasher::new();
    recipe.hash(&mut hasher);
    let key = format!("+{:016x}", hasher.finish());
    let folder = root.join("target/rig");
    let mut kept = fs::read_dir(&folder).into_iter().flatten().flatten();
    // A folder of that name is only there when it is complete.
    match kept.find(|entry| entry.file_name().to_string_lossy().ends_with(&key)) {
        Some(folder) => Ok(Parts::in_folder(&folder.path())),
        None => recipe.make(&folder, &key),
    }
}

impl Parts {
    fn in_folder(folder: &Path) -> Self {
        Self { kernel: folder.join("vmlinux"), initramfs: folder.join("initramfs.cpio") }
    }
}

impl Recipe {
    fn make(&self, folder: &Path, key: &str) -> Result<Parts> {
        let (root, fresh) = (command::fresh(&folder.join("root"))?, command::fresh(&folder.join("fresh"))?);
        debian::unpack(&package::entries(&self.packages).collect::<Vec<_>>(), &folder.join("apt"), &root)?;
        let kernel = fs::read_dir(root.join("boot"))?.flatten().map(|entry| entry.path());
        let kernel = kernel.filter(|path| path.to_string_lossy().contains("/vmlinuz-")).max().context("the packages hold no kernel")?;
        let version = kernel.to_string_lossy().rsplit("vmlinuz-").next().unwrap_or_default().to_owned();
        println!("rig: making the guest with Linux {version}");
        let parts = Parts::in_folder(&fresh);
        unpack_kernel(&root, &kernel, &parts.kernel)?;
        let image = fresh.join("image");
        self.fill(&image, &root, &version)?;
        pack(&root, &image, &parts.initramfs)?;
        fs::remove_dir_all(&image)?;
        fs::remove_dir_all(&root)?;
        let done = folder.join(version + key);
        fs::rename(&fresh, &done).with_context(|| format!("cannot rename {}", fresh.display()))?;
        Ok(Parts::in_folder(&done))
    }

    fn fill(&self, image: &Path, root: &Path, version: &str) -> Result<()> {
        put(image, "init", self.init.as_bytes())?;
        package::entries(&self.files).try_for_each(|path| add_with_libraries(image, root, path))?;
        // The kernel calls the last two by their full paths.
        for (link, target) in [("bin/sh", "dash"), ("sbin/modprobe", "../bin/busybox"), ("sbin/depmod", "../bin/busybox")] {
            std::os::unix::fs::symlink(target, image.join(link))?;
        }
        let at_boot: Vec<&str> = package::entries(&self.modules).filter_map(|line| line.strip_prefix("boot ")).map(str::trim).collect();
        put(image, "etc/rig-modules", (at_boot.join("\n") + "\n").as_bytes())?;
        let wanted = package::entries(&self.modules).map(|line| line.trim_start_matches("boot ").trim());
        add_modules(image, root, version, wanted)
    }
}

/// The kernel without its decompressor, which would take seconds under emulation.
fn unpack_kernel(root: &Path, from: &Path, to: &Path) -> Result<()> {
    let image = fs::read(from)?;
    let payload = payload(&image).with_context(|| format!("{} is no kernel image as boot.rst describes it", from.display()))?;
    let packed = root.join("boot/vmlinux.xz");
    fs::write(&packed, payload)?;
    // The tree's own xz by its own loader: busybox's knows no filter for programs.
    let libraries = root.join("lib/x86_64-linux-gnu");
    let mut xz = Command::new(libraries.join("ld-linux-x86-64.so.2"));
    xz.arg("--library-path").arg(&libraries).arg(root.join("usr/bin/xz")).args(["--decompress", "--stdout"]).arg(&packed);
    let kernel = command::output(&mut xz)?;
    ensure!(kernel.starts_with(b"\x7fELF"), "the payload of {} is no ELF file", from.display());
    Ok(fs::write(to, kernel)?)
}

/// The compressed kernel inside a bzImage (kernel: Documentation/arch/x86/boot.rst, `setup_sects`, `payload_offset`,
/// `payload_length`). Debian's payload ends with four bytes that give the unpacked size, which xz must not see.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?) as usize);
    let start = (usize::from(*image.get(0x1f1)?) + 1) * 512 + number(0x248)?;
    image.get(start..(start + number(0x24c)?).checked_sub(4)?)
}

/// Puts a folder into an archive that the kernel unpacks. `/dev/console` is in the one that every kernel holds.
pub(super) fn pack(root: &Path, image: &Path, archive: &Path) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-ec", "find . | \"$0\" cpio -o -H newc -R 0:0 2>/dev/null >\"$1\""]).arg(root.join("bin/busybox")).arg(archive);
    command::run(shell.current_dir(image))
}

pub(super) fn put(image: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let to = image.join(path.trim_start_matches('/'));
    fs::create_dir_all(to.parent().unwrap_or(image))?;
    fs::write(&to, bytes).with_context(|| format!("cannot write {}", to.display()))?;
    Ok(fs::set_permissions(to, PermissionsExt::from_mode(0o755))?)
}

/// Adds a file at its own path, and the libraries that it and they name.
pub(super) fn add_with_libraries(image: &Path, root: &Path, path: &str) -> Result<()> {
    let file = resolve(root, path)?;
    let bytes = fs::read(&file).with_context(|| format!("no package holds {path}; see rig/guest/files"))?;
    put(image, path, &bytes)?;
    let names = if bytes.starts_with(b"\x7fELF") { package::libraries(&file)? } else { Vec::new() };
    for name in names {
        let mut paths = LIBRARY_FOLDERS.iter().map(|folder| if name.starts_with('/') { name.clone() } else { format!("/{folder}/{name}") });
        let found = paths.find(|path| resolve(root, path).is_ok_and(|file| file.is_file()));
        let library = found.with_context(|| format!("no package holds the library {name}; see rig/guest/packages"))?;
        if !image.join(library.trim_start_matches('/')).exists() {
            add_with_libraries(image, root, &library)?;
        }
    }
    Ok(())
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

/// The lines of `modules.dep` in this tree, which Debian's packages lack: a module's file, then those of all that must be there before.
pub(super) fn module_files(root: &Path, version: &str) -> Result<Vec<Vec<String>>> {
    command::run(Command::new(root.join("bin/busybox")).args(["depmod", "-b"]).arg(root).arg(version))?;
    let text = fs::read_to_string(root.join("lib/modules").join(version).join("modules.dep"))?;
    Ok(text.lines().map(|line| line.split_whitespace().map(|word| word.trim_end_matches(':').to_owned()).collect()).collect())
}

pub(super) fn module_name(file: &str) -> String {
    file.rsplit('/').next().unwrap_or(file).trim_end_matches(".ko").replace('-', "_")
}

fn add_modules<'a>(image: &Path, root: &Path, version: &str, mut wanted: impl Iterator<Item = &'a str>) -> Result<()> {
    let known = module_files(root, version)?;
    let mut files = BTreeSet::new();
    wanted.try_for_each(|name| {
        let line = known.iter().find(|line| module_name(&line[0]) == module_name(name));
        files.extend(line.with_context(|| format!("the kernel has no module {name}; see rig/guest/modules"))?);
        anyhow::Ok(())
    })?;
    let folder = format!("lib/modules/{version}");
    for file in &files {
        put(image, &format!("{folder}/{file}"), &fs::read(root.join(&folder).join(file))?)?;
    }
    let lines = known.iter().filter(|line| files.contains(&line[0])).map(|line| format!("{}: {}\n", line[0], line[1..].join(" ")));
    put(image, &format!("{folder}/modules.dep"), lines.collect::<String>().as_bytes())?;
    let names: BTreeSet<String> = files.iter().map(|file| module_name(file)).collect();
    let aliases = fs::read_to_string(root.join(&folder).join("modules.alias"))?;
    let aliases = aliases.lines().filter(|line| line.rsplit(' ').next().is_some_and(|name| names.contains(&module_name(name))));
    put(image, &format!("{folder}/modules.alias"), aliases.flat_map(|line| [line, "\n"]).collect::<String>().as_bytes())
}
