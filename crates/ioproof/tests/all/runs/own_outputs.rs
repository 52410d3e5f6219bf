//! Files beside the measurement: reports, results of job files, logs. Only what ioproof wrote, and nobody changed since, is replaced.

use crate::common::{MIB, ProgramOutput, Sandbox, has_workers, said, signal, wait_until};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;

/// A stored run of version 1, to be reported at once.
const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");

fn report(sandbox: &Sandbox, file: &str) -> ProgramOutput {
    sandbox.run(&["report", RUN, "-o", file])
}

/// `ioproof run` without I/O.
fn job(sandbox: &Sandbox, options: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["run", "--name=a", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"], options].concat())
}

fn put(sandbox: &Sandbox, name: &str, text: &str) {
    std::fs::write(sandbox.work().join(name), text).unwrap();
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.work().join(name)).unwrap()
}

/// Files of people in which words of ours stand.
const FOREIGN: [(&str, &str); 6] = [
    ("notes.md", "# ioproof\nTo do: measure the new drive with ioproof.\n"),
    ("package.json", "{ \"name\": \"mine\", \"schema_version\": 2 }\n"),
    ("people.csv", "kind,name\nfriend,Ann\n"),
    ("index.html", "<!DOCTYPE html><title>ioproof</title>\n"),
    ("thoughts.txt", "ioproof stamp 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"),
    ("fio.json", "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : []\n}\n"),
];

#[test]
fn words_in_a_file_prove_nothing() {
    let sandbox = Sandbox::new();
    for (name, text) in FOREIGN {
        put(&sandbox, name, text);
        report(&sandbox, name).refuses(&[name, "is not what ioproof wrote"]);
        job(&sandbox, &[&format!("--output={name}")]).refuses(&[name, "is not what ioproof wrote", "--overwrite="]);
        assert_eq!(read(&sandbox, name), text);
    }
    put(&sandbox, "x_bw.1.log", "10, 154273, 0, 65536, 0\n");
    job(&sandbox, &["--write_bw_log=x"]).refuses(&["x_bw.1.log", "is not what ioproof wrote"]);
    assert_eq!(read(&sandbox, "x_bw.1.log"), "10, 154273, 0, 65536, 0\n");
}

#[test]
fn own_files_are_replaced_until_somebody_changes_them() {
    let sandbox = Sandbox::new();
    for name in ["a.json", "a.md", "a.csv", "a.html", "a.txt", "a.xlsx", "a.xml", "a.prom", "a.parquet"] {
        put(&sandbox, name, "");
        assert_eq!(report(&sandbox, name).status, 0, "an empty file holds nothing");
        assert_eq!(report(&sandbox, name).status, 0, "{name}");
        let path = sandbox.work().join(name);
        let changed = [std::fs::read(&path).unwrap(), b" ".to_vec()].concat();
        std::fs::write(&path, &changed).unwrap();
        report(&sandbox, name).refuses(&[name]);
        assert_eq!(std::fs::read(&path).unwrap(), changed);
    }
    let options = ["--output=out", "--write_lat_log=l"];
    let names = ["out", "l_lat.1.log", "l_slat.1.log", "l_clat.1.log"];
    for _ in 0..2 {
        assert_eq!(job(&sandbox, &options).status, 0);
    }
    for name in names {
        let before = read(&sandbox, name);
        put(&sandbox, name, "mine");
        job(&sandbox, &options).refuses(&[name]);
        assert_eq!(read(&sandbox, name), "mine");
        job(&sandbox, &[&options[..], &["--dry-run"]].concat());
        let allowed = job(&sandbox, &[&options[..], &[&format!("--overwrite=./{name}")]].concat());
        assert!(allowed.status == 0 && read(&sandbox, name) != "mine", "{allowed:?} {before}");
    }
    assert!(!sandbox.left_behind().iter().any(|name| name.starts_with('.')), "{:?}", sandbox.left_behind());
}

