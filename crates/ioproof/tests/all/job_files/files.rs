//! Files of jobs that somebody else has, changes or is making, folders that are not there, and runs that cannot note anything.

use crate::common;
use crate::common::{MIB, ProgramOutput, Sandbox, said, signal};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Stdio};

fn run(sandbox: &Sandbox, job: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["run", "--name=job", "--bs=16k"], job].concat())
}

fn start(sandbox: &Sandbox, job: &[&str]) -> Child {
    let mut command = sandbox.command(&[&["run", "--name=job", "--bs=16k"], job].concat());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a run has come to something; what a run says that has ended before is the test's failure.
fn wait_until(run: &mut Child, what: impl Fn() -> bool) {
    let mut ended = None;
    common::wait_until("something of a run", || {
        ended = run.try_wait().unwrap();
        ended.is_some() || what()
    });
    let said = |run: &mut Child| std::io::read_to_string(run.stderr.take().unwrap()).unwrap();
    assert!(ended.is_none() || what(), "the run has ended: {}", said(run));
}

/// True where a file begins with content.
fn is_begun(path: &Path) -> bool {
    let mut head = [0; 8];
    File::open(path).is_ok_and(|file| file.read_exact_at(&mut head, 0).is_ok()) && head != [0; 8]
}

fn set_modified(path: &Path, like: &std::fs::Metadata) {
    OpenOptions::new().write(true).open(path).unwrap().set_modified(like.modified().unwrap()).unwrap();
}

#[test]
fn what_somebody_wrote_is_not_overwritten_though_the_old_time_was_set() {
    for engine in ["--ioengine=psync", "--ioengine=mmap", "--ioengine=libaio"] {
        let sandbox = Sandbox::new();
        let job = ["--rw=write", "--size=64k", engine];
        for _ in 0..3 {
            assert_eq!(run(&sandbox, &job).status, 0, "{engine}: what only runs wrote stays ours");
        }
        let path = sandbox.work().join("job.0.0");
        let before = path.metadata().unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"dear diary", 100).unwrap();
        set_modified(&path, &before);
        assert_eq!(path.metadata().unwrap().modified().unwrap(), before.modified().unwrap());
        run(&sandbox, &job).refuses(&["not written", "somebody changed it since", "--overwrite"]);
        let content = std::fs::read(&path).unwrap();
        assert_eq!(&content[100..110], b"dear diary");
    }
}

#[test]
fn what_somebody_writes_while_an_earlier_job_runs_is_not_overwritten_by_a_later_one() {
    let sandbox = Sandbox::new();
    assert_eq!(run(&sandbox, &["--rw=write", "--size=64k"]).status, 0);
    let first = ["--rw=read", "--size=64k", "--rate_iops=100", "--time_based", "--runtime=6", "--output=out", "--status-interval=200ms"];
    let later = ["--name=later", "--stonewall", "--rw=write", "--size=64k", "--filename=job.0.0"];
    let mut child = start(&sandbox, &[&first[..], &later].concat());
    wait_until(&mut child, || sandbox.work().join("out").exists());
    let path = sandbox.work().join("job.0.0");
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"dear diary", 100).unwrap();
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 2 && said.stderr.contains("changed by somebody") && said.stderr.contains("--overwrite=job.0.0"), "{said:?}");
    assert_eq!(&std::fs::read(&path).unwrap()[100..110], b"dear diary");
}

#[test]
fn what_somebody_damages_between_jobs_is_found_by_one_that_only_verifies() {
    let sandbox = Sandbox::new();
    let first = ["--rw=write", "--size=64k", "--verify=crc32c", "--do_verify=0"];
    let later = [
        "--name=later",
        "--stonewall",
        "--startdelay=4",
        "--rw=write",
        "--size=64k",
        "--verify=crc32c",
        "--verify_only=1",
        "--filename=job.0.0",
    ];
    let mut child = start(&sandbox, &[&first[..], &later].concat());
    let path = sandbox.work().join("job.0.0");
    wait_until(&mut child, || is_begun(&path));
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"dear diary", 100).unwrap();
    let said = said(child.wait_with_output().unwrap());
    assert!(said.status == 1 && said.stderr.contains("corrupt at byte"), "{said:?}");
    assert_eq!(&std::fs::read(&path).unwrap()[100..110], b"dear diary");
}

