//! A few slow I/Os take much of the time, so that they and not the rest decide the mean and the rate.

use super::slow_kinds;
use crate::findings::prelude::*;

rule! {
    name: "slow-tail",
    about: "a few slow I/Os take much of the time",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Multiple of the median from which on an I/O is slow.
const TIMES: u64 = 10;
/// Largest share of the I/Os that is called few.
const FEW: f64 = 0.05;
/// Least share of the time that is called much.
const MUCH: f64 = 1.0 / 3.0;
/// Fewest slow I/Os from which a share can be told.
const LEAST: u64 = 30;

/// Shares of the slow I/Os of all I/Os and of the time that all took together, and the median in nanoseconds.
fn shares(all: &Histogram) -> Option<(f64, f64, u64)> {
    let median_ns = all.quantile_ns(0.5)?;
    let (count, time) = all.at_least(median_ns.saturating_mul(TIMES));
    (count >= LEAST).then(|| (count as f64 / all.count() as f64, time, median_ns))
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let all = measured.merged_latency();
    let (ios, time, median_ns) = shares(&all).filter(|(ios, time, _)| *ios <= FEW && *time >= MUCH)?;
    let least_ns = median_ns.saturating_mul(TIMES);
    if slow_kinds::are_told(measured, all.at_least(least_ns).0, least_ns, least_ns) {
        return None;
    }
    let title = format!(
        "{} of the I/Os take over {TIMES} times the median of {}, and {} of the time",
        percent(ios),
        latency(median_ns as f64),
        percent(time)
    );
    let figures = vec![
        Evidence::number("share of the I/Os", ios, Unit::Share).against(FEW),
        Evidence::number("share of the time that all I/Os took", time, Unit::Share).against(MUCH),
        Evidence::number("median", median_ns as f64, Unit::Nanoseconds),
    ];
    let remedy = "look at p99 and p99.9 rather than at the mean";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

fn describe(measured: &Measured) -> String {
    let (ios, time, _) = shares(&measured.merged_latency()).unwrap_or_default();
    format!("a few slow I/Os: {} of them take {} of the time", percent(ios), percent(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: tailed(2), silent: tailed(0) }

    /// So many in a hundred reads take 33 times as long as the others.
    fn tailed(percent: u64) -> RunRecord {
        let mut record = record();
        for read in record.reads_mut() {
            let (slow, median_ns) = (read.ios * percent / 100, read.latency.quantile_ns(0.5).unwrap_or(1));
            read.latency = histogram(&[(33 * median_ns, slow), (median_ns, read.ios - slow)]);
        }
        record
    }
}
