//! Signals and limits that end other programs without a word: SIGUSR1, a stop of the whole process, the limits on CPU time and on the size of files, the size of
//! stacks by the environment, and Ctrl-C where nobody reads. Ctrl-C while something is measured is in `ends_early.rs`.

use crate::common::{MIB, Sandbox, io, rules, said, signal, wait_until};
use rustix::fs::OFlags;
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LONG: [&str; 8] = ["verify", "--size", "16MiB", "--rw", "randread", "--time", "10m", "--runs"];

/// A job without I/O that ends by a signal only.
const ENDLESS: [&str; 7] = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64m", "--time_based", "--runtime=600"];

/// The program, with the limits of a shell command before it.
fn limited(sandbox: &Sandbox, limit: &str, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_ioproof")]).args(args);
    sandbox.prepare(&mut command);
    command
}

/// Sends SIGUSR1 until a line that begins so comes on standard error; then ends the run, and gives that line and the exit status.
fn asked(sandbox: &Sandbox, args: &[&str], beginning: &str) -> (String, Option<i32>) {
    let mut child = sandbox.begin(args);
    wait_until("the run does not get on", || sandbox.stages() >= 1 || args[0] == "run" && sandbox.runs().len() == 1);
    signal(&child, "-USR1");
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let found = lines.skip_while(|line| !line.starts_with(beginning)).take(1).collect();
    signal(&child, "-TERM");
    (found, child.wait_with_output().unwrap().status.code())
}

#[test]
fn sigusr1_tells_what_was_measured_so_far_and_the_run_goes_on() {
    let (line, status) = asked(&Sandbox::new(), &[&LONG[..], &["500"]].concat(), "so far: random read 4 KiB, ");
    assert!(line.contains("IOPS (") && line.contains(" run") && status == Some(3), "{line} {status:?}");
    let (line, status) = asked(&Sandbox::new(), &ENDLESS, "so far: ");
    assert!(line.len() > "so far: ".len() && status.is_some(), "{line} {status:?}");
}

