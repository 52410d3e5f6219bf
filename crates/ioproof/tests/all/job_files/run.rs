//! `ioproof run` while jobs run: results so far, steady state, limits, signals, many clones. Nothing here depends on how fast the machine is.

use crate::common::{ProgramOutput, Sandbox, has_workers, said, signal, wait_until};
use serde_json::{Deserializer, Value};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Words of a run with JSON on standard output.
fn words<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--output-format=json"], options].concat()
}

fn run(sandbox: &Sandbox, options: &[&str]) -> ProgramOutput {
    sandbox.run(&words(options))
}

fn start(sandbox: &Sandbox, options: &[&str]) -> Child {
    sandbox.begin(&words(options))
}

/// I/Os of the first job of each JSON document of a text.
fn reads(text: &str) -> Vec<u64> {
    let documents = Deserializer::from_str(text).into_iter::<Value>().map(Result::unwrap);
    documents.filter_map(|document| document["jobs"][0]["read"]["total_ios"].as_u64()).collect()
}

/// A job without I/O at a fixed rate.
const PACED: [&str; 6] = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--rate_iops=500"];

fn paced<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PACED.iter().chain(more).copied().collect()
}

#[test]
fn results_so_far_are_whole_documents_that_only_grow() {
    let sandbox = Sandbox::new();
    let ios = reads(&run(&sandbox, &paced(&["--number_ios=1000", "--status-interval=500ms"])).stdout);
    assert!(ios.len() >= 2 && ios.is_sorted(), "{ios:?}");
    assert_eq!(ios.last(), Some(&1000));
    assert!(ios[0] < 1000, "{ios:?}");
}

