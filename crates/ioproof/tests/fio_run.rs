//! `ioproof run` while jobs run: results so far, steady state, limits, signals, many clones. Nothing here depends on how fast the machine is.

use serde_json::{Deserializer, Value};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        #![expect(clippy::unwrap_used, reason = "a test without its folder has failed")]
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fio-run-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// `ioproof run` with JSON on standard output, in this folder.
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ioproof"));
        command.arg("run").arg("--output-format=json").args(options);
        command.current_dir(&self.0).env("XDG_STATE_HOME", self.0.join("state")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, options: &[&str]) -> Output {
        #![expect(clippy::unwrap_used, reason = "a test whose program does not start has failed")]
        self.command(options).output().unwrap()
    }

    fn start(&self, options: &[&str]) -> Child {
        #![expect(clippy::unwrap_used, reason = "a test whose program does not start has failed")]
        self.command(options).spawn().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every JSON document of a text, in order.
fn documents(output: &Output) -> Vec<Value> {
    Deserializer::from_slice(&output.stdout).into_iter::<Value>().map(Result::unwrap).collect()
}

fn one(output: &Output) -> Value {
    let mut all = documents(output);
    assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(&output.stderr));
    all.remove(0)
}

/// A job without I/O at a fixed rate.
const PACED: [&str; 6] = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--rate_iops=500"];

fn paced<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PACED.iter().chain(more).copied().collect()
}

fn interrupt(child: &Child) {
    #![expect(clippy::unwrap_used, reason = "a test that cannot send its signal has failed")]
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn results_so_far_are_whole_documents_that_only_grow() {
    let folder = Folder::new("so-far");
    let output = folder.run(&paced(&["--number_ios=1000", "--status-interval=500ms"]));
    let ios: Vec<u64> = documents(&output).iter().filter_map(|document| document["jobs"][0]["read"]["total_ios"].as_u64()).collect();
    assert!(ios.len() >= 2 && ios.is_sorted(), "{ios:?}");
    assert_eq!(ios.last(), Some(&1000));
    assert!(ios[0] < 1000, "{ios:?}");
}

#[test]
fn a_steady_job_ends_early_and_one_that_never_is_says_so() {
    let folder = Folder::new("steady");
    let job = ["--time_based", "--runtime=60", "--steadystate=iops:90%", "--ss_dur=2"];
    let steady = &one(&folder.run(&paced(&job)))["jobs"][0];
    assert_eq!((steady["error"].as_i64(), steady["steadystate"]["attained"].as_i64()), (Some(0), Some(1)));
    assert_eq!(steady["steadystate"]["data"]["iops"].as_array().map(Vec::len), Some(2));
    assert!(steady["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
    let never = &one(&folder.run(&paced(&["--number_ios=100", "--steadystate=iops:90%", "--ss_dur=30"])))["jobs"][0];
    assert_eq!((never["steadystate"]["attained"].as_i64(), never["read"]["total_ios"].as_u64()), (Some(0), Some(100)));
}

#[test]
fn without_a_wait_the_deepest_queue_keeps_its_latency() {
    let folder = Folder::new("goal");
    let job = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64g", "--iodepth=6", "--time_based", "--runtime=30"];
    let goal = ["--latency_target=1s", "--latency_window=20ms", "--latency_percentile=50"];
    let found = &one(&folder.run(&[&job[..], &goal[..]].concat()))["jobs"][0];
    assert_eq!((found["latency_depth"].as_u64(), found["error"].as_i64()), (Some(6), Some(0)));
    assert!(found["read"]["runtime"].as_u64().is_some_and(|ms| ms < 25_000), "it ends when the depth is found");
}

#[test]
fn what_is_too_slow_ends_in_error() {
    let folder = Folder::new("limits");
    let output = folder.run(&paced(&["--time_based", "--runtime=60", "--thinktime=5ms", "--rate_iops_min=400", "--rate_cycle=500"]));
    let slow = &one(&output)["jobs"][0];
    assert_eq!((output.status.code(), slow["error"].as_i64()), (Some(2), Some(5)));
    assert!(slow["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
    let file = ["--name=a", "--ioengine=psync", "--rw=write", "--bs=4k", "--size=1m", "--fsync=1", "--max_latency=1"];
    let output = folder.run(&file);
    assert_eq!((output.status.code(), one(&output)["jobs"][0]["error"].as_i64()), (Some(2), Some(110)));
}

#[test]
fn the_end_of_one_ends_the_others() {
    let folder = Folder::new("exitall");
    let jobs = ["--name=long", "--ioengine=null", "--rw=read", "--size=1g", "--rate_iops=500", "--time_based", "--runtime=60"];
    let short = ["--name=short", "--exitall", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
    let all = one(&folder.run(&[&jobs[..], &short[..]].concat()));
    assert_eq!(all["jobs"][1]["read"]["total_ios"].as_u64(), Some(16));
    assert!(all["jobs"][0]["error"].as_i64() == Some(0) && all["jobs"][0]["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
}

#[test]
fn the_first_signal_ends_all_jobs_and_still_reports() {
    let folder = Folder::new("signal");
    let child = folder.start(&paced(&["--numjobs=2", "--time_based", "--runtime=120", "--eta=always"]));
    std::thread::sleep(Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), one(&output)["jobs"].as_array().map(Vec::len)), (Some(3), Some(2)));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("Jobs: "), "the line belongs on standard error");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn hundreds_of_clones_run_side_by_side() {
    let folder = Folder::new("clones");
    let job = ["--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k", "--numjobs=256", "--group_reporting"];
    let output = folder.run(&job);
    let all = one(&output);
    assert_eq!((output.status.code(), all["jobs"][0]["read"]["total_ios"].as_u64()), (Some(0), Some(256 * 16)));
}
