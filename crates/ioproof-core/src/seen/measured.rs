//! A record arranged for rules: each job with the rounds that count and the figures that follow from them.

use crate::claim::{Metric, Statistic};
use crate::course::Course;
use crate::facts::TargetKind;
use crate::histogram::Histogram;
use crate::record::{DepthFound, DeviceCounters, JobRecord, Part, Purpose, Round, RoundOutcome, RunRecord, Stage, TargetRecord};
use crate::stats::{Estimate, median};
use crate::workload::{Pattern, Workload};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

/// The record as rules see it.
#[derive(Debug)]
pub struct Context<'a> {
    pub record: &'a RunRecord,
    /// The jobs in the order of the record; one without a round that counts has none.
    pub measured: Vec<Measured<'a>>,
    /// The accounts of each stage, made when they are first asked for: of a job file they are those of thousands of jobs.
    shares: OnceCell<HashMap<*const Stage, Vec<DriveShare>>>,
}

/// Jobs of a stage that share drives, directly or through others, and what they moved together.
#[derive(Debug)]
struct DriveShare {
    jobs: BTreeSet<u32>,
    drives: BTreeSet<String>,
    accounts: Accounts,
}

#[derive(Debug)]
pub struct Measured<'a> {
    pub index: u32,
    pub job: &'a JobRecord,
    pub all: Vec<Part<'a>>,
    /// The rounds whose figures count, in the order of time.
    pub rounds: Vec<Part<'a>>,
    confidence: f64,
    percentile_samples: u64,
}

/// Bytes that were moved, held against the bytes that the kernel counted at the drives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteAccount {
    pub moved: u64,
    pub at_drives: u64,
}

/// Filesystems whose reads are submitted by the thread that asks for them, so that the kernel counts them for its process.
const READ_BY_THEIR_READER: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "f2fs", "vfat", "exfat"];

/// The accounts of a job over all stages that were counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounts {
    pub read: ByteAccount,
    /// Writes; trimmed bytes are not among them, as a drive counts them apart, nor what is written past the kernel's counters.
    pub written: ByteAccount,
    /// Bytes read at the drives that are proved to be this process's own, where it counts them, else all.
    pub proved_read: u64,
    /// Other jobs that ran at the same time on the same drives, so that the counters are theirs too; of very many the first.
    pub shared_with: BTreeSet<u32>,
}

/// Jobs that are named as those that share drives.
const MOST_SHARING: usize = 100;

impl<'a> Context<'a> {
    pub fn new(record: &'a RunRecord) -> Self {
        // By a standard only the measurement window is reported: what came before brought the drive to it.
        let reported = Course::of(record).map(|course| course.reported_stages());
        let is_reported = |part: &Part| reported.as_ref().is_none_or(|stages| stages.contains(&part.stage.index));
        let measured = record.jobs.iter().enumerate().map(|(index, job)| {
            let all: Vec<Part> = record.parts_of(index).collect();
            let rounds = all.iter().copied().filter(|r| r.counts() && is_reported(r)).collect();
            let policy = &record.policy;
            Measured { index: index as u32, job, all, rounds, confidence: policy.confidence, percentile_samples: policy.percentile_samples }
        });
        Self { record, measured: measured.collect(), shares: OnceCell::new() }
    }

