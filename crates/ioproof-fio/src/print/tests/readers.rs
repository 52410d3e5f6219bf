//! Keys and lines that people's tools look for in fio's outputs.

use super::made_up;
use crate::print::{json, text};
use serde_json::Value;

fn parsed() -> Value {
    serde_json::from_str(&json(&made_up::one_job(), true)).unwrap()
}

#[test]
fn keys_that_plotters_and_scripts_read() {
    let json = parsed();
    let paths = "/fio version|/timestamp|/time|/global options/ioengine|/jobs/0/jobname|/jobs/0/error|/jobs/0/usr_cpu|/jobs/0/sys_cpu\
        |/jobs/0/job options/rw|/jobs/0/job options/iodepth|/jobs/0/job options/numjobs|/jobs/0/job options/bs\
        |/jobs/0/read/bw|/jobs/0/read/iops|/jobs/0/read/iops_stddev|/jobs/0/read/iops_mean|/jobs/0/read/bw_mean|/jobs/0/read/total_ios\
        |/jobs/0/read/lat_ns/mean|/jobs/0/read/lat_ns/stddev|/jobs/0/read/clat_ns/N|/jobs/0/read/clat_ns/mean|/jobs/0/write/bw\
        |/jobs/0/read/clat_ns/percentile/99.000000|/jobs/0/latency_ns/1000|/jobs/0/latency_us/250|/jobs/0/latency_ms/>=2000\
        |/disk_util/0/util|/ioproof/run_id";
    for path in paths.split('|') {
        assert!(json.pointer(path).is_some(), "{path}");
    }
    assert_eq!(json["jobs"][0]["job options"]["iodepth"], "16", "options are texts");
    assert_eq!(json["jobs"][0]["read"]["bw"], 10_000, "KiB/s");
    assert_eq!(json["jobs"][0]["read"]["iops"], 2500.0);
}

#[test]
fn steady_state_is_where_plotters_look() {
    let json: Value = serde_json::from_str(&json(&made_up::mixed(), false)).unwrap();
    let steady = &json["jobs"][0]["steadystate"];
    assert_eq!(
        (&steady["attained"], &steady["data"]["iops_mean"], &steady["data"]["bw_mean"]),
        (&1.into(), &1000.into(), &65_572_612.into())
    );
}

#[test]
fn nothing_stands_before_the_document() {
    assert!(json(&made_up::one_job(), false).starts_with("{\n"));
}

/// As parsers of the text go about it: `read: IOP` begins a direction, `BW=` the rate, the first line that starts with `lat` has its unit
/// from column 5, and `IO depths` ends it.
#[test]
fn text_has_the_marks_that_parsers_look_for() {
    let text = text(&made_up::one_job());
    let line = |mark: &str| text.lines().find(|line| line.trim_start().starts_with(mark)).unwrap_or_else(|| panic!("{mark}")).trim_start();
    let rate = line("read: IOP").split("BW=").nth(1).unwrap().split("MiB").next().unwrap();
    assert_eq!(rate.parse::<f64>().unwrap(), 9.77);
    assert_eq!(&line("lat")[5..9], "usec");
    assert_eq!(line("bw (").split("KiB/s): min=").nth(1).unwrap().split(',').next(), Some("65736"));
    assert!(line("IO depths").starts_with("IO depths    : 1="));
    assert!(line("iops").starts_with("iops        : min=  968, max=20522, avg=17843.33, stdev= 0.50, samples=4"));
    for mark in
        ["Run status group 0 (all jobs):", "Disk stats (read/write):", "issued rwts: total=5000,0,0,0 short=0,0,0,0 dropped=0,0,0,0"]
    {
        assert!(text.contains(mark), "{mark}");
    }
}
