//! fio's terse lines: fields between semicolons, one line a job, versions 2 to 5.
//!
//! Times are microseconds here, throughput KiB/s. Version 3 leaves trims out, 4 brings them, 5 adds the counts behind the samples;
//! version 2 is 4 without the program's version, and has the description on a line of its own.

use super::disk::{below, flat};
use super::latency::Latency;
use super::number::{finite, whole};
use super::side::{self, Figures};
use super::{FIO_VERSION, shares};
use crate::results::{DiskUse, JobResult, Results, Unified};

const PERCENTILES: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum TerseVersion {
    V2,
    #[default]
    V3,
    V4,
    V5,
}

impl TerseVersion {
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::V2, Self::V3, Self::V4, Self::V5].into_iter().find(|version| version.number() == number)
    }

    fn number(self) -> u32 {
        self as u32 + 2
    }
}

pub fn terse(results: &Results, version: TerseVersion) -> String {
    results.jobs.iter().map(|job| line(job, results, version)).collect()
}

fn line(job: &JobResult, results: &Results, version: TerseVersion) -> String {
    let mut fields = head(job, version);
    for f in sides(job, version) {
        direction(&mut fields, &f, job, version);
    }
    fields.extend([percent6(job.cpu_user_percent), percent6(job.cpu_system_percent)]);
    fields.extend([job.context_switches, job.major_faults, job.minor_faults].map(|n| n.to_string()));
    classes(&mut fields, job);
    disks(&mut fields, results);
    if job.continue_on_error {
        fields.extend([job.all_errors().to_string(), job.error.to_string()]);
    }
    let line = fields.join(";");
    match (&job.description, version) {
        (None, _) => line + "\n",
        (Some(text), TerseVersion::V2) => format!("{line}\n;{}\n", plain(text)),
        (Some(text), _) => format!("{line};{}\n", plain(text)),
    }
}

fn head(job: &JobResult, version: TerseVersion) -> Vec<String> {
    let mut fields = vec![version.number().to_string()];
    if version != TerseVersion::V2 {
        fields.push(FIO_VERSION.to_owned());
    }
    fields.extend([plain(&job.name), job.group.to_string(), job.error.to_string()]);
    fields
}

fn sides(job: &JobResult, version: TerseVersion) -> Vec<Figures> {
    if job.unified == Unified::Mixed {
        return vec![side::mixed(job)];
    }
    let count = if version == TerseVersion::V3 { 2 } else { 3 };
    let mut sides: Vec<Figures> = side::separate(job).into_iter().take(count).collect();
    if job.unified == Unified::Both {
        sides.push(side::mixed(job));
    }
    sides
}

fn direction(fields: &mut Vec<String>, f: &Figures, job: &JobResult, version: TerseVersion) {
    let (rate, iops) = (whole(f.bytes_per_s() / 1024.0), whole(f.iops()));
    fields.extend([f.bytes / 1024, rate, iops, f.runtime_ms].map(|n| n.to_string()));
    latency(fields, &f.slat);
    latency(fields, &f.clat);
    percentiles(fields, if job.reported.lat_percentiles { &f.lat } else { &f.clat }, &job.percentiles);
    latency(fields, &f.lat);
    let bandwidth = &f.bandwidth;
    fields.extend([bandwidth.min, bandwidth.max].map(|n| whole(n / 1024.0).to_string()));
    fields.extend([percent6(f.share_percent), float(bandwidth.mean / 1024.0), float(bandwidth.deviation / 1024.0)]);
    if version == TerseVersion::V5 {
        fields.extend([bandwidth.count, whole(f.iops.min), whole(f.iops.max)].map(|n| n.to_string()));
        fields.extend([float(f.iops.mean), float(f.iops.deviation), f.iops.count.to_string()]);
    }
}

fn latency(fields: &mut Vec<String>, l: &Latency) {
    fields.extend([(l.min / 1000).to_string(), (l.max / 1000).to_string(), float(l.mean / 1000.0), float(l.deviation / 1000.0)]);
}

/// Where nothing was done, the percentiles are there all the same, with zero.
fn percentiles(fields: &mut Vec<String>, l: &Latency, wanted: &[f64]) {
    let found = l.percentiles.iter().map(|(percent, ns)| format!("{:.6}%={}", finite(*percent), ns / 1000));
    let none =
        wanted.iter().map(|percent| format!("{:.6}%=0", finite(*percent))).take(if l.percentiles.is_empty() { PERCENTILES } else { 0 });
    let given = found.chain(none);
    fields.extend(given.chain(std::iter::repeat_n("0%=0".to_owned(), PERCENTILES)).take(PERCENTILES));
}

fn classes(fields: &mut Vec<String>, job: &JobResult) {
    let spread = shares::spread(job);
    fields.extend(shares::depths(job).map(|share| format!("{share:3.1}%")));
    let below_us = spread.ns.iter().sum::<f64>();
    // There are no classes below 2 microseconds here: what is shorter is counted in the first.
    let us = spread.us.iter().enumerate().map(|(n, share)| if n == 0 { share + below_us } else { *share });
    fields.extend(us.chain(spread.ms).map(|share| format!("{share:3.2}%")));
}

fn disks(fields: &mut Vec<String>, results: &Results) {
    let counts = |d: &DiskUse| {
        let counts = [d.ios.0, d.ios.1, d.merges.0, d.merges.1, d.ticks_ms.0, d.ticks_ms.1, d.in_queue_ms];
        counts.map(|n| n.to_string()).into_iter().chain([format!("{:3.2}%", finite(d.busy_percent))])
    };
    for d in results.disks.iter().flat_map(flat) {
        fields.push(plain(&d.name));
        fields.extend(counts(d));
        fields.extend(below(d).iter().flat_map(counts));
    }
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn float(n: f64) -> String {
    format!("{:.6}", finite(n))
}

fn percent6(n: f64) -> String {
    float(n) + "%"
}
