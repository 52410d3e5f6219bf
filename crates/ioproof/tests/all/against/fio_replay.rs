//! Recorded I/O by fio and by ioproof: what one records the other replays, with the same I/Os at the same places, and both refuse the same logs.
//!
//! Needs fio, no root (`cargo xtask test` brings it in). Both run the same command line in folders that look alike; what differs on purpose is said where it
//! is tested.

use super::fio_both::{Ran, both, fio, ours, run};
use crate::common::said;
use ioproof_core::io_log::RecordedKind;
use ioproof_fio::iolog::IoLog;

const HEAD_3: &str = "fio version 3 iolog\n0 data add\n0 data open\n";
const HEAD_2: &str = "fio version 2 iolog\ndata add\ndata open\n";

/// Asserts that both went well and did the same.
#[track_caller]
fn assert_same(files: &[(&str, &str)], arguments: &[&str], clones: u32) -> [Ran; 2] {
    let arguments = [arguments, &["--write_lat_log=lat", "--log_offset=1"]].concat();
    let [theirs, ours] = both(files, &arguments);
    assert_eq!((theirs.output.status, ours.output.status), (0, 0), "{}{}", theirs.output.stderr, ours.output.stderr);
    assert_eq!(theirs.totals(), ours.totals(), "{arguments:?}");
    for clone in 1..=clones {
        assert_eq!(theirs.ios(clone), ours.ios(clone), "{arguments:?}");
        assert!(!ours.ios(clone).is_empty());
    }
    [theirs, ours]
}

#[test]
fn a_log_is_replayed_as_fio_replays_it() {
    let v3 = format!(
        "{HEAD_3}0 data write 0 4096\n100 data write 20480 8192\n200 data read 4096 4096\n300 data sync 0 0\n400 data read 0 512\n500 data close\n"
    );
    let v2 = format!("{HEAD_2}data write 0 4096\ndata wait 5 0\ndata write 8192 4096\ndata read 0 4096\ndata sync 0 0\ndata close\n");
    let log = "--read_iolog=log";
    for text in [&v3, &v2] {
        let files = [("log", text.as_str())];
        for more in [
            &["--ioengine=psync"][..],
            &["--ioengine=libaio"],
            &["--ioengine=io_uring"],
            &["--replay_no_stall=1", "--rw=randwrite", "--bs=64k", "--size=1m"],
            &["--loops=3", "--number_ios=1", "--io_size=4k"],
        ] {
            assert_same(&files, &[&[log, "--filename=data"], more].concat(), 1);
        }
        // fio 3.33 ends a replay without the bytes of what is under way.
        let [theirs, ours] = both(&files, &[log, "--filename=data", "--ioengine=libaio", "--iodepth=8", "--replay_no_stall=1"]);
        let counts = |ran: &Ran| ran.totals().iter().map(|totals| [totals[0], totals[2], totals[4]]).collect::<Vec<_>>();
        assert_eq!((counts(&theirs), theirs.output.status), (counts(&ours), ours.output.status));
        let [_, ours] = assert_same(&files, &[log, "--replay_redirect=other"], 1);
        assert!(ours.has("other") && !ours.has("data"));
    }
}

#[test]
fn offsets_are_scaled_and_aligned_as_fio_does() {
    let text = format!("{HEAD_3}0 data write 0 4096\n0 data write 20480 4096\n0 data write 12288 8192\n0 data write 13824 512\n");
    let files = [("log", text.as_str())];
    for more in [
        &["--replay_scale=2"][..],
        &["--replay_align=4k"],
        &["--replay_scale=2", "--replay_align=4k"],
        &["--replay_scale=3", "--replay_align=512"],
    ] {
        let arguments = [&["--read_iolog=log", "--filename=data"], more].concat();
        let [theirs, ours] = assert_same(&files, &arguments, 1);
        let size = |ran: &Ran| std::fs::metadata(ran.sandbox.work().join("data")).unwrap().len();
        assert_eq!(size(&theirs), size(&ours));
    }
}

#[test]
fn clones_take_logs_in_turn_and_a_log_may_have_several_files() {
    let one = "fio version 3 iolog\n0 a add\n0 b add\n0 a open\n0 b open\n0 a write 0 4096\n0 b write 4096 4096\n0 a write 8192 512\n";
    let two = "fio version 3 iolog\n0 c add\n0 c open\n0 c write 0 512\n0 c write 512 512\n";
    let files = [("one", one), ("two", two)];
    let [_, ours] = assert_same(&files, &["--read_iolog=one", "--filename=a:b"], 1);
    assert!(ours.has("a") && ours.has("b"));
    assert_same(&files, &["--read_iolog=one:two", "--filename=a:b:c", "--numjobs=3"], 3);
}