#[test]
fn sigusr1_ends_no_verb() {
    let sandbox = Sandbox::new();
    // It waits for its input, so the signal comes while it is at work.
    let mut child =
        sandbox.command(&["identify", "--from", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("no handler is there", || caught(&child) >> 9 & 1 == 1);
    signal(&child, "-USR1");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().code().is_some());
}

#[test]
fn sigalrm_ends_a_run_with_its_report_and_sigusr2_does_not() {
    let sandbox = Sandbox::new();
    let child = sandbox.begin(&[&LONG[..], &["500", "--json"]].concat());
    wait_until("the run does not get on", || sandbox.stages() >= 1);
    signal(&child, "-USR2");
    let before = sandbox.stages();
    wait_until("the run does not go on", || sandbox.stages() > before || has_ended(&child));
    signal(&child, "-ALRM");
    let said = said(child.wait_with_output().unwrap());
    assert_eq!((said.status, &said.json()["run"]["status"]["state"]), (3, &"interrupted".into()), "{said:?}");
}

#[test]
fn a_program_that_was_started_with_nohup_outlives_its_terminal() {
    let sandbox = Sandbox::new();
    // Whoever runs the tests may have been started with nohup himself.
    for (before, catches_hangup) in [(r#"exec env --default-signal=HUP "$0" "$@""#, true), ("trap '' HUP", false)] {
        let mut child = limited(&sandbox, before, &ENDLESS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // That of SIGQUIT is the last that is installed.
        wait_until("no handler is there", || caught(&child) >> 2 & 1 == 1);
        assert_eq!(caught(&child) & 1 == 1, catches_hangup, "{before}");
        signal(&child, "-TERM");
        child.wait().unwrap();
    }
}

/// The signals that a process catches, a bit each (SigCgt, proc(5)); signal 1 is bit 0.
fn caught(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

/// True for a process that nobody has waited for yet (proc(5)).
fn has_ended(child: &Child) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap().contains(") Z ")
}

/// A stop is told, and never as the drive's fault. On a busy machine both stops may fall between two rounds, of which nothing is told; then it is tried again.
fn stops_are_told(backend: &str) {
    let is_told = |_| stopped_twice(backend).contains(&"stopped".to_owned());
    assert!((1..=5).any(is_told), "{backend}: no stop was told");
}

/// Stops a whole run for longer than I/O is waited for, twice, and ends it; gives the rules of its findings.
fn stopped_twice(backend: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let patience = ["500", "--io-timeout", "3s", "--json", "--backend", backend];
    let child = sandbox.begin(&[&LONG[..], &patience].concat());
    for _ in 1..=2 {
        let before = sandbox.stages();
        wait_until("the run does not get on", || sandbox.stages() > before || has_ended(&child));
        // Into the next round: one between two rounds is not told.
        let read = io(&child, "read_bytes");
        wait_until("the next round does not read", || has_ended(&child) || io(&child, "read_bytes") > read + MIB);
        signal(&child, "-STOP");
        std::thread::sleep(Duration::from_millis(3200));
        signal(&child, "-CONT");
    }
    let before = sandbox.stages();
    wait_until("the run did not go on", || sandbox.stages() > before || has_ended(&child));
    signal(&child, "-TERM");
    let said = said(child.wait_with_output().unwrap());
    let report = said.json();
    assert_eq!((said.status, &report["run"]["status"]["state"]), (3, &"interrupted".into()), "{backend}: {:?}", report["run"]["status"]);
    let rules = rules(&report);
    assert!(!rules.contains(&"io-errors".to_owned()), "{backend}: {rules:?}");
    rules
}

#[test]
fn a_stop_longer_than_the_patience_with_io_is_no_fault_of_the_drive() {
    stops_are_told("io_uring");
}

#[test]
fn nor_where_every_worker_waits_inside_the_kernel() {
    stops_are_told("psync");
}

#[test]
fn the_limit_of_cpu_time_ends_a_run_with_its_report() {
    let sandbox = Sandbox::new();
    for limit in ["ulimit -S -t 1", "ulimit -t 4"] {
        let said = said(limited(&sandbox, limit, &ENDLESS).output().unwrap());
        assert!(said.status >= 0 && said.stderr.contains("limit of CPU time (`ulimit -t`)"), "{limit}: {said:?}");
        assert!(said.stdout.contains("IOPS="), "{limit}: {said:?}");
    }
}

#[test]
fn results_that_are_larger_than_files_may_be_are_an_error_with_the_limit_in_it() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let args = ["verify", "data", "--time", "1s", "--runs", "1", "--rw", "randread", "-o", "report.json"];
    let said = said(limited(&sandbox, "ulimit -f 8", &args).output().unwrap());
    assert!(said.status == 2 && said.stderr.contains("report.json is not written") && said.stderr.contains("ulimit -f"), "{said:?}");
    assert!(said.stdout.contains("random read 4 KiB"), "the figures are told all the same: {said:?}");
}

/// A pipe that takes nothing more, and its other end.
fn full_pipe() -> (std::io::PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, OFlags::empty()).unwrap();
    (reader, writer)
}

/// Numbers and arguments of the system calls by which its threads wait for a descriptor (poll(2), or ppoll(2) of x86-64 and of others).
fn polls(child: &Child) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    let calls = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("syscall")).ok());
    calls.filter(|call| ["7 ", "271 ", "73 "].iter().any(|number| call.starts_with(number))).collect()
}

/// True where one of them waits for as long as it takes. A look, which takes no time, is none.
fn waits_forever(child: &Child) -> bool {
    polls(child)
        .iter()
        .any(|call| call.split(' ').nth(3).is_some_and(|time| time == "0x0" && !call.starts_with("7 ") || time.starts_with("0xffffffff")))
}

#[test]
fn where_nobody_reads_ctrl_c_ends_the_program_at_once() {
    // A shell that runs the tests in the background has SIGINT ignored, which a verb that installs no handler keeps.
    let run: &[&str] = &["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64k"];
    for (args, sent) in [(&["runs", "list", "--json"][..], "-TERM"), (run, "-INT")] {
        let (sandbox, (reader, writer)) = (Sandbox::new(), full_pipe());
        let mut child = sandbox.command(args).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
        wait_until("it does not wait for its reader", || waits_forever(&child));
        signal(&child, sent);
        wait_until("it still waits for its reader", || child.try_wait().unwrap().is_some());
        drop(reader);
    }
}

