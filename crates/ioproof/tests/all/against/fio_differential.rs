//! People's job files by fio and by ioproof: the same I/O, the same files, the same report.
//!
//! Needs fio, no root (`cargo xtask test` brings it in). Both programs run each file of `fixtures/fio/differential` in fresh folders; what is compared
//! of it stands in the table of `fio_differential/cases.rs`, with what differs on purpose. Which random block comes when is up to each program. Tables of the
//! results are written to `target/tmp/fio-differential*.md`.

mod cases;
mod figures;
mod ios;
mod logs;
mod pair;
mod part;
mod shape;

use crate::common;
use cases::{CASES, Case};
use pair::Pair;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Job files that run at once where nothing is timed.
const AT_ONCE: usize = 2;
/// Runs that may be needed until both do the same: chance decides some I/Os, and a busy machine lets one of the two lack time. What is done otherwise
/// differs in all of them.
const TRIES: usize = 3;
const TIMED_TRIES: usize = 15;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fio/differential")
}

/// Differences of a case in the best of its runs.
fn differences(case: &Case) -> Vec<String> {
    let tries = if case.is_timed() { TIMED_TRIES } else { TRIES };
    let mut best = once(case);
    for _ in 1..tries {
        if best.is_empty() {
            break;
        }
        let found = once(case);
        if found.len() < best.len() {
            best = found;
        }
    }
    best
}

fn once(case: &Case) -> Vec<String> {
    let file = folder().join(format!("{}.fio", case.file));
    let pair = Pair::run(&file.canonicalize().unwrap(), case.is_timed());
    match case.refused {
        Some(_) if pair.ours.status == 2 && pair.ours.said.contains("error: ") && pair.theirs.status == 0 => Vec::new(),
        Some(why) => vec![format!("was to be refused ({why}): status {} for fio, {} for ioproof", pair.theirs.status, pair.ours.status)],
        None => case.parts().into_iter().flat_map(|part| part.differences(&pair)).collect(),
    }
}

/// A row of the table that is written beside the tests.
fn row(case: &Case, found: &[String]) -> String {
    let compared =
        if case.refused.is_some() { "refused".to_owned() } else { format!("{:?}", case.compared).trim_matches(['[', ']']).to_owned() };
    let differs = case.differs.iter().map(|(part, why)| format!("{part:?}: {why}")).chain(case.refused.map(str::to_owned));
    let result = if found.is_empty() { "agrees".to_owned() } else { found.join("; ").replace('|', "\\|") };
    format!("| {} | {compared} | {} | {result} |\n", case.file, differs.collect::<Vec<_>>().join("; "))
}

fn table(results: &[(&Case, Vec<String>)]) -> String {
    let always = part::ALWAYS.map(|part| format!("{part:?}")).join(", ");
    let head = format!("Always compared: {always}.\n\n| job file | compared beside | differs on purpose | result |\n|---|---|---|---|\n");
    results.iter().fold(head, |text, (case, found)| text + &row(case, found))
}

/// Holds these cases against fio, so many at once, and writes the table of the results.
fn hold(cases: &[&Case], at_once: usize, name: &str) {
    let wanted = std::env::var("FIO_CASES").unwrap_or_default();
    let chosen: Vec<&Case> =
        cases.iter().copied().filter(|case| wanted.is_empty() || wanted.split(',').any(|name| name == case.file)).collect();
    let results = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(case) = chosen.get(next.fetch_add(1, Relaxed)) {
                    let found = differences(case);
                    results.lock().unwrap().push((*case, found));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(case, _)| case.file);
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), table(&results)).unwrap();
    let wrong: Vec<String> = results
        .iter()
        .filter(|(_, found)| !found.is_empty())
        .map(|(case, found)| format!("{}: {}", case.file, found.join("\n    ")))
        .collect();
    assert!(wrong.is_empty(), "{} of {} job files differ:\n{}", wrong.len(), results.len(), wrong.join("\n"));
}

fn kinds() -> (Vec<&'static Case>, Vec<&'static Case>) {
    CASES.iter().partition(|case| case.is_timed())
}

#[test]
fn every_job_file_does_the_same() {
    hold(&kinds().1, AT_ONCE, "fio-differential.md");
}

#[test]
fn every_job_file_is_in_the_table_once() {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    let (mut files, mut cases): (Vec<String>, Vec<&str>) = (names.collect(), CASES.iter().map(|case| case.file).collect());
    files.sort();
    cases.sort_unstable();
    assert_eq!(files, cases);
    assert!(files.len() >= 60);
}

/// A published job on a small file and for a short time; all else is left as it was.
fn shortened(text: &str) -> String {
    let line = |line: &str| match line.split_once('=').map_or(line, |(key, _)| key.trim()) {
        "filename" | "size" => String::new(),
        "runtime" => "runtime=500ms\n".to_owned(),
        _ => format!("{line}\n"),
    };
    format!("[global]\nfilename=data\nsize=4m\n{}", text.lines().map(line).collect::<String>())
}

#[test]
fn published_jobs_give_the_same_report() {
    let seeds = std::fs::read_dir(folder().join("../seeds")).unwrap().map(|entry| entry.unwrap().path());
    let seeds: Vec<PathBuf> = seeds.filter(|path| path.extension().is_some_and(|end| end == "fio")).collect();
    assert!(seeds.len() >= 5, "{seeds:?}");
    let sandbox = common::Sandbox::new();
    let differences = |seed: &PathBuf| {
        let name = seed.file_name().unwrap().to_str().unwrap();
        let file = sandbox.work().join(name);
        std::fs::write(&file, shortened(&std::fs::read_to_string(seed).unwrap())).unwrap();
        let pair = Pair::run(&file, true);
        let found: Vec<String> = part::ALWAYS.into_iter().flat_map(|part| part.differences(&pair)).collect();
        (!found.is_empty()).then(|| format!("{name}: {}", found.join("\n    ")))
    };
    let wrong: Vec<String> = seeds.iter().filter_map(differences).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Times held against those of another program: nothing else may run beside it.
mod timed {
    use super::*;

    #[test]
    fn every_job_file_takes_the_same_time() {
        hold(&kinds().0, 1, "fio-differential-timed.md");
    }
}
