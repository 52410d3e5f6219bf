//! Fleets that are generated from a seed: healthy ones name nothing, planted faults are named, and nothing else.

use super::*;
use crate::claim::Metric;
use crate::facts::Link;
use crate::splitmix::next;
use crate::stats::Estimate;

/// A fraction, 0 to 1, without its ends.
fn fraction(state: &mut u64) -> f64 {
    ((next(state) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A number of the normal distribution (Box and Muller 1958, doi 10.1214/aoms/1177706645).
fn normal(state: &mut u64) -> f64 {
    (-2.0 * fraction(state).ln()).sqrt() * (fraction(state) * std::f64::consts::TAU).cos()
}

const FIGURES: [(&str, Metric, f64); 4] = [
    ("sequential read 128 KiB", Metric::Throughput, 2.8e9),
    ("random read 4 KiB", Metric::Iops, 450_000.0),
    ("random read 4 KiB, queue depth 1, mean latency", Metric::Latency, 90_000.0),
    ("sequential write 128 KiB", Metric::Throughput, 1.9e9),
];

fn figure((name, metric, value): (&str, Metric, f64), slower: f64) -> DriveFigure {
    let value = if metric == Metric::Latency { value * slower } else { value / slower };
    DriveFigure {
        name: name.to_owned(),
        metric,
        statistic: None,
        measured: Estimate::of(&[value], 0.95),
        claimed: None,
        matched: None,
        verdict: Some(Verdict::Meets),
        doubts: Vec::new(),
    }
}

fn link(lanes: u32) -> Link {
    let rate = |lanes: u32| f64::from(lanes) * 887.5e6;
    Link {
        title: format!("PCIe 8.0 GT/s x{lanes}"),
        limit_bytes_per_s: rate(lanes),
        capable_bytes_per_s: Some(rate(4)),
        source: String::new(),
    }
}

/// A healthy fleet: so many drives, four a node, each figure with lognormal noise of 2 to 5 %.
fn fleet(drives: usize, state: &mut u64) -> Vec<DriveRun> {
    let noise = FIGURES.map(|_| 0.02 + 0.03 * fraction(state));
    let run = |at: usize| DriveRun {
        node: format!("node{:03}", at / 4),
        file: format!("S{at:05}"),
        run_id: format!("run{at}"),
        program_version: "1".into(),
        started_at: "2026-11-28T10:00:00Z".into(),
        ended_at: None,
        model: "MODEL".into(),
        firmware: "F1".into(),
        serial: format!("S{at:05}"),
        capacity_bytes: 2_000_000_000_000,
        link: Some(link(4)),
        used_percent: Some(1.0),
        health: "OK".into(),
        failing: Vec::new(),
        exit_status: 0,
        exit_reason: String::new(),
        broken: None,
        figures: Vec::new(),
    };
    let mut runs: Vec<DriveRun> = (0..drives).map(run).collect();
    for run in &mut runs {
        run.figures = FIGURES.iter().zip(noise).map(|(of, noise)| figure(*of, (noise * normal(state)).exp())).collect();
    }
    runs
}

/// Makes a drive slower by this share.
fn slow_down(run: &mut DriveRun, share: f64) {
    for of in &mut run.figures {
        let change = if of.metric == Metric::Latency { 1.0 / (1.0 - share) } else { 1.0 - share };
        of.measured = of.measured.map(|measured| measured.about(measured.median * change));
    }
}

/// 12 to 500 drives; as many fleets are below 77 as above.
fn size(state: &mut u64) -> usize {
    (12.0 * (500.0_f64 / 12.0).powf(fraction(state))).round() as usize
}

const FLEETS: usize = 200;

#[test]
fn healthy_fleets_name_nothing() {
    let mut state = 43;
    let named = (0..FLEETS).filter(|_| {
        let drives = size(&mut state);
        let fleet = judge_fleet(&fleet(drives, &mut state), Vec::new());
        assert!(fleet.drives == drives && fleet.nodes == drives.div_ceil(4));
        fleet.exit_status != 0
    });
    let named = named.count();
    assert!(named * 20 <= FLEETS, "{named} of {FLEETS}");
}

#[test]
fn planted_slow_drives_are_named() {
    let mut state = 44;
    let (mut named, mut others) = (0, 0);
    for _ in 0..FLEETS {
        let drives = size(&mut state);
        let mut runs = fleet(drives, &mut state);
        let planted = next(&mut state) as usize % drives;
        slow_down(&mut runs[planted], 0.2);
        let fleet = judge_fleet(&runs, Vec::new());
        named += usize::from(fleet.faulty.iter().any(|drive| drive.run == planted));
        others += usize::from(fleet.faulty.iter().any(|drive| drive.run != planted) || !fleet.slow_nodes.is_empty());
    }
    assert!(named * 20 >= FLEETS * 19 && others * 20 <= FLEETS, "{named} named, {others} others");
}

#[test]
fn three_planted_faults_and_no_other() {
    let mut runs = fleet(48, &mut 7);
    slow_down(&mut runs[5], 0.25);
    runs[17].link = Some(link(2));
    runs[30].health = "failing".into();
    runs[30].failing = vec!["critical warning: reliability is degraded".into()];
    let fleet = judge_fleet(&runs, Vec::new());
    let found: Vec<(usize, FaultKind)> =
        fleet.faulty.iter().flat_map(|drive| drive.faults.iter().map(|fault| (drive.run, fault.kind))).collect();
    assert_eq!(found, [(30, FaultKind::Failing), (17, FaultKind::SlowLink), (5, FaultKind::Slow)], "{:?}", fleet.faulty);
    assert_eq!((fleet.exit_status, fleet.exit_reason.as_str(), fleet.slow_nodes.len()), (1, "3 drives at fault", 0));
    assert!(fleet.faulty[2].faults[0].text.contains("slower than the median"), "{:?}", fleet.faulty[2]);
}

#[test]
fn a_slow_node_is_told_from_its_drives() {
    let mut runs = fleet(48, &mut 8);
    runs[12..16].iter_mut().for_each(|run| slow_down(run, 0.2));
    slow_down(&mut runs[14], 0.3);
    let fleet = judge_fleet(&runs, Vec::new());
    let nodes: Vec<(&str, usize)> = fleet.slow_nodes.iter().map(|node| (node.node.as_str(), node.drives)).collect();
    assert_eq!(nodes, [("node003", 4)]);
    assert_eq!(
        fleet.faulty.iter().map(|drive| drive.run).collect::<Vec<_>>(),
        [14],
        "one is slow beside its neighbours too: {:?}",
        fleet.faulty
    );
    assert!(fleet.slow_nodes[0].sentence().contains("look at the node"));
}

#[test]
fn too_few_nodes_for_a_comparison_are_told_by_their_drives() {
    let mut runs = fleet(16, &mut 9);
    runs[4..8].iter_mut().for_each(|run| slow_down(run, 0.5));
    let fleet = judge_fleet(&runs, Vec::new());
    assert!(fleet.faulty.is_empty() && fleet.slow_nodes.len() == 1 && fleet.slow_nodes[0].slow == 4, "{fleet:?}");
}

#[test]
fn few_drives_get_no_verdict_of_outliers() {
    let mut runs = fleet(4, &mut 10);
    slow_down(&mut runs[0], 0.5);
    let fleet = judge_fleet(&runs, Vec::new());
    assert_eq!((fleet.exit_status, fleet.faulty.len()), (0, 0));
    assert!(fleet.notes.iter().any(|note| note.starts_with("4 drives of models with fewer than 5")), "{:?}", fleet.notes);
}

#[test]
fn what_all_have_alike_is_a_note() {
    let mut runs = fleet(12, &mut 11);
    runs.iter_mut().for_each(|run| run.link = Some(link(2)));
    runs[3].firmware = "F2".into();
    runs[4].used_percent = Some(61.0);
    runs[5].health = "worn".into();
    let fleet = judge_fleet(&runs, Vec::new());
    assert_eq!(fleet.faulty, [], "the hosts set the link");
    for part in [
        "12 of 12 drives have a link",
        "mixed firmware, F1 on 11 drives, F2 on 1 drive",
        "61 % at most (S00004 on node001)",
        "1 worn: S00005",
    ] {
        assert!(fleet.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", fleet.notes);
    }
}

#[test]
fn a_drive_counts_once() {
    let mut runs = fleet(12, &mut 12);
    let mut again = runs[2].clone();
    again.started_at = "2026-11-28T12:00:00Z".into();
    again.node = "node009".into();
    runs.push(again);
    let (once, problems) = each_once(runs);
    assert_eq!((once.len(), problems.len(), problems[0].place.as_str()), (12, 1, "node000/S00002"));
    assert!(once.iter().any(|run| run.node == "node009") && problems[0].text.contains("node009") && !problems[0].is_missing);
}

#[test]
fn missing_results_leave_a_fleet_open() {
    let fleet = judge_fleet(&fleet(12, &mut 13), vec![Problem::missing("node4/S1.json", "damaged")]);
    assert_eq!((fleet.exit_status, fleet.exit_reason.as_str()), (3, "1 result missing"));
    assert_eq!(judge_fleet(&[], Vec::new()).exit_status, 3);
}

#[test]
fn tables_have_every_drive() {
    let mut runs = fleet(24, &mut 14);
    slow_down(&mut runs[3], 0.4);
    let fleet = judge_fleet(&runs, Vec::new());
    let tables = tables(&fleet, &runs, true);
    assert_eq!(tables.iter().map(|table| table.id).collect::<Vec<_>>(), ["Faults", "Verdicts", "Figures", "Drives"]);
    let figures = &tables[2];
    assert!(figures.parts[0].strips.iter().all(|strip| strip.dots.len() == 24 && strip.limit.is_some()));
    assert_eq!(figures.parts[0].strips[0].dots.iter().filter(|dot| dot.named.is_some()).count(), 1);
    assert!(tables.iter().all(|table| table.rows.iter().all(|row| row.figures.len() == table.columns.len())));
    assert_eq!(tables[3].rows.len(), 24);
}
