//! `ioproof identify --from FOLDER`: a captured machine shown as the living one was, built again from the kernel's files and the drives' answers.
//!
//! `safe_copy` makes a copy that is safe to read, `wire` lets the code that asks a drive ask the folder, `drive` puts one drive together. What is damaged is named, and
//! the rest is shown. Deliberately absent: anything that asks the machine on which this runs.

mod drive;
mod safe_copy;
mod wire;

use crate::contents::{self, CaptureContents, UseContents};
use crate::drives::kernel_page;
use crate::inventory::Inventory;
use anyhow::Result;
use ioproof_core::facts::StackNode;
use ioproof_pages::field::Page;
use ioproof_process::complaint::complaint;
use ioproof_target::{Holder, Named, System, Use};
use safe_copy::SafeCopy;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;

/// The inventory of a captured folder.
///
/// # Errors
/// When it is no capture, or nothing can be learned from it.
pub fn inventory(folder: &Path) -> Result<Inventory> {
    let copy = SafeCopy::copy(folder)?;
    if !copy.path().join("sys").is_dir() {
        let said = match fs::symlink_metadata(copy.path().join("sys")) {
            Ok(_) => "its `sys` is no folder",
            Err(_) => "it has no folder `sys`",
        };
        let hint = "give a folder that `ioproof identify DRIVE --capture FOLDER` made, or a file that another tool printed";
        return Err(complaint(format!("{} is no capture: {said}", folder.display()), hint));
    }
    let mut replay = Replay { folder: copy.path(), system: System::captured(copy.path()), notes: copy.problems.clone() };
    let inventory = replay.inventory();
    if inventory.drives.is_empty() && inventory.above.is_empty() {
        let reasons = if inventory.notes.is_empty() { String::new() } else { format!(": {}", inventory.notes.join("; ")) };
        return Err(complaint(format!("{} tells of no device{reasons}", folder.display()), "capture the drive again"));
    }
    Ok(inventory)
}

struct Replay<'a> {
    folder: &'a Path,
    system: System,
    notes: Vec<String>,
}

/// The one field that is needed of `expected.json`.
#[derive(serde::Deserialize)]
struct ExpectedStack {
    stack: Option<StackNode>,
}

impl Replay<'_> {
    fn inventory(&mut self) -> Inventory {
        let contents: Option<CaptureContents> = self.json(contents::FILE);
        let stack = self.json::<ExpectedStack>("expected.json").and_then(|expected| expected.stack);
        let is_whole = contents.is_some();
        let contents = contents.unwrap_or_else(|| self.made_up(stack.as_ref()));
        let named = named(&contents);
        let mut inventory = Inventory {
            given: contents.given.clone(),
            named,
            under: Vec::new(),
            above: Vec::new(),
            file: contents.file.clone(),
            layers: Vec::new(),
            drives: Vec::new(),
            notes: contents.notes.clone(),
            by_root: contents.by_root,
        };
        if is_whole && !self.system.proc("self/mountinfo").is_file() {
            self.notes.push("the capture lacks proc/self/mountinfo: what is mounted cannot be told".to_owned());
        }
        for name in &contents.devices {
            self.device(&mut inventory, name, stack.as_ref(), &contents);
        }
        if contents.devices.is_empty() {
            let drives =
                contents.drives.iter().map(|drive| drive::drive(&self.system, self.folder, &StackNode::disk(&drive.name), Some(drive)));
            inventory.drives.extend(drives);
        }
        inventory.notes.append(&mut self.notes);
        inventory
    }

    /// A file of ours; what cannot be read is named.
    fn json<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let bytes = match ioproof_target::read_regular(&self.folder.join(name), 4 << 20) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.notes.push(format!("{name} cannot be read: {error}"));
                return None;
            }
        };
        serde_json::from_slice(&bytes).map_err(|error| self.notes.push(format!("{name} is not understood: {error}"))).ok()
    }

    /// Without `capture.json`: the stack of `expected.json`, else every disk of the tree.
    fn made_up(&self, stack: Option<&StackNode>) -> CaptureContents {
        let devices = stack.map_or_else(|| self.system.sys_list("block"), |stack| vec![stack.name.clone()]);
        CaptureContents { given: devices.join(", "), kind: "block device".into(), by_root: true, devices, ..CaptureContents::default() }
    }

    fn device(&mut self, inventory: &mut Inventory, name: &str, stack: Option<&StackNode>, contents: &CaptureContents) {
        let node = ioproof_target::stack::of_device(&self.system, name).or_else(|| stack.filter(|stack| stack.name == name).cloned());
        let node = node.unwrap_or_else(|| {
            self.notes.push(format!("the capture lacks the files of {name} in sys"));
            StackNode::disk(name)
        });
        if self.system.proc("self/mountinfo").is_file() {
            let (above, problems) = ioproof_target::holders(&self.system, name);
            // The tables are those of the copy, whose place says nothing.
            self.notes.extend(problems.iter().map(|problem| problem.replace(&format!("{}/", self.folder.display()), "")));
            inventory.above.extend(above.map(|above| with_uses(above, &contents.uses)));
        }
        if !node.under.is_empty() {
            let facts = ioproof_device::identify(&self.system, &node);
            inventory.layers.push(Page { name: format!("kernel, {name}"), ..kernel_page(&facts) });
        }
        for drive in node.drives() {
            if !inventory.drives.iter().any(|known| known.facts.name == drive.name) {
                inventory.drives.push(drive::drive(&self.system, self.folder, drive, contents.drive(&drive.name)));
            }
        }
        inventory.under.push(node);
    }
}

fn named(contents: &CaptureContents) -> Named {
    const KINDS: [&str; 4] = ["block device", "character device", "file", "directory"];
    let kind = KINDS.into_iter().find(|kind| *kind == contents.kind).unwrap_or("block device");
    Named {
        resolved: contents.resolved.clone().into(),
        kind,
        devices: contents.devices.clone(),
        node: None,
        character: contents.character.clone(),
        filesystem: contents.filesystem.clone(),
        notes: Vec::new(),
    }
}

/// Adds uses that were found by reading the devices themselves, which the tree cannot tell again.
fn with_uses(mut above: Holder, uses: &[UseContents]) -> Holder {
    let own = uses.iter().filter(|used| used.device == above.name);
    for used in own.filter(|used| !above.uses.iter().any(|known| known.kind == used.kind && known.what == used.what)).collect::<Vec<_>>() {
        above.uses.push(Use { kind: kind(&used.kind), what: used.what.clone(), source: used.source.clone() });
    }
    above.holders = above.holders.into_iter().map(|upper| with_uses(upper, uses)).collect();
    above
}

fn kind(word: &str) -> &'static str {
    const KINDS: [&str; 13] =
        ["mount", "swap", "btrfs", "lvm", "luks", "crypt", "multipath", "dmraid", "partition", "content", "signature", "zfs", "md"];
    KINDS.into_iter().find(|kind| *kind == word).unwrap_or("other")
}
