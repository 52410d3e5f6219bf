//! The table against what fio 3.33 says of itself, and rows that do more than store a value.

use super::*;
use crate::settings::{Checksum, EngineName, JobSettings, ServiceOrder};
use crate::values::ValueContext;
use std::collections::BTreeSet;

const NAMES: &str = include_str!("../../../../fixtures/fio/option-names.txt");
const DEFAULTS: &str = include_str!("../../../../fixtures/fio/option-defaults.txt");

fn applied(name: &str, text: Option<&str>) -> Result<JobSettings, String> {
    let mut settings = JobSettings::default();
    let row = find(name).unwrap_or_else(|| panic!("{name} is not in the table"));
    row.apply(&mut settings, text, &ValueContext::default()).map(|()| settings)
}

fn error(name: &str, text: &str) -> String {
    applied(name, Some(text)).expect_err(&format!("{name}={text}"))
}

#[test]
fn every_option_of_fio_has_a_row_and_no_name_is_there_twice() {
    // Of later versions, for commands that drives have.
    let of_fio: BTreeSet<&str> = NAMES.lines().chain(["write_mode", "verify_mode"]).collect();
    let ours: Vec<&str> = rows().flat_map(OptionRow::names).collect();
    assert_eq!(of_fio, ours.iter().copied().collect());
    assert_eq!(ours.len(), of_fio.len(), "a name is there twice");
}

#[test]
fn settings_begin_with_fios_defaults() {
    // fio prints 0x89 for randseed but goes by randrepeat where none is given, and 1 for thinktime_blocks, which holds beside thinktime_iotime only if it is
    // given; cmd_type is of an engine that is refused, and verify notes for verify_pattern that it is there.
    for line in DEFAULTS.lines() {
        let (name, default) = line.split_once(' ').unwrap();
        if ["randseed", "thinktime_blocks", "cmd_type", "verify"].contains(&name) {
            continue;
        }
        let mut settings = JobSettings::default();
        let applied = find(name).unwrap().apply(&mut settings, Some(default), &ValueContext::default());
        assert_eq!(applied, Ok(()), "{name}={default}");
        assert_eq!(settings, JobSettings::default(), "{name}={default}");
    }
}

#[test]
fn every_row_says_what_it_means_and_what_differs() {
    for row in rows() {
        assert!(row.help.ends_with('.') && row.help.len() > 12, "{}", row.name);
        let text = row.treatment.text();
        assert_eq!(text.is_empty(), row.treatment == OptionTreatment::Honoured, "{}", row.name);
        assert!(
            !text.ends_with('.') && !text.starts_with(char::is_uppercase) || text.starts_with("I/O") || text.starts_with("Linux"),
            "{}: {text}",
            row.name
        );
    }
}

#[test]
fn what_is_refused_says_why_and_takes_a_value_that_asks_for_nothing() {
    assert!(applied("zonemode", Some("none")).is_ok() && applied("zonesize", Some("0")).is_ok());
    assert!(error("cgroup", "a").contains("systemd-run"));
    assert!(error("write_barrier", "4").contains("fdatasync"));
    assert!(applied("bs_unaligned", None).is_err() && applied("bs_unaligned", Some("0")).is_ok());
}

#[test]
fn zones_are_reset_by_share_and_by_writes() {
    let zbd = |name, text| applied(name, Some(text)).unwrap().region.zbd;
    assert!(zbd("zonemode", "zbd").is_set && !zbd("zonemode", "strided").is_set);
    assert_eq!((zbd("zone_reset_threshold", "0.3").reset_above_ppm, zbd("zone_reset_frequency", "0.01").reset_every), (300_000, 100));
    assert_eq!(zbd("zone_reset_frequency", "0").reset_every, 0);
}

#[test]
fn values_out_of_range_are_refused_as_fio_does() {
    #[rustfmt::skip]
    let cases = [
        ("iodepth", "0"), ("bs", "0"), ("numjobs", "0"), ("nice", "-21"), ("nice", "20"), ("prio", "8"), ("rwmixread", "101"),
        ("verify_interval", "0"), ("log_entries", "10"), ("significant_figures", "11"), ("direct", "2"), ("percentile_list", "50:101"),
        ("steadystate", "iops"), ("sync", "2"), ("ignore_error", "FOO"), ("numa_mem_policy", "foo"), ("file_service_type", "zipf:foo"),
        ("sync_file_range", "8"),
    ];
    for (name, text) in cases {
        assert!(!error(name, text).is_empty(), "{name}={text}");
    }
}

#[test]
fn engines_are_known_by_fios_names() {
    for (word, engine) in EngineName::ALL {
        assert_eq!(applied("ioengine", Some(word)).unwrap().engine.name, engine);
    }
    assert_eq!(applied("ioengine", Some("linuxaio")).unwrap().engine.name, EngineName::Libaio);
    let reasons = [
        ("rbd", "goes to another machine"),
        ("dircreate", "moves no data"),
        ("libzbc", "past the block layer"),
        ("cpuio", "does no I/O"),
        ("splice", "no counterpart"),
    ];
    for (word, reason) in reasons {
        let text = error("ioengine", word);
        assert!(text.starts_with(&format!("the engine {word} ")) && text.contains(reason) && text.contains("io_uring"), "{text}");
    }
    assert!(error("ioengine", "uring").contains("is no engine"));
}

#[test]
fn another_engine_forgets_the_options_of_the_last() {
    let mut settings = JobSettings::default();
    let context = ValueContext::default();
    for (name, text) in [("ioengine", Some("io_uring")), ("hipri", None), ("ioengine", Some("io_uring"))] {
        find(name).unwrap().apply(&mut settings, text, &context).unwrap();
    }
    assert!(settings.engine.polled);
    find("ioengine").unwrap().apply(&mut settings, Some("libaio"), &context).unwrap();
    assert!(!settings.engine.polled);
}

