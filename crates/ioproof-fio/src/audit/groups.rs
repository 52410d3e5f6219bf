//! Jobs that are reported together and should not be.

use super::context::{AuditContext, JobContext};
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, found, rule};
use super::words::size;
use crate::schedule::ReportLine;
use ioproof_core::finding::{Evidence, Severity};

pub(super) const RULES: &[LanguageRule] = &[rule("mixed-group", Severity::Info, LanguageCheck::All(mixed_group))
    .about("one line of the report for different workloads")
    .fires_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\n")
    .silent_on("[global]\ngroup_reporting\nfilename=/dev/nvme0n1\n[a]\nrw=read\n[b]\nrw=randwrite\nnew_group\n")
    .covered_by(&["side-by-side"])];

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
