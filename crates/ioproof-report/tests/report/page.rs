//! The page: heading and first sentence, drawings of what the record has and of nothing else, and its size.

use crate::stored::{job_file, rejudged, rendered, version_1};
use ioproof_core::facts::FilesystemFacts;
use ioproof_core::record::{Interval, JobRecord, Round, RunRecord, SliceLatency, Spread, Stage};
use ioproof_report::Format;

fn page(record: &RunRecord) -> String {
    rejudged(Format::Html, record)
}

/// Slices of 100 ms whose reads spread over a hundred bins.
fn slices(n: u64) -> Vec<Interval> {
    let length_ns = 100_000_000;
    let counts = |at: u64| (0..2400).map(move |bin| u64::from(bin >= 1200 && (bin + at).is_multiple_of(12)) * (1 + (bin * at) % 90));
    // They repeat after the least common multiple of 12 and 90.
    let spreads: Vec<Spread> = (0..180).map(|at| Spread::of_bins(counts(at))).collect();
    let slice = |at: u64| {
        let spread = spreads[at as usize % spreads.len()].clone();
        let told = |factor: u64| Some(factor * (90_000 + at % 17 * 1000));
        let latency = SliceLatency {
            mean_ns: 100_000,
            max_ns: told(60),
            p50_ns: told(1),
            p99_ns: told(9),
            p999_ns: None,
            submission_mean_ns: None,
            spread,
        };
        Interval {
            end_ns: (at + 1) * length_ns,
            length_ns,
            read_ios: 1000 + at % 31,
            read_bytes: 4_096_000,
            read_latency: Some(latency),
            ..Interval::default()
        }
    };
    (0..n).map(slice).collect()
}

/// The made-up run with so many jobs, each of so many slices.
fn large(jobs: u32, slices_each: u64) -> RunRecord {
    let mut record = job_file();
    let (job, stage) = (record.jobs[0].clone(), record.stages[0].clone());
    let round = Round { elapsed_ns: slices_each * 100_000_000, intervals: slices(slices_each), ..stage.rounds[0].clone() };
    record.jobs = (0..jobs).map(|n| JobRecord { name: Some(format!("job-{n}")), ..job.clone() }).collect();
    let of = |n| Stage { index: n, rounds: vec![Round { job: n, ..round.clone() }], ..stage.clone() };
    record.stages = (0..jobs).map(of).collect();
    record
}

#[test]
fn a_page_of_a_long_run_or_of_a_hundred_jobs_stays_small() {
    let (short, long, many) = (page(&large(1, 600)), page(&large(1, 9_000)), page(&large(100, 150)));
    assert!(long.len() < 250_000 && long.len() < 2 * short.len(), "{} and {} bytes", short.len(), long.len());
    assert!(many.len() < 4_000_000, "{} bytes", many.len());
    assert!(many.contains("60 workloads more are in the tables alone.") && many.matches("<svg class=\"plot\"").count() < 80);
}

#[test]
fn what_the_record_does_not_have_is_not_drawn() {
    let mut record = large(1, 50);
    let whole = page(&record);
    for part in ["class=\"heat ", ">service time<", ">°C</text>", ">CPU busy, %</text>", "data-n=\"99 %\"", "percentiles are within 7 %"] {
        assert!(whole.contains(part), "{part}");
    }
    record.stages[0].rounds[0].intervals.iter_mut().for_each(|slice| slice.read_latency = None);
    (record.stages[0].drives, record.stages[0].host) = (Vec::new(), None);
    let bare = page(&record);
    for part in ["class=\"heat ", "id=\"time-0-t\"", ">°C</text>", ">CPU busy, %</text>", "data-n=\"99 %\"", "percentiles are within 7 %"]
    {
        assert_eq!(bare.contains(part), part.contains("time-0"), "{part}");
    }
    record.stages[0].rounds[0].intervals.clear();
    assert!(!page(&record).contains("Over time"));
}

#[test]
fn the_heading_is_the_drive_and_its_mount_in_every_format() {
    let mut record = version_1().0.clone();
    let target = &mut record.targets[0];
    let mount = FilesystemFacts {
        fs_type: "xfs".into(),
        mount_point: "/srv".into(),
        source: "/dev/nvme0n1p1".into(),
        options: String::new(),
        free_bytes: 1,
        ..FilesystemFacts::default()
    };
    (target.facts.given, target.facts.filesystem) = (".".into(), Some(mount));
    assert!(page(&record).contains("<h1>INTEL SSDPEDMD020T4, xfs at /srv</h1>"));
    record.targets[0].drives[0].model = None;
    assert!(page(&record).contains("<h1>2 TB NVMe drive nvme0n1, xfs at /srv</h1>"));
    assert!(rejudged(Format::Markdown, &record).starts_with("# ioproof: 2 TB NVMe drive nvme0n1, xfs at /srv\n"));
}

#[test]
fn the_first_sentence_says_what_the_drive_does_and_who_took_part() {
    let (record, judgement) = version_1();
    let mut judgement = judgement.clone();
    let page = |judgement: &_| {
        let page = rendered(Format::Html, record, judgement);
        let (_, rest) = page.split_once("<p class=\"speed\">").unwrap();
        rest.split_once("</p>").unwrap().0.to_owned()
    };
    let said = page(&judgement);
    assert!(said.contains("random blocks of 4 KiB a second") && said.contains("one read of 4 KiB alone takes"), "{said}");
    let finding = ioproof_core::finding::Finding { rule: "foreign-io".into(), ..judgement.findings[0].clone() };
    judgement.findings.push(finding);
    assert!(page(&judgement).contains("somebody else used the disk meanwhile"));
    judgement.rows.clear();
    assert_eq!(page(&judgement), "Nothing was measured.");
}

#[test]
fn a_promise_for_some_capacities_says_so_where_the_drive_is_of_none_of_them() {
    let mut record = job_file();
    let used = record.targets[0].datasheet.as_mut().unwrap();
    let bytes = [800_000_000_000, 1_600_000_000_000];
    used.datasheet.claims[0].capacities_bytes = bytes.to_vec();
    let said = "(for 800 GB, 1.6 TB)";
    assert!(!page(&record).contains(said), "the capacity is known");
    record.targets[0].datasheet.as_mut().unwrap().capacity_bytes = None;
    for format in [Format::Html, Format::Markdown, Format::Text] {
        assert!(rejudged(format, &record).contains("(for 800 GB, 1.6 TB)"), "{format:?}");
    }
}

#[test]
fn sources_and_reasons_are_said_once() {
    let (record, judgement) = version_1();
    let page = rendered(Format::Html, record, judgement);
    let used = record.targets[0].datasheet.as_ref().unwrap();
    let mut sources: Vec<&str> = used.datasheet.claims.iter().map(|claim| claim.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    assert!(sources.iter().all(|source| page.matches(source).count() <= 2), "one for each confidence");
}
