//! Failures of an attempt, and their sum over a campaign: the row that is printed.

use crate::program::{End, Ended};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// So many bytes that were there before are others now, or gone.
    Lost(u64),
    Panic,
    Hang,
    Status,
    /// All else that must not be: left-overs, memory, outputs that are missing, an attempt that could not be prepared.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub reason: String,
    pub command: String,
}

/// Memory that no input may make the program take. KiB.
const MEMORY_MAX_KIB: u64 = 2 << 20;

/// Signal of abort(3).
const ABORTED: i32 = 6;

pub fn of_call(ended: &Ended, statuses: &[i32]) -> Vec<Failure> {
    let mut found = Vec::new();
    if let Some((kind, reason)) = wrong_end(ended, statuses) {
        found.push((kind, format!("{reason}: {}", last_line(&ended.stderr))));
    }
    if ended.peak_kib > MEMORY_MAX_KIB {
        found.push((Kind::Other, format!("it took {} MiB of memory", ended.peak_kib >> 10)));
    }
    found.into_iter().map(|(kind, reason)| Failure { kind, reason, command: ended.command.clone() }).collect()
}

fn wrong_end(ended: &Ended, statuses: &[i32]) -> Option<(Kind, String)> {
    let panicked = ended.stderr.contains("panicked at");
    match ended.end {
        End::Hung => Some((Kind::Hang, "it did not end".to_owned())),
        End::Signal(ABORTED) => Some((Kind::Panic, "aborted".to_owned())),
        End::Exit(status @ (101 | 134)) => Some((Kind::Panic, format!("exit status {status}"))),
        _ if panicked => Some((Kind::Panic, "a thread panicked".to_owned())),
        End::Signal(number) => Some((Kind::Status, format!("ended by signal {number}"))),
        End::Exit(status) if !statuses.contains(&status) => Some((Kind::Status, format!("exit status {status}, not one of {statuses:?}"))),
        End::Exit(_) => None,
    }
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(200).collect()
}

pub const COLUMNS: [&str; 6] = ["attempts", "bytes lost", "panics", "hangs", "wrong status", "others"];

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally(pub [u64; 6]);

impl Tally {
    pub fn add(&mut self, failures: &[Failure]) {
        self.0[0] += 1;
        for failure in failures {
            let (column, count) = match failure.kind {
                // A file that is empty, or was replaced by its like, is a loss too.
                Kind::Lost(bytes) => (1, bytes.max(1)),
                Kind::Panic => (2, 1),
                Kind::Hang => (3, 1),
                Kind::Status => (4, 1),
                Kind::Other => (5, 1),
            };
            self.0[column] += count;
        }
    }

    pub fn failed(&self) -> bool {
        self.0[1..].iter().any(|count| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_end_has_its_column() {
        let kinds = |end, stderr: &str, peak_kib| {
            let ended = Ended { end, stdout: String::new(), stderr: stderr.to_owned(), peak_kib, command: String::new() };
            of_call(&ended, &[0, 2]).into_iter().map(|failure| failure.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(End::Exit(2), "error: no\n", 100), []);
        assert_eq!([3, 101].map(|status| kinds(End::Exit(status), "", 0)), [[Kind::Status], [Kind::Panic]]);
        assert_eq!([11, 6].map(|signal| kinds(End::Signal(signal), "", 0)), [[Kind::Status], [Kind::Panic]]);
        assert_eq!(kinds(End::Exit(0), "thread 'x' panicked at y", 0), [Kind::Panic]);
        assert_eq!((kinds(End::Hung, "", 0), kinds(End::Exit(0), "", 3 << 20)), (vec![Kind::Hang], vec![Kind::Other]));
    }
}
