//! Messages of `ioproof run` to its user: why a job failed, which CPUs there are, what a dry run foresees, and which stored run is the last.

use crate::common;
use crate::common::{ProgramOutput, Sandbox, said};
use serde_json::Value;

/// `ioproof run` on a file of 64 KiB: `f`, unless the options name another.
fn run(sandbox: &Sandbox, options: &[&str]) -> ProgramOutput {
    let job = ["run", "--name=a", "--size=64k", "--rw=read"];
    let names_a_file = options.iter().any(|option| option.starts_with("--filename="));
    let file = if names_a_file { &[][..] } else { &["--filename=f"] };
    sandbox.run(&[&job[..], file, options].concat())
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("f", 64 << 10);
    sandbox
}

/// The lines of errors and hints, which must be the last of all.
fn errors(said: &ProgramOutput) -> Vec<&str> {
    let lines: Vec<&str> = said.stderr.lines().collect();
    let is_error = |line: &&str| line.starts_with("error: ") || line.starts_with("hint: ");
    let first = lines.iter().take_while(|line| !is_error(line)).count();
    assert!(lines[first..].iter().all(is_error), "something stands after the errors: {}", said.stderr);
    lines[first..].to_vec()
}

#[test]
fn names_that_are_no_text_or_are_given_twice_are_refused_and_nobody_waits_for_the_kernel() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = sandbox();
    let mut command = sandbox.command(&["run", "--name=a", "--rw=write", "--size=64k"]);
    let said = common::said(command.arg(std::ffi::OsStr::from_bytes(b"--filename=a\xff")).output().unwrap());
    said.refuses(&["--filename=a", "no UTF-8 text"]);
    run(&sandbox, &["--output=z_bw.1.log", "--write_bw_log=z"]).refuses(&["z_bw.1.log", "by --output and by a log"]);
    std::fs::write(sandbox.work().join("k.fio"), "[a]\ninclude /proc/kmsg\n").unwrap();
    assert_eq!(sandbox.run(&["run", "k.fio", "--dry-run"]).status, 2);
    assert_eq!(std::fs::read_dir(sandbox.work()).unwrap().count(), 2, "nothing was made");
}

#[test]
fn why_a_job_failed_is_an_error_and_the_last_that_is_said() {
    let sandbox = sandbox();
    let odd = run(&sandbox, &["--bs=3000", "--direct=1"]);
    assert_eq!(odd.status, 2);
    let said = errors(&odd);
    assert!(said.len() == 1 && said[0].starts_with("error: a: ") && said[0].contains("3000 bytes"), "{said:?}");
    assert!(odd.stdout.contains(&format!("ioproof: {}\n", &said[0]["error: ".len()..])), "{}", odd.stdout);
    // What reads and writes verifies what it wrote.
    let mixed = run(&sandbox, &["--verify=crc32c", "--rw=randrw", "--rwmixread=100", "--filename=mixed"]);
    assert!(mixed.status == 0 && mixed.stderr.contains("this one writes nothing"), "{mixed:?}");
    let lost = run(&sandbox, &["--verify=crc32c", "--output-format=json"]);
    assert_eq!(lost.status, 1);
    assert!(
        errors(&lost)[0].starts_with("error: a: verify: nothing that was read (128 pieces of 512 bytes) bears headers of ioproof"),
        "{}",
        lost.stderr
    );
    let ours = &lost.json()["ioproof"];
    let told = ours["failures"][0]["text"].as_str().unwrap();
    assert_eq!(ours["failures"][0]["job"], "a");
    assert!(ours["notes"].as_array().unwrap().contains(&Value::from(format!("a: {told}"))), "{ours}");
}

#[test]
fn clones_that_fail_alike_are_told_once_and_without_failures_there_is_no_list() {
    let sandbox = sandbox();
    let said = run(&sandbox, &["--bs=3000", "--direct=1", "--numjobs=5", "--output-format=json"]);
    assert_eq!((errors(&said).len(), said.json()["ioproof"]["failures"].as_array().unwrap().len()), (1, 5), "{said:?}");
    let fine = run(&sandbox, &["--output-format=json"]);
    assert!(fine.status == 0 && errors(&fine).is_empty() && fine.json()["ioproof"].get("failures").is_none(), "{fine:?}");
}