#[test]
fn a_log_that_jobs_share_grows_and_one_of_its_own_does_not() {
    let sandbox = Sandbox::new();
    let lines = |options: &[&str], name: &str| {
        let said = job(&sandbox, &[&["--write_iops_log=x", "--numjobs=3"], options].concat());
        assert_eq!(said.status, 0, "{said:?}");
        read(&sandbox, name).lines().count()
    };
    assert_eq!([lines(&[], "x_iops.2.log"), lines(&[], "x_iops.2.log")], [16, 16]);
    assert_eq!([lines(&["--per_job_logs=0"], "x_iops.log"), lines(&["--per_job_logs=0"], "x_iops.log")], [48, 96]);
    put(&sandbox, "x_iops.log", "1, 2, 3, 4\n");
    job(&sandbox, &["--write_iops_log=x", "--per_job_logs=0"]).refuses(&["x_iops.log"]);
}

#[test]
fn neither_links_nor_second_names_nor_records_nor_the_target_are_replaced() {
    let sandbox = Sandbox::new();
    assert_eq!(report(&sandbox, "own.json").status, 0);
    let at = |name: &str| sandbox.work().join(name);
    std::fs::hard_link(at("own.json"), at("second.json")).unwrap();
    symlink("own.json", at("link.json")).unwrap();
    report(&sandbox, "second.json").refuses(&["hard link"]);
    report(&sandbox, "link.json").refuses(&["is a link"]);
    let long = format!("{}.json", "x".repeat(300));
    report(&sandbox, &long).refuses(&["File name too long"]);
    std::fs::remove_file(at("second.json")).unwrap();
    sandbox.verify(&["own.json", "-o", "own.json"]).refuses(&["own.json is the target"]);
    assert_eq!(job(&sandbox, &[]).status, 0);
    let record = sandbox.state().join("ioproof/runs").join(sandbox.runs().remove(0)).join("run.json");
    let before = std::fs::read(&record).unwrap();
    report(&sandbox, record.to_str().unwrap()).refuses(&["run.json", "is not what ioproof wrote"]);
    job(&sandbox, &[&format!("--output={}", record.display())]).refuses(&["run.json"]);
    assert_eq!(std::fs::read(&record).unwrap(), before);
}

#[test]
fn the_folder_of_runs_takes_no_outputs() {
    let sandbox = Sandbox::new();
    assert_eq!(job(&sandbox, &[]).status, 0);
    let state = sandbox.state().join("ioproof");
    let run = sandbox.runs().remove(0);
    symlink(&state, sandbox.work().join("link")).unwrap();
    std::fs::write(state.join("store.lock"), "").unwrap();
    for name in ["store.lock".to_owned(), "new".to_owned(), format!("runs/{run}/lock"), format!("runs/{run}/stages/new")] {
        for place in [state.join(&name), sandbox.work().join("link").join(&name)] {
            let place = place.display().to_string();
            let before = std::fs::read(&place).ok();
            sandbox.run(&["report", RUN, "-o", &place, "--format", "csv"]).refuses(&["in which ioproof keeps its runs"]);
            sandbox.run(&["runs", "export", "last", "-o", &place]).refuses(&["in which ioproof keeps its runs"]);
            for allowed in ["--overwrite=none".to_owned(), format!("--overwrite={place}")] {
                job(&sandbox, &[&format!("--output={place}"), &allowed]).refuses(&["in which ioproof keeps its runs"]);
            }
            assert_eq!(std::fs::read(&place).ok(), before, "{place}");
        }
    }
    sandbox.run(&["report", RUN, "-o", &format!("{}/", state.display())]).refuses(&["in which ioproof keeps its runs"]);
    sandbox.run(&["report", RUN, "-o", &format!("{}/new/", state.display())]).refuses(&["in which ioproof keeps its runs"]);
}

