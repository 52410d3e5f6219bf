//! Standard output and error are outputs like others: closed, full or read by nobody, they change neither files nor exit statuses.

use crate::common::{MIB, ProgramOutput, Sandbox, said, wait_until};
use std::process::{Command, Stdio};

/// By a shell, for its redirections; `$IOPROOF` is the program. The first word of standard output is the program's status.
fn shell(sandbox: &Sandbox, script: &str) -> ProgramOutput {
    let mut command = Command::new("sh");
    sandbox.prepare(&mut command);
    command.env("IOPROOF", env!("CARGO_BIN_EXE_ioproof")).args(["-c", script]);
    said(command.output().unwrap())
}

const ENDS: [&str; 7] = [">&-", "2>&-", ">&- 2>&-", "> /dev/full", "2> /dev/full", "> /dev/full 2>&1", "2>&1 | true"];

#[test]
fn a_verification_keeps_its_status_and_its_reports() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    // Nothing is measured where the first I/O fails, which is status 2 by judgement and not by an error of ours.
    let measured = |end: &str, json: &str| {
        let _ = std::fs::remove_file(sandbox.work().join("x.json"));
        let verify = format!("$IOPROOF verify data --rw read --time 1s --runs 1 --faults fail_after=0 {json} -o x.json");
        let said = shell(&sandbox, &format!("{{ {verify}; echo $? >&4; }} 4>status {end}"));
        (std::fs::read_to_string(sandbox.work().join("status")).unwrap(), sandbox.work().join("x.json").is_file(), said)
    };
    for end in ENDS {
        let (status, written, said) = measured(end, if end.starts_with('>') { "--json" } else { "" });
        assert_eq!((status.as_str(), written), ("2\n", true), "{end}: {said:?}");
    }
    assert_eq!(sandbox.runs().len(), ENDS.len());
}

#[test]
fn a_verification_that_is_kept_nowhere_and_cannot_be_told_is_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let verify = "XDG_STATE_HOME=/proc/none $IOPROOF verify data --rw read --time 1s --runs 1";
    let lost = shell(&sandbox, &format!("{{ {verify}; echo $? >&4; }} 4>status > /dev/full"));
    assert!(lost.stderr.contains("the result is kept nowhere"), "{lost:?}");
    assert_eq!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "2\n");
    let unread = shell(&sandbox, &format!("{{ {verify}; echo $? >&4; }} 4>status | true"));
    assert_eq!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "2\n", "{unread:?}");
    let kept = shell(&sandbox, &format!("{{ {verify} -o x.json; echo $? >&4; }} 4>status > /dev/full"));
    assert_ne!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "2\n", "{kept:?}");
}

#[test]
fn a_verification_whose_standard_output_is_closed_says_so() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let status = |place: &str| {
        let said = shell(&sandbox, &format!("{place} $IOPROOF verify data --rw read --time 1s --runs 1 >&-; echo $? >status"));
        (std::fs::read_to_string(sandbox.work().join("status")).unwrap(), said.stderr)
    };
    let (lost, said) = status("XDG_STATE_HOME=/dev/null");
    assert!(lost == "2\n" && said.contains("the result is kept nowhere"), "{lost} {said}");
    let (kept, said) = status("");
    assert!(kept != "2\n" && said.contains("warning: standard output") && said.contains("stored in"), "{kept} {said}");
}

#[test]
fn what_is_only_shown_and_cannot_be_shown_is_an_error() {
    let sandbox = Sandbox::new();
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");
    let report = format!("report {run}");
    let verbs = [
        &report,
        "runs list --json",
        "list --json",
        "rules",
        "datasheet list",
        "run --cmdhelp",
        "run --help",
        "verify --size 4MiB --dry-run",
        "--version",
    ];
    for verb in verbs.into_iter().chain(["--help", "verify --help"]) {
        for end in [">&-", "> /dev/full"] {
            let said = shell(&sandbox, &format!("$IOPROOF {verb} {end}; echo $? >&2"));
            assert!(said.stderr.contains("error: ") && said.stderr.ends_with("2\n"), "{verb} {end}: {said:?}");
        }
    }
}

#[test]
fn a_folder_that_was_removed_is_an_error_like_others() {
    let sandbox = Sandbox::new();
    let script = "mkdir gone; cd gone; rmdir ../gone; $IOPROOF run --name=a --rw=write --size=64k; echo $? >&2";
    let said = shell(&sandbox, script);
    assert!(said.stderr.contains("error: ") && said.stderr.ends_with("2\n"), "{said:?}");
}

#[test]
fn a_doctor_keeps_its_status() {
    let sandbox = Sandbox::new();
    for end in ENDS {
        for json in ["", "--json"] {
            let said = shell(&sandbox, &format!("{{ $IOPROOF doctor {json}; echo $? >&4; }} 4>status {end}"));
            let status = std::fs::read_to_string(sandbox.work().join("status")).unwrap();
            // Which of the two is the host's affair, which changes from one look to the next.
            assert!(["0\n", "3\n"].contains(&status.as_str()), "{end} {json}: {status} {said:?}");
        }
    }
}

