//! `ioproof identify --capture`: the files of sysfs and procfs that were read, and the pages as the drive gave them, in a folder in the form of
//! `fixtures/devices`, so that a report about a drive becomes a test.

pub mod copy;

use crate::anonymise::Anonymiser;
use crate::answers::{self, AnswerContent};
use crate::contents::{self, CaptureContents};
use crate::inventory::Inventory;
use anyhow::Result;
use copy::Copier;
use ioproof_core::facts::StackNode;
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_target::System;
use serde::Serialize;
use std::path::Path;

/// Of procfs, what says something about the machine. Not the command line of the kernel, which may name what is nobody's business.
const PROC: [&str; 9] =
    ["cpuinfo", "meminfo", "loadavg", "stat", "swaps", "interrupts", "sys/kernel/osrelease", "self/status", "self/cgroup"];

/// Of sysfs, what is not below a device.
const SYS: [&str; 6] = [
    "devices/system/clocksource/clocksource0/current_clocksource",
    "devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "module/pcie_aspm/parameters/policy",
    "module/nvme/parameters/poll_queues",
    "class/dmi/id/sys_vendor",
    "class/dmi/id/product_name",
];

/// `expected.json` of a capture: the stack, without the expectations that a test adds.
#[derive(Serialize)]
struct CapturedStack<'a> {
    stack: Option<&'a StackNode>,
    devices: [(); 0],
    counters: [(); 0],
}

/// Writes the folder, which must not be there yet or be empty.
///
/// # Errors
/// When it holds something or cannot be written.
pub fn capture(system: &System, inventory: &Inventory, folder: &Path, anonymise: bool) -> Result<()> {
    let filled = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if filled || (folder.exists() && !folder.is_dir()) {
        return Err(complaint(format!("{} is there and not empty", folder.display()), "name a new folder"));
    }
    let known = if anonymise { Anonymiser::gather(system, inventory, &stack(inventory)) } else { Anonymiser::default() };
    let copier = Copier::new(system, folder, &known);
    for node in stack(inventory) {
        copier.device(&node);
    }
    machine(&copier, inventory);
    pages(inventory, &copier)?;
    copier.write(contents::FILE, serde_json::to_string_pretty(&CaptureContents::new(inventory))?.as_bytes())?;
    let expected = CapturedStack { stack: inventory.under.first(), devices: [], counters: [] };
    copier.write("expected.json", serde_json::to_string_pretty(&expected)?.as_bytes())?;
    copier.write("identify.json", serde_json::to_string_pretty(&inventory.json(true))?.as_bytes())?;
    messages::say(&format!("captured {} files in {}", copier.count(), folder.display()));
    copier.problems().iter().for_each(|problem| messages::note(problem));
    if !anonymise {
        messages::note("serial numbers are in it; --anonymise replaces them");
    }
    Ok(())
}

/// The names of all devices under the target and on it.
fn stack(inventory: &Inventory) -> Vec<String> {
    let mut names: Vec<String> = inventory.under.iter().flat_map(StackNode::names).collect();
    let above = inventory.above.iter().flat_map(copy::names_above);
    names.extend(above);
    names.sort();
    names.dedup();
    names
}

fn machine(copier: &Copier<'_>, inventory: &Inventory) {
    for file in PROC {
        copier.proc(file);
    }
    copier.mounts(&stack(inventory));
    stack(inventory).iter().for_each(|name| copier.udev(name));
    copier.proc("self/limits");
    for file in SYS {
        copier.sys(file);
    }
}

/// Each answer as it came, named after what was asked.
fn pages(inventory: &Inventory, copier: &Copier<'_>) -> Result<()> {
    for drive in &inventory.drives {
        for (file, content) in answers::files(&drive.pages) {
            let bytes = match content {
                AnswerContent::Bytes(bytes) => bytes,
                AnswerContent::Told(page) => serde_json::to_vec_pretty(&page)?,
            };
            copier.write(&format!("pages/{}/{file}", drive.facts.name.replace('/', "!")), &bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
