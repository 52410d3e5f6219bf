//! `ioproof sweep` with the real engine on scratch files, and without a drive where only the course of it matters.

use crate::common;
use crate::common::{MIB, ProgramOutput, Sandbox};
use serde_json::Value;

/// A sweep without I/O, which takes no drive.
const NULL: [&str; 6] = ["sweep", "--size", "16MiB", "--backend", "null", "--json"];

fn null(sandbox: &Sandbox, words: &str) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    let said = sandbox.measures(&[NULL.as_slice(), &words].concat());
    said.json()
}

fn series(report: &Value) -> Vec<Value> {
    report["judgement"]["sweep"]["series"].as_array().unwrap_or_else(|| panic!("no sweep: {}", report["judgement"])).clone()
}

fn cells(series: &Value) -> Vec<(u64, u64)> {
    let condition = |cell: &Value, name: &str| cell["workload"][name].as_u64().unwrap();
    series["cells"].as_array().unwrap().iter().map(|cell| (condition(cell, "workers"), condition(cell, "depth"))).collect()
}

#[test]
fn a_scratch_file_is_swept_and_every_cell_has_all_its_figures() {
    let sandbox = Sandbox::new();
    let words = ["sweep", "--size", "16MiB", "--rw", "randread", "--depth", "1,2,4", "--runs", "2", "--ios", "200"];
    let said = sandbox.run(&words);
    assert!(matches!(said.status, 0 | 2 | 3), "{said:?}");
    for word in ["random read 4 KiB, 1 worker", "knee:", "ceiling:", "floor:"] {
        assert!(said.stdout.contains(word), "{word}: {}", said.stdout);
    }
    let report = sandbox.run(&["report", "last", "--json"]).json();
    assert_eq!(report["run"]["verb"], "sweep");
    let series = series(&report);
    assert_eq!(cells(&series[0]), [(1, 1), (1, 2), (1, 4)]);
    for cell in series[0]["cells"].as_array().unwrap() {
        for figure in ["iops", "bytes_per_s", "latency_ns"] {
            assert!(cell[figure]["median"].as_f64().unwrap() > 0.0 && cell[figure]["runs"] == 2, "{figure}: {cell}");
        }
        assert!(cell["samples"].as_u64().unwrap() > 0 && cell["cpu_ns_per_io"].as_f64().unwrap() > 0.0, "{cell}");
    }
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn reports_have_the_matrix() {
    let sandbox = Sandbox::new();
    let page = sandbox.path("sweep.html");
    let text = sandbox.path("sweep.md");
    null(&sandbox, &format!("--depth 1,2,4 --runs 1 --time 1s --full -o {page} -o {text}"));
    assert!(std::fs::read_to_string(page).unwrap().contains(">Matrix</h2>"));
    assert!(std::fs::read_to_string(text).unwrap().contains("| queue depth | IOPS | MB/s | mean |"));
}

#[test]
fn presets_have_their_axes_and_flags_go_before_them() {
    let sandbox = Sandbox::new();
    let planned = |words: &str| -> Vec<Value> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let plan = sandbox.run(&[NULL.as_slice(), &["--dry-run"], &words].concat()).json()["plan"].take();
        ["reads", "writes"].iter().flat_map(|part| plan[part].as_array().unwrap().clone()).map(|mut cell| cell["workload"].take()).collect()
    };
    let wal = planned("--as wal --workers 1,2");
    assert_eq!(wal.len(), 18, "nine depths of two numbers of workers");
    assert!(wal.iter().all(|cell| cell["pattern"] == "sequential" && cell["read_percent"] == 0));
    let threads = planned("--as threads");
    assert!(threads.len() == 8 && threads.iter().all(|cell| cell["depth"] == 1));
    assert_eq!((planned("--as blocksize").len(), planned("").len(), planned("--rw randwrite --depth 7").len()), (11, 9, 1));
}

#[test]
fn what_is_written_to_needs_the_consent_that_verify_needs() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", 1 << 20);
    let before = std::fs::read(&file).unwrap();
    let refused = sandbox.run(&["sweep", file.to_str().unwrap(), "--as", "wal", "--runs", "1"]);
    refused.refuses(&["all of it writes", "data consents; what the file holds is lost"]);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn what_no_sweep_can_do_is_refused() {
    let sandbox = Sandbox::new();
    let refuses = |words: &str, text: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        sandbox.run(&[NULL.as_slice(), &words].concat()).refuses(&[text]);
    };
    refuses("--rw randwrite --check", "a sweep checks no data");
    refuses("--as nonsense", "nonsense");
    let resumed = || sandbox.run(&["sweep", "--resume", "last"]);
    refuses("--resume last", "--resume takes everything from the run, and `--size` is typed beside it");
    sandbox.run(&["sweep", "--resume", "last", "--dry-run"]).refuses(&["`--dry-run` is typed beside it"]);
    resumed().refuses(&["there is no run `last`"]);
    sandbox.run(&["verify", "--backend", "null", "--rw", "read", "--runs", "1", "--time", "1s"]);
    resumed().refuses(&["is no sweep"]);
    null(&sandbox, "--depth 1,2 --runs 1 --time 1s");
    resumed().refuses(&["was not interrupted"]);
}

