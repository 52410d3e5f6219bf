//! A figure of a device that words call one of a filesystem, or the other way round.

use crate::checks::{Findings, Reading};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for paragraph in &reading.prose.paragraphs {
        let text = paragraph.text.to_lowercase();
        let Some(at) =
            ["this is at the ", "these are at the ", "measured at the "].iter().find_map(|words| Some(text.find(words)? + words.len()))
        else {
            continue;
        };
        let named = text[at..].trim_start_matches(['*', '_']);
        let is_files = named.starts_with("filesystem level") || named.starts_with("file system level");
        let is_device = named.starts_with("block device level") || named.starts_with("device level") || named.starts_with("raw device");
        let line = paragraph.line_at(at.min(paragraph.text.len()));
        let Some(before) = reading.measured.iter().rev().find(|measured| measured.last < line && !measured.target.is_empty()) else {
            continue;
        };
        let on_device = before.target.starts_with("/dev/") && !before.target.starts_with("/dev/shm");
        let place = reading.at(line);
        if is_files && on_device {
            let title = format!("this is no filesystem: the run at line {} read {} itself", before.first, before.target);
            let because = format!("filename={}", before.target);
            findings.wrong("layer", place, title, because);
        } else if is_device && !on_device {
            let title = format!("this is no device: the run at line {} used the file {}", before.first, before.target);
            let because = format!("filename={}", before.target);
            findings.wrong("layer", place, title, because);
        } else if is_device {
            findings.holds("layer", place, format!("the run at line {} was at the device level: {}", before.first, before.target));
        }
    }
}
