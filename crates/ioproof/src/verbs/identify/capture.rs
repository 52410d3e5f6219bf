//! `ioproof identify --capture`: the files of sysfs and procfs that were read, and the pages as the drive gave them, in a folder in the form of
//! `fixtures/devices`, so that a report about a drive becomes a test.

pub mod copy;

use crate::complaint::complaint;
use crate::verbs::identify::anonymise::Anonymiser;
use crate::verbs::identify::answers::{self, Content};
use crate::verbs::identify::contents::{self, Contents};
use crate::verbs::identify::learned::Learned;
use anyhow::Result;
use copy::Copier;
use ioproof_core::facts::StackNode;
use ioproof_target::System;
use serde_json::json;
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

/// Writes the folder, which must not be there yet or be empty.
///
/// # Errors
/// When it holds something or cannot be written.
pub fn capture(system: &System, learned: &Learned, folder: &Path, anonymise: bool) -> Result<()> {
    let filled = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if filled || (folder.exists() && !folder.is_dir()) {
        return Err(complaint(format!("{} is there and not empty", folder.display()), "name a new folder"));
    }
    let known = if anonymise { Anonymiser::of(system, learned, &stack(learned)) } else { Anonymiser::default() };
    let copier = Copier::new(system, folder, &known);
    for node in stack(learned) {
        copier.device(&node);
    }
    machine(&copier, learned);
    pages(learned, &copier)?;
    copier.write(contents::FILE, serde_json::to_string_pretty(&Contents::of(learned))?.as_bytes())?;
    let expected = json!({ "stack": learned.under.first(), "devices": [], "counters": [] });
    copier.write("expected.json", serde_json::to_string_pretty(&expected)?.as_bytes())?;
    copier.write("identify.json", serde_json::to_string_pretty(&learned.json(true))?.as_bytes())?;
    eprintln!("captured {} files in {}", copier.count(), folder.display());
    for problem in copier.problems() {
        eprintln!("note: {problem}");
    }
    if !anonymise {
        eprintln!("note: serial numbers are in it; --anonymise replaces them");
    }
    Ok(())
}

/// The names of all devices under the target and on it.
fn stack(learned: &Learned) -> Vec<String> {
    let mut names: Vec<String> = learned.under.iter().flat_map(StackNode::names).collect();
    let above = learned.above.iter().flat_map(copy::names_above);
    names.extend(above);
    names.sort();
    names.dedup();
    names
}

fn machine(copier: &Copier<'_>, learned: &Learned) {
    for file in PROC {
        copier.proc(file);
    }
    copier.mounts(&stack(learned));
    stack(learned).iter().for_each(|name| copier.udev(name));
    copier.proc("self/limits");
    for file in SYS {
        copier.sys(file);
    }
}

/// Each answer as it came, named after what was asked.
fn pages(learned: &Learned, copier: &Copier<'_>) -> Result<()> {
    for drive in &learned.drives {
        for (file, content) in answers::files(&drive.pages) {
            let bytes = match content {
                Content::Bytes(bytes) => bytes,
                Content::Told(page) => serde_json::to_vec_pretty(&page)?,
            };
            copier.write(&format!("pages/{}/{file}", drive.facts.name.replace('/', "!")), &bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
