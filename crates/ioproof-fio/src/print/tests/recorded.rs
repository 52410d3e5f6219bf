//! Recorded outputs of fio 3.33: text, JSON+ and a terse line of one run each. Ours, made from what the JSON says, must equal them.

use crate::print::testing::results_of;
use crate::print::{TerseVersion, json, terse, text};
use serde_json::Value;

struct Recorded {
    json: Value,
    text: String,
    terse: String,
}

fn recorded(output: &str) -> Recorded {
    let lines: Vec<&str> = output.lines().collect();
    let first = lines.iter().position(|line| *line == "{").unwrap();
    let last = lines.iter().position(|line| *line == "}").unwrap();
    let terse: Vec<&str> = lines[..first].iter().copied().filter(|line| line.starts_with("3;")).collect();
    Recorded {
        json: serde_json::from_str(&lines[first..=last].join("\n")).unwrap(),
        text: lines[last + 1..].join("\n"),
        terse: terse.join("\n"),
    }
}

fn masked(text: &str) -> String {
    text.lines().map(masked_line).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Without what JSON does not tell: process, words of the error, clones, how often nothing was found; deviations and classes of latencies, which come
/// from bins; the rate in MB/s of a steady state, which fio has wrong.
fn masked_line(line: &str) -> String {
    if line.contains(": (groupid=") {
        let (name, rest) = line.split_once(": (groupid=").unwrap();
        let error = rest.split("err=").nth(1).unwrap();
        return format!("{name} err={}", &error[..2]);
    }
    let upto = if line.starts_with("   bw") || line.starts_with("   iops") { None } else { line.find(", stdev=") };
    let line = &line[..upto.unwrap_or(line.len())];
    if let Some(at) = line.find("  steadystate").and_then(|_| line.find(" (")) {
        return line[..at].to_owned();
    }
    if line.starts_with("     submit") || line.starts_with("     complete") {
        return line.chars().take(16).collect();
    }
    if line.starts_with("  lat (") { line.chars().filter(|c| !c.is_ascii_digit()).take(14).collect() } else { line.to_owned() }
}

fn difference(name: &str, output: &str) -> Option<String> {
    let fio = recorded(output);
    let results = results_of(&fio.json);
    let ours = masked(&text(&results));
    let theirs = masked(&fio.text);
    let lines = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
    if let Some((a, b)) = lines {
        return Some(format!("{name}:\n ours {a}\n fio  {b}"));
    }
    if ours.lines().count() != theirs.lines().count() {
        return Some(format!("{name}: number of lines\n{ours}\n-----\n{theirs}"));
    }
    let ours = terse(&results, TerseVersion::V3);
    if let Some((n, a, b)) = terse_difference(&ours, &fio.terse) {
        return Some(format!("{name}: terse field {n}: ours {a}, fio {b}"));
    }
    let printed = json(&results, true);
    let ours: Value = serde_json::from_str(&printed).unwrap();
    (keys(&ours) != keys(&fio.json)).then(|| format!("{name}: keys\n{:?}", first_difference(&keys(&ours), &keys(&fio.json))))
}

fn first_difference(a: &[String], b: &[String]) -> (Vec<String>, Vec<String>) {
    let only = |x: &[String], y: &[String]| x.iter().filter(|key| !y.contains(key)).cloned().collect();
    (only(a, b), only(b, a))
}

fn keys(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    collect(value, "", &mut all);
    all.sort();
    all
}

fn collect(value: &Value, path: &str, all: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "ioproof") {
        all.push(format!("{path}/{key}"));
        collect(value, &format!("{path}/{key}"), all);
    }
    value.as_array().into_iter().flatten().for_each(|value| collect(value, &format!("{path}[]"), all));
}

/// Deviations and classes come from bins; all other fields must be equal.
fn terse_difference(ours: &str, theirs: &str) -> Option<(usize, String, String)> {
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split(';').collect(), theirs.split(';').collect());
        if ours.len() != theirs.len() {
            return Some((0, ours.len().to_string(), theirs.len().to_string()));
        }
        let near = |a: &str, b: &str| match (a.trim_end_matches('%').parse::<f64>(), b.trim_end_matches('%').parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 1e-6 * b.abs(),
            _ => a == b,
        };
        let classes = if ours.len() < 100 { 53..=74 } else { 94..=115 };
        let loose = |n: usize| [12, 16, 40, 53, 57, 81].contains(&n) || classes.contains(&n);
        if let Some(n) = (0..ours.len()).find(|n| !loose(*n) && !near(ours[*n], theirs[*n])) {
            return Some((n, ours[n].to_owned(), theirs[n].to_owned()));
        }
    }
    None
}

#[test]
fn ours_equal_fios() {
    let folder = std::env::var("FIO_RECORDED").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/print/recorded").into());
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|ending| ending == "out"));
    names.sort();
    assert!(!names.is_empty(), "no recorded outputs");
    let differences: Vec<String> =
        names.iter().filter_map(|path| difference(&path.display().to_string(), &std::fs::read_to_string(path).unwrap())).collect();
    assert!(differences.is_empty(), "{} of {}\n{}", differences.len(), names.len(), differences.join("\n"));
}
