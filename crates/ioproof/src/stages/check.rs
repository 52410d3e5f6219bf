//! `--check`: what a workload has written is remembered while it runs, and read back and compared when it is done.

use crate::complaint::complaint;
use crate::stages::rounds::Rounds;
use anyhow::Result;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::{RoundOutcome, RunRecord};
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::Ledger;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// I/Os outstanding while it is read back.
const DEPTH: u32 = 32;

/// The workload that is being written with headers, and what it has written where.
#[derive(Debug, Default)]
pub struct Written(Option<(Workload, Arc<Ledger>)>);

impl Written {
    /// The ledger for a workload, the same for all of its rounds; none for one that is not checked.
    ///
    /// # Errors
    /// When the span is too large to remember.
    pub fn ledger(&mut self, workload: &Workload, record: &RunRecord) -> Result<Option<Arc<Ledger>>> {
        if !workload.shape.data.checked {
            return Ok(None);
        }
        if !self.0.as_ref().is_some_and(|(known, _)| known == workload) {
            let ledger = Ledger::new(record.plan.span, unit_bytes(workload), seed(record, workload))
                .map_err(|e| complaint(format!("--check: {e}"), "--size takes less of the target"))?;
            self.0 = Some((workload.clone(), Arc::new(ledger)));
        }
        Ok(self.0.as_ref().map(|(_, ledger)| Arc::clone(ledger)))
    }

    /// Reads back what was written, unless the workload that comes next is still the same.
    ///
    /// # Errors
    /// When the round cannot be started or stored.
    pub fn read_back_unless(&mut self, next: Option<&Workload>, rounds: &mut Rounds, record: &mut RunRecord) -> Result<()> {
        let Some((workload, ledger)) = self.0.take_if(|(workload, _)| next != Some(workload)) else { return Ok(()) };
        let text = format!("reading back {} that {} wrote", binary_size(record.plan.span.length_bytes), workload.title());
        rounds.bench.progress.step(&text, Duration::from_nanos(record.plan.round_ns()));
        let plain = rounds.bench.plain_job(record, read_back(&workload), record.rounds.len() as u32);
        // What is under test wrote it; it is read by what is known to ask the drive.
        let options = rounds.bench.plain_options(Some(&ledger));
        let outcome =
            rounds.run(record, &JobSpec { ramp_ns: 0, until: Until::SpanCovered, error_limit: u64::MAX, ..plain }, &options, 0)?.outcome;
        if outcome != RoundOutcome::Complete {
            record.notes.push(format!("{}: what was written was read back only in part", workload.title()));
        }
        Ok(())
    }

    /// Tells what could not be read back because the run has ended.
    pub fn close(self, record: &mut RunRecord) {
        if let Some((workload, _)) = self.0 {
            record.notes.push(format!("{}: the run ended before what was written could be read back", workload.title()));
        }
    }
}

/// One ascending pass in the smallest blocks, so that every write is seen whole or in parts.
fn read_back(workload: &Workload) -> Workload {
    let mut pass = Workload::plain(Pattern::Sequential, 100, workload.smallest_block_bytes(), 1, DEPTH);
    pass.shape.data.checked = true;
    pass
}

/// The largest piece of which all blocks of the workload consist.
pub fn unit_bytes(workload: &Workload) -> u32 {
    let sizes = workload.shape.write_sizes.iter().chain(&workload.shape.read_sizes).map(|size| size.bytes);
    sizes.fold(workload.smallest_block_bytes(), greatest_common_divisor)
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Tells the data of this workload and run from all other data, also where `--seed` is the same.
fn seed(record: &RunRecord, workload: &Workload) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&record.id, record.config.seed, workload).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::shape::SizeShare;

    #[test]
    fn a_unit_is_part_of_every_block() {
        let mut workload = Workload::plain(Pattern::Random, 0, 4096, 4, 32);
        assert_eq!(unit_bytes(&workload), 4096);
        workload.shape.write_sizes = [4096, 6144, 1 << 20].map(|bytes| SizeShare { bytes, percent: 33 }).to_vec();
        assert_eq!(unit_bytes(&workload), 2048);
        assert_eq!(read_back(&workload).block_bytes, 4096);
        assert!(!read_back(&workload).writes() && read_back(&workload).shape.data.checked);
    }
}
