//! The note about a drive that was taken: what it is, and how it was. One file a drive, lines of `name=value`.

use crate::error::TargetError;
use crate::system::System;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Gone after a start of the machine, as is every driver that was chosen by hand.
const FOLDER: &str = "/run/ioproof/bound";

/// A drive that was taken from the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundDrive {
    /// PCI address: `0000:04:00.0`.
    pub address: String,
    /// Serial number.
    pub serial: String,
    /// Model.
    pub model: String,
    /// Firmware revision.
    pub firmware: String,
    /// Its namespaces.
    pub namespaces: Vec<BoundNamespace>,
    /// The driver that it had.
    pub(crate) driver: String,
    /// `driver_override` as it was; empty where there was none.
    pub(crate) override_before: String,
    /// Only of a drive behind no IOMMU.
    pub(crate) unconfined: Option<Unconfined>,
}

/// Further state of a drive behind no IOMMU, which no driver has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unconfined {
    /// `power/control` as it was; empty where there was none.
    pub(crate) power_before: String,
}

/// A namespace of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundNamespace {
    /// Its number.
    pub number: u32,
    /// Size. Bytes.
    pub size_bytes: u64,
    /// Logical block. Bytes.
    pub block_bytes: u32,
}

/// All drives that were taken and not given back, by address.
#[must_use]
pub fn bound_drives(system: &System) -> Vec<BoundDrive> {
    let entries = std::fs::read_dir(system.at(FOLDER)).into_iter().flatten().flatten();
    let mut drives: Vec<BoundDrive> = entries.filter_map(|entry| parse(&std::fs::read_to_string(entry.path()).ok()?)).collect();
    drives.sort_by(|a, b| a.address.cmp(&b.address));
    drives
}

impl BoundDrive {
    /// Names of its namespaces, as targets are given.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let several = self.namespaces.len() > 1;
        let name = |number: u32| {
            let namespace = if several { format!(" ns:{number}") } else { String::new() };
            format!("trtype:PCIe traddr:{}{namespace}", self.address)
        };
        self.namespaces.iter().map(|namespace| name(namespace.number)).collect()
    }

    /// True for a drive that an IOMMU keeps to the memory that it is given.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        self.unconfined.is_none()
    }

    fn path(&self, system: &System) -> PathBuf {
        system.at(FOLDER).join(&self.address)
    }

    /// Makes the note; it appears whole.
    pub(crate) fn keep(&self, system: &System) -> Result<(), TargetError> {
        let (folder, path) = (system.at(FOLDER), self.path(system));
        let fail = |error| TargetError::io(&path, "note how the drive was", error);
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let unfinished = folder.join(format!(".{}", self.address));
        std::fs::write(&unfinished, self.text()).and_then(|()| std::fs::rename(&unfinished, &path)).map_err(fail)
    }

    /// Removes the note, once the drive is as it was.
    pub(crate) fn forget(&self, system: &System) -> Result<(), TargetError> {
        let path = self.path(system);
        std::fs::remove_file(&path).map_err(|error| TargetError::io(&path, "remove the note about the drive", error))
    }

    fn text(&self) -> String {
        let Self { address, serial, model, firmware, driver, override_before, .. } = self;
        let mut text = format!(
            "address={address}\nserial={serial}\nmodel={model}\nfirmware={firmware}\ndriver={driver}\noverride={override_before}\n"
        );
        for BoundNamespace { number, size_bytes, block_bytes } in &self.namespaces {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "namespace={number} {size_bytes} {block_bytes}");
        }
        if let Some(Unconfined { power_before }) = &self.unconfined {
            let _ = writeln!(text, "unconfined={power_before}");
        }
        text
    }
}

fn parse(text: &str) -> Option<BoundDrive> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned);
    let namespaces = text.lines().filter_map(|line| namespace(line.strip_prefix("namespace=")?)).collect();
    Some(BoundDrive {
        address: value("address")?,
        serial: value("serial")?,
        model: value("model")?,
        firmware: value("firmware")?,
        driver: value("driver")?,
        override_before: value("override")?,
        unconfined: value("unconfined").map(|power_before| Unconfined { power_before }),
        namespaces,
    })
}

fn namespace(text: &str) -> Option<BoundNamespace> {
    let mut words = text.split(' ');
    let mut next = || words.next()?.parse::<u64>().ok();
    let (number, size_bytes, block_bytes) = (next()?, next()?, next()?);
    Some(BoundNamespace { number: number.try_into().ok()?, size_bytes, block_bytes: block_bytes.try_into().ok()? })
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    pub(crate) fn drive() -> BoundDrive {
        let namespace = |number, block_bytes| BoundNamespace { number, size_bytes: 1 << 25, block_bytes };
        BoundDrive {
            address: "0000:04:00.0".into(),
            serial: "S1".into(),
            model: "A drive".into(),
            firmware: "1.0".into(),
            namespaces: vec![namespace(1, 512), namespace(2, 4096)],
            driver: "nvme".into(),
            override_before: String::new(),
            unconfined: None,
        }
    }

    /// The same behind no IOMMU.
    pub(crate) fn unconfined() -> BoundDrive {
        BoundDrive { unconfined: Some(Unconfined { power_before: "auto".into() }), ..drive() }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{drive, unconfined};
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn a_note_tells_all_and_goes() {
        let tree = Tree::new();
        assert_eq!(bound_drives(&tree.system()), []);
        drive().keep(&tree.system()).unwrap();
        tree.write("run/ioproof/bound/.0000:05:00.0", "address=0000:05:00.0\n");
        assert_eq!(bound_drives(&tree.system()), [drive()], "half a note is none");
        drive().forget(&tree.system()).unwrap();
        assert_eq!(bound_drives(&tree.system()), []);
    }

    #[test]
    fn a_note_tells_of_a_drive_behind_no_iommu() {
        let tree = Tree::new();
        unconfined().keep(&tree.system()).unwrap();
        let [read] = bound_drives(&tree.system()).try_into().unwrap();
        assert_eq!(read, unconfined());
        assert!(!read.is_confined() && drive().is_confined(), "a note of before has no such line");
    }
}