#[test]
fn what_polls_and_cannot_says_what_polling_needs() {
    let sandbox = sandbox();
    let options = ["--ioengine=io_uring", "--hipri"];
    let said = run(&sandbox, &options);
    let dry = run(&sandbox, &[&options[..], &["--dry-run"]].concat());
    assert_eq!((said.status, dry.status), (2, 2), "{said:?} {dry:?}");
    for one in [said, dry] {
        let said = errors(&one);
        assert!(said.len() == 2 && said[0].starts_with("error: a: "), "{said:?}");
        // Where io_uring is forbidden the hint is another.
        assert!(said[1].contains("polling needs") || said[0].contains("io_uring cannot be used"), "{said:?}");
    }
}

#[test]
fn a_dry_run_has_the_exit_status_of_the_run() {
    let sandbox = sandbox();
    for options in [
        &["--bs=3000", "--direct=1"][..],
        &["--bs=4k", "--direct=1"],
        &["--verify=crc32c", "--bs=600", "--rw=write", "--overwrite=f"],
        &["--filename=new", "--direct=1", "--bs=3000"],
        &["--output=no/folder/out"],
        &["--write_bw_log=no/folder/log"],
        &["--filename=new", "--size=7e"],
        &["--filename=f", "--size=1m"],
    ] {
        let dry = run(&sandbox, &[options, &["--dry-run"]].concat());
        assert_eq!(sandbox.left_behind(), ["f"], "{options:?}");
        let real = run(&sandbox, options);
        assert_eq!(dry.status, real.status, "{options:?}: {dry:?} {real:?}");
        assert_eq!(errors(&dry), errors(&real), "{options:?}");
        let _ = std::fs::remove_file(sandbox.work().join("new"));
    }
}

#[test]
fn cpus_and_nodes_that_are_not_there_are_refused_with_their_place() {
    let sandbox = sandbox();
    let none = "1023";
    for option in [
        format!("cpus_allowed={none}"),
        format!("cpus_allowed=0-{none}"),
        "cpumask=0x4000000000000000".into(),
        format!("numa_cpu_nodes={none}"),
    ] {
        let file = format!("[a]\nfilename=f\nrw=read\n{option}\n");
        std::fs::write(sandbox.work().join("a.fio"), file).unwrap();
        for more in [&[][..], &["--dry-run"]] {
            sandbox.run(&[&["run", "a.fio"], more].concat()).refuses(&[&format!("a.fio:4: {option}: this machine has no "), ", only 0"]);
        }
        assert_eq!(
            sandbox.run(&["run", "a.fio", "--parse-only"]).status,
            0,
            "{option}: it may be read here for another machine, as by fio"
        );
    }
    assert_eq!(run(&sandbox, &["--cpus_allowed=0"]).status, 0);
}

#[test]
fn runs_of_one_second_are_listed_in_the_order_in_which_they_began() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..12).map(|number| format!("job{}", number * 7 % 12)).collect();
    for name in &names {
        sandbox.succeeds(&["run", &format!("--name={name}"), "--ioengine=null", "--size=4k", "--rw=read"]);
    }
    let jobs = |said: &ProgramOutput| {
        said.json()["runs"].as_array().unwrap().iter().map(|run| run["jobs"][0].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(jobs(&sandbox.run(&["runs", "list", "--json"])), names);
    assert_eq!(jobs(&sandbox.run(&["runs", "list", "--json", "--last", "3"])), names[9..]);
    let shown = sandbox.run(&["runs", "list", "--wide", "--last", "1"]);
    assert!(shown.stdout.lines().count() == 1 && shown.stdout.contains(&format!("[{}]", names[11])), "{shown:?}");
    assert!(sandbox.run(&["report", "last"]).stdout.contains(&names[11]));
}

#[test]
fn the_report_of_a_job_file_names_all_files_and_promises_nothing() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["run", "--size=64k", "--rw=read", "--name=one", "--nrfiles=6", "--name=two", "--filename=other"]);
    let report = sandbox.run(&["report", "last"]).stdout;
    assert!(report.contains("one.0.0") && report.contains("one.0.5, other") && report.contains("one, two"), "{report}");
    assert!(!report.contains("no claim was missed") && report.contains("no claim to judge"), "{report}");
    assert!(sandbox.run(&["runs", "list", "--wide"]).stdout.contains("one.0.0 and 6 more  [one, two]"));
}

