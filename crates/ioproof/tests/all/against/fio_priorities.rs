//! Priorities of single I/Os by fio and by ioproof: the same shares, and the same lines and keys of latency by priority.
//!
//! Needs fio, no root (`cargo xtask test` brings it in): the classes are such that everybody may use them.

use super::fio_both::{Ran, both};
use serde_json::Value;
use std::collections::BTreeSet;

const JOB: [&str; 7] = ["--filename=data", "--size=1m", "--direct=1", "--iodepth=4", "--rw=randread", "--norandommap", "--number_ios=1000"];
const MORE: [&str; 2] = ["--io_size=1g", "--bs=4k"];

/// Class, level and I/Os of each priority of the reads.
fn priorities(ran: &Ran) -> Vec<(u64, u64, u64)> {
    let number = |value: &Value| value.as_u64().unwrap_or(u64::MAX);
    let of = |one: &Value| {
        let latency = if one["lat_ns"].is_null() { &one["clat_ns"] } else { &one["lat_ns"] };
        (number(&one["prioclass"]), number(&one["prio"]), number(&latency["N"]))
    };
    ran.job(0)["read"]["prios"].as_array().into_iter().flatten().map(of).collect()
}

/// Keys below the priorities, with those below them.
fn keys(ran: &Ran) -> BTreeSet<String> {
    let names = |value: &Value| value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    let of = |one: &Value| names(one).into_iter().chain(names(&one["clat_ns"])).chain(names(&one["lat_ns"])).collect::<Vec<_>>();
    ran.job(0)["read"]["prios"].as_array().into_iter().flatten().flat_map(of).collect()
}

/// The words of the lines about priorities, without figures and units.
fn lines(ran: &Ran) -> Vec<String> {
    let about = ran.report.lines().filter(|line| line.contains(" prio "));
    about.map(|line| line.split(" (").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn latency_is_shown_by_priority_as_fio_shows_it() {
    for engine in ["--ioengine=libaio", "--ioengine=io_uring"] {
        for (more, share) in [
            (&["--cmdprio_percentage=30", "--cmdprio_class=2", "--cmdprio=3"][..], Some(0.3)),
            (&["--cmdprio_percentage=30,0", "--cmdprio_class=2", "--cmdprio=3", "--lat_percentiles=1"], Some(0.3)),
            (&["--cmdprio_percentage=100", "--cmdprio_class=3"], None),
            (&["--cmdprio_percentage=40", "--cmdprio_class=2", "--clat_percentiles=0"], Some(0.4)),
            (&["--cmdprio_percentage=40", "--cmdprio_class=2", "--disable_clat=1"], None),
            (&["--cmdprio=3"], None),
            (&["--cmdprio_bssplit=4k/20:8k/60", "--cmdprio_class=2", "--cmdprio=4"], Some(0.2)),
            (&["--cmdprio_bssplit=4k/20/2/1:4k/30/2/6", "--prio=5", "--prioclass=2"], Some(0.5)),
        ] {
            let arguments = [&[engine][..], &JOB, &MORE, more].concat();
            let [theirs, ours] = both(&[], &arguments);
            assert_eq!((theirs.output.status, ours.output.status), (0, 0), "{more:?}: {}{}", theirs.output.stderr, ours.output.stderr);
            let classes = |ran: &Ran| priorities(ran).iter().map(|(class, level, _)| (*class, *level)).collect::<Vec<_>>();
            assert_eq!(classes(&theirs), classes(&ours), "{more:?}");
            assert_eq!((keys(&theirs), lines(&theirs)), (keys(&ours), lines(&ours)), "{more:?}");
            assert_eq!(ours.totals(), theirs.totals());
            let Some(share) = share else { continue };
            for ran in [&theirs, &ours] {
                let all = priorities(ran);
                let own: u64 = all.iter().skip(1).map(|(.., ios)| ios).sum();
                assert_eq!(all.iter().map(|(.., ios)| ios).sum::<u64>(), 1000);
                // Five deviations of so many draws.
                assert!((own as f64 / 1000.0 - share).abs() < 5.0 * (share * (1.0 - share) / 1000.0).sqrt(), "{more:?}: {all:?}");
            }
        }
    }
}

#[test]
fn a_log_has_the_priority_of_each_io() {
    let more = ["--ioengine=libaio", "--cmdprio_percentage=30", "--cmdprio_class=2", "--cmdprio=3", "--write_lat_log=lat", "--log_prio=1"];
    let seen = |ran: &Ran| {
        let text = ran.text("lat_clat.1.log");
        let last = |line: &str| line.rsplit(',').next().unwrap_or_default().trim().to_owned();
        text.lines().map(last).collect::<BTreeSet<String>>()
    };
    let [theirs, ours] = both(&[], &[&JOB[..], &MORE, &more].concat());
    assert_eq!(seen(&theirs), seen(&ours));
    assert_eq!(seen(&ours).len(), 2);
}

#[test]
fn shares_of_all_and_by_size_exclude_each_other() {
    let more = ["--ioengine=libaio", "--cmdprio_percentage=30", "--cmdprio_bssplit=4k/20"];
    let [theirs, ours] = both(&[], &[&JOB[..], &MORE, &more].concat());
    assert!(theirs.output.status != 0 && ours.output.status == 2, "{}", ours.output.stderr);
    assert!(ours.output.stderr.contains("exclude each other"), "{}", ours.output.stderr);
}
