//! The devices that `doctor` looks at: all drives, or those under a target together with the layers between.

use anyhow::Result;
use ioproof_core::facts::StackNode;
use ioproof_target::{System, disk_of, named, stack};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct DoctorScope {
    pub drives: Vec<String>,
    /// Loop devices, device-mapper, md: what lies on the drives and has a queue of its own.
    pub layers: Vec<String>,
    /// Of the layers those that were named themselves.
    pub named: Vec<String>,
    /// Reason for which there are no drives.
    pub note: Option<String>,
}

impl DoctorScope {
    /// The drives under a path or a kernel name; none under a generator.
    ///
    /// # Errors
    /// When there is no such target, or it can have nothing to do with a drive.
    pub fn under(system: &System, target: &Path) -> Result<Self> {
        if is_generator(target) {
            let note = format!("{} is made up by the kernel and no drive: the host alone was looked at", target.display());
            return Ok(Self { note: Some(note), ..Self::default() });
        }
        let named = named(system, target)?;
        let mut scope = Self { note: named.notes.into_iter().next(), ..Self::default() };
        if named.filesystem.is_none() {
            scope.named = named.devices.iter().map(|name| disk_of(system, name)).collect();
        }
        named.devices.iter().filter_map(|name| stack::of_device(system, name)).for_each(|node| scope.add(system, &node));
        let Self { named, layers, .. } = &mut scope;
        named.retain(|name| layers.contains(name));
        Ok(scope)
    }

    fn add(&mut self, system: &System, node: &StackNode) {
        let names = if node.under.is_empty() { &mut self.drives } else { &mut self.layers };
        let name = disk_of(system, &node.name);
        if name == node.name && !names.contains(&name) {
            names.push(name);
        }
        node.under.iter().for_each(|under| self.add(system, under));
    }

    /// Every drive of this machine that has a medium. What the kernel makes up (loop devices, volumes, memory) has no `device`.
    pub fn all(system: &System) -> Self {
        let is_drive = |name: &String| {
            let folder = format!("block/{name}");
            system.sys(&format!("{folder}/device")).exists() && system.sys_number(&format!("{folder}/size")).is_some_and(|size| size > 0)
        };
        Self { drives: system.sys_list("block").into_iter().filter(is_drive).collect(), ..Self::default() }
    }
}

/// `/dev/null` and `/dev/zero` (Linux, `Documentation/admin-guide/devices.txt`).
fn is_generator(target: &Path) -> bool {
    let number = |meta: std::fs::Metadata| (rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()));
    let meta = std::fs::metadata(target).ok().filter(|meta| meta.file_type().is_char_device());
    meta.map(number).is_some_and(|number| matches!(number, (1, 3 | 5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, under: Vec<StackNode>) -> StackNode {
        StackNode { under, ..StackNode::disk(name) }
    }

    #[test]
    fn layers_and_drives_are_told_apart_and_partitions_are_neither() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["sys/block/sda/dev", "sys/block/sda/sda1/dev", "sys/block/sda/sda1/partition"] {
            std::fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(file), "8:0\n").unwrap();
        }
        let mut scope = DoctorScope::default();
        scope.add(&System::captured(dir.path()), &node("loop5", vec![node("sda1", vec![node("sda", vec![])])]));
        assert_eq!(scope, DoctorScope { drives: vec!["sda".into()], layers: vec!["loop5".into()], ..DoctorScope::default() });
    }

    #[test]
    fn a_generator_has_no_drive_and_says_so() {
        let scope = DoctorScope::under(&System::host(), Path::new("/dev/null")).unwrap();
        assert!(scope.drives.is_empty() && scope.note.unwrap().contains("the host alone was looked at"));
    }
}
