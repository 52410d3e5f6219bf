//! Runs that are held against a stored one as they end, without a drive.

use crate::common::{ProgramOutput, Sandbox};

/// Six runs of 2000 reads each at a rate that any host has, however long that takes.
const WORDS: [&str; 16] = [
    "--size",
    "16MiB",
    "--rw",
    "randread",
    "--workers",
    "1",
    "--depth",
    "1",
    "--runs",
    "6",
    "--ios",
    "2000",
    "--rate",
    "20000",
    "--backend",
    "null",
];

fn measure(sandbox: &Sandbox, more: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["verify"], WORDS.as_slice(), more].concat())
}

#[test]
fn verify_tells_how_it_compares_with_its_baseline() {
    let sandbox = Sandbox::new();
    measure(&sandbox, &[]);
    let first = sandbox.runs().remove(0);
    let said = measure(&sandbox, &["--baseline", &first[..12]]);
    assert!(said.stdout.contains("B against A") && said.stdout.contains(&first), "{said:?}");
    let json = measure(&sandbox, &["--baseline", "last", "--json", "-o", "run.json"]).json();
    assert_eq!(json["comparison"]["runs"][1]["id"], json["run"]["id"]);
    assert!(json["comparison"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{}", json["comparison"]);
    assert_eq!(sandbox.run(&["runs", "show", "run.json"]).status, 0, "a report with a comparison is a stored run like any other");
}

#[test]
fn a_baseline_that_cannot_be_used_is_an_error_before_anything_is_measured() {
    let sandbox = Sandbox::new();
    measure(&sandbox, &["--baseline", "last"]).refuses(&["there is no run"]);
    measure(&sandbox, &["--baseline", "missing.json"]).refuses(&["missing.json", "No such file"]);
    measure(&sandbox, &["--fail-if", "worse"]).refuses(&["--baseline"]);
    assert!(sandbox.runs().is_empty());
    measure(&sandbox, &[]);
    let words = ["verify", "--backend", "null", "--rw", "read", "--depth", "2", "--workers", "1", "--time", "1s", "--baseline", "last"];
    sandbox.run(&words).refuses(&["has no workload of this run", "queue depth per worker: 1, 2"]);
    sandbox.run(&["sweep", "--backend", "null", "--rw", "read", "--time", "1s", "--baseline", "last"]).refuses(&["has no workload"]);
    assert_eq!(sandbox.runs().len(), 1, "nothing was measured");
}

#[test]
fn a_run_that_is_worse_than_its_baseline_ends_with_status_1() {
    let sandbox = Sandbox::new();
    measure(&sandbox, &[]);
    // The stored run was a hundred times as fast: rounds of a hundredth of the time.
    let id = sandbox.runs().remove(0);
    let folder = sandbox.without_digests(&id).join("stages");
    for stage in std::fs::read_dir(folder).unwrap() {
        let path = stage.unwrap().path();
        let mut stage: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let elapsed = &mut stage["rounds"][0]["elapsed_ns"];
        *elapsed = (elapsed.as_u64().unwrap() / 100).into();
        std::fs::write(&path, stage.to_string()).unwrap();
    }
    let said = measure(&sandbox, &["--baseline", &id, "--fail-if", "worse", "--json"]);
    let rows = said.json()["comparison"]["rows"].clone();
    let iops = rows.as_array().unwrap().iter().find(|row| row["metric"] == "iops").unwrap().clone();
    assert_eq!(iops["against"][0]["answer"], "worse", "{iops}");
    // A host that is busy meanwhile doubts the figure, and only one that nothing doubts fails.
    assert_eq!(said.status == 1, iops["against"][0]["doubts"].is_null(), "{said:?}");
}

#[test]
fn a_job_file_is_held_against_a_run_of_it_and_its_outputs_stay() {
    let sandbox = Sandbox::new();
    let job =
        ["run", "--name=t", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1m", "--runtime=300ms", "--time_based", "--iodepth=4"];
    sandbox.succeeds(&[&job[..], &["--output-format=json"]].concat());
    let said = sandbox.run(&[&job[..], &["--output-format=json", "--baseline=last"]].concat());
    assert!(said.stderr.contains("B against A") && said.stderr.contains("too few runs of one or both"), "{said:?}");
    assert!(said.json()["jobs"].is_array());
    sandbox.run(&[&job[..], &["--fail-if=worse"]].concat()).refuses(&["--baseline RUN"]);
    sandbox.run(&[&job[..], &["--baseline=last", "--fail-if=better"]].concat()).refuses(&["known: worse"]);
    let other = ["run", "--name=u", "--ioengine=null", "--rw=read", "--size=1m", "--baseline=last"];
    sandbox.run(&other).refuses(&["has no workload of this run", "name of the job: t, u"]);
    assert_eq!(sandbox.runs().len(), 2);
}

/// A stored run as it was measured, whose record or stages somebody changes.
struct Hostile<'a> {
    sandbox: &'a Sandbox,
    id: String,
    folder: std::path::PathBuf,
}

impl<'a> Hostile<'a> {
    fn new(sandbox: &'a Sandbox) -> Self {
        measure(sandbox, &[]);
        let id = sandbox.runs().remove(0);
        let folder = sandbox.without_digests(&id);
        Self { sandbox, id, folder }
    }

    /// Rewrites a file of it for what `act` does.
    fn with(&self, file: &str, change: impl FnOnce(&mut serde_json::Value), act: impl FnOnce()) {
        let path = self.folder.join(file);
        let before = std::fs::read(&path).unwrap();
        let mut document = serde_json::from_slice(&before).unwrap();
        change(&mut document);
        std::fs::write(&path, document.to_string()).unwrap();
        act();
        std::fs::write(&path, before).unwrap();
    }

    fn refuses(&self, words: &[&str]) {
        let stored = self.sandbox.runs();
        measure(self.sandbox, &["--baseline", &self.id]).refuses(words);
        assert_eq!(self.sandbox.runs(), stored, "nothing was measured");
    }
}

#[test]
fn a_record_that_cannot_be_one_is_refused_before_anything_is_measured() {
    let sandbox = Sandbox::new();
    let run = Hostile::new(&sandbox);
    run.with("run.json", |record| record["schema_version"] = 99.into(), || run.refuses(&["is of format 99", "use a newer ioproof"]));
    run.with("run.json", |record| record["schema_version"] = 1.into(), || run.refuses(&["is of format 1", "hint: measure again"]));
    run.with("run.json", |record| record["schema_version"] = 0.into(), || run.refuses(&["is of format 0", "hint: name another run"]));
    run.with("run.json", |record| *record = "text".into(), || run.refuses(&["is no record of this format"]));
    measure(&sandbox, &["--baseline", "two\nlines\u{1b}[31m"]).refuses(&[r"there is no run `two\nlines\u{1b}[31m`"]);
    let evil = |record: &mut serde_json::Value| record["id"] = "two\nlines\u{1b}[31m".into();
    run.with("run.json", evil, || {
        let said = measure(&sandbox, &["--baseline", &run.id]);
        assert!(said.stdout.contains(r"A  two\nlines\u{1b}[31m verify"), "what somebody wrote into it is shown as it is: {said:?}");
    });
}

#[test]
fn a_run_that_takes_more_memory_than_there_is_is_refused_before_it_is_read() {
    let sandbox = Sandbox::new();
    let run = Hostile::new(&sandbox);
    // Holes alone.
    std::fs::File::create(run.folder.join("stages/0006.json")).unwrap().set_len(8 << 40).unwrap();
    run.refuses(&["is too large to be kept while another is measured", "half of what is available"]);
}

#[test]
fn stages_that_are_missing_are_said_and_one_that_still_goes_on_is_refused() {
    let sandbox = Sandbox::new();
    let run = Hostile::new(&sandbox);
    run.with(
        "stages/0003.json",
        |stage| *stage = "text".into(),
        || {
            let said = measure(&sandbox, &["--baseline", &run.id]);
            assert!(
                said.stderr.contains("warning: --baseline: a stage is missing here") && said.stdout.contains("B against A"),
                "{said:?}"
            );
        },
    );
    let going_on = |record: &mut serde_json::Value| record["status"] = serde_json::json!({"state": "running"});
    run.with("run.json", going_on, || {
        let lock = std::fs::File::open(run.folder.join("lock")).unwrap();
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
        run.refuses(&["still goes on", "hint: wait until it has ended"]);
    });
}

#[test]
fn figures_that_cannot_be_cost_no_measurement() {
    let sandbox = Sandbox::new();
    let run = Hostile::new(&sandbox);
    for figure in ["ios", "bytes"] {
        run.with(
            "stages/0003.json",
            |stage| stage["rounds"][0]["read"][figure] = u64::MAX.into(),
            || {
                let name = format!("{figure}.json");
                let said = measure(&sandbox, &["--baseline", &run.id, "-o", &name]);
                assert!(matches!(said.status, 0 | 3), "{said:?}");
                assert_eq!(sandbox.run(&["runs", "show", &name]).status, 0);
            },
        );
    }
}
