//! One job: `name: (groupid=0, jobs=1): err= 0: pid=1: date` and what it did.

use super::{latency, samples, tail};
use crate::print::side::{self, Figures, PriorityFigures};
use crate::results::{JobResult, Units};
use ioproof_core::text::visible;

pub(super) fn job(job: &JobResult, time: &str) -> String {
    if job.error == 0 && !side::did_io(job) {
        return String::new();
    }
    let sides: String = side::reported(job).iter().filter(|f| f.runtime_ms > 0 || f.ios > 0).map(|f| direction(f, job.units)).collect();
    format!("{}{sides}{}", head(job, time), tail::tail(job))
}

fn head(job: &JobResult, time: &str) -> String {
    let error = if job.error == 0 { String::new() } else { format!(" (func=io, error={})", tail::errno_text(job.error)) };
    let first = format!(
        "{}: (groupid={}, jobs={}): err={:2}{error}: pid={}: {}\n",
        visible(&job.name),
        job.group,
        job.clones.max(1),
        job.error,
        job.pid,
        visible(time)
    );
    let description = job.description.as_ref().map(|text| format!("  Description  : [{}]\n", visible(text)));
    first + &description.unwrap_or_default()
}

fn direction(f: &Figures, units: Units) -> String {
    let resets = if f.name == "write" { "; 0 zone resets" } else { "" };
    let latencies = [(" slat", &f.slat), (" clat", &f.clat), ("  lat", &f.lat)];
    let lines: String = latencies.iter().map(|(name, l)| latency::line(name, l)).collect();
    let blocks: String = latencies.iter().map(|(name, l)| latency::percentiles(name.trim(), l)).collect();
    let of = |f: &PriorityFigures| format!("{} prio {}/{}", f.name, f.class, f.level);
    let of_priorities: String = f.priorities.iter().map(|f| latency::line(&format!(" {}", of(f)), &f.latency)).collect();
    let named = |f: &PriorityFigures| format!("{} ({:.2}% of IOs)", of(f), f.share_percent);
    let priority_blocks: String = f.priorities.iter().map(|f| latency::percentiles(&named(f), &f.latency)).collect();
    let (lines, blocks) = (lines + &of_priorities, blocks + &priority_blocks);
    format!("{}{resets}\n{lines}{blocks}{}", samples::amounts(f, units), samples::samples(f, units))
}