#[test]
fn what_somebody_appends_while_a_job_writes_stays_his() {
    for unlink in ["--unlink=0", "--unlink=1"] {
        let sandbox = Sandbox::new();
        let mut child = start(&sandbox, &["--rw=write", "--size=64k", "--time_based", "--runtime=600", unlink]);
        let path = sandbox.work().join("job.0.0");
        wait_until(&mut child, || is_begun(&path));
        std::io::Write::write_all(&mut OpenOptions::new().append(true).open(&path).unwrap(), b"dear diary").unwrap();
        signal(&child, "-INT");
        let said = said(child.wait_with_output().unwrap());
        assert!(said.stderr.contains("somebody appended to it"), "{said:?}");
        assert_eq!(said.stderr.contains("unlink=1: job.0.0 stays"), unlink == "--unlink=1", "{said:?}");
        run(&sandbox, &["--rw=write", "--size=128k"]).refuses(&["not written", "--overwrite"]);
        assert_eq!(&std::fs::read(&path).unwrap()[64 << 10..], b"dear diary", "{unlink}");
    }
}

#[test]
fn what_somebody_writes_before_a_job_begins_stays_his_though_the_run_ends_before_it() {
    for unlink in ["--unlink=0", "--unlink=1"] {
        let sandbox = Sandbox::new();
        assert_eq!(run(&sandbox, &["--rw=write", "--size=64k"]).status, 0);
        let mut child = start(&sandbox, &["--rw=write", "--size=64k", "--startdelay=600", unlink]);
        wait_until(&mut child, || sandbox.runs().len() == 2);
        let path = sandbox.work().join("job.0.0");
        OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"dear diary", 100).unwrap();
        signal(&child, "-INT");
        assert_eq!(child.wait().unwrap().code(), Some(3), "{unlink}");
        run(&sandbox, &["--rw=write", "--size=64k"]).refuses(&["not written", "somebody changed it since", "--overwrite"]);
        assert_eq!(&std::fs::read(&path).unwrap()[100..110], b"dear diary", "{unlink}");
    }
}

/// Changes of a file that its content does not show: all that is in it is what laying out writes, or zeros.
type Change = fn(&File);

#[test]
fn what_somebody_changes_of_a_file_that_a_job_reads_is_his_whatever_its_content_looks_like() {
    let changes: [(&str, Change); 4] = [
        ("longer", |file| file.set_len(MIB).unwrap()),
        ("shorter and longer again", |file| file.set_len(100).and_then(|()| file.set_len(64 << 10)).unwrap()),
        ("zeros", |file| file.write_all_at(&[0; 4096], 8192).unwrap()),
        ("rights", |file| file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap()),
    ];
    for ((change, act), unlink) in changes.into_iter().flat_map(|change| [(change, true), (change, false)]) {
        let sandbox = Sandbox::new();
        let unlinks = format!("--unlink={}", u8::from(unlink));
        let mut child = start(&sandbox, &["--rw=randread", "--size=64k", "--time_based", "--runtime=600", &unlinks]);
        wait_until(&mut child, || sandbox.runs().len() == 1);
        let path = sandbox.work().join("job.0.0");
        act(&OpenOptions::new().write(true).open(&path).unwrap());
        signal(&child, "-INT");
        let said = said(child.wait_with_output().unwrap());
        assert_eq!((said.status, said.stderr.contains("unlink=1: job.0.0 stays")), (3, unlink), "{change}: {said:?}");
        run(&sandbox, &["--rw=write", "--size=64k"]).refuses(&["not written", "somebody changed it since", "--overwrite"]);
    }
}

#[test]
fn a_run_that_is_interrupted_leaves_its_file_ours() {
    for engine in ["--ioengine=psync", "--ioengine=mmap"] {
        let sandbox = Sandbox::new();
        let mut child = start(&sandbox, &["--rw=randwrite", "--size=64k", engine, "--time_based", "--runtime=60"]);
        wait_until(&mut child, || is_begun(&sandbox.work().join("job.0.0")));
        signal(&child, "-INT");
        assert_eq!(child.wait().unwrap().code(), Some(3));
        assert_eq!(run(&sandbox, &["--rw=write", "--size=64k", engine]).status, 0, "{engine}");
    }
}