/// Begins a run whose results nobody reads, has it end in this state, and ends the waiting by a signal; gives what it said and its exit status.
fn results_that_nobody_reads(sandbox: &Sandbox, args: &[&str], state: &str) -> (String, i32) {
    let (reader, writer) = full_pipe();
    let mut child = sandbox.command(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    if state == "interrupted" {
        wait_until("the run does not get on", || sandbox.stages() >= 1);
        signal(&child, "-INT");
    }
    wait_until("the run is not stored", || sandbox.run(&["runs", "list", "--wide"]).stdout.contains(state));
    wait_until("it does not wait for its reader", || waits_forever(&child));
    signal(&child, "-INT");
    wait_until("it still waits for its reader", || child.try_wait().unwrap().is_some());
    drop(reader);
    let said = said(child.wait_with_output().unwrap());
    (said.stderr, said.status)
}

#[test]
fn a_run_whose_results_nobody_reads_is_stored_with_the_status_of_the_process() {
    let short: &[&str] = &["verify", "--size", "4MiB", "--time", "1s", "--runs", "1", "--rw", "randread"];
    let (long, tables) = ([&LONG[..], &["500"]].concat(), [short, &["--json"]].concat());
    for (args, state) in [(short, "complete"), (&tables, "complete"), (&long, "interrupted")] {
        let sandbox = Sandbox::new();
        let (stderr, status) = results_that_nobody_reads(&sandbox, args, state);
        let stored = sandbox.run(&["report", "last", "--json"]).json();
        assert_eq!(stored["run"]["status"]["state"], state, "{stderr}");
        assert_eq!(stored["judgement"]["exit_status"], status, "{stderr}");
        let place = stderr.lines().filter(|line| line.starts_with("stored in ")).collect::<Vec<_>>();
        assert!(place.len() == 1 && place[0].ends_with(stored["run"]["id"].as_str().unwrap()), "{stderr}");
    }
}

#[test]
fn no_stack_is_made_from_the_environment() {
    let sandbox = Sandbox::new();
    for (size, backend) in [("1", "io_uring"), ("99999999999999", "psync")] {
        let args = ["verify", "--size", "4MiB", "--time", "1s", "--runs", "1", "--rw", "randread", "--backend", backend, "--json"];
        let said = said(sandbox.command(&args).env("RUST_MIN_STACK", size).output().unwrap());
        assert_eq!(said.json()["run"]["status"]["state"], "complete", "{size}: {said:?}");
    }
}

#[test]
fn a_small_limit_on_stacks_ends_nothing() {
    let sandbox = Sandbox::new();
    let job = [&ENDLESS[..5], &["--bs=64k", "--number_ios=10"]].concat();
    for args in [&job[..], &["run", "--cmdhelp"], &["datasheet", "list"], &["--help"], &["verify", "--size", "4MiB", "--dry-run"]] {
        let said = said(limited(&sandbox, "ulimit -s 64", args).output().unwrap());
        assert!(said.status == 0 && !said.stdout.is_empty(), "{args:?}: {said:?}");
    }
}

#[test]
fn a_signal_after_the_last_io_changes_nothing() {
    let sandbox = Sandbox::new();
    let job = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64k", "--output-format=json"];
    let said = sandbox.run(&[&job[..], &["--allow-exec", "--exec_postrun=kill -INT $PPID"]].concat());
    assert!(said.status == 0 && !said.stderr.contains("interrupted") && said.json()["ioproof"]["interrupted"].is_null(), "{said:?}");
    assert!(sandbox.run(&["runs", "list", "--wide"]).stdout.contains("complete"));
}

#[test]
fn a_command_that_fails_after_the_jobs_is_in_the_stored_exit_status_too() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64k", "--allow-exec", "--exec_postrun=exit 7"]);
    assert!(said.status == 2 && said.stderr.contains("ended with exit status: 7"), "{said:?}");
    let judgement = sandbox.run(&["report", "last", "--json"]).json()["judgement"].clone();
    assert_eq!(judgement["exit_status"], 2);
    assert!(judgement["exit_reason"].as_str().unwrap().contains("`exit 7` ended with"), "{judgement}");
}