#[test]
fn io_is_not_issued_before_its_time() {
    let text = format!("{HEAD_3}0 data write 0 512\n200000 data write 512 512\n500000 data write 1024 512\n");
    let files = [("log", text.as_str())];
    let runtime = |more: &[&str]| {
        let [theirs, ours] = both(&files, &[&["--read_iolog=log", "--filename=data"], more].concat());
        assert_eq!(theirs.totals(), ours.totals());
        [theirs, ours].map(|ran| ran.job(0)["job_runtime"].as_u64().unwrap_or(0))
    };
    // fio counts times from its own start, which is before its job's.
    let [theirs, ours] = runtime(&[]);
    assert!(theirs >= 250 && ours >= 500, "{theirs} {ours}");
    assert!(runtime(&["--replay_time_scale=50"])[1] >= 1000);
    // Twice the speed takes at least half of the time; that it takes no more than a busy machine needs is seen from the one that waits longest.
    assert!(runtime(&["--replay_time_scale=200"])[1] >= 250);
    let text = format!("{HEAD_2}data write 0 512\ndata wait 700 0\ndata write 512 512\n");
    let [theirs, ours] = both(&[("log", text.as_str())], &["--read_iolog=log", "--filename=data"]);
    let runtimes = [&theirs, &ours].map(|ran| ran.job(0)["job_runtime"].as_u64().unwrap_or(0));
    assert!(runtimes[0] >= 300 && runtimes[1] >= 700, "{runtimes:?}: a wait is in milliseconds from the start");
}

#[test]
fn what_fio_cannot_replay_ours_cannot_either() {
    let beyond = format!("{HEAD_3}0 data read 0 4096\n0 data read 409600 4096\n");
    let unopened = "fio version 3 iolog\n0 data add\n".to_owned();
    for (text, part) in [
        ("fio version 1 iolog\n", "line 1: version 1"),
        ("fio version 4 iolog\n", "line 1"),
        ("", "line 1"),
        ("fio version 3 iolog\n", "no I/O"),
        (unopened.as_str(), "no I/O"),
        (beyond.as_str(), "409600"),
    ] {
        let part = if part == "409600" { "413696" } else { part };
        let [theirs, ours] = both(&[("log", text), ("data", "x")], &["--read_iolog=log", "--filename=data"]);
        assert!(theirs.output.status != 0 && ours.output.status == 2, "{text}: {} {}", theirs.output.status, ours.output.status);
        assert!(ours.output.stderr.contains(part), "{text}: {}", ours.output.stderr);
        assert_eq!(ours.text("data"), "x");
    }
    let [theirs, ours] = both(&[], &["--read_iolog=log", "--filename=data"]);
    assert!(
        theirs.output.status != 0 && ours.output.status == 2 && ours.output.stderr.contains("read_iolog=log: "),
        "{}",
        ours.output.stderr
    );
}

/// fio passes over a line that it cannot read, and 3.33 skips nothing of its own logs.
#[test]
fn what_ours_does_otherwise_on_purpose() {
    let text = format!("{HEAD_3}0 data write 0 4096\n0 data dance 0 4096\n");
    let [theirs, ours] = both(&[("log", text.as_str())], &["--read_iolog=log", "--filename=data"]);
    assert_eq!((theirs.output.status, ours.output.status), (0, 2));
    assert!(ours.output.stderr.contains("line 5: \"dance\" is no action") && !ours.has("data"), "{}", ours.output.stderr);
    let text = format!("{HEAD_3}0 data write 0 4096\n0 data read 0 4096\n0 data sync 0 0\n");
    let [theirs, ours] = both(&[("log", text.as_str())], &["--read_iolog=log", "--filename=data", "--replay_skip=read,sync"]);
    assert_eq!((theirs.totals(), ours.totals()), (vec![[1, 4096, 1, 4096, 1]], vec![[0, 0, 1, 4096, 0]]));
}