#[test]
fn a_steady_job_ends_early_and_one_that_never_is_says_so() {
    let sandbox = Sandbox::new();
    let job = ["--time_based", "--runtime=60", "--steadystate=iops:90%", "--ss_dur=2"];
    let output = run(&sandbox, &paced(&job));
    let steady = &output.json()["jobs"][0];
    assert_eq!((steady["error"].as_i64(), steady["steadystate"]["attained"].as_i64()), (Some(0), Some(1)));
    assert_eq!(steady["steadystate"]["data"]["iops"].as_array().map(Vec::len), Some(2));
    assert!(steady["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
    assert!(output.stderr.contains("steadystate=iops:90% for 2 s was reached, at "));
    let output = run(&sandbox, &paced(&["--number_ios=100", "--steadystate=iops:90%", "--ss_dur=30"]));
    let never = &output.json()["jobs"][0];
    assert_eq!((never["steadystate"]["attained"].as_i64(), never["read"]["total_ios"].as_u64()), (Some(0), Some(100)));
    let told = "steadystate=iops:90% for 30 s was not reached; it ran for less";
    assert!(output.stderr.contains(told));
    assert!(sandbox.run(&["report", "last", "--json"]).stdout.contains(told));
}

#[test]
fn without_a_wait_the_deepest_queue_keeps_its_latency() {
    let sandbox = Sandbox::new();
    let job = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64g", "--iodepth=6", "--time_based", "--runtime=30"];
    let goal = ["--latency_target=1s", "--latency_window=20ms", "--latency_percentile=50"];
    let found = &run(&sandbox, &[&job[..], &goal[..]].concat()).json()["jobs"][0];
    assert_eq!((found["latency_depth"].as_u64(), found["error"].as_i64()), (Some(6), Some(0)));
    assert!(found["read"]["runtime"].as_u64().is_some_and(|ms| ms < 25_000), "it ends when the depth is found");
}

#[test]
fn a_rate_holds_over_all_windows_of_a_search() {
    let sandbox = Sandbox::new();
    let job = ["--name=a", "--rw=randwrite", "--bs=4k", "--size=1m", "--filename=data", "--time_based", "--runtime=2", "--rate_iops=4"];
    let goal = ["--latency_target=500ms", "--latency_window=100ms", "--latency_percentile=50", "--latency_run=1"];
    let found = &run(&sandbox, &[&job[..], &goal[..]].concat()).json()["jobs"][0];
    assert!((1..=9).contains(&found["write"]["total_ios"].as_u64().unwrap()), "four a second for two seconds: {found}");
}

#[test]
fn the_record_of_a_search_has_its_depth_its_target_and_the_bytes_of_all_windows() {
    let sandbox = Sandbox::new();
    let job = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64g", "--iodepth=6", "--numjobs=2", "--runtime=30"];
    let goal = ["--time_based", "--latency_target=1s", "--latency_window=20ms", "--latency_percentile=50"];
    assert_eq!(run(&sandbox, &[&job[..], &goal[..]].concat()).status, 0);
    let report = sandbox.run(&["report", "last", "--json"]).json();
    let round = &report["run"]["stages"][0]["rounds"][0];
    let (depth, found) = (&report["run"]["jobs"][0]["workload"]["depth"], &round["depth_found"]);
    assert_eq!((depth, &found["depths"], &found["is_settled"]), (&6.into(), &[6, 6].into(), &true.into()));
    assert_eq!((found["target_ns"].as_u64(), found["percentile"].as_f64()), (Some(1_000_000_000), Some(50.0)));
    assert!(round["total_bytes"][0].as_u64() > round["read"]["bytes"].as_u64(), "windows that do not count were read too: {round}");
}

#[test]
fn what_is_too_slow_ends_in_error() {
    let sandbox = Sandbox::new();
    let output = run(&sandbox, &paced(&["--time_based", "--runtime=60", "--thinktime=5ms", "--rate_iops_min=400", "--rate_cycle=500"]));
    let slow = &output.json()["jobs"][0];
    assert_eq!((output.status, slow["error"].as_i64()), (2, Some(5)));
    assert!(slow["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
    let file = ["--name=a", "--ioengine=psync", "--rw=write", "--bs=4k", "--size=1m", "--fsync=1", "--max_latency=1"];
    let output = run(&sandbox, &file);
    assert_eq!((output.status, output.json()["jobs"][0]["error"].as_i64()), (2, Some(110)));
}

#[test]
fn the_end_of_one_ends_the_others() {
    let sandbox = Sandbox::new();
    let jobs = ["--name=long", "--ioengine=null", "--rw=read", "--size=1g", "--rate_iops=500", "--time_based", "--runtime=60"];
    let short = ["--name=short", "--exitall", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
    let all = run(&sandbox, &[&jobs[..], &short[..]].concat()).json();
    assert_eq!(all["jobs"][1]["read"]["total_ios"].as_u64(), Some(16));
    assert!(all["jobs"][0]["error"].as_i64() == Some(0) && all["jobs"][0]["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
}

#[test]
fn the_first_signal_ends_all_jobs_and_still_reports() {
    let sandbox = Sandbox::new();
    let child = start(&sandbox, &paced(&["--numjobs=2", "--time_based", "--runtime=120", "--eta=always"]));
    wait_until("jobs that run", || has_workers(&child));
    signal(&child, "-INT");
    let said = said(child.wait_with_output().unwrap());
    assert_eq!((said.status, said.json()["jobs"].as_array().map(Vec::len)), (3, Some(2)));
    assert!(!said.stdout.contains("Jobs: "), "the line belongs on standard error");
    assert!(!said.stderr.contains("panicked"), "{said:?}");
}

#[test]
fn hundreds_of_clones_run_side_by_side() {
    let sandbox = Sandbox::new();
    let job = ["--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k", "--numjobs=256", "--group_reporting"];
    let output = run(&sandbox, &job);
    assert_eq!((output.status, output.json()["jobs"][0]["read"]["total_ios"].as_u64()), (0, Some(256 * 16)));
}

/// A job that is over at once.
const SHORT: [&str; 6] = ["--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k", "--percentile_list=50"];

/// By a shell, for its redirections; `$IOPROOF` is the program.
fn shell(sandbox: &Sandbox, script: &str) -> ProgramOutput {
    let mut command = Command::new("sh");
    sandbox.prepare(&mut command);
    said(command.args(["-c", script]).env("IOPROOF", env!("CARGO_BIN_EXE_ioproof")).output().unwrap())
}

fn put(sandbox: &Sandbox, name: &str, text: &str) {
    std::fs::write(sandbox.work().join(name), text).unwrap();
}

#[test]
fn results_that_nobody_gets_are_not_lost_in_silence() {
    let sandbox = Sandbox::new();
    let job = format!("$IOPROOF run --output-format=json {}", SHORT.join(" "));
    for (number, end) in [">&-", "> /dev/full"].into_iter().enumerate() {
        let output = shell(&sandbox, &format!("{job} {end}"));
        let said = &output.stderr;
        assert_eq!(output.status, 2, "{end}: {said}");
        assert!(said.contains("the results could not be written to standard output") && said.contains("ioproof report "), "{end}: {said}");
        assert_eq!(sandbox.runs().len(), number + 1, "{end}");
    }
    let mut child = start(&sandbox, &paced(&["--number_ios=500"]));
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(sandbox.runs().len(), 3);
    assert_eq!(shell(&sandbox, "$IOPROOF run --cmdhelp | head -c 10").status, 0);
    assert_eq!(shell(&sandbox, &format!("{job} > /dev/null")).status, 0);
}

#[test]
fn a_second_signal_leaves_the_older_results_or_whole_new_ones() {
    let sandbox = Sandbox::new();
    for wait_ms in [0, 20, 60, 120] {
        assert_eq!(run(&sandbox, &[&SHORT[..], &["--output=out.json"]].concat()).status, 0);
        let child = start(&sandbox, &paced(&["--time_based", "--runtime=60", "--output=out.json"]));
        wait_until("a job that runs", || has_workers(&child));
        signal(&child, "-INT");
        std::thread::sleep(Duration::from_millis(wait_ms));
        // It may have ended by now.
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
        let found = std::fs::read_to_string(sandbox.work().join("out.json")).unwrap();
        assert!(serde_json::from_str::<Value>(&found).is_ok(), "{found}");
    }
}

#[test]
fn results_so_far_stand_in_the_file_before_the_last() {
    let sandbox = Sandbox::new();
    run(&sandbox, &[&SHORT[..], &["--output=out.json"]].concat());
    let output = run(&sandbox, &paced(&["--number_ios=1000", "--status-interval=500ms", "--output=out.json"]));
    let ios = reads(&std::fs::read_to_string(sandbox.work().join("out.json")).unwrap());
    assert!(ios.len() >= 2 && ios.last() == Some(&1000), "{ios:?} {output:?}");
    assert_eq!(sandbox.left_behind(), ["out.json"]);
}

#[test]
fn a_dry_run_says_of_each_file_what_the_run_would_do() {
    let sandbox = Sandbox::new();
    let job = ["--name=a", "--rw=write", "--bs=4k", "--size=64k", "--dry-run"];
    let new = run(&sandbox, &[&job[..], &["--filename=new"]].concat());
    assert!(new.status == 0 && sandbox.left_behind().is_empty() && new.stdout.contains("would be made"), "{new:?}");
    put(&sandbox, "mine", "dear diary");
    let refused = [&job[..], &["--filename=new:mine"]].concat();
    let dry = run(&sandbox, &refused);
    let words = ["new, up to", "would be made", "mine, up to", "REFUSED"];
    assert!(dry.status == 2 && words.iter().all(|word| dry.stdout.contains(word)), "{dry:?}");
    let real = run(&sandbox, &refused.iter().filter(|word| **word != "--dry-run").copied().collect::<Vec<_>>());
    let refusal = |said: &ProgramOutput| {
        said.stderr.lines().filter(|line| line.starts_with("error: ") || line.starts_with("hint: ")).collect::<String>()
    };
    assert_eq!((real.status, refusal(&real)), (2, refusal(&dry)));
    let allowed = run(&sandbox, &[&refused[..], &["--overwrite=mine"]].concat());
    assert_eq!(allowed.status, 0, "{allowed:?}");
    assert_eq!(std::fs::read_to_string(sandbox.work().join("mine")).unwrap(), "dear diary");
    assert!(!sandbox.left_behind().contains(&"new".to_owned()));
}

#[test]
fn strict_is_about_mistakes_only() {
    let sandbox = Sandbox::new();
    let strict = |more: &[&str]| run(&sandbox, &[&SHORT[..], more, &["--strict"]].concat());
    let remark = strict(&["--io_size=1MB"]);
    assert!(remark.status == 0 && remark.stderr.contains("note: command line: job a: io_size=1MB is 1048576 bytes"), "{remark:?}");
    let mistake = strict(&["--ioengine=psync", "--iodepth=4", "--filename=/dev/zero"]);
    assert!(mistake.status == 2 && mistake.stderr.contains("error: command line: job a: iodepth=4 has no effect"), "{mistake:?}");
    assert!(mistake.stderr.contains("found a mistake in the jobs"), "{mistake:?}");
}

#[test]
fn what_is_wrong_names_its_place_and_what_to_do() {
    let sandbox = Sandbox::new();
    put(&sandbox, "var.fio", "[a]\nioengine=null\nrw=read\nsize=1m\ndescription=x${IOPROOF_UNSET}\n");
    put(&sandbox, "deep.fio", "[a]\nioengine=libaio\nrw=read\nsize=1m\niodepth=100000\n");
    std::fs::create_dir_all(sandbox.work().join("sub")).unwrap();
    put(&sandbox, "sub/self.fio", "[a]\ninclude self.fio\n");
    put(&sandbox, "sub/none.fio", "[a]\ninclude none\n");
    put(&sandbox, "binary.fio", &"=\n".repeat(1000));
    let file = ["--name=a", "--rw=write", "--size=64k"];
    let with = |more: &[&'static str]| [&file[..], more].concat();
    for (status, arguments, words) in [
        (0, vec!["var.fio"], vec!["warning: var.fio:5: ${IOPROOF_UNSET} is unset"]),
        (2, vec!["var.fio", "--strict"], vec!["error: var.fio:5: ${IOPROOF_UNSET} is unset"]),
        (2, vec!["deep.fio"], vec!["deep.fio:5: iodepth=100000", "at most 65536"]),
        (2, vec!["var.fio", "--section=nope"], vec!["--section=nope", "the sections are a"]),
        (2, vec!["sub/self.fio"], vec!["sub/self.fio:2: self.fio includes itself"]),
        (2, vec!["sub/none.fio"], vec!["sub/none.fio:2: the included file none cannot be read"]),
        (2, vec!["binary.fio"], vec!["binary.fio:30: ", "969 more errors are not shown", "binary.fio:1000: "]),
        (2, with(&["--size=99999999999999999999"]), vec!["too large"]),
        (2, with(&["--startdelay=-1"]), vec!["below zero"]),
        (2, with(&["--filename=."]), vec!["is a directory", "directory="]),
        (2, with(&["--directory=no/folder", "--dry-run"]), vec!["no/folder", "mkdir -p"]),
        (2, with(&["--bs=128k"]), vec!["a block has 131072", "make bs= smaller"]),
        (2, with(&["--output=."]), vec!["is a directory"]),
        (2, with(&["--output=no/folder/out"]), vec!["no/folder/out"]),
    ] {
        let output = run(&sandbox, &arguments);
        assert_eq!(output.status, status, "{arguments:?}: {output:?}");
        assert!(words.iter().all(|word| output.stderr.contains(word)), "{arguments:?}: {output:?}");
    }
}
