//! Logs of I/O as fio writes and replays them: text of version 2 and 3, and blktrace's binary form.
//!
//! A log is read whole before anything runs: a line that cannot be read refuses the job, since what would be replayed without it is another load.

mod blktrace;
mod changed;
mod line;
mod write;

pub use write::{Issued, log_text};

use ioproof_core::io_log::{RecordedIo, RecordedKind};
use line::{FileAction, Line, Version};
use std::collections::{HashMap, HashSet};

/// Most I/Os of a log.
const MOST_IOS: usize = 16_000_000;

/// Most files of a log.
const MOST_FILES: usize = 10_000;

/// Recorded I/O with the files that it goes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IoLog {
    /// Names of files, in the order in which they are first used.
    pub files: Vec<String>,
    /// In the order of the log; targets are places in `files`, times count from the first I/O.
    pub ios: Vec<RecordedIo>,
    /// True where `replay_time_scale` bears on its times: in fio not on those of version 2.
    pub scales: bool,
    /// True for blktrace's binary form, which names devices by their numbers.
    pub is_blktrace: bool,
}

/// Reads a log.
///
/// # Errors
/// Names the line, or in blktrace's form the byte, that cannot be read, and why.
pub fn parse(bytes: &[u8]) -> Result<IoLog, String> {
    if blktrace::is_one(bytes) {
        return blktrace::parse(bytes);
    }
    let mut reader = Reader::default();
    let mut lines = bytes.split(|byte| *byte == b'\n').zip(1usize..);
    let (first, _) = lines.next().unwrap_or((&[], 1));
    let version = line::version(first).map_err(|why| at(1, &why))?;
    for (text, number) in lines {
        let text = std::str::from_utf8(text).map_err(|_| at(number, "it is no UTF-8 text"))?;
        if let Some(line) = line::parse(text, version).map_err(|why| at(number, &why))? {
            reader.take(line, version).map_err(|why| at(number, &why))?;
        }
    }
    Ok(reader.finish(version == Version::Three))
}

fn at(line: usize, why: &str) -> String {
    format!("line {line}: {why}")
}

/// Log as far as it was read.
#[derive(Debug, Default)]
struct Reader<'a> {
    log: IoLog,
    /// Places of files by their names.
    places: HashMap<&'a str, u32>,
    open: HashSet<u32>,
    now_ns: u64,
}

impl<'a> Reader<'a> {
    fn take(&mut self, line: Line<'a>, version: Version) -> Result<(), String> {
        match line {
            Line::File { name, action } => self.file(name, action),
            Line::Wait { ms } => {
                self.now_ns = self.now_ns.max(ms.saturating_mul(1_000_000));
                Ok(())
            }
            Line::Io { name, kind, offset_bytes, bytes, at_us } => {
                if version == Version::Three {
                    self.now_ns = self.now_ns.max(at_us.saturating_mul(1000));
                }
                let target = *self.places.get(name).ok_or_else(|| format!("{name} was not added"))?;
                if !self.open.contains(&target) {
                    return Err(format!("{name} is not open"));
                }
                self.io(RecordedIo { at_ns: self.now_ns, offset_bytes, bytes, target, kind })
            }
        }
    }

    fn file(&mut self, name: &'a str, action: FileAction) -> Result<(), String> {
        let known = self.places.get(name).copied();
        match (action, known) {
            (FileAction::Add, Some(_)) => {}
            (FileAction::Add, None) if self.log.files.len() == MOST_FILES => return Err(format!("more than {MOST_FILES} files")),
            (FileAction::Add, None) => {
                self.places.insert(name, self.log.files.len() as u32);
                self.log.files.push(name.to_owned());
            }
            (FileAction::Open | FileAction::Close, None) => return Err(format!("{name} was not added")),
            (FileAction::Open, Some(place)) => drop(self.open.insert(place)),
            (FileAction::Close, Some(place)) => drop(self.open.remove(&place)),
        }
        Ok(())
    }

    fn io(&mut self, io: RecordedIo) -> Result<(), String> {
        if self.log.ios.len() == MOST_IOS {
            return Err(format!("more than {MOST_IOS} I/Os"));
        }
        self.log.ios.push(io);
        Ok(())
    }

    fn finish(self, scales: bool) -> IoLog {
        IoLog { scales, ..self.log }.timed_from_first()
    }
}

impl IoLog {
    /// The same with times from its first I/O.
    fn timed_from_first(mut self) -> Self {
        let first_ns = self.ios.first().map_or(0, |io| io.at_ns);
        self.ios.iter_mut().for_each(|io| io.at_ns = io.at_ns.saturating_sub(first_ns));
        self
    }

    /// The end of what is read, written or trimmed of each file. Bytes.
    pub fn ends_bytes(&self) -> Vec<u64> {
        let mut ends = vec![0u64; self.files.len()];
        for io in &self.ios {
            if let Some(end) = ends.get_mut(io.target as usize) {
                *end = (*end).max(io.offset_bytes.saturating_add(io.bytes.into()));
            }
        }
        ends
    }

    /// True where a file is written or trimmed.
    pub fn changes(&self, target: u32) -> bool {
        self.ios.iter().any(|io| io.target == target && matches!(io.kind, RecordedKind::Write | RecordedKind::Trim))
    }
}

#[cfg(test)]
mod tests;
