//! `ioproof fleet report` on folders of run files, good and bad ones, and `ioproof check`.

use crate::common::Sandbox;
use ioproof_core::judgement::Judgement;
use ioproof_core::metric::Metric;
use ioproof_core::record::{DriveBracket, DriveState, RunRecord};
use ioproof_fleet::{ClockOffset, DriveEnd, FleetFolder, FleetState, Launcher, NodeEnd, NodeState, Phase};
use ioproof_store::run_file::STAMP;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes run files of a stored run, each with its own drive.
pub struct Made {
    record: RunRecord,
    judgement: Judgement,
}

impl Made {
    pub fn new() -> Self {
        let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/20261121-031500-3f9a");
        let mut record: RunRecord = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
        record.stages = vec![serde_json::from_slice(&fs::read(run.join("stages/0000.json")).unwrap()).unwrap()];
        let judgement = serde_json::from_slice(&fs::read(run.join("judgement.json")).unwrap()).unwrap();
        Self { record, judgement }
    }

    /// Content of the run file of a drive that is a few per mille off the others, or a share slower.
    fn file(&self, at: usize, slower: f64, change: impl Fn(&mut RunRecord)) -> Vec<u8> {
        let (mut record, mut judgement) = (self.record.clone(), self.judgement.clone());
        record.id = format!("20261128-1000{at:02}-{at}-0000");
        record.started_at = format!("2026-11-{:02}T10:00:{at:02}Z", 28 + at % 2);
        record.targets[0].drives[0].serial.as_mut().unwrap().value = format!("S{at:02}");
        let name = record.targets[0].drives[0].name.clone();
        let after = DriveState { present: true, health: Some("OK".into()), used_percent: Some(2.0), ..DriveState::default() };
        record.health = vec![DriveBracket { name, before: DriveState::default(), after }];
        change(&mut record);
        (judgement.exit_status, judgement.exit_reason) = (0, "measured".into());
        for row in &mut judgement.rows {
            row.verdict = None;
            let factor = (1.0 + (at * 7 % 11) as f64 / 500.0) * (1.0 - slower);
            let factor = if row.metric == Metric::Latency { 1.0 / factor } else { factor };
            row.measured = row.measured.map(|measured| measured.about(measured.median * factor));
        }
        let document = serde_json::json!({ "schema_version": record.schema_version, "judgement": judgement });
        let mut text = document.to_string();
        // By way of text, because histograms have sums of 128 bits.
        text.truncate(text.len() - 1);
        STAMP.stamped(format!("{text},\"run\":{}}}\n", serde_json::to_string(&record).unwrap()).into_bytes())
    }

    /// The same of one of 24 drives, of which one is slow, one has a slow link, and one fails.
    pub fn file_of_rack(&self, at: usize) -> Vec<u8> {
        let change = |record: &mut RunRecord| match at {
            9 => record.targets[0].drives[0].link.as_mut().unwrap().limit_bytes_per_s /= 2.0,
            14 => record.health[0].after.health = Some("failing".into()),
            _ => {}
        };
        self.file(at, if at == 3 { 0.2 } else { 0.0 }, change)
    }
}

fn put(sandbox: &Sandbox, place: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(sandbox.path(place));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

/// Four nodes with six drives each: one slow drive, one slow link, one that fails.
fn three_faults(sandbox: &Sandbox, folder: &str) {
    let made = Made::new();
    for at in 0..24 {
        put(sandbox, &format!("{folder}/node{}/S{at:02}.json", at / 6), &made.file_of_rack(at));
    }
}

#[test]
fn three_planted_faults_are_named_in_every_format() {
    let sandbox = Sandbox::new();
    three_faults(&sandbox, "fleet");
    let said = sandbox.run(&[
        "fleet",
        "report",
        "fleet",
        "-o",
        "f.html",
        "-o",
        "f.xlsx",
        "-o",
        "f.csv",
        "-o",
        "f.parquet",
        "-o",
        "f.json",
        "-o",
        "days/",
    ]);
    assert_eq!(said.status, 1, "{said:?}");
    let text = &said.stdout;
    assert!(text.starts_with("24 drives on 4 nodes: 3 drives at fault"), "{text}");
    for part in ["S03 on node0", "slow: ", "S09 on node1", "slow link: ", "S14 on node2", "health failing: ", "Bonferroni"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains(" on node") && line.starts_with("  S")).count(), 3, "{text}");
    let page = fs::read_to_string(sandbox.path("f.html")).unwrap();
    // Each figure has a dot for each drive; three are drawn by themselves.
    let figures = Made::new().judgement.rows.iter().filter(|row| row.measured.is_some()).count();
    assert_eq!((page.matches("h0").count(), page.matches("class=\"odd\"").count()), (figures * 21, figures * 3));
    let csv = fs::read_to_string(sandbox.path("f.csv")).unwrap();
    assert!(csv.starts_with("day,node,run_id,") && csv.lines().count() > 24 * figures, "{}", csv.lines().next().unwrap());
    assert!(csv.lines().any(|line| line.contains(",S14,") && line.contains(",failing,")));
    let day = |day: &str| fs::read_to_string(sandbox.path(&format!("days/day={day}/fleet.csv"))).unwrap();
    let days = [day("2026-11-28"), day("2026-11-29")];
    assert_eq!(days.iter().map(|day| day.lines().count() - 1).sum::<usize>(), csv.lines().count() - 1);
    assert!(days[0].starts_with("node,run_id,"));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(sandbox.path("f.json")).unwrap()).unwrap();
    assert_eq!((json["fleet"]["faulty"].as_array().unwrap().len(), json["drives"].as_array().unwrap().len()), (3, 24));
    for (name, mark) in [("f.xlsx", b"PK".as_slice()), ("f.parquet", b"PAR1")] {
        assert!(fs::read(sandbox.path(name)).unwrap().starts_with(mark), "{name}");
    }
    sandbox.run(&["fleet", "report", "fleet", "-o", "f.xml"]).refuses(&["a fleet cannot be written as junit"]);
    sandbox.run(&["fleet", "report", "nowhere"]).refuses(&["cannot read nowhere"]);
}