#[test]
fn a_log_is_held_to_the_rule_of_writing() {
    let text = format!("{HEAD_3}0 data write 0 4096\n");
    let mine = "my own words, which no log may touch";
    let files = [("log", text.as_str()), ("data", mine)];
    let refused = |more: &[&str], part: &str| {
        let ran = run(ours, &files, &[&["--read_iolog=log"], more].concat());
        assert!(ran.output.status == 2 && ran.output.stderr.contains(part), "{more:?}: {}", ran.output.stderr);
        assert_eq!(ran.text("data"), mine);
    };
    refused(&[], "goes to data, which the job does not name");
    refused(&["--filename=other"], "goes to data, which the job does not name");
    refused(&["--filename=data"], "data");
    refused(&["--replay_redirect=data"], "data");
    refused(&["--filename=data", "--overwrite=data", "--readonly"], "--readonly");
    for more in [&["--filename=data", "--overwrite=data"][..], &["--overwrite=data"], &["--replay_redirect=data", "--overwrite=data"]] {
        let ran = run(ours, &files, &[&["--read_iolog=log"], more].concat());
        assert_eq!(ran.output.status, 0, "{more:?}: {}", ran.output.stderr);
        assert_ne!(ran.text("data"), mine);
    }
    let reads = format!("{HEAD_3}0 data read 0 16\n");
    let ran = run(ours, &[("log", reads.as_str()), ("data", mine)], &["--read_iolog=log", "--filename=data", "--readonly"]);
    assert_eq!((ran.output.status, ran.totals(), ran.text("data").as_str()), (0, vec![[1, 16, 0, 0, 0]], mine), "{}", ran.output.stderr);
}

/// Kinds, files, offsets and sizes in order.
fn recorded(log: &IoLog) -> Vec<(RecordedKind, u32, u64, u32)> {
    log.ios.iter().map(|io| (io.kind, io.target, io.offset_bytes, io.bytes)).collect()
}

#[test]
fn what_one_records_the_other_replays() {
    for job in [
        &["--filename=data", "--size=64k", "--bs=4k", "--rw=write"][..],
        &["--filename=a:b", "--size=64k", "--bs=4k", "--rw=write"],
        &["--filename=data", "--size=64k", "--bs=4k", "--rw=write", "--fdatasync=4"],
        &["--filename=data", "--size=64k", "--bs=4k", "--rw=write", "--verify=crc32c"],
    ] {
        let [theirs, us] = both(&[], &[job, &["--write_iolog=out"]].concat());
        assert_eq!((theirs.output.status, us.output.status), (0, 0), "{job:?}: {}", us.output.stderr);
        let logs = [theirs.log("out"), us.log("out")];
        assert_eq!(recorded(&logs[0]), recorded(&logs[1]), "{job:?}");
        assert_eq!(logs[0].files, logs[1].files);
        let (by_fio, by_us) = (theirs.text("out"), us.text("out"));
        let replay = [job[0], "--read_iolog=log", "--replay_no_stall=1"];
        let all = [run(fio, &[("log", &by_us)], &replay), run(ours, &[("log", &by_fio)], &replay)];
        // fio 3.33 does not count a datasync that it replays.
        let ios = |ran: &Ran| ran.totals().iter().map(|totals| totals[..4].to_vec()).collect::<Vec<_>>();
        assert_eq!(ios(&all[0]), ios(&all[1]), "{job:?}: {}", all[1].output.stderr);
        assert!(all[1].totals()[0][2] >= 16);
    }
}

#[test]
fn a_log_grows_by_clones_and_by_runs_and_spares_what_is_not_ours() {
    let job = ["--filename=data", "--size=8k", "--bs=4k", "--rw=write", "--write_iolog=out", "--numjobs=2"];
    let ran = run(ours, &[], &job);
    let headers = |text: &str| text.matches("fio version 3 iolog").count();
    assert_eq!((ran.output.status, headers(&ran.text("out"))), (0, 2), "{}", ran.output.stderr);
    let again = said(ran.sandbox.command(&["run"]).args(["--name=job"]).args(job).output().unwrap());
    assert_eq!((again.status, headers(&ran.text("out"))), (0, 4), "{}", again.stderr);
    let mine = run(ours, &[("out", "my own words")], &job);
    assert_eq!((mine.output.status, mine.text("out").as_str(), mine.has("data")), (2, "my own words", false), "{}", mine.output.stderr);
}

#[test]
fn the_ramp_is_recorded_too() {
    let job = [
        "--filename=data",
        "--size=1m",
        "--bs=4k",
        "--rw=read",
        "--write_iolog=out",
        "--ramp_time=200ms",
        "--runtime=200ms",
        "--time_based",
        "--thinktime=10ms",
    ];
    for ran in both(&[], &job) {
        let counted = ran.totals()[0][0];
        let recorded = ran.log("out").ios.len() as u64;
        assert!(ran.output.status == 0 && counted > 0 && recorded > counted, "{recorded} of {counted}: {}", ran.output.stderr);
    }
}
