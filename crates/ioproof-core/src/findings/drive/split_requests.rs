//! The kernel cuts an I/O into several requests, because a queue takes no larger ones: a setting of the host (`queue/max_sectors_kb`,
//! Documentation/ABI/stable/sysfs-block).

use crate::findings::prelude::*;

rule! {
    name: "split-requests",
    about: "the kernel cuts I/Os into many requests, because the queue takes no larger ones",
    check: Check::EachCounted(of_job),
    limit: RuleLimit::of_host(Place::RequestQueue, LimitConfidence::Likely, describe),
}

/// From this size on a request is large enough: many drives take no larger command themselves. Bytes.
const LARGE_ENOUGH: u64 = 128 << 10;
/// Fewest requests at the drive for each I/O.
const REQUESTS: f64 = 1.9;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let (drive, largest, requests) = splitting(context, measured)?;
    let block = measured.workload().block_bytes.into();
    let title = format!(
        "the kernel cuts each I/O of {} into {requests:.1} requests of at most {} for {} (max_sectors_kb)",
        block_size(block),
        block_size(largest),
        drive.name
    );
    let figures = vec![
        Evidence::number("requests at the drive for each I/O", requests, Unit::Average).against(REQUESTS),
        Evidence::number("largest request", largest as f64, Unit::BinaryBytes).against(block as f64),
    ];
    let remedy = format!("echo 1280 > /sys/block/{}/queue/max_sectors_kb, or as much as max_hw_sectors_kb beside it allows", drive.name);
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, figures, &remedy))
}

fn describe(context: &Context, measured: &Measured) -> String {
    let words = |(drive, largest, _): (&DeviceFacts, u64, f64)| {
        format!("the largest request of {}: {} (max_sectors_kb)", drive.name, block_size(largest))
    };
    splitting(context, measured).map_or_else(|| "the largest request".into(), words)
}

/// The drive with small requests, their largest size in bytes, and how many of them an I/O took.
fn splitting<'a>(context: &'a Context<'a>, measured: &'a Measured<'a>) -> Option<(&'a DeviceFacts, u64, f64)> {
    let block = u64::from(measured.workload().block_bytes);
    let mut drives = context.record.drives_of(measured.job).into_iter();
    let (drive, largest) = drives
        .find_map(|drive| Some((drive, drive.max_request_bytes.as_ref()?.value)).filter(|(_, bytes)| *bytes < block.min(LARGE_ENOUGH)))?;
    let requests = measured.median_counted(|part| requests_for_each_io(part, &drive.name))?;
    (requests >= REQUESTS).then_some((drive, largest, requests))
}

/// None where several jobs share the counters.
fn requests_for_each_io(part: &Part, drive: &str) -> Option<f64> {
    let counted = part.stage.devices.as_ref()?.iter().find(|counted| counted.name == drive)?;
    let ios = part.read.ios.saturating_add(part.write.ios);
    let alone = part.stage.rounds.len() == 1 && ios > 0;
    alone.then(|| counted.read_ios.saturating_add(counted.write_ios) as f64 / ios as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_largest(16 << 10), silent: with_largest(1280 << 10) }

    /// Reads of 256 KiB, in requests of at most so many bytes.
    fn with_largest(bytes: u64) -> RunRecord {
        let mut record = record();
        record.targets[0].drives[0].max_request_bytes = Some(Fact::new(bytes, "test"));
        record.jobs.iter_mut().for_each(|job| job.workload.block_bytes = 256 << 10);
        for stage in &mut record.stages {
            let requests = (stage.rounds[0].read.ios + stage.rounds[0].write.ios) * (256 << 10) / bytes.min(256 << 10);
            stage.devices.iter_mut().flatten().for_each(|drive| (drive.read_ios, drive.write_ios) = (requests, 0));
        }
        record
    }

    #[test]
    fn requests_that_are_large_enough_or_not_cut_are_not_spoken_of() {
        assert!(RULE.found(&fires())[0].title.contains("into 16.0 requests of at most 16 KiB for nvme0n1"));
        // Counted by a drive that was given them whole.
        let whole = fires().with(|record| record.counters_mut().for_each(|drive| drive.read_ios /= 16));
        RULE.silent_on([with_largest(128 << 10), whole]);
    }
}
