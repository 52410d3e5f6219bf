//! Reads through a filesystem on several drives against what these drives gave before it was made on them: one alone, each alone added up, and all at once. Only as many readers
//! are held against each other as the drives had: through the filesystem as many as one drive, or as all of them.

use super::words::is_cached;
use super::{LayerKind, LayerRow};
use crate::finding::Finding;
use crate::measured::Context;
use crate::record::RunRecord;
use crate::stats::Estimate;
use crate::together::{self, TogetherRow};
use crate::units::{percent, rate};
use serde::{Deserialize, Serialize};

/// The way in which the drives' 100 % is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PoolWay {
    /// One drive alone, on average.
    OneDrive,
    /// Each alone, added up.
    AddedUp,
    /// All at once.
    AtOnce,
}

/// The share of it that is left through the filesystem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PoolShare {
    /// Position of the filesystem's target in the run's list.
    pub target: u32,
    /// Position of the job of its reads in the run's list.
    pub job: u32,
    /// The way.
    pub way: PoolWay,
    /// Drives below it.
    pub drives: u32,
    /// Readers, of the filesystem as of the drives in this way.
    pub readers: u32,
    /// Reads per second of the drives in this way.
    pub per_s: Estimate,
    /// Reads through the filesystem for each of these. 0 to 1, or more.
    pub share: f64,
    /// The lower end of it, of the least through the filesystem and the most of the drives.
    pub low: f64,
    /// The upper end of it.
    pub high: f64,
}

impl PoolWay {
    pub(super) fn title(self, drives: u32) -> String {
        match self {
            Self::OneDrive => "one drive alone".into(),
            Self::AddedUp => format!("each of the {drives} drives alone, added up"),
            Self::AtOnce => format!("all {drives} drives at once"),
        }
    }
}

impl PoolShare {
    /// The share with its ends, by the method of the drives' figure.
    pub(super) fn estimate(&self) -> Estimate {
        Estimate { median: self.share, low: self.low, high: self.high, ..self.per_s }
    }
}

/// The shares of every filesystem on drives that were measured before; reads that a cache answered are held against nothing, and nothing against them.
pub(super) fn pool_shares(rows: &[LayerRow], context: &Context, findings: &[Finding]) -> Vec<PoolShare> {
    let is_cached = |job: u32| is_cached(job, findings);
    let at_once: Vec<TogetherRow> =
        together::rows(context).into_iter().filter(|raw| !raw.members.iter().any(|of| is_cached(of.job))).collect();
    let reads = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads && !row.job.is_some_and(is_cached));
    reads
        .flat_map(|row| at_once.iter().filter(|raw| is_under(context.record, raw, row.target)).flat_map(|raw| shares(context, row, raw)))
        .collect()
}

/// True where these are the drives of this filesystem.
fn is_under(record: &RunRecord, raw: &TogetherRow, target: u32) -> bool {
    let is_its = |of: u32| record.targets.get(of as usize).is_some_and(|of| of.is_raw && of.below == Some(target));
    raw.members.iter().all(|member| is_its(member.target))
}

fn shares(context: &Context, row: &LayerRow, raw: &TogetherRow) -> Vec<PoolShare> {
    let drives = raw.members.len() as u32;
    let of_one = raw.members.first().and_then(|member| context.record.jobs.get(member.job as usize)).map(|job| job.workload.workers);
    let (Some(job), Some(of_one), Some(readers)) = (row.job, of_one, row.clients) else { return Vec::new() };
    let each = |sum: Estimate| {
        let n = f64::from(drives);
        Estimate { median: sum.median / n, low: sum.low / n, high: sum.high / n, ..sum }
    };
    let ways = [
        (PoolWay::OneDrive, of_one, each(raw.apart.iops)),
        (PoolWay::AddedUp, of_one.saturating_mul(drives), raw.apart.iops),
        (PoolWay::AtOnce, of_one.saturating_mul(drives), raw.together.iops),
    ];
    let own = row.per_s;
    let ways = ways.into_iter().filter(|(_, readers_of_way, per_s)| *readers_of_way == readers && per_s.low > 0.0);
    let share = |(way, readers, per_s): (PoolWay, u32, Estimate)| PoolShare {
        target: row.target,
        job,
        way,
        drives,
        readers,
        per_s,
        share: own.median / per_s.median,
        low: own.low / per_s.high,
        high: own.high / per_s.low,
    };
    ways.map(share).collect()
}