#[test]
fn what_differs_is_said_once_and_only_where_it_matters() {
    let sandbox = sandbox();
    let goal = run(&sandbox, &["--latency_target=1s", "--latency_window=10ms", "--latency_percentile=90"]);
    assert!(goal.stderr.contains("latency_target, latency_window, latency_percentile: "), "{}", goal.stderr);
    assert_eq!(goal.stderr.matches("each window").count(), 1, "{}", goal.stderr);
    let reads = run(&sandbox, &["--refill_buffers", "--buffer_compress_percentage=30"]);
    assert!(!reads.stderr.contains("refill_buffers") && !reads.stderr.contains("buffer_compress"), "{}", reads.stderr);
    let writes = run(&sandbox, &["--rw=write", "--filename=new", "--refill_buffers", "--buffer_compress_percentage=30"]);
    assert!(writes.stderr.contains("refill_buffers: ") && writes.stderr.contains("buffer_compress_percentage: "), "{}", writes.stderr);
}

#[test]
fn a_job_that_could_not_begin_is_kept_as_failed() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 64 << 10);
    let said = sandbox.run(&["run", "--name=odd", "--filename=data", "--rw=read", "--bs=3000", "--direct=1"]);
    assert_eq!(said.status, 2, "{said:?}");
    let last = sandbox.run(&["report", "last"]);
    for words in ["odd", "The run failed", "a block size is 3000 bytes", "exit status 2"] {
        assert!(last.stdout.contains(words), "{words}: {}", last.stdout);
    }
}

#[test]
fn a_run_that_was_interrupted_says_so_everywhere() {
    let sandbox = sandbox();
    let job = ["run", "--name=a", "--filename=f", "--rw=read", "--size=64k", "--time_based", "--runtime=600", "--output-format=json"];
    let child = sandbox.begin(&job);
    // Far more than is read before the job begins.
    common::wait_until("a job that reads", || common::io(&child, "rchar") > 64 << 20);
    common::signal(&child, "-INT");
    let said = common::said(child.wait_with_output().unwrap());
    assert_eq!((said.status, &said.json()["ioproof"]["interrupted"]), (3, &Value::from(1)), "{said:?}");
    assert!(errors(&said).last().unwrap().contains("the run was interrupted"), "{}", said.stderr);
    let last = sandbox.run(&["report", "last"]);
    assert!(last.stdout.contains("The run was interrupted") && !last.stdout.contains("nothing was measured"), "{}", last.stdout);
}

#[test]
fn files_that_are_only_made_give_a_report_as_well() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["run", "--name=a", "--filename=f", "--rw=read", "--size=64k", "--create_only=1", "--output-format=json"]);
    assert_eq!((said.status, said.json()["jobs"][0]["read"]["total_ios"].as_u64()), (0, Some(0)), "{said:?}");
    assert_eq!(std::fs::metadata(sandbox.work().join("f")).unwrap().len(), 64 << 10);
}

#[test]
fn a_ramp_that_outlasts_its_job_is_told_and_all_of_the_job_is_measured() {
    let sandbox = sandbox();
    let said = run(&sandbox, &["--ramp_time=60", "--output-format=json"]);
    let json = said.json();
    assert_eq!((said.status, json["jobs"][0]["read"]["total_ios"].as_u64()), (0, Some(16)), "{said:?}");
    assert!(said.stderr.contains("warning: a: ramp_time: it ended before its ramp did"), "{}", said.stderr);
    assert!(json["ioproof"]["notes"].to_string().contains("of the whole job"), "{}", json["ioproof"]);
}