/// Begins a sweep, and interrupts it when so many stages are stored.
fn interrupted(sandbox: &Sandbox, words: &[&str], stages: usize) -> ProgramOutput {
    sandbox.interrupt(sandbox.begin(words), stages, || {})
}

/// A sweep of a file without I/O, which is long enough to be interrupted.
const OF_FILE: [&str; 13] =
    ["sweep", "data", "--backend", "null", "--rw", "randread", "--depth", "1,2,4,8", "--full", "--runs", "3", "--time", "3s"];

#[test]
fn another_file_of_the_same_name_and_size_takes_no_rounds_over() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    interrupted(&sandbox, &OF_FILE, 2);
    let at = |name: &str| sandbox.work().join(name);
    std::fs::rename(at("data"), at("first")).unwrap();
    sandbox.file("data", 4 * MIB);
    let resumed = || sandbox.run(&["sweep", "--resume", "last", "--json"]);
    resumed().refuses(&["the target is not the one that run", "its inode was", "hint: put that one back"]);
    assert_eq!(sandbox.runs().len(), 1, "nothing was measured");
    std::fs::rename(at("first"), at("data")).unwrap();
    let whole = resumed();
    assert!(whole.json()["run"]["stages"].as_array().unwrap().len() > 2, "{whole:?}");
}

#[test]
fn from_another_folder_the_same_file_is_gone_on_with() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    interrupted(&sandbox, &OF_FILE, 2);
    let elsewhere = sandbox.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("data"), "another file of this name").unwrap();
    let output = sandbox.command(&["sweep", "--resume", "last", "--json"]).current_dir(&elsewhere).output().unwrap();
    let report = common::said(output).json();
    assert!(report["run"]["notes"].to_string().contains("goes on with run"), "{report}");
    assert_eq!(report["run"]["targets"][0]["facts"]["resolved"], sandbox.path("data"));
}

#[test]
fn a_file_that_was_cut_since_takes_no_rounds_over_and_is_not_measured_anew() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    interrupted(&sandbox, &OF_FILE, 2);
    std::fs::OpenOptions::new().write(true).open(sandbox.work().join("data")).unwrap().set_len(2 * MIB).unwrap();
    let said = sandbox.run(&["sweep", "--resume", "last", "--json"]);
    said.refuses(&["the target is not the one that run", "it has 2097152 bytes, and had 4194304", "hint: put that one back"]);
    assert_eq!(sandbox.runs().len(), 1, "nothing was measured");
}

#[test]
fn the_run_that_is_gone_on_with_is_no_baseline() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    interrupted(&sandbox, &OF_FILE, 2);
    let words = ["sweep", "--resume", "last", "--baseline", "last"];
    sandbox.run(&words).refuses(&["are among those of this run", "hint: name another run"]);
    assert_eq!(sandbox.runs().len(), 1, "nothing was measured");
}

#[test]
fn of_a_run_that_noted_no_identity_a_file_that_was_made_since_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    interrupted(&sandbox, &OF_FILE, 2);
    let record = sandbox.state().join("ioproof/runs").join(&sandbox.runs()[0]).join("run.json");
    let mut run: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    assert!(run["targets"][0]["facts"].as_object_mut().unwrap().remove("identity").is_some_and(|identity| identity["inode"].is_u64()));
    std::fs::write(&record, run.to_string()).unwrap();
    std::fs::rename(sandbox.work().join("data"), sandbox.work().join("first")).unwrap();
    sandbox.file("data", 4 * MIB);
    let resumed = || sandbox.run(&["sweep", "--resume", "last", "--json"]);
    resumed().refuses(&["the target is not the one that run", "after that run began"]);
}

