//! A filesystem that keeps files in records, each with one checksum, reads a whole record for a part of it, and before it writes a part (OpenZFS, zfsprops(7), `recordsize`).
//!
//! Bytes that are read at the drives tell of it: for each byte of random reads there are more, and for random writes there are some at all. Rounds beside which other jobs
//! ran have the reads of those, and say nothing.

use crate::findings::prelude::*;

rule! {
    name: "large-records",
    about: "a filesystem reads whole records of its own for smaller reads and writes",
    check: Check::EachCounted(of_job),
}

/// Bytes read at the drives for a byte, from which on they are clearly those of records.
const LEAST: f64 = 1.5;
/// Reads and writes below which it tells nothing.
const IOS_MIN: u64 = 50;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let workload = measured.workload();
    let (verb, done) = one_way(workload)?;
    let filesystem = context.record.targets_of(measured.job).find_map(|target| target.facts.filesystem.as_ref())?;
    let (record, block) = (filesystem.record_bytes?, u64::from(workload.block_bytes));
    let each: Vec<f64> = measured.rounds.iter().filter_map(read_for_each_byte).collect();
    let ios = measured.sum_of(|part| part.read.ios.saturating_add(part.write.ios));
    let figure = measured.estimate_of(&each).filter(|figure| figure.low >= LEAST && block < record && ios >= IOS_MIN)?;
    let title = format!(
        "{} keeps records of {}, and {verb} of {} are parts of them: {:.1} bytes are read at the drives for each byte {done}",
        name(filesystem),
        block_size(record),
        block_size(block),
        figure.median
    );
    let evidence = vec![
        Evidence::number("record", record as f64, Unit::BinaryBytes).read_at("statfs(2)"),
        Evidence::number("block", block as f64, Unit::BinaryBytes),
        Evidence::number(&format!("bytes read at the drives for each byte {done}"), figure.median, Unit::Average).against(LEAST),
    ];
    let remedy = format!(
        "zfs set recordsize={} before files are made, or --mkfs-opt \"-O recordsize={}\" for a filesystem of layers",
        short(block),
        short(block)
    );
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, evidence, &remedy))
}

/// Words for a load that only reads or only writes, at random.
fn one_way(workload: &Workload) -> Option<(&'static str, &'static str)> {
    let is_random = workload.pattern == Pattern::Random && !workload.trims();
    match workload.read_percent {
        100 if is_random => Some(("reads", "that is read")),
        0 if is_random => Some(("writes", "that is written")),
        _ => None,
    }
}

fn name(filesystem: &FilesystemFacts) -> String {
    format!("{} at {}", filesystem.fs_type, filesystem.mount_point)
}

/// `8K`, as zfs takes it.
fn short(block: u64) -> String {
    if block.is_multiple_of(1024) { format!("{}K", block / 1024) } else { block.to_string() }
}

/// Bytes that were read at the drives in a round for each byte of the load; none where they were not counted, or others worked beside it.
fn read_for_each_byte(part: &Part) -> Option<f64> {
    let counted = part.stage.devices.as_ref()?;
    let read = counted.iter().filter(|device| device.is_drive).map(|device| device.read_bytes).fold(0, u64::saturating_add);
    let moved = part.total_bytes.0.saturating_add(part.total_bytes.1);
    (moved > 0 && part.stage.rounds.len() == 1).then(|| read as f64 / moved as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: on_zfs(Some(131_072), 0, 15.2), silent: on_zfs(Some(131_072), 0, 0.1) }

    /// ZFS with these records, where a load of this share of reads alone has so many bytes read at the drive for each of its own.
    fn on_zfs(record_bytes: Option<u64>, read_percent: u8, times: f64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6).mounted("zfs", "/tank", "rw,xattr,noacl");
        record.targets[0].facts.filesystem.as_mut().unwrap().record_bytes = record_bytes;
        let is_meant: Vec<bool> = record.jobs.iter().map(|job| job.workload.read_percent == read_percent).collect();
        for stage in &mut record.stages {
            let moved: u64 =
                stage.rounds.iter().filter(|round| is_meant[round.job as usize]).map(|r| r.total_bytes.0 + r.total_bytes.1).sum();
            stage.devices.iter_mut().flatten().for_each(|device| device.read_bytes = (moved as f64 * times) as u64);
        }
        record
    }

    #[test]
    fn reads_and_writes_are_told_each_with_its_figure() {
        let title = |record: &RunRecord| <[String; 1]>::try_from(RULE.titles(record)).unwrap().concat();
        assert!(title(&fires()).ends_with("15.2 bytes are read at the drives for each byte that is written"));
        let of_reads = on_zfs(Some(131_072), 100, 31.0);
        assert!(title(&of_reads).contains("31.0 bytes are read at the drives for each byte that is read"));
    }

    #[test]
    fn nothing_is_told_where_records_are_not_the_cause() {
        let sequential = |record: &mut RunRecord| record.jobs.iter_mut().for_each(|job| job.workload.pattern = Pattern::Sequential);
        let few = |record: &mut RunRecord| record.rounds_mut().for_each(|round| round.write.ios = round.write.ios.min(1));
        RULE.silent_on([fires().uncounted(), fires().with(sequential), fires().with(few)]);
        RULE.silent_on([on_zfs(None, 0, 15.2), on_zfs(Some(4096), 0, 15.2), on_zfs(Some(131_072), 100, 1.0)]);
    }
}
