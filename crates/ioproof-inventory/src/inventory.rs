//! All that can be known of one target: what it is, what it lies on, what stands on it, and its drives.

use crate::drives::{self, DriveHealth, FactsJson, HolderJson, KnownDrive, add_traces, is_root, kernel_page};
use crate::file;
use anyhow::Result;
use ioproof_core::facts::{DriveKind, FilesystemFacts, StackNode};
use ioproof_core::record::DriveHistory;
use ioproof_pages::field::{Field, Page, Value as FieldValue};
use ioproof_process::complaint::complaint;
use ioproof_process::output::SCHEMA_VERSION;
use ioproof_target::{Holder, Named, System};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

#[derive(Debug)]
pub struct Inventory {
    pub given: String,
    /// The target behind the path.
    pub named: Named,
    pub under: Vec<StackNode>,
    /// The devices and uses on each of its devices.
    pub above: Vec<Holder>,
    pub file: Option<Page>,
    /// The kernel's facts about devices that are no drives themselves: partitions, device-mapper, md, loop.
    pub layers: Vec<Page>,
    pub drives: Vec<KnownDrive>,
    /// Facts that could not be read, a line each with the reason.
    pub notes: Vec<String>,
    /// True when root asked.
    pub by_root: bool,
}

/// The document of `identify --json`.
#[derive(Debug, Serialize)]
pub struct InventoryJson<'a> {
    schema_version: u32,
    target: TargetJson<'a>,
    under_it: &'a [StackNode],
    stands_on_it: Vec<HolderJson<'a>>,
    file: Option<&'a Page>,
    layers: &'a [Page],
    drives: Vec<InventoryDriveJson<'a>>,
    notes: &'a [String],
    root_would_add: bool,
}

#[derive(Debug, Serialize)]
struct TargetJson<'a> {
    given: &'a str,
    resolved: Cow<'a, str>,
    kind: &'a str,
    filesystem: Option<&'a FilesystemFacts>,
}

#[derive(Debug, Serialize)]
struct InventoryDriveJson<'a> {
    name: &'a str,
    facts: FactsJson<'a>,
    health: Option<DriveHealth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<&'a DriveHistory>,
    pages: Vec<Page>,
    missing: &'a [String],
}

impl Inventory {
    /// Learns everything about a path.
    ///
    /// # Errors
    /// When nothing can be learned: no such path, no device, no permission.
    pub fn about(system: &System, given: &Path) -> Result<Self> {
        let named = ioproof_target::named(system, given)?;
        let notes = named.notes.clone();
        let mut inventory = Self {
            given: given.display().to_string(),
            named,
            under: vec![],
            above: vec![],
            file: None,
            layers: vec![],
            drives: vec![],
            notes,
            by_root: is_root(),
        };
        for name in inventory.named.devices.clone() {
            inventory.device(system, &name);
        }
        if inventory.named.devices.is_empty() {
            inventory.by_its_node(system);
        }
        inventory.file = if inventory.named.kind == "file" { Some(file::page(system, given)) } else { None };
        inventory.something()
    }

    fn device(&mut self, system: &System, name: &str) {
        let Some(node) = ioproof_target::stack::of_device(system, name) else {
            self.notes.push(format!("{name} has gone, or sysfs does not show it"));
            return;
        };
        let (above, problems) = drives::above(system, name);
        self.notes.extend(problems);
        if let Some(mut above) = above {
            if self.named.filesystem.is_none() {
                self.notes.extend(add_traces(system, &mut above));
            }
            self.above.push(above);
        }
        if !node.under.is_empty() {
            let facts = ioproof_device::identify(system, &node);
            self.layers.push(Page { name: format!("kernel, {name}"), ..kernel_page(&facts) });
        }
        for drive in node.drives() {
            if !self.drives.iter().any(|known| known.facts.name == drive.name) {
                let given = self.named.node.as_deref().filter(|_| drive.name == name);
                self.drives.push(KnownDrive::look(system, &drive.name, given));
            }
        }
        self.under.push(node);
    }

    /// A node that no block device belongs to can still be asked.
    fn by_its_node(&mut self, system: &System) {
        let Some(node) = self.named.node.clone() else { return };
        let own = node.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = self.named.character.clone().unwrap_or(own);
        let mut drive = KnownDrive::look(system, &name, Some(&node));
        drive.pages.extend(controller_page(system, &name));
        self.drives.push(drive);
    }