#[test]
fn one_impossible_job_does_not_stop_the_others() {
    let sandbox = sandbox();
    sandbox.file("small", 4096);
    std::fs::write(sandbox.work().join("j.fio"), "[global]\nrw=read\n[a]\nfilename=small\nbs=8k\n[b]\nfilename=f\nbs=4k\n").unwrap();
    let said = sandbox.run(&["run", "j.fio", "--output-format=json"]);
    let jobs = said.json()["jobs"].clone();
    assert_eq!((said.status, &jobs[0]["error"], &jobs[1]["error"]), (2, &Value::from(22), &Value::from(0)), "{said:?}");
    assert_eq!((&jobs[0]["read"]["total_ios"], &jobs[1]["read"]["total_ios"]), (&Value::from(0), &Value::from(16)));
    assert!(errors(&said)[0].starts_with("error: a: 4096 bytes are to be used, and a block has 8192"), "{}", said.stderr);
    let planned = sandbox.run(&["run", "j.fio", "--dry-run"]);
    assert!(planned.status == 2 && planned.stdout.contains("fail in one clone"), "{planned:?}");
    sandbox.run(&["run", "--name=a", "--filename=small", "--bs=8k", "--rw=read"]).refuses(&["a block has 8192"]);
}

#[test]
fn a_job_whose_file_is_not_there_and_may_not_be_made_fails_alone() {
    let sandbox = sandbox();
    let missing = [
        ("allow_file_create=0\nrw=read\nsize=64k\nfilename=none", "none is not there, and allow_file_create=0"),
        ("verify=crc32c\nverify_only=1\nrw=write\nsize=64k\nfilename=none", "none is not there, so there is nothing to verify"),
        ("verify=crc32c\nverify_only=1\nrw=randread\nsize=64k\nfilename=none", "none is not there, so there is nothing to verify"),
        ("verify=crc32c\nverify_only=1\nrw=write\nsize=64k\nfilename=empty", "empty has 0 of 65536 bytes"),
        ("verify=crc32c\nverify_only=1\nrw=write\nsize=128k\nfilename=f", "f has 65536 of 131072 bytes"),
    ];
    std::fs::write(sandbox.work().join("empty"), "").unwrap();
    for (job, words) in missing {
        std::fs::write(sandbox.work().join("j.fio"), format!("[a]\n{job}\n[b]\nrw=read\nsize=64k\nfilename=f\nbs=4k\n")).unwrap();
        let said = sandbox.run(&["run", "j.fio", "--output-format=json"]);
        let jobs = said.json()["jobs"].clone();
        assert_eq!((said.status, &jobs[0]["error"], &jobs[1]["read"]["total_ios"]), (2, &Value::from(22), &Value::from(16)), "{said:?}");
        assert!(errors(&said)[0].contains(words), "{}", said.stderr);
        std::fs::write(sandbox.work().join("j.fio"), format!("[a]\n{job}\n")).unwrap();
        sandbox.run(&["run", "j.fio"]).refuses(&[words]);
        let length = |name: &str| std::fs::metadata(sandbox.work().join(name)).map(|meta| meta.len()).ok();
        assert_eq!(["none", "empty", "f"].map(length), [None, Some(0), Some(64 << 10)], "{job}");
    }
    // What an earlier job makes is there.
    let made = "[w]\nrw=write\nsize=64k\nfilename=g\nverify=crc32c\ndo_verify=0\n[v]\nstonewall\nrw=write\nsize=64k\nfilename=g\nverify=crc32c\n\
                verify_only=1\nallow_file_create=0\n";
    std::fs::write(sandbox.work().join("j.fio"), made).unwrap();
    sandbox.succeeds(&["run", "j.fio"]);
}

#[test]
fn a_file_is_not_trimmed() {
    let sandbox = sandbox();
    sandbox.run(&["run", "--name=a", "--filename=f", "--rw=trim", "--bs=4k", "--overwrite=f"]).refuses(&["trim is for devices", "losetup"]);
    assert!(std::fs::read(sandbox.work().join("f")).unwrap() == common::noise(64 << 10));
}

