//! A made-up run of two targets, each alone and both at once. No figure of it was measured here.

use crate::layered::estimate;
use crate::stored::{rendered_run, version_1};
use crate::tables::{has, rows};
use ioproof_core::claim::Metric;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{Purpose, TargetRecord};
use ioproof_core::record::{RunRecord, Stage};
use ioproof_core::together::{AtOnce, Member, Rates, Together, TogetherRow};
use ioproof_report::{Format, Style, Table, summary};

fn rates(iops: f64) -> Rates {
    Rates { iops: estimate(iops), bytes_per_s: estimate(iops * 4096.0) }
}

const SAID: &str = "random read 4 KiB, queue depth 32: all 2 at once give 150 kIOPS, each alone 200 kIOPS added up; 75 % of it";

fn run() -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = version_1().clone();
    let mut second: TargetRecord = record.targets[0].clone();
    second.facts.given = "/dev/second".into();
    record.targets.push(second);
    let rounds = record.stages[0].rounds.clone();
    record.stages.push(Stage { purpose: Purpose::Together, rounds, ..record.stages[0].clone() });
    let member =
        |target, together| Member { target, job: 0, alone: rates(100e3), together: rates(together), share: estimate(together / 100e3) };
    let row = TogetherRow {
        title: "random read 4 KiB, queue depth 32".into(),
        metric: Metric::Iops,
        members: vec![member(0, 90e3), member(1, 60e3)],
        apart: rates(200e3),
        together: rates(150e3),
        share: estimate(0.75),
        answer: AtOnce::Less,
    };
    judgement.results.together = Some(Together { rows: vec![row], says: vec![SAID.into()] });
    (record, judgement)
}

#[test]
fn each_width_has_the_columns_that_it_has_room_for() {
    let (record, judgement) = run();
    for width in [80, 100, 200] {
        let text = summary(&record, &judgement, Style { color: false, width });
        let lines =
            text.lines().skip_while(|line| *line != "Each alone and all at once").take_while(|line| !line.contains("all 2 at once"));
        let lines: Vec<&str> = lines.collect();
        assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}:\n{}", lines.join("\n"));
        assert!(lines.iter().any(|line| line.contains("all 2, added up") && line.contains("75 % (67.5 to 82.5)")), "{width}:\n{text}");
    }
}

#[test]
fn every_format_has_the_rates_of_each_and_of_all() {
    let run = run();
    for format in [Format::Html, Format::Markdown, Format::Text] {
        let page = rendered_run(format, &run);
        for part in
            ["/dev/second", "100 kIOPS (90 to 110)", "60 kIOPS (54 to 66)", "246 MB/s", "150 kIOPS (135 to 165)", "each alone 200 kIOPS"]
        {
            assert!(page.contains(part), "{format:?}: {part}:\n{page}");
        }
    }
    assert!(!rendered_run(Format::Xlsx, &run).is_empty() && rendered_run(Format::Json, &run).contains("\"together\""));
}

#[test]
fn tables_have_a_row_for_each_rate_and_share() {
    let (record, judgement) = run();
    let all = rows(Table::Results, &record, &judgement);
    let of = |statistic: &str, value: &str| all.iter().filter(|row| has(row, &[("statistic", statistic), ("value", value)])).count();
    assert_eq!((of("all at once", "90000"), of("all at once", "60000"), of("all at once", "150000")), (1, 1, 1), "{all:?}");
    assert_eq!(of("each alone, added up", "200000"), 1);
    assert_eq!(all.iter().filter(|row| has(row, &[("metric", "share_at_once")])).count(), 3);
}
