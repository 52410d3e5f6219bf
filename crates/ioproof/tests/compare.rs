//! `ioproof compare` on stored runs of real measurements without a drive, and on reports in files.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod common;

use common::Sandbox;

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
    sandbox.run(&["compare", &one, &other]).refuses(&["no figure in common"]);
    sandbox.run(&["compare", &one, "nonsense"]).refuses(&["there is no run"]);
    assert_eq!(sandbox.run(&["compare", &one]).status, 2);
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
    let worse = sandbox.run(&["compare", &fast, &slow, "--fail-if", "worse"]);
    // Others may use the disk meanwhile, which doubts a figure; only one that nothing doubts fails.
    let is_told = worse.stdout.lines().any(|line| line.ends_with("worse"));
    assert_eq!(worse.status, i32::from(is_told), "{worse:?}");
    assert!(worse.stdout.contains("worse") && worse.stdout.contains("differs: injected faults"), "{}", worse.stdout);
    let better = sandbox.run(&["compare", &slow, &fast, "--fail-if", "worse"]);
    assert!(better.status == 0 && better.stdout.contains("better"), "{better:?}");
}
