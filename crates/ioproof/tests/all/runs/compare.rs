//! `ioproof compare` on stored runs of real measurements without a drive, and on reports in files.

use crate::common::Sandbox;

fn measure(sandbox: &Sandbox, words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    let said = sandbox.run(&[["verify", "--backend", "null", "--time", "1s", "--runs", "6", "--json"].as_slice(), &words].concat());
    said.json()["run"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn two_runs_at_one_rate_are_not_told_apart() {
    let sandbox = Sandbox::new();
    let first = measure(&sandbox, "--rw randread --workers 1 --depth 1 --rate 20000");
    let second = measure(&sandbox, "--rw randread --workers 1 --depth 1 --rate 20000");
    let same = sandbox.run(&["compare", &first, &second, "--json"]).json();
    assert_eq!(same["runs"].as_array().unwrap().len(), 2);
    let rows = same["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["metric"] == "iops" && row["against"][0]["answer"] == "cannot_tell"), "{rows:?}");
    let said = sandbox.run(&["compare", &first, &second]);
    assert!(said.status == 0 && said.stdout.contains("cannot tell") && said.stdout.contains("IOPS"), "{said:?}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let sandbox = Sandbox::new();
    let (one, other) = (measure(&sandbox, "--rw randread --workers 1 --depth 1"), measure(&sandbox, "--rw read --workers 1 --depth 2"));
    sandbox.run(&["compare", &one, &one]).refuses(&["held against itself"]);
    sandbox.run(&["compare", &one, &other]).refuses(&[
        "no figure in common",
        "order of blocks: random, sequential",
        "queue depth per worker: 1, 2",
    ]);
    sandbox.run(&["compare", &one, "nonsense"]).refuses(&["there is no run"]);
    sandbox.run(&["compare", &one]).refuses(&["the only one"]);
    assert_eq!(sandbox.run(&["compare"]).status, 2);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let sandbox = Sandbox::new();
    let one = measure(&sandbox, "--rw randread --workers 1 --depth 1");
    let write = |name: &str, text: &str| std::fs::write(sandbox.work().join(name), text).unwrap();
    write("table.csv", "kind,run_id\n");
    write("other.json", "{\"a\": 1}");
    write("list.json", "[1, 2");
    for (name, word) in [
        ("missing.json", "No such file"),
        ("./nothing", "No such file"),
        ("table.csv", "expected value"),
        ("other.json", "missing field"),
        ("list.json", "no report of a run as JSON"),
        (".", "no run.json in it"),
        ("", "is empty"),
    ] {
        sandbox.run(&["compare", &one, name]).refuses(&[word]);
    }
}

#[test]
fn a_comparison_is_written_in_every_format_and_replaced_as_reports_are() {
    let sandbox = Sandbox::new();
    let words = "--rw randread --workers 1 --depth 1 --rate 20000";
    let (one, other, third) = (measure(&sandbox, words), measure(&sandbox, words), measure(&sandbox, words));
    let files = ["x.json", "x.md", "x.csv", "x.html", "x.txt", "x.xlsx"];
    let args: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
    for runs in [[&one, &other], [&one, &third]] {
        let said = sandbox.run(&[&["compare", runs[0], runs[1]], args.as_slice()].concat());
        assert!(said.status == 0 && said.stdout.contains("B against A"), "{said:?}");
        assert!(files[..5].iter().all(|file| std::fs::read_to_string(sandbox.work().join(file)).unwrap().contains(runs[1].as_str())));
    }
    std::fs::write(sandbox.work().join("mine.csv"), "mine").unwrap();
    sandbox.run(&["compare", &one, &other, "-o", "mine.csv"]).refuses(&["mine.csv"]);
    assert_eq!(std::fs::read_to_string(sandbox.work().join("mine.csv")).unwrap(), "mine");
    sandbox.run(&["compare", &one, &other, "-o", "x.pdf"]).refuses(&["known: .json"]);
    sandbox.run(&["report", &one, "-o", "one.json"]);
    sandbox.run(&["compare", "one.json", &other, "-o", "one.json"]).refuses(&["is one of the runs"]);
    assert!(sandbox.run(&["report", "one.json"]).stdout.contains("random read"), "it is as it was");
}

#[test]
fn a_drive_that_is_slowed_down_is_worse() {
    let sandbox = Sandbox::new();
    let verify = |delay: &str| {
        let faults = format!("delay_us={delay}");
        let words =
            ["verify", "--size", "16MiB", "--rw", "randread", "--workers", "1", "--depth", "1", "--time", "3s", "--runs", "6", "--json"];
        let said = sandbox.run(&[words.as_slice(), &["--faults", &faults]].concat());
        said.json()["run"]["id"].as_str().unwrap().to_owned()
    };
    let (fast, slow) = (verify("2000"), verify("20000"));
    let worse = sandbox.run(&["compare", &fast, &slow, "--fail-if", "worse", "--json"]);
    // Others may use the disk meanwhile, which doubts a figure; only one that nothing doubts fails.
    let rows = worse.json()["rows"].as_array().unwrap().clone();
    let is_told = rows.iter().any(|row| row["against"][0]["answer"] == "worse" && row["against"][0]["doubts"].is_null());
    assert_eq!(worse.status, i32::from(is_told), "{worse:?}");
    let worse = sandbox.run(&["compare", &fast, &slow]);
    assert!(worse.stdout.contains("worse") && worse.stdout.contains("injected faults"), "{}", worse.stdout);
    let better = sandbox.run(&["compare", &slow, &fast, "--fail-if", "worse"]);
    assert!(better.status == 0 && better.stdout.contains("better"), "{better:?}");
}
