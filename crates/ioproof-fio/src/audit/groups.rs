//! Jobs that are reported together and should not be.

use super::context::{AuditContext, JobContext};
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, found, rule};
use super::words::size;
use crate::schedule::ReportLine;
use ioproof_core::finding::{Evidence, Severity, Unit};

pub(super) const RULES: &[LanguageRule] = &[
    rule("mixed-group", Severity::Info, LanguageCheck::All(mixed_group))
        .about("one line of the report for different workloads")
        .fires_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\n")
        .silent_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\nnew_group\n")
        .covered_by(&["side-by-side"]),
    rule("group-ends-apart", Severity::Info, LanguageCheck::All(ends_apart))
        .about("one line of the report for jobs that end at different times")
        .fires_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\ntime_based\n[a]\nruntime=10\n[b]\nruntime=60\n")
        .silent_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\ntime_based\n[a]\nruntime=60\n[b]\nruntime=60\n"),
];

/// Fixed run times of the jobs of a line that differ: fio divides the bytes of all by the longest (fio(1), *group_reporting* and the aggregate line).
fn ends_apart(context: &AuditContext) -> Vec<(usize, LanguageFinding)> {
    let of_line = |line: &ReportLine| {
        let jobs = line.clones.iter().map(|clone| &context.jobs[context.schedule.clones[*clone].job]);
        let timed: Vec<(&JobContext, u64)> =
            jobs.filter(|job| job.set.time.time_based && job.set.time.runtime_ns > 0).map(|job| (job, job.set.time.runtime_ns)).collect();
        let (first, shortest) = timed.iter().min_by_key(|(_, ns)| *ns)?;
        let (last, longest) = timed.iter().max_by_key(|(_, ns)| *ns)?;
        let seconds = |ns: u64| ns as f64 / 1e9;
        let title = format!(
            "{} ends after {} s and {} after {} s, in one line: its rate is the bytes of all over the longer time",
            first.job.name,
            seconds(*shortest),
            last.job.name,
            seconds(*longest)
        );
        let figures = vec![Evidence::number("shortest", *shortest as f64, Unit::Nanoseconds).against(*longest as f64)];
        (shortest < longest).then(|| (last.at, found(title, figures, "give them the same runtime, or leave out group_reporting")))
    };
    context.schedule.lines.iter().filter_map(of_line).collect()
}

fn workload(job: &JobContext) -> String {
    let sizes: Vec<String> = job.block_sizes().into_iter().map(size).collect();
    format!("{} of {}", job.rw_word(), sizes.join(", "))
}

fn mixed_group(context: &AuditContext) -> Vec<(usize, LanguageFinding)> {
    let of_line = |line: &ReportLine| {
        let jobs = line.clones.iter().map(|clone| &context.jobs[context.schedule.clones[*clone].job]);
        let first = jobs.clone().next()?;
        let other = jobs.into_iter().find(|job| workload(job) != workload(first))?;
        let title = format!(
            "group_reporting puts {} ({}) and {} ({}) into one line, whose figures are sums over both",
            first.job.name,
            workload(first),
            other.job.name,
            workload(other)
        );
        let figures = vec![Evidence::text("together with", first.job.name.clone())];
        Some((other.at, found(title, figures, format!("put new_group or stonewall into {}", other.job.name))))
    };
    context.schedule.lines.iter().filter_map(of_line).collect()
}