/// A name whose folder was exchanged is nobody's: what stands there is told apart from what was written.
#[test]
fn results_whose_folder_was_exchanged_are_said_not_to_be_there() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    for folder in ["d", "other"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    for name in ["out", "log_bw.1.log"] {
        std::fs::write(at("other").join(name), "precious").unwrap();
    }
    let words = [
        "run",
        "--name=a",
        "--ioengine=null",
        "--rw=read",
        "--size=64m",
        "--time_based",
        "--runtime=600",
        "--output=d/out",
        "--write_bw_log=d/log",
    ];
    let said = while_it_runs(&sandbox, &words, || {
        std::fs::rename(at("d"), at("moved")).unwrap();
        std::fs::rename(at("other"), at("d")).unwrap();
    });
    assert!(said.status == 2 && said.stderr.contains("error: d/out was written as "), "{said:?}");
    assert!(said.stderr.contains(&sandbox.path("moved/out")), "{said:?}");
    assert!(said.stderr.contains("error: d/log_bw.1.log was written as "), "{said:?}");
    assert!(at("moved/out").is_file() && at("moved/log_bw.1.log").is_file());
    assert_eq!([read(&sandbox, "d/out"), read(&sandbox, "d/log_bw.1.log")], ["precious", "precious"]);
}

#[test]
fn two_names_of_one_report_are_found_before_the_run() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.work().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    symlink("folder", at("link")).unwrap();
    for (one, two) in [("x.json", "./x.json"), ("folder/x.json", "link/x.json"), ("folder/../x.json", "x.json")] {
        let said = sandbox.verify(&["--size", "16MiB", "-o", one, "-o", "other.json", "-o", two]);
        said.refuses(&[&format!("-o {one} and -o {two} are one file"), "give one of them another name"]);
    }
    assert_eq!((sandbox.runs().len(), at("other.json").exists()), (0, false));
    assert_eq!(sandbox.run(&["report", RUN, "-o", "x.json", "-o", "folder/x.json", "-o", "x.json"]).status, 0);
}

fn pipe(sandbox: &Sandbox, name: &str) {
    assert!(Command::new("mkfifo").arg(sandbox.work().join(name)).status().unwrap().success());
}

#[test]
fn nobody_waits_for_a_pipe_to_find_out_what_it_is() {
    let sandbox = Sandbox::new();
    pipe(&sandbox, "pipe.md");
    pipe(&sandbox, "x_bw.1.log");
    report(&sandbox, "pipe.md").refuses(&["no regular file"]);
    assert_eq!(job(&sandbox, &["--output=pipe.md", "--dry-run"]).status, 0);
    let said = job(&sandbox, &["--output=pipe.md", "--write_bw_log=x"]);
    assert!(said.status == 2 && said.stderr.matches("nobody reads the pipe").count() == 2, "{said:?}");
    for device in ["/dev/full", "/dev/zero", "/dev/fd/12345"] {
        assert_eq!(job(&sandbox, &[&format!("--output={device}")]).status, 2, "{device}");
    }
}

#[test]
fn results_go_to_a_descriptor_of_the_user_where_it_stands() {
    let sandbox = Sandbox::new();
    let script = format!(
        "exec 3>out; echo first >&3; {} run --name=a --ioengine=null --rw=read --size=64k --output=/dev/fd/3 --output-format=terse; echo last >&3",
        env!("CARGO_BIN_EXE_ioproof")
    );
    let mut command = Command::new("sh");
    sandbox.prepare(&mut command);
    let said = said(command.args(["-c", &script]).output().unwrap());
    let text = read(&sandbox, "out");
    assert!(said.status == 0 && text.starts_with("first\n3;fio-") && text.ends_with("\nlast\n"), "{said:?} {text}");
}

#[test]
fn a_descriptor_that_stands_before_data_writes_nothing_over_it() {
    let sandbox = Sandbox::new();
    put(&sandbox, "diary", "dear diary, much more than a line of results would take");
    let script =
        format!("exec 7<>diary; {} run --name=a --ioengine=null --rw=read --size=64k --output=/dev/fd/7", env!("CARGO_BIN_EXE_ioproof"));
    let mut command = Command::new("sh");
    sandbox.prepare(&mut command);
    said(command.args(["-c", &script]).output().unwrap()).refuses(&["/dev/fd/7", "stands before data", ">>"]);
    let appending = script.replace("7<>", "7>>");
    let mut command = Command::new("sh");
    sandbox.prepare(&mut command);
    assert_eq!(said(command.args(["-c", &appending]).output().unwrap()).status, 0);
    assert!(read(&sandbox, "diary").starts_with("dear diary, much more than a line of results would take"));
}