    /// Jobs with a round that counts.
    pub fn counted(&self) -> impl Iterator<Item = &Measured<'a>> {
        self.measured.iter().filter(|m| !m.rounds.is_empty())
    }

    pub fn of(&self, job: u32) -> Option<&Measured<'a>> {
        self.measured.get(job as usize)
    }

    /// Mean latency of a single I/O of this kind and size on the same targets with nothing else outstanding: (reads, writes), as far as measured, be it only
    /// to tell what limits. Nanoseconds.
    pub fn unloaded_latency_ns(&self, of: &Measured, pattern: Pattern) -> (Option<f64>, Option<f64>) {
        let alone = |read_percent| {
            let fits = |m: &&Measured| {
                let w = m.workload();
                w.is_unloaded()
                    && w.pattern == pattern
                    && w.read_percent == read_percent
                    && w.block_bytes == of.workload().block_bytes
                    && w.durability == Default::default()
                    && w.backend == of.workload().backend
                    && w.shape.is_plain()
                    && m.job.targets == of.job.targets
            };
            self.measured.iter().filter(fits).find_map(|m| self.mean_ns(m))
        };
        (alone(100), alone(0))
    }

    /// Mean latency of a job over the rounds that count, or where it has none over those that were made only to tell what limits.
    fn mean_ns(&self, of: &Measured) -> Option<f64> {
        let measured = of.estimate(Metric::Latency, Some(Statistic::Mean)).map(|estimate| estimate.median);
        measured.or_else(|| {
            let told = self.record.parts_for(Purpose::Tell, of.index as usize).filter(|part| part.counts());
            told.map(|part| part.latency()).collect::<Histogram>().mean_ns()
        })
    }

    /// Bytes of a job and of the jobs beside it on the same drives, held against the counters of these drives.
    pub fn accounts(&self, measured: &Measured) -> Accounts {
        let shares =
            self.shares.get_or_init(|| self.record.stages.iter().map(|stage| (&raw const *stage, self.shares_of(stage))).collect());
        let of_stages = measured.rounds.iter().filter_map(|part| shares.get(&(&raw const *part.stage)));
        let mut accounts = Accounts::default();
        for share in of_stages.filter_map(|shares| shares.iter().find(|share| share.jobs.contains(&measured.index))) {
            accounts.add(&share.accounts);
            accounts.shared_with.extend(share.jobs.iter().filter(|job| **job != measured.index).take(MOST_SHARING));
        }
        // Bytes are only counted where none is moved.
        if measured.calls().is_some() {
            (accounts.read.moved, accounts.written.moved) = (0, 0);
        }
        accounts
    }

    /// The accounts of a stage whose drives were counted.
    fn shares_of(&self, stage: &Stage) -> Vec<DriveShare> {
        let Some(counted) = stage.counted_drives() else { return Vec::new() };
        let mut shares: Vec<DriveShare> = Vec::new();
        for round in &stage.rounds {
            let mut own =
                DriveShare { jobs: BTreeSet::from([round.job]), drives: self.drives_under(round.job), accounts: Accounts::default() };
            for same in
                shares.extract_if(.., |other| other.jobs.contains(&round.job) || !other.drives.is_disjoint(&own.drives)).collect::<Vec<_>>()
            {
                own.jobs.extend(same.jobs);
                own.drives.extend(same.drives);
            }
            shares.push(own);
        }
        for share in &mut shares {
            share.accounts = self.accounts_of(stage, &counted, share);
        }
        shares
    }

    fn accounts_of(&self, stage: &Stage, counted: &[&DeviceCounters], share: &DriveShare) -> Accounts {
        let (mut accounts, mut looked_at_bytes) = (Accounts::default(), 0_u64);
        for round in stage.rounds.iter().filter(|round| share.jobs.contains(&round.job)) {
            let job = self.record.jobs.get(round.job as usize);
            let is_counted = job.is_none_or(|job| !job.workload.trims() && job.workload.is_counted_by_kernel());
            accounts.read.moved = accounts.read.moved.saturating_add(round.total_bytes.0);
            looked_at_bytes = looked_at_bytes.saturating_add(round.looked_at_bytes);
            accounts.written.moved = accounts.written.moved.saturating_add(if is_counted { round.total_bytes.1 } else { 0 });
        }
        let under = |drive: &&&DeviceCounters| share.drives.contains(&drive.name) || stage.rounds.len() == 1;
        let sum = |of: fn(&DeviceCounters) -> u64| counted.iter().filter(under).fold(0_u64, |sum, drive| sum.saturating_add(of(drive)));
        accounts.read.at_drives = sum(|drive| drive.read_bytes).saturating_sub(looked_at_bytes);
        let own = self.own_reads(stage, &share.jobs).map_or(u64::MAX, |own| own.saturating_sub(looked_at_bytes));
        accounts.proved_read = accounts.read.at_drives.min(own);
        accounts.written.at_drives = sum(|drive| drive.write_bytes);
        accounts
    }

    /// Bytes that this process itself read from storage in a stage; none where they cannot be told from another job's, or where a filesystem reads by
    /// threads of its own.
    fn own_reads(&self, stage: &Stage, jobs: &BTreeSet<u32>) -> Option<u64> {
        let alone = stage.rounds.iter().all(|round| jobs.contains(&round.job));
        let is_told = |target: &TargetRecord| match &target.facts.filesystem {
            None => target.facts.kind == TargetKind::BlockDevice,
            Some(filesystem) => READ_BY_THEIR_READER.contains(&filesystem.fs_type.as_str()),
        };
        let told = jobs.iter().filter_map(|job| self.record.jobs.get(*job as usize)).all(|job| self.record.targets_of(job).all(is_told));
        let (read, _) = stage.host.as_ref()?.own_storage_bytes?;
        (alone && told).then_some(read)
    }

    fn drives_under(&self, job: u32) -> BTreeSet<String> {
        let Some(job) = self.record.jobs.get(job as usize) else { return BTreeSet::new() };
        let of_stack = |target: &crate::record::TargetRecord| -> Vec<String> {
            let stack = target.facts.stack.iter().flat_map(|stack| stack.drives());
            stack.map(|node| node.name.clone()).chain(target.drives.iter().map(|drive| drive.name.clone())).collect()
        };
        self.record.targets_of(job).flat_map(of_stack).collect()
    }
}

