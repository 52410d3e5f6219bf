//! A result above what the link to the drive can carry cannot have come from the drive.

use crate::findings::prelude::*;

rule! {
    name: "above-link",
    about: "the result is above what the link or interface can carry",
    check: Check::EachJob(|context, measured| of_job(measured, link_limit(context, measured)?)),
}

/// Sum of the limits of the links of all drives under a job; `None` where one is not known. Bytes per second.
pub(crate) fn link_limit(context: &Context, measured: &Measured) -> Option<f64> {
    let drives = context.record.drives_of(measured.job);
    let limits: Option<Vec<f64>> = drives.iter().map(|d| d.link.as_ref().map(|l| l.limit_bytes_per_s)).collect();
    limits.filter(|l| !l.is_empty()).map(|l| l.iter().sum())
}

fn of_job(measured: &Measured, limit: f64) -> Option<Finding> {
    let got = measured.estimate(Metric::Throughput, None)?.median;
    // A link carries both directions at once; a mix may use both.
    let limit = if matches!(measured.workload().read_percent, 1..=99) { limit * 2.0 } else { limit };
    if got <= limit {
        return None;
    }
    let title = format!("{} is more than the link can carry ({})", throughput(got), throughput(limit));
    let figures = vec![Evidence::number("measured", got, Unit::BytesPerSecond).against(limit)];
    let remedy = "look for a cache between the program and the drive";
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: linked(1e6), silent: linked(1e12) }

    fn linked(limit_bytes_per_s: f64) -> RunRecord {
        record().with(|record| record.targets[0].drives[0].link = Some(link(limit_bytes_per_s)))
    }

    #[test]
    fn silent_where_no_link_is_known() {
        assert!(RULE.found(&record()).is_empty());
        assert!(RULE.found(&fires()).iter().any(|f| f.title.contains("more than the link can carry (1 MB/s)")));
    }
}