#[test]
fn what_is_added_behind_a_descriptor_while_the_run_goes_on_stays() {
    let sandbox = Sandbox::new();
    for (output, redirection) in [("--output=/dev/fd/7", "7<>n"), ("--output=/dev/stdout", "1<>n"), ("", "1<>n")] {
        // The header is written by then, and the results follow.
        let append = "--exec_prerun=echo precious >> n";
        let job = "run --name=a --ioengine=null --rw=read --size=64k --allow-exec";
        let script = format!(": > n; {} {job} '{append}' {output} {redirection}", env!("CARGO_BIN_EXE_ioproof"));
        let mut command = Command::new("sh");
        sandbox.prepare(&mut command);
        let said = said(command.args(["-c", &script]).output().unwrap());
        assert!(said.status == 2 && said.stderr.contains("stands before data"), "{output} {redirection}: {said:?}");
        assert!(read(&sandbox, "n").ends_with("precious\n"), "{output} {redirection}: {}", read(&sandbox, "n"));
    }
}

/// Starts a run that would take long, waits until a stage of it is stored or its jobs run, does something, and ends it by Ctrl-C.
fn while_it_runs(sandbox: &Sandbox, arguments: &[&str], act: impl FnOnce()) -> ProgramOutput {
    let child = sandbox.begin(arguments);
    let is_job = arguments[0] == "run";
    wait_until("a run", || !sandbox.runs().is_empty() && if is_job { has_workers(&child) } else { sandbox.stages() > 0 });
    act();
    signal(&child, "-INT");
    said(child.wait_with_output().unwrap())
}

/// The store is ioproof's, but a folder that somebody put there during a run is his.
#[test]
fn a_folder_in_the_place_of_that_of_a_run_gets_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let mut theirs = std::path::PathBuf::new();
    let said = while_it_runs(&sandbox, &["verify", "data", "--time", "10m", "--runs", "500"], || {
        let run = sandbox.state().join("ioproof/runs").join(&sandbox.runs()[0]);
        std::fs::rename(&run, sandbox.work().join("moved")).unwrap();
        std::fs::create_dir_all(run.join("stages")).unwrap();
        std::fs::write(run.join("run.json"), "precious").unwrap();
        theirs = run;
    });
    assert!(said.stderr.contains("the run is not stored") && said.stderr.contains("is not the folder any more"), "{said:?}");
    let names: Vec<_> = std::fs::read_dir(&theirs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.len() == 2 && std::fs::read(theirs.join("run.json")).unwrap() == b"precious", "{names:?}");
}

#[test]
fn nobody_else_may_put_runs_into_the_store_whatever_the_mask_lets_through() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let own = sandbox.command(&["verify", "data", "--time", "1s"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(own.get_program()).args(own.get_args()).current_dir(sandbox.work());
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?)))).output().unwrap();
    let run = sandbox.state().join("ioproof/runs").join(&sandbox.runs()[0]);
    for folder in [run.parent().unwrap(), &run, &run.join("stages")] {
        assert_eq!(std::fs::metadata(folder).unwrap().permissions().mode() & 0o022, 0, "{folder:?}");
    }
}

/// All that was measured is still in memory then.
#[test]
fn stages_that_somebody_spoils_during_the_run_are_stored_again() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let said = while_it_runs(&sandbox, &["verify", "data", "--time", "10m", "--runs", "500"], || {
        let stages = sandbox.state().join("ioproof/runs").join(&sandbox.runs()[0]).join("stages");
        wait_until("the second stage", || stages.join("0001.json").exists());
        std::fs::write(stages.join("0000.json"), "").unwrap();
        std::fs::remove_file(stages.join("0001.json")).unwrap();
    });
    assert!(said.stderr.contains("stored in ") && !said.stderr.contains("not stored"), "{said:?}");
    let report = sandbox.run(&["report", "last"]);
    assert!(!report.stdout.contains("is missing"), "{}", report.stdout);
}

