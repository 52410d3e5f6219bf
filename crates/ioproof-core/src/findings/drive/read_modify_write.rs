//! Random writes that fill a physical block of the drive only in part: it reads the block, changes it and writes it again, as disks of 512e do
//! (ACS-4, 7.12.7.53: logical sectors per physical sector), and flash whose unit is 4 KiB.
//!
//! Writes in sequence are left out: a drive puts them together before it writes. Where a partition begins is the matter of `misaligned`.

use crate::findings::prelude::*;

rule! {
    name: "read-modify-write",
    about: "writes fill physical blocks of the drive only in part, so that it reads before it writes",
    check: Check::EachCounted(of_job),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let workload = measured.workload();
    let is_direct = !workload.shape.buffered && context.record.targets_of(measured.job).all(|target| target.facts.direct);
    if !is_direct || !is_written_one_by_one(workload) {
        return None;
    }
    let (drive, physical) = context.record.drives_of(measured.job).into_iter().find_map(larger_physical)?;
    let offset = measured.job.span.offset_bytes;
    let odd = |bytes: &u64| !bytes.is_multiple_of(physical);
    let size = write_sizes(workload).find(odd);
    let (what, bytes, effect) = match size {
        // It is what was asked for, and what a claim of that size is about.
        Some(bytes) => (format!("writes of {}", block_size(bytes)), bytes, Effect::None),
        None => (format!("writes that begin at byte {offset}"), Some(offset).filter(odd)?, Effect::Harder),
    };
    let title =
        format!("{what} fill physical blocks of {} of {} only in part: it reads before it writes", block_size(physical), drive.name);
    let figures = vec![
        Evidence::number(if size.is_some() { "block" } else { "offset" }, bytes as f64, Unit::BinaryBytes),
        Evidence::number("physical block", physical as f64, Unit::BinaryBytes),
    ];
    let remedy = "write blocks and begin at offsets that are multiples of the physical block (physical_block_size), or say that the figure is of smaller ones";
    Some(finding_on(measured, &RULE, Severity::Warn, effect, title, figures, remedy))
}

/// Each write is the drive's to do alone: at random, or waited for until it is durable.
fn is_written_one_by_one(workload: &Workload) -> bool {
    workload.writes() && !workload.trims() && (workload.pattern == Pattern::Random || workload.durability != Durability::None)
}

/// A drive whose physical block is larger than its logical one.
fn larger_physical(drive: &DeviceFacts) -> Option<(&DeviceFacts, u64)> {
    let (logical, physical) = (drive.logical_block_bytes.as_ref()?.value, drive.physical_block_bytes.as_ref()?.value);
    (physical > logical).then_some((drive, u64::from(physical)))
}

fn write_sizes(workload: &Workload) -> impl Iterator<Item = u64> {
    let writes = Workload { read_percent: 0, ..workload.clone() };
    writes.sizes().map(u64::from).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: written(Pattern::Random, 512, 0), silent: written(Pattern::Random, 4096, 0) }

    /// A single job of writes to a drive of 512 and 4096 bytes.
    fn written(pattern: Pattern, block_bytes: u32, offset_bytes: u64) -> RunRecord {
        let mut record = record();
        let job = record.job_of("rand-write-4k-4x32");
        record.stages.retain(|stage| stage.rounds[0].job as usize == job);
        (record.jobs[job].workload.pattern, record.jobs[job].workload.block_bytes) = (pattern, block_bytes);
        record.jobs[job].span.offset_bytes = offset_bytes;
        let drive = &mut record.targets[0].drives[0];
        (drive.logical_block_bytes, drive.physical_block_bytes) = (Some(Fact::new(512, "test")), Some(Fact::new(4096, "test")));
        record
    }

    #[test]
    fn a_size_that_was_asked_for_is_no_condition_and_an_offset_is_one() {
        assert_eq!(RULE.found(&fires())[0].effect, Effect::None);
        let offset = written(Pattern::Random, 4096, 512);
        let said = "writes that begin at byte 512 fill physical blocks of 4 KiB of nvme0n1";
        RULE.says(&offset, Effect::Harder, |title| title.starts_with(said));
        assert_eq!(RULE.found(&offset).len(), 1);
    }

    #[test]
    fn nothing_is_said_where_the_drive_need_not_read() {
        let each =
            |change: fn(&mut Workload)| move |record: &mut RunRecord| record.jobs.iter_mut().for_each(|job| change(&mut job.workload));
        let puts_together = || written(Pattern::Sequential, 512, 0);
        RULE.silent_on([
            puts_together(),
            fires().with(|record| record.targets[0].drives[0].physical_block_bytes = Some(Fact::new(512, "test"))),
            // The page cache writes whole pages, also where the load goes through it by its own wish.
            fires().with(|record| record.targets[0].facts.direct = false),
            fires().with(each(|workload| workload.shape.buffered = true)),
            fires().with(each(|workload| workload.read_percent = 100)),
        ]);
        let synced = puts_together().with(each(|workload| workload.durability = Durability::Dsync));
        assert_eq!(RULE.found(&synced).len(), 1);
    }
}