#[test]
fn a_file_that_the_sweep_itself_wrote_and_a_scratch_file_are_gone_on_with() {
    for words in ["data --overwrite data --runs 3", "--size 4MiB --runs 3"] {
        let sandbox = Sandbox::new();
        sandbox.file("data", 4 * MIB);
        let words: Vec<&str> = words.split(' ').collect();
        interrupted(
            &sandbox,
            &[&["sweep", "--rw", "randwrite", "--depth", "1,2", "--workers", "1", "--time", "6s"], &words[..]].concat(),
            1,
        );
        let consent: &[&str] = if words[0] == "data" { &["--overwrite", "data"] } else { &[] };
        let whole = sandbox.run(&[&["sweep", "--resume", "last", "--json"], consent].concat());
        let notes = whole.json()["run"]["notes"].to_string();
        assert!(notes.contains("goes on with run"), "{notes}");
        assert!(!notes.contains("changed by somebody else"), "{notes}");
    }
}

#[test]
fn an_interrupted_sweep_goes_on_where_it_ended() {
    let sandbox = Sandbox::new();
    let words = ["--depth", "1,2,4,8", "--full", "--runs", "3", "--time", "3s"];
    let first = interrupted(&sandbox, &[NULL.as_slice(), &words].concat(), 3);
    let measured = first.json()["run"]["stages"].as_array().unwrap().len();
    assert!((3..12).contains(&measured) && first.status == 3, "{measured}: {first:?}");
    let whole = sandbox.run(&["sweep", "--resume", "last", "--json"]).json();
    let command = |report: &Value| report["run"]["config"]["command"].to_string();
    assert!(command(&whole).contains("1,2,4,8") && !command(&whole).contains("--resume"), "it can be taken up in its turn");
    let note = whole["run"]["notes"].to_string();
    assert!(note.contains("goes on with run") && whole["run"]["status"]["state"] == "complete", "{note}");
    let stages = whole["run"]["stages"].as_array().unwrap().len();
    assert!((measured..=12).contains(&stages), "at most three runs of four cells, none of them twice: {stages}");
    assert_eq!(series(&whole)[0]["cells"].as_array().unwrap().len(), 4);
    let of_both = sandbox.run(&["report", "last", "--json"]).json();
    assert_eq!(of_both["run"]["stages"].as_array().unwrap().len(), stages, "all of them are stored");
}

#[test]
fn what_is_left_out_is_said_before_and_what_few_runs_carry_after() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    let said =
        sandbox.run(&["sweep", "data", "--rw", "randread,randrw:70", "--depth", "1,2,4", "--workers", "1", "--time", "1s", "--runs", "2"]);
    let [warning, hint] = ["warning: 3 of 6 workloads that were asked for will not be run", "hint: they write: --overwrite data consents"];
    assert!(said.stderr.contains(warning) && said.stderr.contains(hint), "{}", said.stderr);
    assert!(said.stdout.contains("uncertain: 3 of 3 cells have too few runs for an interval"), "{}", said.stdout);
}

#[test]
fn a_mistake_is_answered_with_what_mends_it() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 4 * MIB);
    sandbox.run(&["sweep", "data", "--depth", "1-8"]).refuses(&["`1-8` is no number; several are written as 1,2,4,8"]);
    sandbox.run(&["verify", "data", "--rw", "randwrite"]).refuses(&["all of it writes", "hint: --overwrite data consents"]);
    let dry = sandbox.run(&["verify", "data", "--rw", "randread", "--runs", "2", "--dry-run"]).stdout;
    assert!(dry.contains("  2 runs of each, 10 s a run, about 22 s in all\n"), "{dry}");
    let help = sandbox.run(&["sweep", "--help"]).stdout;
    assert!(help.contains("[default: 1,2,4,8,16,32,64,128,256]") && help.contains("[default: 5m]"), "{help}");
}

