//! The conditions of a figure: nothing is printed without them.

use ioproof_core::units::binary_size;
use ioproof_core::workload::{Durability, Pattern, Workload};

/// A workload in words and numbers.
#[derive(Debug, Clone)]
pub(crate) struct Conditions {
    pub id: String,
    /// `random read 4 KiB`.
    pub title: String,
    /// The same for narrow columns: `rand read 4 KiB`.
    pub short: String,
    /// `read`, `write`, `write + fdatasync` or `70/30 mix`.
    pub direction: String,
    pub pattern: &'static str,
    pub read_percent: u8,
    pub block_bytes: u32,
    pub workers: u32,
    pub depth: u32,
    pub outstanding: u32,
    pub durability: &'static str,
}

impl Conditions {
    pub(crate) fn new(workload: &Workload) -> Self {
        // A stored record may claim any share; the workload's own words subtract it from 100.
        let workload = Workload { read_percent: workload.read_percent.min(100), ..workload.clone() };
        Self {
            id: workload.id(),
            title: workload.title(),
            short: short_title(&workload),
            direction: workload.direction(),
            pattern: pattern(workload.pattern),
            read_percent: workload.read_percent,
            block_bytes: workload.block_bytes,
            workers: workload.workers,
            depth: workload.depth,
            outstanding: workload.outstanding(),
            durability: durability(workload.durability),
        }
    }

    /// Queue depth as workers x depth per worker = total: `4 x 32 = 128`.
    pub(crate) fn depth_formula(&self) -> String {
        format!("{} x {} = {}", self.workers, self.depth, self.outstanding)
    }

    /// The queue depth in a sentence: `4 workers, queue depth 32 each, 128 in total`.
    pub(crate) fn depth_sentence(&self) -> String {
        match self.workers {
            1 => format!("1 worker, queue depth {} each and in total", self.depth),
            n => format!("{n} workers, queue depth {} each, {} in total", self.depth, self.outstanding),
        }
    }
}

fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Sequential => "sequential",
        Pattern::Random => "random",
    }
}

fn durability(durability: Durability) -> &'static str {
    match durability {
        Durability::None => "none",
        Durability::FdatasyncEach => "fdatasync after each write",
    }
}

fn short_title(workload: &Workload) -> String {
    let pattern = match workload.pattern {
        Pattern::Sequential => "seq",
        Pattern::Random => "rand",
    };
    let direction = match workload.direction() {
        d if d == "write + fdatasync" => "write+sync".to_owned(),
        d => d.trim_end_matches(" mix").to_owned(),
    };
    format!("{pattern} {direction} {}", binary_size(workload.block_bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_told_per_worker_and_in_total() {
        let workload =
            Workload { pattern: Pattern::Random, read_percent: 70, block_bytes: 4096, workers: 4, depth: 32, durability: Durability::None };
        let conditions = Conditions::new(&workload);
        assert_eq!(conditions.depth_formula(), "4 x 32 = 128");
        assert_eq!(conditions.short, "rand 70/30 4 KiB");
        assert_eq!(Conditions::new(&Workload { read_percent: 255, ..workload }).title, "random read 4 KiB");
    }
}