#[test]
fn a_job_file_runs_to_its_end_without_anybody_to_talk_to() {
    let sandbox = Sandbox::new();
    let job = "run --name=a --ioengine=null --rw=read --bs=4k --size=64k --eta=always --status-interval=100ms --output=out";
    for end in ["2>&-", "2> /dev/full", "2>&1 | true", ">&- 2>&-"] {
        let said = shell(&sandbox, &format!("{{ $IOPROOF {job}; echo $? >&4; }} 4>status {end}"));
        assert_eq!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "0\n", "{end}: {said:?}");
    }
    assert!(std::fs::read_to_string(sandbox.work().join("out")).unwrap().contains("IO depths"));
}

#[test]
fn without_a_standard_output_a_job_runs_is_stored_and_has_its_logs() {
    let sandbox = Sandbox::new();
    let job = "run --name=a --ioengine=null --rw=read --bs=4k --size=64k --write_bw_log=l";
    for (runs, (end, format)) in
        [(">&-", "normal"), ("> /dev/full", "normal"), ("> /dev/full", "json"), (">&- 2>&-", "normal")].iter().enumerate()
    {
        let _ = std::fs::remove_file(sandbox.work().join("l_bw.1.log"));
        let said = shell(&sandbox, &format!("{{ $IOPROOF {job} --output-format={format}; echo $? >&4; }} 4>status {end}"));
        assert_eq!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "2\n", "the results went nowhere: {end} {said:?}");
        assert_eq!(std::fs::read_to_string(sandbox.work().join("l_bw.1.log")).unwrap().lines().count(), 16, "{end} {said:?}");
        assert_eq!(sandbox.runs().len(), runs + 1, "{end}");
    }
    let slow = "run --name=a --ioengine=null --rw=read --bs=4k --size=64k --rate_iops=40 --status-interval=100ms --output-format=json";
    let said = shell(&sandbox, &format!("$IOPROOF {slow} > /dev/full; echo $?"));
    assert_eq!(said.stdout, "2\n", "neither did the last results go anywhere: {said:?}");
}

#[test]
fn results_that_nobody_empties_do_not_hold_up_the_jobs() {
    let sandbox = Sandbox::new();
    // A report of 64 clones is larger than the pipe, and comes ten times a second; nobody reads before the run is stored as complete.
    let job =
        ["run", "--output-format=json", "--name=a", "--ioengine=null", "--rw=read", "--size=1g", "--rate_iops=50", "--number_ios=150"];
    let many = ["--numjobs=64", "--status-interval=100ms", "--eta=always"];
    let mut command = sandbox.command(&[&job[..], &many].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the end of jobs without a reader", || sandbox.run(&["runs", "list", "--wide"]).stdout.contains("complete"));
    let said = said(child.wait_with_output().unwrap());
    let documents: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&said.stdout).into_iter().map(Result::unwrap).collect();
    assert!(said.status == 0 && documents.len() > 2, "{} documents", documents.len());
    assert_eq!(documents.last().unwrap()["jobs"][63]["read"]["total_ios"], 150);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let sandbox = Sandbox::new();
    for verb in ["datasheet list", "runs list --json", "datasheet show intel-dc-p3700", "run --cmdhelp"] {
        let said = shell(&sandbox, &format!("{{ $IOPROOF {verb}; echo $? >&4; }} 4>status | true"));
        assert_eq!((std::fs::read_to_string(sandbox.work().join("status")).unwrap().as_str(), said.stderr.as_str()), ("0\n", ""), "{verb}");
    }
    let full = shell(&sandbox, "$IOPROOF datasheet list > /dev/full; echo $? >&2");
    assert!(full.stderr.contains("standard output") && full.stderr.ends_with("2\n"), "{full:?}");
}

#[test]
fn a_limit_on_files_is_told() {
    let sandbox = Sandbox::new();
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");
    let said = shell(&sandbox, &format!("ulimit -f 1; $IOPROOF report {run} -o x.html; echo $?"));
    assert!(said.stdout == "2\n" && said.stderr.contains("x.html") && said.stderr.contains("File too large"), "{said:?}");
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn nothing_is_printed_over_what_a_file_holds() {
    let sandbox = Sandbox::new();
    let file = sandbox.work().join("f");
    std::fs::write(&file, "somebody's data").unwrap();
    for (to, refused) in [("1<> f", true), ("2<> f", true), ("1<> f 2<> f", true), (">> f", false), ("2>> f", false)] {
        let said = shell(&sandbox, &format!("{{ $IOPROOF rules no-such-rule; echo $? >&4; }} 4>status {to}"));
        let told = said.stdout.contains("would be written over") || said.stderr.contains("would be written over");
        assert_eq!(told, refused && to != "1<> f 2<> f", "{to}: {said:?}");
        assert_eq!(std::fs::read_to_string(sandbox.work().join("status")).unwrap(), "2\n", "{to}");
        assert!(std::fs::read_to_string(&file).unwrap().starts_with("somebody's data"), "{to}");
    }
}