#[test]
fn what_no_host_can_do_is_refused_before_anything_is_made() {
    let sandbox = sandbox();
    run(&sandbox, &["--numjobs=4294967295"]).refuses(&["4294967295 clones", "16384 are the most"]);
    sandbox.run(&["run", "--name=a", "--size=1m", "--nrfiles=4294967295"]).refuses(&["files", "are the most (nrfiles, filename)"]);
    sandbox
        .run(&["run", "--name=a", "--size=1g", "--bs=1g", "--numjobs=1000"])
        .refuses(&["of memory are available", "hint: take fewer workers (numjobs)"]);
    std::fs::write(sandbox.work().join("many.fio"), "[a]\n".repeat(1_000_000)).unwrap();
    sandbox.run(&["run", "many.fio"]).refuses(&["many.fio:16385: there are more than 16384 sections"]);
    let part = format!("; {}\n", "x".repeat(1000)).repeat(15_000);
    std::fs::write(sandbox.work().join("part"), part).unwrap();
    std::fs::write(sandbox.work().join("sum.fio"), format!("[a]\nsize=1m\n{}", "include part\n".repeat(50))).unwrap();
    sandbox.run(&["run", "sum.fio"]).refuses(&["more than 16 MiB of text"]);
    assert_eq!(sandbox.left_behind(), ["f", "many.fio", "part", "sum.fio"]);
}

#[test]
fn a_fraction_of_a_second_is_told_to_be_left_out() {
    let sandbox = sandbox();
    let said = run(&sandbox, &["--runtime=1.7"]);
    assert!(said.status == 0 && said.stderr.contains("of 1.7 only the whole number counts"), "{said:?}");
    assert!(!run(&sandbox, &["--runtime=2.0"]).stderr.contains("whole number"));
}

/// Needs strace(1).
#[test]
fn what_was_done_before_the_kernel_refused_a_call_counts() {
    let sandbox = Sandbox::new();
    let mut command = std::process::Command::new("strace");
    sandbox.prepare(&mut command);
    let refusing = ["-f", "-qq", "-o", "trace", "-e", "trace=io_uring_enter", "-e", "inject=io_uring_enter:error=EIO:when=30+7"];
    let job = ["--name=a", "--filename=f", "--ioengine=io_uring", "--iodepth=4", "--rw=write", "--bs=4k", "--size=256k"];
    command.args(refusing).args([env!("CARGO_BIN_EXE_ioproof"), "run", "--output-format=json"]).args(job);
    let said = said(command.output().unwrap());
    let job = &said.json()["jobs"][0];
    let trace = std::fs::read_to_string(sandbox.work().join("trace")).unwrap();
    assert!(said.status == 2 && said.stderr.contains("error: a: handing I/O over: Input/output error"), "{said:?} {trace}");
    let ios = job["write"]["total_ios"].as_u64().unwrap();
    assert!(ios > 0 && job["write"]["io_bytes"] == ios * 4096 && job["write"]["lat_ns"]["N"] == ios, "{job} {trace}");
}

/// Zones by name need the machine's database of zones, one that is spelled out needs nothing.
#[test]
fn times_are_those_of_the_users_zone() {
    let sandbox = sandbox();
    for (zone, hours) in [("XXX5", -5), ("Etc/GMT-9", 9)] {
        let mut command = sandbox.command(&["run", "--name=a", "--filename=f", "--size=64k", "--rw=read", "--output-format=json"]);
        let said = said(command.env("TZ", zone).output().unwrap());
        let json: Value = serde_json::from_str(&said.stdout).unwrap();
        // Thu Nov 26 09:08:47 2026
        let (time, seconds) = (json["time"].as_str().unwrap(), json["timestamp"].as_i64().unwrap());
        let hour: i64 = time.split_whitespace().nth(3).and_then(|clock| clock.split(':').next()).unwrap().parse().unwrap();
        assert_eq!(hour, (seconds / 3600 + hours).rem_euclid(24), "{zone}: {time}");
    }
}
