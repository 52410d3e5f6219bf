//! One drive with all that can be learned of it: what the kernel says, what the drive itself answers, how it is, and what stands on it.
//!
//! The verbs `list` and `identify` and the admission of `verify` share this. `drive_query` is the only place that knows which neighbour asks which kind of drive.

mod drive_query;
mod facts_json;
mod kernel;
mod uses;

pub use drive_query::{DriveHealth, admit, by_drive, health, pasted, pasted_facts, state_word};
pub use facts_json::FactsJson;
pub use kernel::page as kernel_page;
pub use uses::{HolderJson, add_traces, short_uses};

use ioproof_core::facts::{DeviceFacts, DriveKind, Fact, StackNode};
use ioproof_core::record::DriveHistory;
use ioproof_pages::field::{Page, Value, find};
use ioproof_target::{Holder, System};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct KnownDrive {
    pub facts: DeviceFacts,
    /// Pages of the I/O path to the drive and of the drive itself; the kernel's facts are the first page.
    pub pages: Vec<Page>,
    /// Reasons for which there is not more.
    pub missing: Vec<String>,
    /// True when root could have learned more.
    pub root_would_add: bool,
    /// Its past, as the store of this machine has it; whoever shows the drive puts it here.
    pub history: Option<DriveHistory>,
}

impl KnownDrive {
    /// Learns everything about the drive with this kernel name. Commands go through `node`, else through the node that belongs to the name.
    pub fn look(system: &System, name: &str, node: Option<&Path>) -> Self {
        let own = node.map(Path::to_owned).or_else(|| ioproof_target::node_of(system, name));
        let mut drive = Self::by_the_kernel(system, name);
        drive.ask(system, own);
        drive
    }

    /// The kernel's facts about the drive and the I/O path to it, without asking the drive.
    pub fn by_the_kernel(system: &System, name: &str) -> Self {
        let stack = ioproof_target::stack::of_device(system, name);
        Self::by_the_stack(system, &stack.unwrap_or_else(|| StackNode::disk(name)))
    }

    /// The same of a drive whose place in the stack is known, as that of a capture.
    pub fn by_the_stack(system: &System, node: &StackNode) -> Self {
        let facts = ioproof_device::identify(system, node);
        let mut drive = Self { pages: vec![kernel_page(&facts)], facts, missing: Vec::new(), root_would_add: false, history: None };
        let io_path = drive_query::io_path(system, &node.name);
        // The page of the queue tells some of the facts again.
        drive.pages[0].fields.retain(|fact| find(&io_path, &fact.key).is_none());
        drive.pages.extend(io_path);
        if drive.facts.kind == DriveKind::Virtio {
            // Where nothing tells, the kernel takes a disk to turn, which says nothing of the drive behind a virtual one.
            drive
                .pages
                .iter_mut()
                .for_each(|page| page.fields.retain(|field| field.key != "rotational" || field.value != Value::Flag(true)));
        }
        drive
    }

    fn ask(&mut self, system: &System, node: Option<PathBuf>) {
        let Some(node) = node else {
            self.missing.push(format!("/dev has no node of {}: the drive itself could not be asked", self.facts.name));
            return;
        };
        match drive_query::drive(system, self.facts.kind, &node) {
            drive_query::DriveAnswer::Pages(pages) => {
                self.root_would_add |= !is_root() && pages.iter().any(|page| page.problems.iter().any(|p| p.contains("root would add")));
                self.pages.extend(pages);
            }
            drive_query::DriveAnswer::Denied(reason) => {
                self.root_would_add = true;
                self.missing.push(reason);
            }
            drive_query::DriveAnswer::Failed(reason) => self.missing.push(reason),
            drive_query::DriveAnswer::NoCommands => {}
        }
    }

    /// Health of the drive, where it reports anything about that.
    pub fn health(&self) -> Option<DriveHealth> {
        health(&self.facts.name, &self.pages)
    }
}

/// The devices and uses on a device, and the reasons for which there may be more.
pub fn above(system: &System, name: &str) -> (Option<Holder>, Vec<String>) {
    ioproof_target::holders(system, name)
}

/// True for a device that does not lie on other devices or in memory.
pub fn is_drive(system: &System, name: &str) -> bool {
    let kind = ioproof_target::stack::of_device(system, name).map(|node| node.kind).unwrap_or_default();
    !matches!(kind.as_str(), "device-mapper" | "md" | "loop" | "zram" | "zvol") && !name.starts_with("ram")
}

/// True when this process is root's.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A fact's value as text, or a dash.
pub fn shown(fact: Option<&Fact<String>>) -> String {
    fact.map_or_else(|| "-".to_owned(), |fact| ioproof_core::text::visible(&fact.value))
}

pub fn kind_title(kind: DriveKind) -> &'static str {
    match kind {
        DriveKind::Nvme => "NVMe",
        DriveKind::Sata => "SATA",
        DriveKind::Scsi => "SCSI",
        DriveKind::Virtio => "virtio (a virtual machine's disk: the real drive is out of sight)",
        DriveKind::Loop => "loop device",
        DriveKind::Zram => "compressed memory, no drive",
        DriveKind::Mmc => "SD or eMMC",
        DriveKind::Other => "other",
    }
}