#[test]
fn rows_that_do_more_than_store_a_value() {
    assert_eq!(applied("rwmixwrite", Some("30")).unwrap().access.read_percent, 70);
    assert!(applied("buffered", Some("0")).unwrap().access.direct);
    assert!(!applied("pre_read", Some("1")).unwrap().files.invalidate);
    assert_eq!(applied("size", Some("0")).unwrap().region.size, None);
    assert_eq!(applied("loops", Some("0")).unwrap().time.loops, 1, "fio runs once");
    assert_eq!(applied("filesize", Some("8k-4k")).unwrap().files.size_bytes, Some((4096, 8192)));
    assert_eq!(applied("bwavgtime", Some("100")).unwrap().logs.samples.bandwidth_ns, 100_000_000);
    let mut logs = applied("log_avg_msec", Some("100")).unwrap().logs;
    let times = |logs: &crate::settings::Logs| (logs.sample_times().bandwidth_ns, logs.sample_times().ios_ns);
    assert_eq!(times(&logs), (500_000_000, 500_000_000), "log_avg_msec alone changes no sample");
    logs.bandwidth = Some(crate::settings::LogName::OfJob);
    assert_eq!(times(&logs), (100_000_000, 500_000_000));
    logs.samples.bandwidth_ns = 200_000_000;
    assert_eq!(times(&logs), (200_000_000, 500_000_000));
    assert_eq!(applied("thinktime", Some("5")).unwrap().think.ns, 5000);
    assert_eq!(applied("thinktime_iotime", Some("1")).unwrap().think.every_ns, 1_000_000_000);
    assert_eq!(applied("runtime", Some("10")).unwrap().time.runtime_ns, 10_000_000_000);
    assert_eq!(applied("verify", Some("md5")).unwrap().verify.method, Some(Checksum::Header("md5")));
    assert_eq!(applied("file_service_type", Some("random:8")).unwrap().files.service.every, 8);
    assert_eq!(applied("file_service_type", Some("gauss:20")).unwrap().files.service.order, ServiceOrder::Normal(20.0));
    assert_eq!(applied("ignore_error", Some("EAGAIN,ENOSPC:122")).unwrap().errors.ignored, [vec![11], vec![28, 122], vec![]]);
    let steady = applied("ss", Some("iops:0.3%")).unwrap().steady_state;
    assert_eq!((steady.limit, steady.percent), (0.3, true));
    let reduced = applied("gtod_reduce", Some("1")).unwrap().report;
    assert!(reduced.no_clat && reduced.no_slat && reduced.no_lat && reduced.no_bandwidth);
}

#[test]
fn a_pattern_alone_is_verified_unless_verify_says_otherwise() {
    let method = |rows: &[(&str, &str)]| {
        let mut settings = JobSettings::default();
        rows.iter().for_each(|(name, text)| find(name).unwrap().apply(&mut settings, Some(text), &ValueContext::default()).unwrap());
        settings.verify.method
    };
    let (pattern, md5) = (("verify_pattern", "0xab"), ("verify", "md5"));
    assert_eq!(method(&[pattern]), Some(Checksum::Pattern));
    assert_eq!([method(&[pattern, md5]), method(&[md5, pattern])], [Some(Checksum::Header("md5")); 2]);
    assert_eq!([method(&[pattern, ("verify", "0")]), method(&[("verify", "0"), pattern])], [None; 2]);
}

#[test]
fn only_what_asks_for_more_than_the_default_differs() {
    let differs = |name: &str, text| find(name).unwrap().differs_with(Some(text), &ValueContext::default());
    assert!(differs("iodepth_batch_complete_min", "8").unwrap().contains("timed when it comes"));
    assert_eq!(differs("iodepth_batch_complete_min", "1"), None);
    assert_eq!(differs("bs", "8k"), None, "honoured");
    assert_eq!((differs("filesize", "4k"), differs("ioengine", "libaio")), (None, None));
    assert!(differs("filesize", "4k-8k").is_some() && differs("ioengine", "sync").is_some());
    assert!(differs("file_service_type", "random:8").is_some() && differs("file_service_type", "sequential").is_none());
    assert!(differs("allow_mounted_write", "1").unwrap().contains("has no effect"));
}

#[test]
fn buffers_lie_in_a_file_where_one_is_named() {
    let file = |text| applied("iomem", Some(text)).unwrap().memory.file;
    assert_eq!((file("mmapshared:/mnt/buffers"), file("mmapshared"), file("mmap")), (Some("/mnt/buffers".into()), None, None));
    assert!(error("iomem", "mmapshared:").contains("name of a file"));
    assert!(error("iomem", "mmap:/mnt/buffers").contains("not mapped from files"));
}

#[test]
fn the_nearest_name_is_found() {
    assert_eq!(nearest_name("blocksiz"), Some("blocksize"));
    assert_eq!(nearest_name("iodpeth"), Some("iodepth"));
    assert_eq!(nearest_name("hugepage_size"), Some("hugepage-size"));
    assert_eq!(nearest_name("qqqqqqqqqqqq"), None);
}

#[test]
fn the_command_line_knows_which_options_need_no_value() {
    let names = names();
    let takes = |name: &str| names.iter().find(|(known, _)| *known == name).map(|(_, takes)| *takes);
    assert_eq!(takes("group_reporting"), Some(Takes::Optional));
    assert_eq!(takes("wait_for_previous"), Some(Takes::Optional));
    assert_eq!(takes("direct"), Some(Takes::Value));
    assert_eq!(takes("write_bw_log"), Some(Takes::Value), "fio wants a value on the command line");
}