impl Accounts {
    fn add(&mut self, other: &Self) {
        let add = |own: &mut ByteAccount, other: &ByteAccount| {
            own.moved = own.moved.saturating_add(other.moved);
            own.at_drives = own.at_drives.saturating_add(other.at_drives);
        };
        add(&mut self.read, &other.read);
        add(&mut self.written, &other.written);
        self.proved_read = self.proved_read.saturating_add(other.proved_read);
    }
}

impl Measured<'_> {
    pub fn workload(&self) -> &Workload {
        &self.job.workload
    }

    /// True where the engine only went through the motions (`--backend null`), so that no figure is of a drive.
    pub fn is_without_io(&self) -> bool {
        self.rounds.iter().any(|part| part.engine.backend == "null")
    }

    /// Kind of its I/Os where they moved no data: `calls of fallocate(2)`.
    pub fn calls(&self) -> Option<&'static str> {
        self.rounds.iter().find_map(|part| part.engine.calls())
    }

    /// The depth that a search within its rounds led to.
    pub fn depth_found(&self) -> Option<&DepthFound> {
        self.rounds.iter().find_map(|part| part.round.depth_found.as_ref())
    }

    /// I/Os that were to be outstanding; `None` where its figures are of several depths.
    pub fn outstanding(&self) -> Option<u32> {
        self.depth_found().map_or_else(|| Some(self.workload().outstanding()), DepthFound::outstanding)
    }

    /// Share of the queue that was in use, on average over time. 0 to 1, about.
    pub fn queue_in_use(&self) -> Option<f64> {
        Some(self.median_of(|part| part.outstanding())? / f64::from(self.outstanding()?))
    }

    /// True where nearly all of the queue was in use all the time, so that what was still to come had to wait for what was there.
    pub fn keeps_queue_full(&self) -> bool {
        /// Share of the queue from which on it is.
        const FULL: f64 = 0.95;
        self.queue_in_use().is_some_and(|share| share >= FULL)
    }

    /// The figure over all rounds that count. A percentile is taken where every round has enough samples beyond it, else once from the merged histogram
    /// of all rounds, else not at all.
    pub fn estimate(&self, metric: Metric, statistic: Option<Statistic>) -> Option<Estimate> {
        let values = self.values(metric, statistic);
        if !values.is_empty() {
            let estimate = Estimate::of(&values, self.confidence)?;
            let is_mean = metric == Metric::Latency && statistic.is_none_or(|statistic| statistic == Statistic::Mean);
            // A mean of round means forgets how many I/Os each had, where percentiles do not: the mean is of all I/Os, as they are.
            let pooled = if is_mean { self.merged_latency().mean_ns() } else { None };
            return Some(pooled.map_or(estimate, |mean| estimate.about(mean)));
        }
        let merged = self.statistic_ns(&self.merged_latency(), statistic?)?;
        Estimate::of(&[merged], self.confidence)
    }

    /// Median and interval of values, one a round, in the confidence of the run.
    pub(crate) fn estimate_of(&self, values: &[f64]) -> Option<Estimate> {
        Estimate::of(values, self.confidence)
    }

    /// The figure of each round; empty where a round has none, as for a percentile beyond which it has too few samples.
    pub fn values(&self, metric: Metric, statistic: Option<Statistic>) -> Vec<f64> {
        let values: Option<Vec<f64>> = self.rounds.iter().map(|round| self.value(round, metric, statistic)).collect();
        values.unwrap_or_default()
    }

    /// Latencies of all rounds together.
    pub fn merged_latency(&self) -> Histogram {
        self.rounds.iter().map(|part| part.latency()).collect()
    }

    /// Rounds whose I/Os came back, also of one that was ended early: what they met is true of the drive, though such a round gives no figure.
    pub fn met(&self) -> impl Iterator<Item = &Part<'_>> {
        self.all.iter().filter(|part| matches!(part.round.outcome, RoundOutcome::Complete | RoundOutcome::Interrupted))
    }

    /// Sum over the rounds of anything that a round counts, at most the largest number: a file may say anything.
    pub fn sum_of(&self, count: impl Fn(&Part) -> u64) -> u64 {
        self.rounds.iter().map(count).fold(0, u64::saturating_add)
    }

    /// Median over the rounds of anything that a round gives.
    pub fn median_of(&self, value: impl Fn(&Part) -> f64) -> Option<f64> {
        median(&self.rounds.iter().map(value).collect::<Vec<_>>())
    }

    /// Median over those rounds for which it was counted.
    pub fn median_counted(&self, value: impl Fn(&Part) -> Option<f64>) -> Option<f64> {
        median(&self.rounds.iter().filter_map(value).collect::<Vec<_>>())
    }

    /// A statistic of a histogram; of percentiles only where enough samples lie beyond. Nanoseconds.
    pub fn statistic_ns(&self, histogram: &Histogram, statistic: Statistic) -> Option<f64> {
        match (statistic, statistic.quantile()) {
            (Statistic::Mean, _) => histogram.mean_ns(),
            (Statistic::Max, _) => histogram.max_ns().map(|ns| ns as f64),
            (_, Some(q)) if histogram.samples_beyond(q) >= self.percentile_samples => histogram.quantile_ns(q).map(|ns| ns as f64),
            _ => None,
        }
    }

    fn value(&self, round: &Round, metric: Metric, statistic: Option<Statistic>) -> Option<f64> {
        match metric {
            Metric::Iops => Some(round.iops()),
            Metric::Throughput => Some(round.bytes_per_s()),
            Metric::Latency => self.statistic_ns(&round.latency(), statistic.unwrap_or(Statistic::Mean)),
        }
    }
}

