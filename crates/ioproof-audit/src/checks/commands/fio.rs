//! Job files and command lines of fio, by the rules that judge a job before it runs.

use crate::checks::{Findings, Reading, Weight, rule_name};
use crate::jobs;
use ioproof_core::finding::Severity;

/// The mistakes of each job file, on each target that a command below it names.
pub(super) fn jobs(reading: &Reading, findings: &mut Findings) {
    for (at, file) in reading.jobs.iter().enumerate() {
        let end = reading.jobs[at + 1..].iter().find(|next| next.arguments.is_empty()).map_or(u32::MAX, |next| next.first);
        let below = reading.commands.iter().filter(|command| command.tool == "fio" && command.line > file.last && command.line < end);
        let mut targets: Vec<Option<&str>> = below.filter_map(|command| command.option(&["--filename"])).map(Some).collect();
        targets.dedup();
        if targets.is_empty() || !file.arguments.is_empty() {
            targets = vec![None];
        }
        for target in targets {
            let own = file.jobs.first().and_then(|job| job.settings.files.names.first()).map(String::as_str);
            let bytes = target.or(own).and_then(|target| reading.drive(target)).map_or(0, |drive| drive.capacity_bytes.value);
            for (line, warning) in jobs::warnings(file, target, bytes) {
                let finding = warning.finding;
                let weight = if finding.severity == Severity::Info { Weight::Note } else { Weight::Doubt };
                let on = target.map_or(String::new(), |target| format!(" on {target}"));
                let because = format!("job {}{on}", warning.job);
                findings.add(rule_name(&finding.rule), weight, reading.at(line), finding.title, because).mend(&finding.remedy);
            }
        }
    }
}

/// Jobs that write to a device which the text says has a filesystem.
pub(super) fn overwrites(reading: &Reading, findings: &mut Findings) {
    let words = ["formatted as", "formatted with", "mkfs", "mke2fs"];
    let formatted = reading.prose.paragraphs.iter().find(|paragraph| words.iter().any(|word| paragraph.text.to_lowercase().contains(word)));
    let command = reading.commands.iter().find(|command| command.text.contains("mkfs"));
    let Some(line) = formatted.map(|paragraph| paragraph.line).or(command.map(|command| command.line)) else { return };
    for file in reading.jobs.iter().filter(|file| file.first > line) {
        for job in file.jobs.iter().filter(|job| job.settings.access.writes()) {
            let Some(device) = job.settings.files.names.iter().find(|name| name.starts_with("/dev/")) else { continue };
            let title = format!("this job writes to {device} itself and destroys the filesystem on it");
            let because = format!("line {line} says that the drives are formatted; rw={} with filename={device}", rw(job));
            findings
                .doubt("overwrites-filesystem", reading.at(file.first), title, because)
                .mend("measure a file on the filesystem, as the other tool does");
        }
    }
}

fn rw(job: &ioproof_fio::jobs::FioJob) -> &str {
    let mut typed = job.globals.iter().chain(&job.typed).filter(|(key, _)| key == "rw" || key == "readwrite");
    typed.next_back().map_or("read", |(_, value)| value)
}

/// One device in all commands, and a table of several drives.
pub(super) fn one_filename(reading: &Reading, findings: &mut Findings) {
    let names: Vec<&String> = reading.jobs.iter().flat_map(|file| &file.jobs).filter_map(|job| job.settings.files.names.first()).collect();
    let Some(first) = names.first().filter(|first| first.starts_with("/dev/") && names.iter().all(|name| name == *first)) else { return };
    let Some(last) = reading.jobs.iter().rev().find(|file| !file.jobs.is_empty()) else { return };
    let Some(table) = reading.prose.tables.iter().find(|table| table.line > last.last && table.line < last.last + 12) else { return };
    let columns = table.rows.iter().map(|row| row.cells.iter().flatten().count()).max().unwrap_or(0);
    let is_nvme = reading.prose.paragraphs.iter().any(|paragraph| paragraph.text.contains("PCIe") && paragraph.text.len() < 200);
    if columns >= 2 && is_nvme && first.starts_with("/dev/sd") {
        let title = format!("all commands measure {first}, which is no NVMe drive; the table below has {columns} drives");
        let because = format!("table at line {}: {}; an NVMe drive is /dev/nvme0n1", table.line, table.header.join(" "));
        findings.doubt("one-filename", reading.at(last.first), title, because);
    }
}