#[test]
fn a_link_in_the_place_of_the_folder_of_stages_is_not_followed() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let theirs = sandbox.work().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    for stage in 0..500 {
        std::fs::write(theirs.join(format!("{stage:04}.json")), "precious").unwrap();
    }
    let said = while_it_runs(&sandbox, &["verify", "data", "--time", "10m", "--runs", "500"], || {
        let stages = sandbox.state().join("ioproof/runs").join(&sandbox.runs()[0]).join("stages");
        std::fs::rename(&stages, sandbox.work().join("moved")).unwrap();
        std::os::unix::fs::symlink(&theirs, stages).unwrap();
        std::thread::sleep(Duration::from_millis(500));
    });
    assert!(said.stderr.contains("the run is not stored") && said.stderr.contains("is not the folder any more"), "{said:?}");
    let contents = std::fs::read_dir(&theirs).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    assert!(contents.fold((0, true), |(n, kept), bytes| (n + 1, kept && bytes == b"precious")) == (500, true));
}

#[test]
fn what_somebody_writes_there_meanwhile_stays_and_the_other_reports_are_written() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let long = ["verify", "data", "--time", "10m", "--runs", "500", "-o", "x.md", "-o", "y.json", "-o", "z.txt"];
    assert_eq!(report(&sandbox, "z.txt").status, 0);
    let said = while_it_runs(&sandbox, &long, || {
        put(&sandbox, "x.md", "dear diary");
        put(&sandbox, "z.txt", "dear diary");
    });
    assert_eq!([read(&sandbox, "x.md"), read(&sandbox, "z.txt")], ["dear diary", "dear diary"], "{said:?}");
    assert!(said.status == 2 && said.stderr.contains("x.md") && said.stdout.contains("interrupted"), "{said:?}");
    assert!(read(&sandbox, "y.json").contains("\"run\""));
}

#[test]
fn results_and_logs_leave_alone_what_came_there_meanwhile() {
    let sandbox = Sandbox::new();
    let long = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=1g", "--rate_iops=500", "--time_based", "--runtime=600"];
    let outputs = ["--output=out", "--status-interval=200ms", "--write_iops_log=x", "--log_avg_msec=100"];
    put(&sandbox, "precious", "precious");
    let said = while_it_runs(&sandbox, &[&long[..], &outputs].concat(), || {
        // After two fifths of a second the log has several lines.
        let so_far = || std::fs::read_to_string(sandbox.work().join("out")).unwrap_or_default();
        wait_until("results so far, twice", || so_far().matches("(groupid=").count() > 1);
        let _ = std::fs::remove_file(sandbox.work().join("out"));
        symlink("precious", sandbox.work().join("out")).unwrap();
        put(&sandbox, "x_iops.1.log", "mine");
    });
    assert_eq!([read(&sandbox, "precious"), read(&sandbox, "x_iops.1.log")], ["precious", "mine"], "{said:?}");
    assert!(said.status == 2 && said.stderr.contains("out") && said.stderr.contains("ioproof report "), "{said:?}");
    assert!(said.stderr.contains("nothing is lost: the log is in x_iops.1.log.1"), "{said:?}");
    assert!(read(&sandbox, "x_iops.1.log.1").lines().count() > 1);
}

#[test]
fn a_log_that_another_run_wrote_meanwhile_stays() {
    let sandbox = Sandbox::new();
    let long = ["run", "--name=a", "--ioengine=null", "--rw=read", "--size=1g", "--rate_iops=500", "--time_based", "--runtime=600"];
    let said = while_it_runs(&sandbox, &[&long[..], &["--write_iops_log=x", "--log_avg_msec=100"]].concat(), || {
        sandbox.succeeds(&["run", "--name=b", "--ioengine=null", "--rw=read", "--bs=8k", "--size=64k", "--write_iops_log=x"]);
    });
    assert!(said.status == 2 && said.stderr.contains("nothing is lost: the log is in x_iops.1.log.1"), "{said:?}");
    assert!(read(&sandbox, "x_iops.1.log").contains(" 8192, ") && !read(&sandbox, "x_iops.1.log.1").contains(" 8192, "));
}