/// A node of a fleet whose run files are there.
fn node(name: &str, phase: Phase) -> NodeState {
    NodeState { phase, ..NodeState::new(name, None) }
}

#[test]
fn bad_input_is_told_and_the_rest_goes_on() {
    let sandbox = Sandbox::new();
    let made = Made::new();
    let folder = FleetFolder::at(Path::new(&sandbox.path("fleet")));
    let whole = |at: usize| made.file(at, 0.0, |_| {});
    for at in 0..6 {
        put(&sandbox, &format!("fleet/nodes/good/S{at:02}.json"), &whole(at));
    }
    let mut damaged = whole(6);
    // A digit, so that it stays JSON.
    let at = damaged.windows(10).position(|bytes| bytes == b"\"median\":4").unwrap() + 9;
    damaged[at] = b'5';
    put(&sandbox, "fleet/nodes/good/S06.json", &damaged);
    put(&sandbox, "fleet/nodes/good/S07.json", &whole(7)[..5000]);
    put(&sandbox, "fleet/nodes/good/S08.json", b"{\"schema_version\":1,\"run\":{}}\n");
    // The same drive again on another node, whose clock is an hour ahead.
    let again = made.file(2, 0.0, |record| record.started_at = "2026-11-29T11:00:00Z".into());
    put(&sandbox, "fleet/nodes/ahead/S02.json", &again);
    put(&sandbox, "fleet/nodes/ahead/S40.json", &whole(40));
    let clock = ClockOffset { offset_ns: 3_600_000_000_000, error_ns: 0, source: "test".into() };
    let drive = |file: &str, started_at: &str| DriveEnd { file: file.into(), started_at: started_at.into(), ..DriveEnd::default() };
    let drives = vec![drive("S02.json", "2026-11-29T11:00:00Z"), drive("gone.json", "x")];
    let end = NodeEnd { fleet: Some("this".into()), clock: Some(clock), drives, ..NodeEnd::default() };
    folder.write_end("ahead", &end).unwrap();
    put(&sandbox, "fleet/nodes/other/S20.json", &whole(20));
    folder.write_end("other", &NodeEnd { fleet: Some("that".into()), ..NodeEnd::default() }).unwrap();
    put(&sandbox, "fleet/nodes/stranger/S30.json", &whole(30));
    let died = NodeState { reason: Some("it died".into()), ..node("died", Phase::Failed) };
    let nodes = vec![node("good", Phase::Done), node("ahead", Phase::Done), node("other", Phase::Done), died];
    let state = FleetState {
        schema_version: ioproof_fleet::SCHEMA_VERSION,
        id: "this".into(),
        launcher: Launcher::Local,
        began_at: "t".into(),
        start_at: None,
        nodes,
    };
    folder.write_state(&state).unwrap();

    let said = sandbox.run(&["fleet", "report", "fleet"]);
    assert_eq!(said.status, 3, "{said:?}");
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.starts_with("6 drives on 2 nodes: "), "{text}");
    for part in [
        "good/S06.json: it was changed or damaged: it does not fit its SHA-256",
        "good/S07.json: it is damaged or cut off",
        "good/S08.json:",
        "format 1, which was of a development version",
        "good/S02: left out: the serial number S02 is that of a newer run on ahead too",
        "ahead: its clock is 60 min ahead",
        "ahead/gone.json: the node wrote it, and it is not here",
        "ahead/S40.json: left out: run 20261128-100040-40-0000 is not one that the end of this node tells",
        "other: left out: these are results of another fleet, that",
        "stranger: left out: no node of this fleet",
        "died: failed: it died",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_check_has_a_line_and_a_file_that_is_replaced_whole() {
    let sandbox = Sandbox::new();
    let nagios = sandbox.run(&["check", "--nagios"]);
    assert!(nagios.stdout.starts_with("IOPROOF ") && nagios.stdout.lines().count() == 1 && nagios.status <= 3, "{nagios:?}");
    for _ in 0..2 {
        let written = sandbox.run(&["check", "--node-exporter", "drives.prom"]);
        assert!(written.status != 2, "{written:?}");
    }
    let text = fs::read_to_string(sandbox.path("drives.prom")).unwrap();
    assert!(text.contains("ioproof_check_timestamp_seconds ") && text.ends_with("# EOF\n"), "{text}");
    sandbox.run(&["check", "--drain"]).refuses(&["--slurm-health"]);
    sandbox.run(&["check", "--nagios", "--slurm-health"]).refuses(&["cannot be used with"]);
    sandbox.run(&["check", "nowhere"]).refuses(&["nowhere"]);
}