#[test]
fn a_file_that_a_killed_run_laid_out_in_part_is_laid_out_whole_with_consent() {
    let sandbox = Sandbox::new();
    let job = ["--rw=randread", "--size=200m", "--number_ios=8"];
    let mut child = start(&sandbox, &job);
    let path = sandbox.work().join("job.0.0");
    wait_until(&mut child, || is_begun(&path));
    child.kill().unwrap();
    child.wait().unwrap();
    let last_block = || {
        let mut block = vec![0; 4096];
        File::open(&path).unwrap().read_exact_at(&mut block, (200 << 20) - 4096).unwrap();
        block
    };
    assert!(last_block().iter().all(|byte| *byte == 0), "it was killed too late to prove anything");
    run(&sandbox, &job).refuses(&["either was killed while it wrote"]);
    let next = run(&sandbox, &[&job[..], &["--overwrite", path.to_str().unwrap()]].concat());
    assert_eq!(next.status, 0, "{next:?}");
    assert!(last_block().iter().any(|byte| *byte != 0));
}

#[test]
fn a_file_that_one_run_makes_is_refused_to_another_until_it_is_made() {
    let sandbox = Sandbox::new();
    let job = ["--rw=randread", "--size=200m", "--number_ios=8"];
    let mut child = start(&sandbox, &job);
    wait_until(&mut child, || sandbox.work().join("job.0.0").exists());
    run(&sandbox, &job).refuses(&["another run of ioproof is making this file"]);
    assert_eq!(said(child.wait_with_output().unwrap()).status, 0);
    assert_eq!(run(&sandbox, &job).status, 0);
}

#[test]
fn a_file_that_another_run_writes_names_it() {
    let sandbox = Sandbox::new();
    let mut child = start(&sandbox, &["--rw=randwrite", "--size=64k", "--time_based", "--runtime=60"]);
    wait_until(&mut child, || is_begun(&sandbox.work().join("job.0.0")));
    let process = format!("is open for writing in process {} (ioproof)", child.id());
    let second = run(&sandbox, &["--rw=randwrite", "--size=64k"]);
    child.kill().unwrap();
    child.wait().unwrap();
    second.refuses(&[&process, "wait until that has ended"]);
    run(&sandbox, &["--rw=randwrite", "--size=64k"]).refuses(&["either was killed while it wrote"]);
}

#[test]
fn a_job_that_reads_says_why_a_file_would_be_written() {
    let sandbox = Sandbox::new();
    sandbox.file("mine", 64 << 10);
    run(&sandbox, &["--filename=mine", "--rw=randread", "--size=1m"]).refuses(&[
        "mine has 64 KiB and the job needs 1 MiB (size=), so the job would make it larger",
        "make size= smaller, or add --overwrite",
    ]);
    let unlink = run(&sandbox, &["--filename=mine", "--rw=read", "--unlink=1"]);
    assert!(unlink.status == 0 && unlink.stderr.contains("unlink=1: mine stays, because ioproof did not make it"), "{unlink:?}");
    assert!(sandbox.work().join("mine").exists());
}

#[test]
fn folders_in_names_are_made_and_go_again_where_nothing_begins() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    let job = ["--filename=a/b/file", "--rw=write", "--size=64k"];
    let dry = run(&sandbox, &[&job[..], &["--dry-run"]].concat());
    assert!(dry.status == 0 && dry.stdout.contains("neither it nor its folder exists yet, and both would be made"), "{dry:?}");
    assert!(!at("a").exists());
    // The second file is refused, so the first and its folders go.
    sandbox.file("mine", 4096);
    assert_eq!(run(&sandbox, &["--filename=a/b/file:mine", "--rw=write", "--size=128k"]).status, 2);
    assert!(!at("a").exists() && at("mine").exists());
    assert_eq!(run(&sandbox, &job).status, 0);
    assert_eq!(at("a/b/file").metadata().unwrap().len(), 64 << 10);
    run(&sandbox, &["--filename=mine/below/file", "--rw=write", "--size=64k"]).refuses(&["mine is no directory"]);
    run(&sandbox, &["--directory=c/d", "--rw=write", "--size=64k"]).refuses(&["directory=c/d: there is no such directory", "mkdir -p c/d"]);
    assert!(!at("c").exists());
}

