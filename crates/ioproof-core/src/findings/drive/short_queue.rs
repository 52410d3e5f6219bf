//! The kernel's queue of requests is shorter than what the load keeps outstanding, and most of an I/O's time passes before it: a setting of the host, and no
//! fault of the drive (`queue/nr_requests`, Documentation/ABI/stable/sysfs-block).

use crate::findings::prelude::*;
use crate::findings::time_at::TimeAt;

rule! {
    name: "short-queue",
    about: "the kernel's queue of requests is shorter than what was to be outstanding",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::RequestQueue, LimitConfidence::Likely, describe),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let time = TimeAt::of(context, measured)?;
    let most = time.most().filter(|most| most.place == Place::RequestQueue)?;
    let title = format!("held back by {}", time.describe()?);
    let outstanding = Evidence::number("I/Os to be outstanding", measured.workload().outstanding().into(), Unit::Count);
    let mean = Evidence::number("mean latency", time.mean_ns(), Unit::Nanoseconds);
    let remedy = "give the queue as many requests as the load has outstanding: echo 256 > /sys/block/NAME/queue/nr_requests";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::HeldBack, title, vec![most.evidence(), mean, outstanding], remedy))
}

fn describe(context: &Context, measured: &Measured) -> String {
    TimeAt::of(context, measured).and_then(|time| time.describe()).unwrap_or_else(|| "the request queue".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_queue(4), silent: with_queue(256) }

    /// Queued reads of 1.28 ms, of which the drive has its requests for 30 us.
    fn with_queue(requests: u32) -> RunRecord {
        let mut record = record();
        record.targets[0].drives[0].nr_requests = Some(Fact::new(requests, "test"));
        for stage in &mut record.stages {
            let ios = stage.rounds[0].read.ios;
            stage.devices = Some(vec![DeviceCounters { read_ios: ios, read_wait_ns: ios * 30_000, ..drive_counters() }]);
        }
        record
    }

    #[test]
    fn a_queue_of_four_takes_a_miss_away() {
        RULE.says(&fires(), Effect::HeldBack, |title| title.contains("it takes 4 (nr_requests)"));
    }
}
