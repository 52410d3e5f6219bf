//! `ioproof identify --capture`: the files of sysfs and procfs that were read, and the pages as the drive gave them, in a folder in the form of
//! `fixtures/devices`, so that a report about a drive becomes a test.

mod copy;

use crate::complaint::complaint;
use crate::verbs::identify::anonymise::Anonymiser;
use crate::verbs::identify::learned::Learned;
use anyhow::{Context, Result};
use copy::Copier;
use ioproof_core::facts::StackNode;
use ioproof_core::field::Page;
use ioproof_target::System;
use serde_json::json;
use std::path::Path;

/// Of procfs, what says something about the machine. Not the command line of the kernel, which may name what is nobody's business.
const PROC: [&str; 9] =
    ["cpuinfo", "meminfo", "loadavg", "stat", "swaps", "interrupts", "sys/kernel/osrelease", "self/status", "self/cgroup"];

/// Writes the folder, which must not be there yet or be empty.
///
/// # Errors
/// When it holds something or cannot be written.
pub fn capture(system: &System, learned: &Learned, folder: &Path, anonymise: bool) -> Result<()> {
    let filled = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if filled || (folder.exists() && !folder.is_dir()) {
        return Err(complaint(format!("{} is there and not empty", folder.display()), "name a new folder"));
    }
    let known = if anonymise { names(system, learned) } else { Anonymiser::default() };
    let copier = Copier::new(system, folder, &known);
    for node in stack(learned) {
        copier.device(&node);
    }
    machine(&copier, learned);
    pages(learned, &copier)?;
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

/// Everything that makes these drives, and what is on them, somebody's.
fn names(system: &System, learned: &Learned) -> Anonymiser {
    let all: Vec<Page> = learned.drives.iter().flat_map(|drive| drive.pages.clone()).collect();
    let further: Vec<String> = stack(learned).iter().flat_map(|name| copy::unique_names(system, name)).collect();
    Anonymiser::of(&all, &further)
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
    copier.proc("self/limits");
    for file in ["devices/system/clocksource/clocksource0/current_clocksource", "devices/system/cpu/cpu0/cpufreq/scaling_governor"] {
        copier.sys(file);
    }
}

/// Each page as it came, by its number and name.
fn pages(learned: &Learned, copier: &Copier<'_>) -> Result<()> {
    for drive in &learned.drives {
        for (at, page) in drive.pages.iter().enumerate().filter(|(_, page)| !page.raw.is_empty()) {
            let name = page.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            let file = format!("pages/{}/{at:02}-{name}.bin", drive.facts.name.replace('/', "!"));
            let bytes = bytes_of(&page.raw).with_context(|| format!("page {} is not hexadecimal", page.name))?;
            copier.write(&file, &bytes)?;
        }
    }
    Ok(())
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes() {
        assert_eq!(bytes_of("00ff7a"), Some(vec![0, 255, 0x7a]));
        assert_eq!([bytes_of("0"), bytes_of("zz"), bytes_of("é0")], [None, None, None]);
        assert_eq!(bytes_of(""), Some(vec![]));
    }
}