#[test]
fn one_name_for_a_file_and_for_results_is_said() {
    let sandbox = Sandbox::new();
    let job = ["--rw=write", "--size=64k"];
    run(&sandbox, &[&job[..], &["--filename=out", "--output=./out"]].concat())
        .refuses(&["out is named both as a file of job job and by --output"]);
    run(&sandbox, &[&job[..], &["--filename=x_bw.1.log", "--write_bw_log=x"]].concat())
        .refuses(&["x_bw.1.log is named both as a file of job job and by a log"]);
    assert_eq!(sandbox.left_behind(), [] as [&str; 0]);
}

#[test]
fn without_a_state_folder_a_verification_is_not_said_to_be_stored() {
    let sandbox = Sandbox::new();
    let nowhere = sandbox.file("no-folder", 4096);
    sandbox.file("data", 4 << 20);
    let mut command = sandbox.command(&["verify", "data", "--time", "1s", "--runs", "1", "--rw", "read"]);
    let said = said(command.env("XDG_STATE_HOME", &nowhere).output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("warning: the run is not stored: ") && said.stdout.contains("run not stored"), "{said:?}");
    assert!(!said.stdout.contains("next: ioproof report") && !said.stderr.contains("stored in"), "{said:?}");
}

#[test]
fn without_a_state_folder_jobs_run_and_it_is_said_what_is_not_kept() {
    let sandbox = Sandbox::new();
    let nowhere = sandbox.file("no-folder", 4096);
    let run = |job: &[&str]| {
        let mut command = sandbox.command(&[&["run", "--name=job", "--bs=16k", "--size=64k"], job].concat());
        said(command.env("XDG_STATE_HOME", &nowhere).output().unwrap())
    };
    let first = run(&["--rw=write"]);
    assert_eq!(first.status, 0, "{first:?}");
    assert!(first.stderr.contains("warning: that the files of this run are ioproof's cannot be noted"), "{first:?}");
    assert!(first.stderr.contains("warning: the run is not stored: "), "{first:?}");
    let read = run(&["--rw=read"]);
    assert!(read.status == 0 && !read.stderr.contains("cannot be noted"), "{read:?}");
    run(&["--rw=write"]).refuses(&["exists, so it is only read", "--overwrite"]);
    assert_eq!(run(&["--rw=write", "--overwrite", "job.0.0"]).status, 0);
}

#[test]
fn what_somebody_puts_into_a_file_before_its_run_has_ended_is_his() {
    let sandbox = Sandbox::new();
    let precious = std::fs::read(sandbox.file("precious", 3 * MIB)).unwrap();
    let content = |name: &str| std::fs::read(sandbox.work().join(name)).unwrap();
    let job = |name: &str, more: &[&str]| {
        let file = format!("--filename={name}");
        sandbox.run(&[&["run", "--name=a", "--bs=4k", "--size=64k", file.as_str()], more].concat())
    };
    // The command of a job runs when it has ended, and before the run has.
    let read = job("f", &["--rw=randread", "--unlink=1", "--allow-exec", "--exec_postrun=cp precious f"]);
    assert!(read.status == 0 && read.stderr.contains("f stays"), "{read:?}");
    assert!(content("f") == precious);
    let written = job("g", &["--rw=write", "--allow-exec", "--exec_postrun=cp precious g"]);
    assert_eq!(written.status, 0, "{written:?}");
    job("g", &["--rw=write"]).refuses(&["--overwrite"]);
    assert!(content("g") == precious);
}

#[test]
fn a_list_of_own_files_that_is_too_large_is_not_read() {
    let sandbox = Sandbox::new();
    let state = sandbox.state().join("ioproof");
    std::fs::File::create(state.join("made-files")).unwrap().set_len(50 << 30).unwrap();
    sandbox.file("data", MIB);
    sandbox.succeeds(&["run", "--name=a", "--rw=read", "--bs=64k", "--size=1m", "--filename=data"]);
}
