//! The conditions of a figure: nothing is printed without them.

use crate::layout::{clip, elide};
use ioproof_core::describe::{MOST_NAMED, listed};
use ioproof_core::record::{DepthFound, JobRecord, RunRecord};
use ioproof_core::shape::Shape;
use ioproof_core::text::visible;
use ioproof_core::units::block_size;
use ioproof_core::workload::{Durability, Pattern, Workload};

/// Columns that a job's name and its targets take in a title.
const NAME_COLUMNS: usize = 32;
const TARGET_COLUMNS: usize = 40;

/// A job's workload in words and numbers, with the names by which the job is known in its run.
#[derive(Debug, Clone)]
pub(crate) struct Conditions {
    /// Name of the job in a job file.
    pub job: Option<String>,
    /// Its targets as they were given, where the run has several.
    pub targets: Option<String>,
    /// True where the job's name does not tell it from all others, so that its targets must.
    is_ambiguous: bool,
    pub id: String,
    /// `random read 4 KiB (zipf 1.2)`.
    pub title: String,
    /// The same without the special conditions.
    pub plain_title: String,
    /// The special conditions: `zipf 1.2, 1000 IOPS at even distances`; mostly empty.
    pub special: String,
    /// The same for narrow columns: `rand read 4 KiB`.
    pub short: String,
    /// `read`, `write`, `write + fdatasync` or `70/30 mix`.
    pub direction: String,
    /// `read`, `write`, `trim`, or `mixed`.
    pub op: &'static str,
    pub pattern: &'static str,
    pub read_percent: u8,
    pub trim_percent: u8,
    pub block_bytes: u32,
    pub workers: u32,
    pub depth: u32,
    pub outstanding: u32,
    /// The depth of each clone, where a search found different ones.
    uneven: Vec<u32>,
    pub durability: String,
}

impl Conditions {
    pub(crate) fn new(workload: &Workload) -> Self {
        // A stored record may claim any share; the workload's own words subtract it from 100.
        let mut workload = Workload { read_percent: workload.read_percent.min(100), ..workload.clone() };
        workload.shape.trim_percent = workload.shape.trim_percent.min(100 - workload.read_percent);
        // The direction names the share of trims; everything else is a special condition.
        let shape = Shape { trim_percent: workload.shape.trim_percent, ..Shape::PLAIN };
        let (pattern, short) = match workload.pattern {
            Pattern::Sequential => ("sequential", "seq"),
            Pattern::Random => ("random", "rand"),
        };
        Self {
            job: None,
            targets: None,
            is_ambiguous: false,
            id: workload.id(),
            title: workload.title(),
            plain_title: Workload { shape, ..workload.clone() }.title(),
            special: workload.shape.describe().join(", "),
            short: shorten(&workload, short),
            direction: workload.direction(),
            op: describe_op(workload.read_percent, workload.shape.trim_percent),
            pattern,
            read_percent: workload.read_percent,
            trim_percent: workload.shape.trim_percent,
            block_bytes: workload.block_bytes,
            workers: workload.workers,
            depth: workload.depth,
            outstanding: workload.outstanding(),
            uneven: Vec::new(),
            durability: describe_durability(workload.durability),
        }
    }

    /// The conditions of the job at this position; none where there is no such job.
    pub(crate) fn of_job(position: u32, record: &RunRecord) -> Option<Self> {
        let job = record.jobs.get(position as usize)?;
        let targets: Vec<&str> = record.targets_of(job).map(|target| target.facts.given.as_str()).collect();
        let is_namesake = |other: &JobRecord| other.name == job.name;
        let plain = Self {
            job: job.name.as_deref().map(visible),
            targets: listed(&targets, MOST_NAMED).filter(|_| record.targets.len() > 1),
            is_ambiguous: job.name.is_none() || record.jobs.iter().filter(|other| is_namesake(other)).count() > 1,
            ..Self::new(&job.workload)
        };
        let found = record.parts_of(position as usize).find_map(|part| part.round.depth_found.as_ref());
        Some(match found {
            Some(found) => plain.at_depth(found),
            None => plain,
        })
    }

    /// The same at the depth that a search found, whose goal is a condition like others.
    fn at_depth(self, found: &DepthFound) -> Self {
        let goal = found.describe();
        let special = if self.special.is_empty() { goal } else { format!("{}, {goal}", self.special) };
        Self {
            title: format!("{} ({special})", self.plain_title),
            special,
            uneven: if found.is_even() { Vec::new() } else { found.depths.clone() },
            outstanding: found.outstanding().unwrap_or(self.outstanding),
            ..self
        }
    }

