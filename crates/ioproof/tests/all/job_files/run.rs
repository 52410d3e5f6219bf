//! `ioproof run` while jobs run: results so far, steady state, limits, signals, many clones. Nothing here depends on how fast the machine is.

use crate::common::{has_workers, signal, wait_until};
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
    let output = folder.run(&paced(&job));
    let steady = &one(&output)["jobs"][0];
    assert_eq!((steady["error"].as_i64(), steady["steadystate"]["attained"].as_i64()), (Some(0), Some(1)));
    assert_eq!(steady["steadystate"]["data"]["iops"].as_array().map(Vec::len), Some(2));
    assert!(steady["read"]["runtime"].as_u64().is_some_and(|ms| ms < 50_000));
    assert!(String::from_utf8_lossy(&output.stderr).contains("steadystate=iops:90% for 2 s was reached, at "));
    let output = folder.run(&paced(&["--number_ios=100", "--steadystate=iops:90%", "--ss_dur=30"]));
    let never = &one(&output)["jobs"][0];
    assert_eq!((never["steadystate"]["attained"].as_i64(), never["read"]["total_ios"].as_u64()), (Some(0), Some(100)));
    let told = "steadystate=iops:90% for 30 s was not reached; it ran for less";
    assert!(String::from_utf8_lossy(&output.stderr).contains(told));
    let stored = folder.shell("$IOPROOF report last --json");
    assert!(String::from_utf8_lossy(&stored.stdout).contains(told));
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
fn a_rate_holds_over_all_windows_of_a_search() {
    let folder = Folder::new("pace");
    let job = ["--name=a", "--rw=randwrite", "--bs=4k", "--size=1m", "--filename=data", "--time_based", "--runtime=2", "--rate_iops=4"];
    let goal = ["--latency_target=500ms", "--latency_window=100ms", "--latency_percentile=50", "--latency_run=1"];
    let found = &one(&folder.run(&[&job[..], &goal[..]].concat()))["jobs"][0];
    assert!((1..=9).contains(&found["write"]["total_ios"].as_u64().unwrap()), "four a second for two seconds: {found}");
}