#[test]
fn ctrl_c_ends_the_waiting_for_whoever_has_a_named_pipe_open_and_does_not_read() {
    let sandbox = Sandbox::new();
    assert!(Command::new("mkfifo").arg(sandbox.work().join("pipe")).status().unwrap().success());
    let reader = std::fs::OpenOptions::new().read(true).write(true).open(sandbox.work().join("pipe")).unwrap();
    let job = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=64k", "--numjobs=64", "--output-format=json", "--output=pipe"];
    let mut child = sandbox.command(&job).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // A byte now and then keeps it from being given up, and never lets it end. What is seen twice is a wait and no look.
    rustix::fs::fcntl_setfl(&reader, OFlags::NONBLOCK).unwrap();
    let take = || std::io::Read::read(&mut &reader, &mut [0; 1]).is_ok();
    let is_complete = || sandbox.run(&["runs", "list", "--wide"]).stdout.contains("complete");
    wait_until("it does not wait for its reader", || {
        take() && is_complete() && !polls(&child).is_empty() && take() && !polls(&child).is_empty()
    });
    signal(&child, "-INT");
    wait_until("it still waits for its reader", || {
        take();
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn too_little_memory_for_the_program_itself_is_an_error() {
    let sandbox = Sandbox::new();
    for limit in ["ulimit -v 150000", "ulimit -d 26000"] {
        let said = said(limited(&sandbox, limit, &["runs", "list"]).output().unwrap());
        said.refuses(&["of memory to this process, and ioproof may take", "raise that limit"]);
    }
}

/// The C library reserves addresses for each thread; where they run out in the middle, only an abort is left.
#[test]
fn too_few_addresses_for_the_threads_of_a_run_are_an_error() {
    let sandbox = Sandbox::new();
    let run = ["run", "--name=a", "--rw=randread", "--size=1m", "--numjobs=4", "--filename=made"];
    // Each of the two backends makes a thread of every I/O that is to be outstanding, and one of them maps the target in each.
    let threads = ["verify", "--rw", "randread", "--size", "16MiB", "--runs", "1", "--depth", "16", "--workers", "8", "--backend"];
    let (psync, mmap) = ([&threads[..], &["psync"]].concat(), [&threads[..], &["mmap"]].concat());
    for (limit, args) in
        [("ulimit -v 299760", &run[..]), ("ulimit -v 300120", &run), ("ulimit -v 716800", &psync), ("ulimit -v 1500000", &mmap)]
    {
        let said = said(limited(&sandbox, limit, args).output().unwrap());
        said.refuses(&["of memory to this process, and the run may take", "raise that limit"]);
    }
}

#[test]
fn too_little_memory_is_an_error_before_anything_is_made() {
    let sandbox = Sandbox::new();
    let verify = ["verify", "--size", "4MiB", "--time", "2s", "--rw", "randread", "--runs", "1", "--depth", "64", "--bs", "1MiB"];
    let run = ["run", "--name=a", "--rw=randread", "--size=1m", "--numjobs=16", "--filename=made"];
    // A limit on data and not on addresses (`ulimit -v`), among which the program itself counts, whatever its size.
    for args in [verify.as_slice(), &run] {
        let said = said(limited(&sandbox, "ulimit -d 80000", args).env("RUST_BACKTRACE", "1").output().unwrap());
        said.refuses(&["of memory to this process, and the run may take"]);
        assert!(sandbox.left_behind().is_empty(), "{args:?}");
    }
}

#[test]
fn two_signals_at_a_time_are_one_wish() {
    let sandbox = Sandbox::new();
    let child = sandbox.begin(&[&LONG[..], &["500", "-o", "report.json"]].concat());
    wait_until("the run does not get on", || sandbox.stages() >= 1);
    // As timeout(1) does: to the program, and to its group.
    let twice = format!("kill -TERM {0}; kill -TERM {0}", child.id());
    assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 3 && said.stdout.contains("interrupted"), "{said:?}");
    assert!(sandbox.work().join("report.json").exists(), "the report is written");
}