    /// A title behind the name of the job, where it has one.
    pub(crate) fn named(&self, title: &str) -> String {
        self.job.as_ref().map_or_else(|| title.to_owned(), |job| format!("{}: {title}", clip(job, NAME_COLUMNS)))
    }

    /// A title with everything that tells the job from others of the run.
    pub(crate) fn distinct(&self, title: &str) -> String {
        let targets = self.targets.as_ref().filter(|_| self.is_ambiguous);
        let title = self.named(title);
        targets.map_or_else(|| title.clone(), |targets| format!("{title} on {}", elide(targets, TARGET_COLUMNS)))
    }

    /// `oltp: random read 4 KiB (zipf 1.2)`.
    pub(crate) fn full_title(&self) -> String {
        self.distinct(&self.title)
    }

    /// `oltp: rand read 4 KiB`.
    pub(crate) fn short_title(&self) -> String {
        self.distinct(&self.short)
    }

    /// The short title with the special conditions.
    pub(crate) fn short_special(&self) -> String {
        if self.special.is_empty() { self.short_title() } else { format!("{} ({})", self.short_title(), self.special) }
    }

    /// The job's name; without one the short title, with the queue depth where that is 1, since the same workload is run deeper too.
    pub(crate) fn shortest(&self) -> String {
        match &self.job {
            Some(job) if !self.is_ambiguous => clip(job, NAME_COLUMNS),
            None if self.outstanding == 1 => format!("{} QD1", self.short_title()),
            _ => self.short_title(),
        }
    }

    /// Queue depth as workers x depth per worker = total: `4 x 32 = 128`.
    pub(crate) fn depth_formula(&self) -> String {
        if !self.uneven.is_empty() {
            let depths: Vec<String> = self.uneven.iter().map(u32::to_string).collect();
            return format!("{} = {}", depths.join(" + "), self.uneven.iter().fold(0, |sum: u32, depth| sum.saturating_add(*depth)));
        }
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

fn describe_op(read_percent: u8, trim_percent: u8) -> &'static str {
    match (read_percent, trim_percent) {
        (100, _) => "read",
        (0, 0) => "write",
        (0, 100) => "trim",
        _ => "mixed",
    }
}

fn describe_durability(durability: Durability) -> String {
    match durability {
        Durability::None => "none".into(),
        Durability::FdatasyncEach => "fdatasync after each write".into(),
        Durability::FsyncEach => "fsync after each write".into(),
        other => other.describe(),
    }
}

fn shorten(workload: &Workload, pattern: &str) -> String {
    let direction = match workload.direction() {
        d if d == "write + fdatasync" => "write+sync".to_owned(),
        d => d.replace(" mix", "").replace(" + ", "+"),
    };
    format!("{pattern} {direction} {}{}", block_size(workload.block_bytes.into()), workload.by_backend())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::shape::Order;

    #[test]
    fn depth_is_told_per_worker_and_in_total() {
        let workload = Workload::plain(Pattern::Random, 70, 4096, 4, 32);
        let conditions = Conditions::new(&workload);
        assert_eq!(conditions.depth_formula(), "4 x 32 = 128");
        assert_eq!(conditions.short, "rand 70/30 4 KiB");
        assert_eq!(Conditions::new(&Workload { read_percent: 255, ..workload }).title, "random read 4 KiB");
    }

    #[test]
    fn what_is_special_is_said_apart_and_together() {
        let mut workload = Workload::plain(Pattern::Random, 70, 4096, 4, 32);
        workload.shape.order = Order::Zipf { theta_milli: 1200, center_ppm: None };
        workload.shape.trim_percent = 10;
        workload.durability = Durability::FsyncEvery(8);
        let c = Conditions::new(&workload);
        assert_eq!(c.plain_title, "random 70/20/10 read/write/trim mix + fsync every 8 4 KiB");
        assert_eq!((c.title, c.special), (format!("{} (zipf 1.2)", c.plain_title), "zipf 1.2".to_owned()));
        assert_eq!(c.short, "rand 70/20/10 read/write/trim+fsync every 8 4 KiB");
        workload.shape.trim_percent = 255;
        assert!(Conditions::new(&workload).title.contains("70/0/30"), "a stored record may claim any share");
    }
}
