//! fio's JSON+ turned back into [`Results`], so that our text and terse line can be held against fio's own of the same run.
//!
//! A histogram comes back with fio's bins, so its deviation is near fio's and not equal to it.

use super::bins::bin_of;
use crate::results::{
    DirectionResult, DiskUse, GroupResult, GroupSide, JobResult, LatencyTargetResult, Reported, Results, Samples, SteadyStateResult,
    Unified,
};
use ioproof_core::histogram::{self, Histogram};
use serde_json::Value;

pub(super) fn results_of(json: &Value) -> Results {
    let jobs: Vec<JobResult> = list(&json["jobs"]).iter().map(job_of).collect();
    Results {
        timestamp_ms: whole(&json["timestamp_ms"]),
        time: text(&json["time"]),
        global_options: options_of(&json["global options"]),
        groups: groups_of(&jobs),
        jobs,
        disks: list(&json["disk_util"]).iter().map(disk_of).collect(),
        ..Results::default()
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn options_of(value: &Value) -> Vec<(String, String)> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.map(|(key, value)| (key.clone(), text(value))).collect()
}

fn job_of(json: &Value) -> JobResult {
    let [read, write, trim] = sides_of(json);
    let wanted =
        |key: &str| [&json["read"], &json["write"], &json["trim"], &json["mixed"]].iter().any(|s| s[key]["percentile"].is_object());
    JobResult {
        name: text(&json["jobname"]),
        description: json.get("desc").map(text),
        group: whole(&json["groupid"]) as u32,
        options: options_of(&json["job options"]),
        error: json["error"].as_i64().unwrap() as i32,
        errors_total: whole(&json["total_err"]),
        continue_on_error: json.get("total_err").is_some(),
        runtime_ms: whole(&json["job_runtime"]),
        elapsed_s: whole(&json["elapsed"]),
        sync: sync_of(&json["sync"]),
        cpu_user_percent: float(&json["usr_cpu"]),
        cpu_system_percent: float(&json["sys_cpu"]),
        context_switches: whole(&json["ctx"]),
        major_faults: whole(&json["majf"]),
        minor_faults: whole(&json["minf"]),
        depth: whole(&json["latency_depth"]) as u32,
        queue: queue_of(json, [&read, &write, &trim].iter().map(|s| s.io.ios).sum()),
        percentiles: percentiles_of(json),
        reported: Reported {
            slat_percentiles: wanted("slat_ns"),
            clat_percentiles: wanted("clat_ns"),
            lat_percentiles: wanted("lat_ns"),
            ..Reported::default()
        },
        latency_target: LatencyTargetResult {
            depth: whole(&json["latency_depth"]) as u32,
            target_ns: whole(&json["latency_target"]),
            percentile: float(&json["latency_percentile"]),
            window_ns: whole(&json["latency_window"]) * 1000,
        },
        steady_state: json.get("steadystate").map(steady_of),
        unified: if json.get("read").is_none() { Unified::Mixed } else { Unified::Separate },
        read,
        write,
        trim,
        ..JobResult::default()
    }
}

/// Puts unified figures into the reads: they cannot be taken apart, but add up the same.
fn sides_of(json: &Value) -> [DirectionResult; 3] {
    if json.get("mixed").is_some() && json.get("read").is_none() {
        return [side_of(&json["mixed"]), DirectionResult::default(), DirectionResult::default()];
    }
    ["read", "write", "trim"].map(|name| side_of(&json[name]))
}

fn side_of(json: &Value) -> DirectionResult {
    let mut side = DirectionResult {
        runtime_ms: whole(&json["runtime"]),
        short_ios: whole(&json["short_ios"]),
        dropped_ios: whole(&json["drop_ios"]),
        bandwidth: samples(json, "bw", "dev", 1024.0),
        iops: samples(json, "iops", "stddev", 1.0),
        bandwidth_share_percent: float(&json["bw_agg"]),
        ..DirectionResult::default()
    };
    side.io.ios = whole(&json["total_ios"]);
    side.io.bytes = whole(&json["io_bytes"]);
    side.io.latency = latency_of(&json["lat_ns"]);
    side.io.completion = Some(latency_of(&json["clat_ns"])).filter(|h| h.count() > 0);
    side.io.submission = Some(latency_of(&json["slat_ns"])).filter(|h| h.count() > 0);
    side
}

fn samples(json: &Value, name: &str, deviation: &str, unit: f64) -> Samples {
    let of = |what: &str| float(&json[format!("{name}_{what}")]) * unit;
    let count = whole(&json[format!("{name}_samples")]);
    Samples { count, min: of("min"), max: of("max"), mean: of("mean"), deviation: of(deviation) }
}

fn latency_of(json: &Value) -> Histogram {
    let mut counts = vec![0u64; histogram::BINS];
    let count = whole(&json["N"]);
    let mean = float(&json["mean"]);
    match json["bins"].as_object() {
        Some(bins) => bins.iter().for_each(|(ns, n)| counts[histogram::bin_of(ns.parse().unwrap())] += whole(n)),
        None => counts[histogram::bin_of(mean as u64)] = count,
    }
    let sum = (mean * count as f64).round() as u128;
    Histogram::from_bins(counts.into_iter(), sum, whole(&json["min"]), whole(&json["max"]))
}

fn sync_of(json: &Value) -> ioproof_core::record::Direction {
    ioproof_core::record::Direction { ios: whole(&json["total_ios"]), latency: latency_of(&json["lat_ns"]), ..Default::default() }
}

fn percentiles_of(json: &Value) -> Vec<f64> {
    let sides = ["read", "write", "trim", "mixed"].map(|name| &json[name]);
    let found = sides.iter().flat_map(|side| ["slat_ns", "clat_ns", "lat_ns"].map(|key| &side[key]["percentile"]));
    let found = found.chain([&json["sync"]["lat_ns"]["percentile"]]).find_map(Value::as_object);
    // A job that did nothing shows none; these are fio's own.
    if found.is_none() {
        return super::tests::PERCENTILES.into();
    }
    let mut all: Vec<f64> = found.into_iter().flatten().map(|(key, _)| key.parse().unwrap()).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn queue_of(json: &Value, ios: u64) -> ioproof_core::record::QueueUse {
    let part = |object: &str, keys: &[&str], all: u64| -> Vec<u64> {
        keys.iter().map(|key| (float(&json[object][*key]) / 100.0 * all as f64).round() as u64).collect()
    };
    let batches = ["", "4", "8", "16", "32", "64", ">=64"];
    ioproof_core::record::QueueUse {
        depths: part("iodepth_level", &super::shares::DEPTHS, ios),
        submitted: part("iodepth_submit", &batches, 100_000_000),
        reaped: part("iodepth_complete", &batches, 100_000_000),
        after_pause: None,
    }
}

fn steady_of(json: &Value) -> SteadyStateResult {
    let (kind, limit) = text(&json["ss"]).split_once(':').map(|(k, l)| (k.to_owned(), l.to_owned())).unwrap();
    let numbers = |value: &Value| list(value).iter().map(float).collect();
    SteadyStateResult {
        criterion: format!("{kind}:{limit}"),
        duration_s: whole(&json["duration"]),
        attained: whole(&json["attained"]) == 1,
        is_judged: true,
        value: text(&json["criterion"]).trim_end_matches('%').parse().unwrap(),
        limit: limit.trim_end_matches('%').parse().unwrap(),
        percent: limit.ends_with('%'),
        slope: float(&json["slope"]),
        deviation: float(&json["max_deviation"]),
        iops: numbers(&json["data"]["iops"]),
        bytes_per_s: numbers(&json["data"]["bw"]),
    }
}

fn disk_of(json: &Value) -> DiskUse {
    let pair = |a: &str, b: &str| (whole(&json[a]), whole(&json[b]));
    DiskUse {
        name: text(&json["name"]),
        ios: pair("read_ios", "write_ios"),
        merges: pair("read_merges", "write_merges"),
        ticks_ms: pair("read_ticks", "write_ticks"),
        in_queue_ms: whole(&json["in_queue"]),
        busy_percent: float(&json["util"]),
        ..DiskUse::default()
    }
}

fn groups_of(jobs: &[JobResult]) -> Vec<GroupResult> {
    let count = jobs.iter().map(|job| job.group + 1).max().unwrap_or(0);
    (0..count).map(|group| GroupResult { group, sides: [0, 1, 2].map(|n| group_side(jobs, group, n)) }).collect()
}

fn group_side(jobs: &[JobResult], group: u32, n: usize) -> Option<GroupSide> {
    let sides = jobs.iter().filter(|job| job.group == group).map(|job| [&job.read, &job.write, &job.trim][n]);
    let sides: Vec<&DirectionResult> = sides.filter(|side| side.runtime_ms > 0).collect();
    let rate = |side: &&DirectionResult| (side.io.bytes as f64 * 1000.0 / side.runtime_ms as f64).floor();
    let longest = sides.iter().map(|side| side.runtime_ms).max()?;
    let bytes = sides.iter().map(|side| side.io.bytes).sum();
    Some(GroupSide {
        bytes,
        total_bytes_per_s: bytes as f64 * 1000.0 / longest as f64,
        min_bytes_per_s: sides.iter().map(rate).reduce(f64::min)?,
        max_bytes_per_s: sides.iter().map(rate).reduce(f64::max)?,
        min_runtime_ms: sides.iter().map(|side| side.runtime_ms).min()?,
        max_runtime_ms: longest,
    })
}

#[test]
fn bins_come_back_as_they_were() {
    let json = serde_json::json!({ "N": 3, "mean": 1332.0, "min": 1000, "max": 2000, "bins": { "1004": 2, "1992": 1 } });
    let latency = super::latency::Latency::from_histogram(Some(&latency_of(&json)), &[]);
    assert_eq!(latency.bins, [(bin_of(1004), 2), (bin_of(1992), 1)]);
    assert_eq!((latency.min, latency.max, latency.mean), (1000, 2000, 1332.0));
}
