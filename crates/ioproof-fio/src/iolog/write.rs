//! The log of what a job issued, version 3, as fio 3.33 writes it.

use ioproof_core::io_log::{RecordedIo, RecordedKind};
use std::fmt::Write;

/// I/Os that a clone issued, and its files.
#[derive(Debug, Clone, Copy)]
pub struct Issued<'a> {
    /// Names of its files, as the job has them.
    pub files: &'a [String],
    pub ios: &'a [RecordedIo],
}

/// The lines of a clone.
pub fn log_text(issued: Issued<'_>) -> String {
    let mut text = String::from("fio version 3 iolog\n");
    let end_us = issued.ios.last().map_or(0, |io| io.at_ns / 1000);
    let mut all = |us: u64, action: &str| issued.files.iter().for_each(|file| text.push_str(&format!("{us} {file} {action}\n")));
    all(0, "add");
    all(0, "open");
    for io in issued.ios {
        let Some(file) = issued.files.get(io.target as usize) else { continue };
        // A String takes all.
        let _ = writeln!(text, "{} {file} {} {} {}", io.at_ns / 1000, word(io.kind), io.offset_bytes, io.bytes);
    }
    issued.files.iter().for_each(|file| text.push_str(&format!("{end_us} {file} close\n")));
    text
}

fn word(kind: RecordedKind) -> &'static str {
    match kind {
        RecordedKind::Read => "read",
        RecordedKind::Write => "write",
        RecordedKind::Trim => "trim",
        RecordedKind::Fsync => "sync",
        RecordedKind::Datasync => "datasync",
        RecordedKind::RangeSync => "sync_file_range",
    }
}
