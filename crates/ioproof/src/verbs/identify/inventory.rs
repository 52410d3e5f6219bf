//! What is learned about one target: what it is, what it lies on, what stands on it, and its drives.

use crate::complaint::complaint;
use crate::drives::{self, Drive, Health, above_json, add_traces, facts_json, is_root, kernel_page};
use crate::verbs::identify::file;
use anyhow::Result;
use ioproof_core::facts::{DriveKind, StackNode};
use ioproof_core::field::{Field, Page, Value as FieldValue};
use ioproof_core::record::SCHEMA_VERSION;
use ioproof_target::{Above, Named, System};
use serde_json::{Value, json};
use std::path::Path;

/// All of it.
#[derive(Debug)]
pub struct Learned {
    /// As typed.
    pub given: String,
    /// What the path stands for.
    pub named: Named,
    /// What each of its devices lies on.
    pub under: Vec<StackNode>,
    /// What stands on each of its devices.
    pub above: Vec<Above>,
    /// What the filesystem says of a file.
    pub file: Option<Page>,
    /// What the kernel says of devices that are no drives themselves: partitions, device-mapper, md, loop.
    pub layers: Vec<Page>,
    /// The drives at the bottom.
    pub drives: Vec<Drive>,
    /// What could not be told.
    pub notes: Vec<String>,
    /// Whether root asked.
    pub by_root: bool,
}

impl Learned {
    /// Learns everything about a path.
    ///
    /// # Errors
    /// When nothing can be learned: no such path, no device, no permission.
    pub fn about(system: &System, given: &Path) -> Result<Self> {
        let named = ioproof_target::named(system, given)?;
        let notes = named.notes.clone();
        let mut learned = Self {
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
        for name in learned.named.devices.clone() {
            learned.device(system, &name);
        }
        if learned.named.devices.is_empty() {
            learned.by_its_node(system);
        }
        learned.file = if learned.named.kind == "file" { Some(file::page(system, given)) } else { None };
        learned.something()
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
                self.drives.push(Drive::look(system, &drive.name, given));
            }
        }
        self.under.push(node);
    }

    /// A node that no block device belongs to can still be asked.
    fn by_its_node(&mut self, system: &System) {
        let Some(node) = self.named.node.clone() else { return };
        let own = node.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = self.named.character.clone().unwrap_or(own);
        let mut drive = Drive::look(system, &name, Some(&node));
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
        let told = |drive: &Drive| drive.pages.iter().skip(1).any(|page| !page.fields.is_empty());
        let drive = |drive: &Drive| told(drive) || drive.facts.capacity_bytes.value > 0 || drive.facts.model.is_some();
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

    /// Whether root could have learned more.
    pub fn root_would_add(&self) -> bool {
        !self.by_root
            && (self.drives.iter().any(|drive| drive.root_would_add) || self.notes.iter().any(|note| note.contains("permission denied")))
    }

    /// As JSON; the pages' bytes only where they are asked for.
    pub fn json(&self, raw: bool) -> Value {
        json!({
            "schema_version": SCHEMA_VERSION,
            "target": {
                "given": self.given,
                "resolved": self.named.resolved,
                "kind": self.named.kind,
                "filesystem": self.named.filesystem,
            },
            "under_it": self.under,
            "stands_on_it": self.above.iter().map(above_json).collect::<Vec<_>>(),
            "file": self.file,
            "layers": self.layers,
            "drives": self.drives.iter().map(|drive| drive_json(drive, raw)).collect::<Vec<_>>(),
            "notes": self.notes,
            "root_would_add": self.root_would_add(),
        })
    }
}

/// What sysfs says of an NVMe controller that has no namespace here.
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

fn drive_json(drive: &Drive, raw: bool) -> Value {
    let health = drive.health();
    json!({
        "name": drive.facts.name,
        "facts": facts_json(&drive.facts),
        "health": health.as_ref().map(Health::json),
        "pages": pages(&drive.pages, raw),
        "missing": drive.missing,
    })
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