#[test]
fn the_record_of_a_search_has_its_depth_its_target_and_the_bytes_of_all_windows() {
    let folder = Folder::new("depth");
    let job = ["--name=a", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=64g", "--iodepth=6", "--numjobs=2", "--runtime=30"];
    let goal = ["--time_based", "--latency_target=1s", "--latency_window=20ms", "--latency_percentile=50"];
    assert_eq!(folder.run(&[&job[..], &goal[..]].concat()).status.code(), Some(0));
    let shown = Command::new(env!("CARGO_BIN_EXE_ioproof"))
        .args(["report", "last", "--json"])
        .env("XDG_STATE_HOME", folder.0.join("state"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let round = &report["run"]["stages"][0]["rounds"][0];
    let (depth, found) = (&report["run"]["jobs"][0]["workload"]["depth"], &round["depth_found"]);
    assert_eq!((depth, &found["depths"], &found["is_settled"]), (&6.into(), &[6, 6].into(), &true.into()));
    assert_eq!((found["target_ns"].as_u64(), found["percentile"].as_f64()), (Some(1_000_000_000), Some(50.0)));
    assert!(round["total_bytes"][0].as_u64() > round["read"]["bytes"].as_u64(), "windows that do not count were read too: {round}");
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
    wait_until("jobs that run", || has_workers(&child));
    signal(&child, "-INT");
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

/// A job that is over at once.
const SHORT: [&str; 6] = ["--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k", "--percentile_list=50"];

impl Folder {
    /// By a shell, for its redirections; `$IOPROOF` is the program.
    fn shell(&self, script: &str) -> Output {
        #![expect(clippy::unwrap_used, reason = "a test whose program does not start has failed")]
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("IOPROOF", env!("CARGO_BIN_EXE_ioproof"));
        command.current_dir(&self.0).env("XDG_STATE_HOME", self.0.join("state")).stdin(Stdio::null()).output().unwrap()
    }

    fn put(&self, name: &str, text: &str) {
        #![expect(clippy::unwrap_used, reason = "a test without its files has failed")]
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Names in the folder.
    fn names(&self) -> Vec<String> {
        #![expect(clippy::unwrap_used, reason = "a test without its folder has failed")]
        let mut names: Vec<String> =
            std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn stored(&self) -> usize {
        std::fs::read_dir(self.0.join("state/ioproof/runs")).map_or(0, Iterator::count)
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn results_that_nobody_gets_are_not_lost_in_silence() {
    let folder = Folder::new("closed");
    let job = format!("$IOPROOF run --output-format=json {}", SHORT.join(" "));
    for (number, end) in [">&-", "> /dev/full"].into_iter().enumerate() {
        let output = folder.shell(&format!("{job} {end}"));
        let said = told(&output);
        assert_eq!(output.status.code(), Some(2), "{end}: {said}");
        assert!(said.contains("the results could not be written to standard output") && said.contains("ioproof report "), "{end}: {said}");
        assert_eq!(folder.stored(), number + 1, "{end}");
    }
    let mut child = folder.start(&paced(&["--number_ios=500"]));
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(folder.stored(), 3);
    assert_eq!(folder.shell("$IOPROOF run --cmdhelp | head -c 10").status.code(), Some(0));
    assert_eq!(folder.shell(&format!("{job} > /dev/null")).status.code(), Some(0));
}

#[test]
fn a_second_signal_leaves_the_older_results_or_whole_new_ones() {
    let folder = Folder::new("second-signal");
    for wait_ms in [0, 20, 60, 120] {
        assert_eq!(folder.run(&[&SHORT[..], &["--output=out.json"]].concat()).status.code(), Some(0));
        let child = folder.start(&paced(&["--time_based", "--runtime=60", "--output=out.json"]));
        wait_until("a job that runs", || has_workers(&child));
        signal(&child, "-INT");
        std::thread::sleep(Duration::from_millis(wait_ms));
        // It may have ended by now.
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
        let found = std::fs::read_to_string(folder.0.join("out.json")).unwrap();
        assert!(serde_json::from_str::<Value>(&found).is_ok(), "{found}");
    }
}

#[test]
fn results_so_far_stand_in_the_file_before_the_last() {
    let folder = Folder::new("file-so-far");
    folder.run(&[&SHORT[..], &["--output=out.json"]].concat());
    let output = folder.run(&paced(&["--number_ios=1000", "--status-interval=500ms", "--output=out.json"]));
    let text = std::fs::read(folder.0.join("out.json")).unwrap();
    let ios: Vec<u64> = Deserializer::from_slice(&text)
        .into_iter::<Value>()
        .filter_map(|one| one.unwrap()["jobs"][0]["read"]["total_ios"].as_u64())
        .collect();
    assert!(ios.len() >= 2 && ios.last() == Some(&1000), "{ios:?} {}", told(&output));
    assert_eq!(folder.names(), ["out.json", "state"]);
}

#[test]
fn a_dry_run_says_of_each_file_what_the_run_would_do() {
    let folder = Folder::new("dry");
    let job = ["--name=a", "--rw=write", "--bs=4k", "--size=64k", "--dry-run"];
    let new = folder.run(&[&job[..], &["--filename=new"]].concat());
    assert_eq!((new.status.code(), folder.names().contains(&"new".to_owned())), (Some(0), false), "{}", told(&new));
    assert!(String::from_utf8_lossy(&new.stdout).contains("would be made"));
    folder.put("mine", "dear diary");
    let refused = [&job[..], &["--filename=new:mine"]].concat();
    let dry = folder.run(&refused);
    assert_eq!(dry.status.code(), Some(2));
    let lines = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(
        lines.contains("new, up to") && lines.contains("would be made") && lines.contains("mine, up to") && lines.contains("REFUSED"),
        "{lines}"
    );
    let run = folder.run(&refused.iter().filter(|word| **word != "--dry-run").copied().collect::<Vec<_>>());
    let refusal =
        |output: &Output| told(output).lines().filter(|line| line.starts_with("error: ") || line.starts_with("hint: ")).collect::<String>();
    assert_eq!((run.status.code(), refusal(&run)), (Some(2), refusal(&dry)));
    let allowed = folder.run(&[&refused[..], &["--overwrite=mine"]].concat());
    assert_eq!(allowed.status.code(), Some(0), "{}", told(&allowed));
    assert_eq!(std::fs::read_to_string(folder.0.join("mine")).unwrap(), "dear diary");
    assert!(!folder.names().contains(&"new".to_owned()));
}

#[test]
fn strict_is_about_mistakes_only() {
    let folder = Folder::new("strict");
    let strict = |more: &[&str]| folder.run(&[&SHORT[..], more, &["--strict"]].concat());
    let remark = strict(&["--io_size=1MB"]);
    assert_eq!(remark.status.code(), Some(0), "{}", told(&remark));
    assert!(told(&remark).contains("note: command line: job a: io_size=1MB is 1048576 bytes"), "{}", told(&remark));
    let mistake = strict(&["--ioengine=psync", "--iodepth=4", "--filename=/dev/zero"]);
    assert_eq!(mistake.status.code(), Some(2));
    assert!(told(&mistake).contains("error: command line: job a: iodepth=4 has no effect"), "{}", told(&mistake));
    assert!(told(&mistake).contains("found a mistake in the jobs"), "{}", told(&mistake));
}

#[test]
fn what_is_wrong_names_its_place_and_what_to_do() {
    let folder = Folder::new("words");
    folder.put("var.fio", "[a]\nioengine=null\nrw=read\nsize=1m\ndescription=x${IOPROOF_UNSET}\n");
    folder.put("deep.fio", "[a]\nioengine=libaio\nrw=read\nsize=1m\niodepth=100000\n");
    std::fs::create_dir_all(folder.0.join("sub")).unwrap();
    folder.put("sub/self.fio", "[a]\ninclude self.fio\n");
    folder.put("sub/none.fio", "[a]\ninclude none\n");
    folder.put("binary.fio", &"=\n".repeat(1000));
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
        let output = folder.run(&arguments);
        let said = told(&output);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{arguments:?}: {said}");
    }
}