#[test]
fn each_of_several_backends_has_a_series_of_its_own() {
    let sandbox = Sandbox::new();
    let words = ["sweep", "--size", "16MiB", "--backend", "psync,posixaio", "--depth", "1,2,4", "--runs", "2", "--ios", "100", "--full"];
    let said = sandbox.run(&[words.as_slice(), &["-o", "out/", "-o", "x.md"]].concat());
    assert!(matches!(said.status, 0 | 2 | 3), "{said:?}");
    for title in ["random read 4 KiB by psync, 1 worker", "random read 4 KiB by posixaio, 1 worker"] {
        let text = std::fs::read_to_string(sandbox.work().join("x.md")).unwrap();
        assert!(said.stdout.contains(title) && text.contains(title), "{title}: {}", said.stdout);
    }
    assert_eq!(said.stdout.matches("queue depth made of threads, up to 4: psync keeps one I/O outstanding in each").count(), 1);
    let report = sandbox.run(&["report", "last", "--json"]).json();
    assert_eq!(report["run"]["config"]["backend"], "psync,posixaio");
    let backends = |series: &Value| {
        let of = |cell: &Value| {
            let round = report["run"]["stages"].as_array().unwrap().iter().find(|stage| stage["rounds"][0]["job"] == cell["job"]);
            (cell["workload"]["backend"].clone(), round.unwrap()["rounds"][0]["engine"]["backend"].clone(), cell["threads"].clone())
        };
        series["cells"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    let series = series(&report);
    assert_eq!(series.iter().map(cells).collect::<Vec<_>>(), [[(1, 1), (1, 2), (1, 4)], [(1, 1), (1, 2), (1, 4)]]);
    assert!(backends(&series[0]).iter().all(|(asked, served, _)| asked == "psync" && served == "psync"), "{series:?}");
    assert_eq!(backends(&series[0]).into_iter().map(|(.., threads)| threads).collect::<Vec<_>>(), [Value::Null, 2.into(), 4.into()]);
    assert!(backends(&series[1]).iter().all(|(asked, _, threads)| asked == "posixaio" && threads.is_null()), "{series:?}");
    let results = std::fs::read_to_string(sandbox.work().join("out/results.csv")).unwrap();
    assert!(
        results.lines().next().unwrap().ends_with("curve,backend") && results.lines().any(|line| line.ends_with(",psync")),
        "{results}"
    );
}

#[test]
fn a_rehearsal_lists_cells_as_the_matrix_is_read_and_says_which_depth_is_made_of_threads() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["sweep", "--size", "16MiB", "--backend", "io_uring,psync", "--depth", "1,8", "--workers", "1,2", "--dry-run"]);
    let listed: Vec<&str> = said.stdout.lines().filter_map(|line| line.strip_prefix("  read   random read 4 KiB by ")).collect();
    let of_one = ["queue depth 1", "queue depth 8"].map(|depth| ["io_uring", "psync"].map(|name| format!("{name}, {depth}")));
    let of_two = ["2 x 1 = 2", "2 x 8 = 16"].map(|depth| ["io_uring", "psync"].map(|name| format!("{name}, queue depth {depth}")));
    let series = |cells: &[[String; 2]; 2], at: usize| [cells[0][at].clone(), cells[1][at].clone()];
    assert_eq!(listed, [series(&of_one, 0), series(&of_one, 1), series(&of_two, 0), series(&of_two, 1)].concat(), "{}", said.stdout);
    assert!(said.stdout.contains("queue depth of psync is made of threads"), "{}", said.stdout);
    sandbox.run(&["sweep", "--backend", "io_uring,null", "--dry-run"]).refuses(&["--backend null does no I/O"]);
    sandbox.run(&["verify", "--backend", "io_uring,psync", "--dry-run"]).refuses(&["--backend with several names is for workloads"]);
}

#[test]
fn a_target_that_does_not_exist_is_refused() {
    let sandbox = Sandbox::new();
    for target in ["newfile", "missing/newfile"] {
        sandbox.run(&["sweep", target, "--size", "4MiB", "--time", "1s"]).refuses(&["no such target", "check the spelling"]);
    }
    assert!(sandbox.left_behind().is_empty());
}

#[test]
fn a_time_that_is_too_short_for_a_sweep_names_its_axes() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["sweep", "--size", "4MiB", "--rw", "randread", "--time", "1s", "--dry-run"]);
    assert!(said.stderr.contains("or fewer cells (--rw, --depth, --workers, --bs)"), "{said:?}");
}

#[test]
fn a_report_as_json_is_a_run_file() {
    let sandbox = Sandbox::new();
    null(&sandbox, "--depth 1,2,4 --runs 1 --time 1s -o a.json");
    let id = sandbox.runs()[0].clone();
    let known = sandbox.run(&["runs", "import", "a.json"]);
    assert!(known.status == 0 && known.stdout.contains("it is in the store already"), "{known:?}");
    std::fs::remove_dir_all(sandbox.state().join("ioproof/runs").join(&id)).unwrap();
    assert_eq!(sandbox.run(&["runs", "import", "a.json"]).status, 0);
    assert_eq!((sandbox.runs(), sandbox.run(&["runs", "export", "a.json", "-o", "x.json"]).status), (vec![id], 0));
    std::fs::write(sandbox.work().join("b.json"), "{}").unwrap();
    sandbox.run(&["runs", "export", "b.json"]).refuses(&["b.json is no report of a run as JSON"]);
}
