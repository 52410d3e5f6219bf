//! OpenMetrics, read strictly by the grammar of OpenMetrics 1.0 and within what the Prometheus text format has too.

use crate::stored::{job_file, rendered, version_1};
use ioproof_core::judge::judge;
use ioproof_report::Format;

/// Name, labels as written, and value.
type Sample<'a> = (&'a str, &'a str, f64);

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Checks `{a="b",c="d"}`: names once each, quotes closed, and no escape but three.
fn check_labels(text: &str) {
    let mut rest = text.strip_prefix('{').unwrap_or_else(|| panic!("{text}"));
    let mut names = Vec::new();
    loop {
        let (name, value) = rest.split_once("=\"").unwrap_or_else(|| panic!("{text}"));
        assert!(is_name(name) && !names.contains(&name), "{text}");
        names.push(name);
        let mut chars = value.char_indices();
        let end = loop {
            match chars.next().unwrap_or_else(|| panic!("{text}")) {
                (_, '\\') => assert!(matches!(chars.next(), Some((_, '\\' | '"' | 'n'))), "{text}"),
                (at, '"') => break at,
                _ => {}
            }
        };
        match &value[end + 1..] {
            "}" => return,
            more => rest = more.strip_prefix(',').unwrap_or_else(|| panic!("{text}")),
        }
    }
}

fn sample(line: &str) -> Sample<'_> {
    let (left, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
    let (name, labels) = left.find('{').map_or((left, ""), |at| left.split_at(at));
    assert!(is_name(name), "{line}");
    if !labels.is_empty() {
        check_labels(labels);
    }
    (name, labels, value.parse().unwrap_or_else(|_| panic!("{line}")))
}

/// Reads a document: families one after the other, each with help, type and its unit at the end of its name; no series twice; the end marked.
pub fn read(text: &str) -> Vec<Sample<'_>> {
    let body = text.strip_suffix("# EOF\n").unwrap_or_else(|| panic!("no end: {text}"));
    let (mut families, mut samples): (Vec<&str>, Vec<Sample>) = (Vec::new(), Vec::new());
    for line in body.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            let (name, help) = described.split_once(' ').unwrap();
            assert!(is_name(name) && !families.contains(&name) && !help.contains(['\\', '"']), "{line}");
            families.push(name);
        } else if let Some(typed) = line.strip_prefix("# TYPE ") {
            assert_eq!(typed, format!("{} gauge", families.last().unwrap()));
        } else if let Some(unit) = line.strip_prefix("# UNIT ") {
            let (name, unit) = unit.split_once(' ').unwrap();
            assert!(name == *families.last().unwrap() && name.ends_with(&format!("_{unit}")), "{line}");
        } else {
            let found = sample(line);
            assert!(
                found.0 == *families.last().unwrap() && !samples.iter().any(|known| (known.0, known.1) == (found.0, found.1)),
                "{line}"
            );
            samples.push(found);
        }
    }
    samples
}

#[test]
fn figures_stand_in_base_units_under_their_labels() {
    let (record, judgement) = version_1();
    let text = rendered(Format::OpenMetrics, record, judgement);
    let samples = read(&text);
    let of = |name: &str, label: &str| samples.iter().find(|s| s.0 == name && s.1.contains(label)).map(|s| s.2);
    let row = judgement.rows.iter().find(|row| row.workload.id() == "rand-read-4k-4x32").unwrap();
    let workload = "workload=\"rand-read-4k-4x32\"";
    assert_eq!(of("ioproof_result_rate_ios_per_second", workload), row.measured.map(|e| e.median));
    assert_eq!(of("ioproof_claimed_rate_ios_per_second", workload), row.claimed);
    let latency = judgement.latencies.iter().find_map(|row| row.max_ns.zip(Some(row.workload.id()))).unwrap();
    let labels = |s: &&Sample| s.1.contains(&format!("workload=\"{}\"", latency.1)) && s.1.contains("statistic=\"max\"");
    let max = samples.iter().filter(|s| s.0 == "ioproof_operation_latency_seconds").find(labels).unwrap().2;
    assert!((max * 1e9 - latency.0 as f64).abs() < 1.0, "{max}");
    assert_eq!(of("ioproof_run_exit_status", ""), Some(f64::from(judgement.exit_status)));
}

#[test]
fn a_figure_that_is_not_the_drives_says_so() {
    let record = job_file();
    let mut judgement = judge(&record);
    let reason =
        ioproof_core::verdict::Reason { about: "page-cache".into(), effect: ioproof_core::finding::Effect::Invalid, text: "memory".into() };
    let name = judgement.rows[0].name.clone().unwrap();
    judgement.rows[0].reasons = vec![reason];
    let text = rendered(Format::OpenMetrics, &record, &judgement);
    let of_job = |s: &&Sample| s.0.starts_with("ioproof_result") && s.1.contains(&format!("job=\"{name}\""));
    let samples = read(&text);
    assert!(samples.iter().filter(of_job).count() > 0);
    assert!(samples.iter().filter(of_job).all(|s| s.1.contains("doubt=\"not the drive's number\"")), "{text}");
}
