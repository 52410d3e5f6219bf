//! A result above what the link to the drive can carry cannot have come from the drive.

use super::{Context, Measured, Rule, evidence, finding_on};
use crate::claim::Metric;
use crate::units::throughput;
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule = Rule { name: "above-link", about: "the result is above what the link or interface can carry", check };

fn check(context: &Context) -> Vec<Finding> {
    let Some(limit) = link_limit(context) else { return Vec::new() };
    context.measured.iter().filter_map(|m| of_workload(m, limit)).collect()
}

/// What the links of all drives together can carry; `None` where one is not known. Bytes per second.
pub(crate) fn link_limit(context: &Context) -> Option<f64> {
    let limits: Option<Vec<f64>> = context.record.drives.iter().map(|d| d.link.as_ref().map(|l| l.limit_bytes_per_s)).collect();
    limits.filter(|l| !l.is_empty()).map(|l| l.iter().sum())
}

fn of_workload(measured: &Measured, limit: f64) -> Option<Finding> {
    let got = measured.estimate(Metric::Throughput, None)?.median;
    // A link carries both directions at once; a mix may use both.
    let limit = if matches!(measured.workload().read_percent, 1..=99) { limit * 2.0 } else { limit };
    if got <= limit {
        return None;
    }
    let title = format!("{} is more than the link can carry ({})", throughput(got), throughput(limit));
    let figures = vec![evidence("measured", throughput(got)), evidence("limit of the link", throughput(limit))];
    let remedy = "look for a cache between the program and the drive";
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Link;
    use crate::testing::record;

    #[test]
    fn fires_above_the_limit_only() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty(), "no link known");
        let link = |limit| Some(Link { title: "x".into(), limit_bytes_per_s: limit, capable_bytes_per_s: None, source: "test".into() });
        record.drives[0].link = link(1e12);
        assert!(check(&Context::new(&record)).is_empty());
        record.drives[0].link = link(1e6);
        assert!(check(&Context::new(&record)).iter().any(|f| f.title.contains("more than the link can carry (1 MB/s)")));
    }
}