/// A sentence on each number of readers of each filesystem, or that a cache stands between.
pub(super) fn describe(shares: &[PoolShare], rows: &[LayerRow], record: &RunRecord) -> Vec<String> {
    let is_on_drives = |row: &&LayerRow| {
        row.kind == LayerKind::FilesystemReads && record.targets.iter().any(|of| of.is_raw && of.below == Some(row.target))
    };
    let of_row = |row: &LayerRow| {
        let own: Vec<&PoolShare> = shares.iter().filter(|share| Some(share.job) == row.job).collect();
        let given = &record.targets.get(row.target as usize)?.facts.given;
        let readers = row.clients.map_or_else(String::new, |n| if n == 1 { " by 1 reader".into() } else { format!(" by {n} readers") });
        let figure = |share: &&PoolShare| {
            let of = format!("of {} ({} a second)", share.way.title(share.drives), rate(share.per_s.median));
            let [open, close] = if row.per_s.is_interval() && share.per_s.is_interval() { ["(", ")"] } else { ["[", "]"] };
            format!("{} {open}{} to {}{close} {of}", percent(share.share), percent(share.low), percent(share.high))
        };
        let figures: Vec<String> = own.iter().map(figure).collect();
        let are_told = row.per_s.is_interval() && own.iter().all(|share| share.per_s.is_interval());
        let doubt = if are_told { "" } else { "; turns are too few for intervals" };
        let name = format!("reads through the filesystem of {given}{readers}");
        Some(match own.is_empty() {
            true => format!(
                "{name} cannot be held against those of its drives before it was made: one of them has no figure, or a cache answered"
            ),
            false => format!("{name} are {}, measured before it was made{doubt}", figures.join(" and ")),
        })
    };
    rows.iter().filter(is_on_drives).filter_map(of_row).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::layers::VERB;
    use crate::record::JobRecord;
    use crate::testing::{round, stage};
    use crate::together::tests::measured;

    /// Two drives of 100 kIOPS each with 150 kIOPS at once, and a filesystem made on them that reads at these rates with the readers of one and of both.
    pub(in crate::results::layers) fn layered(one: f64, both: f64) -> RunRecord {
        let mut record = measured(&[100e3, 100e3], &[75e3, 75e3], 6);
        record.verb = VERB.into();
        let mut filesystem = record.targets[0].clone();
        filesystem.facts.given = "btrfs on /dev/a and /dev/b".into();
        record.targets.insert(0, filesystem);
        record.targets[1..].iter_mut().for_each(|target| (target.below, target.is_raw) = (Some(0), true));
        record.jobs.iter_mut().for_each(|job| job.targets[0] += 1);
        let workers = record.jobs[0].workload.workers;
        for (readers, rate) in [(workers, one), (workers * 2, both)] {
            let mut job = JobRecord { targets: vec![0], ..record.jobs[0].clone() };
            job.workload.workers = readers;
            for turn in 0..6 {
                let index = record.stages.len() as u32;
                record.stages.push(stage(index, turn, round(record.jobs.len() as u32, &job.workload, rate)));
            }
            record.jobs.push(job);
        }
        record
    }

    #[test]
    fn each_number_of_readers_is_held_against_its_own_way() {
        let record = layered(90e3, 120e3);
        let layers = crate::judge::judge(&record).results.layers.unwrap();
        let ways: Vec<(PoolWay, f64)> = layers.pool.iter().map(|share| (share.way, (share.share * 100.0).round())).collect();
        assert_eq!(ways, [(PoolWay::OneDrive, 90.0), (PoolWay::AddedUp, 60.0), (PoolWay::AtOnce, 80.0)]);
        assert!(layers.pool.iter().all(|share| share.low <= share.share && share.share <= share.high));
        assert_eq!(layers.rows.len(), 2, "drives are no layers of their own");
        let said = layers.says.join("\n");
        for part in ["% (", "of one drive alone (100 k", "of each of the 2 drives alone, added up (200 k", "of all 2 drives at once (150 k"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn the_share_of_all_drives_at_once_has_its_verdict() {
        use crate::layers::Below::DrivesAtOnce;
        use crate::verdict::Verdict::{CannotTell, Meets, Misses};
        for (both, expected) in [(120e3, Meets), (50e3, Misses)] {
            let record = layered(90e3, both);
            let told = crate::judge::judge(&record).results.layers.unwrap().verdicts;
            assert_eq!(told.iter().map(|told| (told.below, told.verdict)).collect::<Vec<_>>(), [(DrivesAtOnce, expected)], "{both}");
        }
        let mut few = layered(90e3, 50e3);
        few.stages.retain(|stage| stage.repetition < 3);
        let layers = crate::judge::judge(&few).results.layers.unwrap();
        assert_eq!(layers.verdicts[0].verdict, CannotTell);
        assert!(
            layers.says.iter().any(|text| text.contains("of those of all its drives at once before it was made: cannot tell")),
            "{:?}",
            layers.says
        );
    }

    #[test]
    fn other_numbers_of_readers_are_held_against_nothing() {
        let mut record = layered(90e3, 120e3);
        record.jobs[2..].iter_mut().for_each(|job| job.workload.workers = 1);
        let layers = crate::judge::judge(&record).results.layers.unwrap();
        assert!(layers.pool.is_empty() && layers.says.iter().any(|text| text.contains("cannot be held against those of its drives")));
    }

    #[test]
    fn nothing_is_held_against_reads_that_a_cache_answered() {
        let mut record = layered(90e3, 120e3);
        let of_drive = |stage: &&mut crate::record::Stage| stage.rounds.len() == 1 && stage.rounds[0].job == 0;
        let counted = |stage: &mut crate::record::Stage| stage.devices.as_mut().unwrap()[0].read_bytes = 0;
        record.stages.iter_mut().filter(of_drive).for_each(counted);
        assert!(crate::judge::judge(&record).results.layers.unwrap().pool.is_empty());
    }
}