/// The jobs of a record that have rounds which count, in its order. Searching, preconditioning and reading back count for nothing here.
pub fn with_rounds(record: &RunRecord) -> Vec<Measured<'_>> {
    Context::new(record).measured.into_iter().filter(|measured| !measured.rounds.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{beside, record};

    #[test]
    fn jobs_on_one_drive_share_its_counters_and_others_do_not() {
        let alone = record();
        let context = Context::new(&alone);
        assert!(context.accounts(&context.measured[0]).shared_with.is_empty());
        let mut same = beside(record(), "nvme0n1");
        same.stages.truncate(1);
        let context = Context::new(&same);
        let accounts = context.accounts(&context.measured[0]);
        assert_eq!(accounts.shared_with, BTreeSet::from([1]));
        assert_eq!(accounts.read.moved, same.stages[0].rounds.iter().map(|r| r.total_bytes.0).sum::<u64>());
        let mut apart = beside(record(), "nvme1n1");
        apart.stages.truncate(1);
        let context = Context::new(&apart);
        let accounts = context.accounts(&context.measured[0]);
        assert!(accounts.shared_with.is_empty());
        assert_eq!(accounts.read.at_drives, apart.stages[0].rounds[0].total_bytes.0, "the other drive's bytes are the other job's");
    }
}
