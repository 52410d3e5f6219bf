//! Lines about all directions of a job together: spread of latencies, syncs, processor, queue, errors, targets.

use super::latency;
use crate::print::number::{count, finite, rates};
use crate::print::shares::{self, BATCHES, DEPTHS, LATENCIES};
use crate::print::side;
use crate::print::steady::ShownSteadyState;
use crate::results::{JobResult, SteadyStateResult, Units};

pub(super) fn tail(job: &JobResult) -> String {
    [spread(job), sync(job), processor(job), queue(job), issued(job), errors(job), goal(job), steady(job)].concat()
}

fn spread(job: &JobResult) -> String {
    let spread = shares::spread(job);
    let names = || LATENCIES.iter().map(u64::to_string);
    let longer = names().chain(["2000".to_owned(), ">=2000".to_owned()]);
    classes("nsec", names(), &spread.ns) + &classes("usec", names(), &spread.us) + &classes("msec", longer, &spread.ms)
}

/// Five a line, without those that are empty.
fn classes(unit: &str, names: impl Iterator<Item = String>, shares: &[f64]) -> String {
    let fields: Vec<String> =
        names.zip(shares).filter(|(_, share)| **share > 0.0).map(|(name, share)| format!("{name}={share:3.2}%")).collect();
    fields.chunks(5).map(|line| format!("  lat ({unit})   : {}\n", line.join(", "))).collect()
}

fn sync(job: &JobResult) -> String {
    let sync = side::sync(job);
    if sync.count == 0 {
        return String::new();
    }
    let lines = latency::line(" sync", &sync) + &latency::percentiles("sync", &sync);
    format!("  fsync/fdatasync/sync_file_range:\n{lines}")
}

fn processor(job: &JobResult) -> String {
    format!(
        "  cpu          : usr={:3.2}%, sys={:3.2}%, ctx={}, majf={}, minf={}\n",
        finite(job.cpu_user_percent),
        finite(job.cpu_system_percent),
        job.context_switches,
        job.major_faults,
        job.minor_faults
    )
}

fn queue(job: &JobResult) -> String {
    let line = |names: [&str; 7], shares: [f64; 7]| {
        names.iter().zip(shares).map(|(name, share)| format!("{name}={share:3.1}%")).collect::<Vec<_>>().join(", ")
    };
    format!(
        "  IO depths    : {}\n     submit    : {}\n     complete  : {}\n",
        line(DEPTHS, shares::depths(job)),
        line(BATCHES, shares::submitted(job)),
        line(BATCHES, shares::completed(job))
    )
}

fn issued(job: &JobResult) -> String {
    let sides = [&job.read, &job.write, &job.trim];
    let total = sides.map(|s| s.io.ios.to_string()).join(",");
    let short = sides.map(|s| s.short_ios.to_string()).join(",");
    let dropped = sides.map(|s| s.dropped_ios.to_string()).join(",");
    format!("     issued rwts: total={total},{} short={short},0 dropped={dropped},0\n", job.sync.ios)
}

fn errors(job: &JobResult) -> String {
    if !job.continue_on_error {
        return String::new();
    }
    format!("     errors    : total={}, first_error={}/<{}>\n", job.all_errors(), job.error, errno_text(job.error))
}

fn goal(job: &JobResult) -> String {
    let goal = &job.latency_target;
    let (depth, percentile) =
        (if goal.target_ns == 0 { job.depth } else { goal.depth }, if goal.percentile > 0.0 { goal.percentile } else { 100.0 });
    let window_us = goal.window_ns / 1000;
    format!("     latency   : target={}, window={window_us}, percentile={:3.2}%, depth={depth}\n", goal.target_ns, finite(percentile))
}

fn steady(job: &JobResult) -> String {
    job.steady_state.as_ref().map(|found| steady_line(found, job.units)).unwrap_or_default()
}

fn steady_line(found: &SteadyStateResult, units: Units) -> String {
    let shown = ShownSteadyState(found);
    let (rate, other) = rates(shown.bytes_per_s(), units);
    let attained = if found.attained { "yes" } else { "no" };
    let what = if shown.by_iops() { "iops" } else { "bw" };
    let figure = if shown.by_slope() { "slope" } else { "mean dev" };
    let (iops, value) = (count(shown.iops(), units), finite(found.value));
    format!("  steadystate  : attained={attained}, bw={rate} ({other}), iops={iops}, {what} {figure}={value:3.3}{}\n", shown.sign())
}

/// An errno in words.
pub(super) fn errno_text(errno: i32) -> String {
    if errno == 0 {
        return "Success".into();
    }
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_errno_in_words() {
        assert_eq!([0, 5, 28].map(super::errno_text), ["Success", "Input/output error", "No space left on device"]);
    }
}
