//! `capture.json`: what a captured folder holds beside the kernel's files and the drives' answers, and what neither of them tells: how the target was named, whether
//! root asked, which answers there are. Written by a capture, read by a replay; every field may be missing.

use crate::answers;
use crate::drives::KnownDrive;
use crate::inventory::Inventory;
use ioproof_core::facts::FilesystemFacts;
use ioproof_pages::field::Page;
use ioproof_process::output::SCHEMA_VERSION;
use ioproof_target::Holder;
use serde::{Deserialize, Serialize};

pub const FILE: &str = "capture.json";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureContents {
    pub schema_version: u32,
    pub given: String,
    /// The path after links were followed.
    pub resolved: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<FilesystemFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Page>,
    /// Kernel names of the block devices that it is or lies on.
    pub devices: Vec<String>,
    /// Kernel name of a character node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
    /// True when root asked.
    pub by_root: bool,
    pub drives: Vec<DriveContents>,
    /// Uses that were read from the devices' own content, which no file of the kernel tells.
    pub uses: Vec<UseContents>,
    /// Facts that could not be read, a line each with the reason.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveContents {
    pub name: String,
    pub node: String,
    /// Files of answers below `pages/NAME`, in the order in which they came.
    pub answers: Vec<String>,
    /// Reasons for which there is not more.
    pub missing: Vec<String>,
    /// True when root could have learned more.
    pub root_would_add: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UseContents {
    pub device: String,
    pub kind: String,
    pub what: String,
    pub source: String,
}

impl CaptureContents {
    pub fn new(inventory: &Inventory) -> Self {
        let named = &inventory.named;
        Self {
            schema_version: SCHEMA_VERSION,
            given: inventory.given.clone(),
            resolved: named.resolved.display().to_string(),
            kind: named.kind.to_owned(),
            filesystem: named.filesystem.clone(),
            file: inventory.file.clone(),
            devices: named.devices.clone(),
            character: named.character.clone(),
            by_root: inventory.by_root,
            drives: inventory.drives.iter().map(drive).collect(),
            uses: inventory.above.iter().flat_map(uses).collect(),
            notes: inventory.notes.clone(),
        }
    }

    pub fn drive(&self, name: &str) -> Option<&DriveContents> {
        self.drives.iter().find(|drive| drive.name == name)
    }
}

fn drive(drive: &KnownDrive) -> DriveContents {
    DriveContents {
        name: drive.facts.name.clone(),
        node: answers::node(&drive.pages).unwrap_or_default(),
        answers: answers::files(&drive.pages).into_iter().map(|(name, _)| name).collect(),
        missing: drive.missing.clone(),
        root_would_add: drive.root_would_add,
    }
}

fn uses(above: &Holder) -> Vec<UseContents> {
    let of = |(device, used): (&str, &ioproof_target::Use)| UseContents {
        device: device.to_owned(),
        kind: used.kind.to_owned(),
        what: used.what.clone(),
        source: used.source.clone(),
    };
    above.all_uses().into_iter().map(of).collect()
}
