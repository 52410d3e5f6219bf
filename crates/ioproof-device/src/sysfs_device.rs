//! One block device in sysfs, and facts read from below its folder.
//!
//! All that is about one drive reads through a [`SysfsDevice`]. What the files mean is the business of its neighbours.

use ioproof_core::facts::Fact;
use ioproof_target::System;
use std::str::FromStr;

/// A file below `/sys` as a fact; the source is the path as the kernel names it, also in a captured tree.
pub(crate) fn fact(system: &System, path: &str) -> Option<Fact<String>> {
    Some(Fact::new(system.sys_text(path)?, format!("/sys/{path}")))
}

/// The path of a file or folder below `/sys` with all links followed, without `/sys/`: `devices/pci0000:00/...`.
///
/// `None` where it does not exist or a link of a captured tree leads out of the tree.
pub(crate) fn resolved(system: &System, path: &str) -> Option<String> {
    let root = system.sys("").canonicalize().ok()?;
    let full = system.sys(path).canonicalize().ok()?;
    Some(full.strip_prefix(root).ok()?.to_str()?.to_owned())
}

/// A resolved path and every folder above it, the deepest first.
pub(crate) fn upwards(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0))
}

/// A block device's own folder and that of its disk; they differ for a partition only.
#[derive(Debug)]
pub(crate) struct SysfsDevice<'a> {
    pub(crate) system: &'a System,
    pub(crate) own: String,
    pub(crate) disk: String,
}

impl<'a> SysfsDevice<'a> {
    /// The device with this kernel name. sysfs writes `!` for a `/` in it (`cciss!c0d0`).
    pub(crate) fn find(system: &'a System, name: &str) -> Self {
        let name = name.replace('/', "!");
        let disk = disk_of_partition(system, &name);
        let own = disk.as_ref().map_or_else(|| format!("block/{name}"), |disk| format!("block/{disk}/{name}"));
        let disk = format!("block/{}", disk.unwrap_or(name));
        Self { system, own, disk }
    }

    /// The disk's name in sysfs.
    pub(crate) fn disk_name(&self) -> &str {
        self.disk.trim_start_matches("block/")
    }

    /// A text below the disk's folder.
    pub(crate) fn text(&self, path: &str) -> Option<Fact<String>> {
        fact(self.system, &format!("{}/{path}", self.disk))
    }

    /// A number below the disk's folder.
    pub(crate) fn number<T: FromStr>(&self, path: &str) -> Option<Fact<T>> {
        let Fact { value, source } = self.text(path)?;
        Some(Fact::new(value.parse().ok()?, source))
    }

    /// A `0` or `1` below the disk's folder.
    pub(crate) fn flag(&self, path: &str) -> Option<Fact<bool>> {
        let Fact { value, source } = self.number::<u8>(path)?;
        (value <= 1).then(|| Fact::new(value == 1, source))
    }

    /// A binary file below the disk's folder.
    pub(crate) fn bytes(&self, path: &str) -> Option<Fact<Vec<u8>>> {
        let path = format!("{}/{path}", self.disk);
        let bytes = std::fs::read(self.system.sys(&path)).ok()?;
        Some(Fact::new(bytes, format!("/sys/{path}")))
    }

    /// The drive's path below `/sys/devices`, from which its link and its NUMA node follow: the disk's folder with all links followed.
    ///
    /// A namespace of a multipath NVMe subsystem hangs on no bus; its path is that of its controller.
    /// `None` where it has several: how much they carry together depends on the subsystem's I/O policy.
    pub(crate) fn device_path(&self) -> Option<String> {
        match self.nvme_controllers().as_slice() {
            [] => resolved(self.system, &self.disk),
            [controller] => resolved(self.system, &format!("{}/device/{controller}", self.disk)),
            _ => None,
        }
    }

    /// The paths of a namespace of a multipath subsystem, which the kernel hides: `nvme3c4n1` of `nvme3n1`, by way of controller 4.
    pub(crate) fn nvme_paths(&self) -> Vec<String> {
        let Some((subsystem, namespace)) = self.disk_name().rsplit_once('n').filter(|(subsystem, _)| subsystem.starts_with("nvme")) else {
            return Vec::new();
        };
        let is_path = |name: &String| {
            let controller =
                name.strip_prefix(subsystem).and_then(|rest| rest.strip_prefix('c')?.strip_suffix(namespace)?.strip_suffix('n'));
            controller.is_some_and(is_number)
        };
        self.system.sys_list("block").into_iter().filter(is_path).collect()
    }

    /// The controllers of a multipath subsystem, `nvme0`; none where `device` is the controller itself.
    pub(crate) fn nvme_controllers(&self) -> Vec<String> {
        let mut names = self.system.sys_list(&format!("{}/device", self.disk));
        names.retain(|name| name.strip_prefix("nvme").is_some_and(is_number));
        names
    }
}

/// True for a text of decimal digits only.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn disk_of_partition(system: &System, name: &str) -> Option<String> {
    if system.sys(&format!("block/{name}")).exists() {
        return None;
    }
    let has_it = |disk: &String| name.starts_with(disk.as_str()) && system.sys(&format!("block/{disk}/{name}/partition")).exists();
    system.sys_list("block").into_iter().find(has_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "1\n").unwrap();
        }
        dir
    }

    #[test]
    fn a_partition_lies_below_its_disk() {
        let dir = tree(&["sys/block/nvme0n1/size", "sys/block/nvme0n1/nvme0n1p2/partition", "sys/block/nvme0n10/size"]);
        let system = System::captured(dir.path());
        let device = SysfsDevice::find(&system, "nvme0n1p2");
        assert_eq!((device.own.as_str(), device.disk.as_str()), ("block/nvme0n1/nvme0n1p2", "block/nvme0n1"));
        let device = SysfsDevice::find(&system, "nvme0n10");
        assert_eq!((device.own.as_str(), device.disk.as_str()), ("block/nvme0n10", "block/nvme0n10"));
    }

    #[test]
    fn a_slash_in_a_name_is_an_exclamation_mark() {
        let dir = tree(&["sys/block/cciss!c0d0/size"]);
        let system = System::captured(dir.path());
        assert_eq!(SysfsDevice::find(&system, "cciss/c0d0").number::<u64>("size"), Some(Fact::new(1, "/sys/block/cciss!c0d0/size")));
    }

    #[test]
    fn a_link_out_of_the_tree_is_not_followed() {
        let dir = tree(&["sys/block/sda/size", "elsewhere/size"]);
        std::os::unix::fs::symlink("../../elsewhere", dir.path().join("sys/block/sdb")).unwrap();
        let system = System::captured(dir.path());
        assert_eq!(resolved(&system, "block/sda").as_deref(), Some("block/sda"));
        assert_eq!(resolved(&system, "block/sdb"), None);
    }

    #[test]
    fn upwards_ends_at_the_first_component() {
        assert_eq!(upwards("devices/a/b").collect::<Vec<_>>(), ["devices/a/b", "devices/a", "devices"]);
    }
}