    /// Nothing at all is an error, and says why.
    fn something(self) -> Result<Self> {
        if let Some(name) = self.empty_loop() {
            return Err(complaint(
                format!("{}: nothing is attached to {name}", self.given),
                format!("`losetup /dev/{name} FILE` attaches a file"),
            ));
        }
        let told = |drive: &KnownDrive| drive.pages.iter().skip(1).any(|page| !page.fields.is_empty());
        let drive = |drive: &KnownDrive| told(drive) || drive.facts.capacity_bytes.value > 0 || drive.facts.model.is_some();
        let known = self.named.filesystem.is_some() || !self.under.is_empty() || self.drives.iter().any(drive);
        if known {
            return Ok(self);
        }
        let reasons: Vec<String> = self.drives.iter().flat_map(|drive| drive.missing.clone()).chain(self.notes).collect();
        let hint = if is_root() { "`ioproof list` shows the drives here" } else { "run as root: the drive itself may answer" };
        Err(complaint(format!("{}: nothing can be learned about it: {}", self.given, reasons.join("; ")), hint))
    }

    /// The loop device that is all there is, where it has no file.
    fn empty_loop(&self) -> Option<String> {
        let [drive] = self.drives.as_slice() else { return None };
        let is_empty = drive.facts.kind == DriveKind::Loop && drive.facts.capacity_bytes.value == 0 && self.named.filesystem.is_none();
        let has_file = self.under.iter().any(|node| node.backing_file.is_some());
        (is_empty && !has_file).then(|| drive.facts.name.clone())
    }

    /// True when root could have learned more.
    pub fn root_would_add(&self) -> bool {
        !self.by_root
            && (self.drives.iter().any(|drive| drive.root_would_add) || self.notes.iter().any(|note| note.contains("permission denied")))
    }

    /// As JSON; the pages' bytes only where they are asked for.
    pub fn json(&self, raw: bool) -> InventoryJson<'_> {
        InventoryJson {
            schema_version: SCHEMA_VERSION,
            target: TargetJson {
                given: &self.given,
                resolved: self.named.resolved.to_string_lossy(),
                kind: self.named.kind,
                filesystem: self.named.filesystem.as_ref(),
            },
            under_it: &self.under,
            stands_on_it: self.above.iter().map(HolderJson::new).collect(),
            file: self.file.as_ref(),
            layers: &self.layers,
            drives: self.drives.iter().map(|drive| drive_json(drive, raw)).collect(),
            notes: &self.notes,
            root_would_add: self.root_would_add(),
        }
    }
}

/// The attributes in sysfs of an NVMe controller that has no namespace here.
fn controller_page(system: &System, name: &str) -> Option<Page> {
    const FILES: [(&str, &str, &str); 6] = [
        ("model", "model", "model"),
        ("serial", "serial", "serial number"),
        ("firmware_rev", "firmware", "firmware"),
        ("state", "controller_state", "state"),
        ("transport", "transport", "transport"),
        ("subsysnqn", "nqn", "NQN"),
    ];
    let folder = format!("class/nvme/{name}");
    let field = |(file, key, title): &(&str, &str, &str)| {
        let text = system.sys_text(&format!("{folder}/{file}"))?;
        let (key, title) = ((*key).to_owned(), (*title).to_owned());
        Some(Field { key, title, value: FieldValue::Text(text), unit: None, source: format!("/sys/{folder}/{file}") })
    };
    let fields: Vec<Field> = FILES.iter().filter_map(field).collect();
    (!fields.is_empty()).then(|| Page { name: "controller".into(), source: format!("/sys/{folder}"), fields, ..Page::default() })
}

fn drive_json(drive: &KnownDrive, raw: bool) -> InventoryDriveJson<'_> {
    InventoryDriveJson {
        name: &drive.facts.name,
        facts: FactsJson::new(&drive.facts),
        health: drive.health(),
        history: drive.history.as_ref(),
        pages: pages(&drive.pages, raw),
        missing: &drive.missing,
    }
}

/// Pages as they are shown: without their bytes where those are not asked for.
pub fn pages(pages: &[Page], raw: bool) -> Vec<Page> {
    let shown = |page: &Page| if raw { page.clone() } else { Page { raw: String::new(), ..page.clone() } };
    pages.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_without_a_namespace_is_told_by_sysfs() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sys/class/nvme/nvme7");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model"), "EXAMPLE 1  \n").unwrap();
        let system = System::captured(dir.path());
        assert_eq!(controller_page(&system, "nvme7").unwrap().text("model"), Some("EXAMPLE 1"));
        assert!(controller_page(&system, "nvme8").is_none());
    }
}
