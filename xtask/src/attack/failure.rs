//! Failures of an attempt, and their sum over a campaign: the row that is printed.

use crate::program::{End, Ended};

#[derive(Debug)]
pub enum Kind {
    /// So many bytes that were there before are others now, or gone.
    Lost(u64),
    Panic,
    Hang,
    Status,
    /// All else that must not be: left-overs, memory, outputs that are missing, an attempt that could not be prepared.
    Other,
}

pub struct Failure {
    pub kind: Kind,
    pub reason: String,
    pub command: String,
}

/// Memory that no input may make the program take. KiB.
const MEMORY_MAX_KIB: u64 = 2 << 20;
const ABORTED: i32 = 6;

pub fn of_call(ended: &Ended, statuses: &[i32]) -> Vec<Failure> {
    let end = match ended.end {
        End::Hung => Some((Kind::Hang, "it did not end".to_owned())),
        End::Signal(ABORTED) => Some((Kind::Panic, "aborted".to_owned())),
        End::Exit(status @ (101 | 134)) => Some((Kind::Panic, format!("exit status {status}"))),
        _ if ended.stderr.contains("panicked at") => Some((Kind::Panic, "a thread panicked".to_owned())),
        End::Signal(number) => Some((Kind::Status, format!("ended by signal {number}"))),
        End::Exit(status) if !statuses.contains(&status) => Some((Kind::Status, format!("exit status {status}, not one of {statuses:?}"))),
        End::Exit(_) => None,
    };
    let last: String = ended.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(200).collect();
    let end = end.map(|(kind, reason)| (kind, format!("{reason}: {last}")));
    let memory = || (Kind::Other, format!("it took {} MiB of memory", ended.peak_kib >> 10));
    let found = end.into_iter().chain((ended.peak_kib > MEMORY_MAX_KIB).then(memory));
    found.map(|(kind, reason)| Failure { kind, reason, command: ended.command.clone() }).collect()
}

pub const COLUMNS: [&str; 6] = ["attempts", "bytes lost", "panics", "hangs", "wrong status", "others"];

#[derive(Debug, Default)]
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
