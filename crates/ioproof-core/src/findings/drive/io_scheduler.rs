//! A scheduler that weighs and reorders I/O stands before the drive, which the maker's figures are without.
//!
//! BFQ is made for fairness and pays for it in IOPS (Documentation/block/bfq-iosched.rst); Kyber holds requests back to keep a latency; a deadline costs a lock.

use crate::findings::prelude::*;

rule! {
    name: "io-scheduler",
    about: "a scheduler that weighs or holds back I/O stands before the drive",
    check: Check::EachCounted(of_job),
}

/// Schedulers that cost a queued load much.
const COSTLY: [&str; 2] = ["bfq", "kyber"];

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let drives = context.record.drives_of(measured.job);
    let (drive, scheduler) = drives.iter().find_map(|drive| Some((*drive, costly(drive)?)))?;
    // One I/O at a time has nothing to be weighed against.
    let outstanding = measured.workload().outstanding();
    let (severity, effect) = if outstanding > 1 { (Severity::Warn, Effect::Harder) } else { (Severity::Info, Effect::None) };
    let title = format!("the scheduler {} stands before {}: it weighs I/O and costs CPU and IOPS", scheduler.value, drive.name);
    let figure = Evidence::text("scheduler", scheduler.value.clone()).read_at(scheduler.source.clone());
    let remedy = format!("echo none > /sys/block/{}/queue/scheduler", drive.name);
    Some(finding_on(measured, &RULE, severity, effect, title, vec![figure], &remedy))
}

fn costly(drive: &DeviceFacts) -> Option<&Fact<String>> {
    drive.scheduler.as_ref().filter(|scheduler| COSTLY.contains(&scheduler.value.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: with_scheduler("bfq"), silent: with_scheduler("mq-deadline") }

    fn with_scheduler(name: &str) -> RunRecord {
        let scheduler = Fact::new(name.to_owned(), "/sys/block/nvme0n1/queue/scheduler");
        record().with(|record| record.targets[0].drives[0].scheduler = Some(scheduler))
    }

    #[test]
    fn it_bears_on_queued_loads_alone() {
        let record = fires();
        let context = Context::new(&record);
        for finding in RULE.find(&context) {
            let job = finding.subject.job().unwrap();
            let measured = context.measured.iter().find(|m| m.index == job).unwrap();
            assert_eq!(finding.effect == Effect::Harder, measured.workload().outstanding() > 1, "{finding:?}");
        }
    }
}
