//! The shape of what both programs leave: lines, keys, fields, files and logs.

use super::pair::{Pair, Seen};
use serde_json::Value;
use std::collections::BTreeSet;

/// One difference, where two things are not equal.
pub fn differ<T: PartialEq + std::fmt::Debug>(what: &str, theirs: &T, ours: &T) -> Vec<String> {
    if theirs == ours { Vec::new() } else { vec![format!("{what}: fio {theirs:?}, ioproof {ours:?}")] }
}

/// Lines before the first job.
pub fn header(pair: &Pair) -> Vec<String> {
    let lines = |seen: &Seen| -> Vec<String> {
        let header = seen.text.iter().take_while(|line| !line.contains("(groupid=") && !line.starts_with("Run status"));
        header.filter(|line| !line.is_empty()).cloned().collect()
    };
    differ("header", &lines(&pair.theirs), &lines(&pair.ours))
}

/// Names and groups of the jobs in order, in JSON and in text.
pub fn jobs(pair: &Pair) -> Vec<String> {
    let named =
        |seen: &Seen| -> Vec<(Value, Value)> { seen.jobs().iter().map(|job| (job["jobname"].clone(), job["groupid"].clone())).collect() };
    let titles = |seen: &Seen| -> Vec<String> {
        let titles = seen.text.iter().filter(|line| line.contains("(groupid="));
        titles.map(|line| line.split("pid=").next().unwrap_or_default().to_owned()).collect()
    };
    let described = |seen: &Seen| seen.jobs().iter().map(|job| job["desc"].clone()).collect::<Vec<_>>();
    let mut all = differ("jobs", &named(&pair.theirs), &named(&pair.ours));
    all.extend(differ("titles", &titles(&pair.theirs), &titles(&pair.ours)));
    all.extend(differ("descriptions", &described(&pair.theirs), &described(&pair.ours)));
    all
}

/// Options as they are shown.
pub fn options(pair: &Pair) -> Vec<String> {
    let mut all = differ("global options", &pair.theirs.json["global options"], &pair.ours.json["global options"]);
    for (theirs, ours) in pair.jobs() {
        all.extend(differ("job options", &of_job(theirs), &of_job(ours)));
    }
    all
}

/// The options of a job; none where it has none of its own.
fn of_job(job: &Value) -> Vec<(String, Value)> {
    let options = job["job options"].as_object().into_iter().flatten();
    options.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Every key with the keys above it; what ioproof adds stands below a key of its own.
pub fn keys(pair: &Pair) -> Vec<String> {
    let of = |seen: &Seen| {
        let mut keys = BTreeSet::new();
        collect(&seen.json, "", &mut keys);
        keys.into_iter().filter(|key| !key.contains("/ioproof") && !key.contains("/job options")).collect::<BTreeSet<_>>()
    };
    let (theirs, ours) = (of(&pair.theirs), of(&pair.ours));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).take(6).cloned().collect::<Vec<_>>();
    differ("keys of one only", &only(&theirs, &ours), &only(&ours, &theirs))
}

fn collect(value: &Value, above: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            let path = format!("{above}/{key}");
            collect(value, &path, keys);
            keys.insert(path);
        }),
        Value::Array(array) => array.iter().for_each(|value| collect(value, above, keys)),
        _ => {}
    }
}

/// Fields of each terse line.
pub fn terse(pair: &Pair) -> Vec<String> {
    let fields = |seen: &Seen| seen.terse.iter().map(|line| line.split(';').count()).collect::<Vec<_>>();
    differ("terse fields", &fields(&pair.theirs), &fields(&pair.ours))
}

/// Beginnings of the lines of the text. The drive decides how many lines a histogram takes, and units too; samples come with time.
pub fn lines(pair: &Pair) -> Vec<String> {
    let of = |seen: &Seen| -> Vec<String> {
        seen.text.iter().skip_while(|line| !line.contains("(groupid=")).filter_map(|line| start(line)).collect()
    };
    differ("lines of the report", &of(&pair.theirs), &of(&pair.ours))
}

fn start(line: &str) -> Option<String> {
    let name = line.trim_start().split(['(', ':', '=']).next().unwrap_or_default().trim();
    let by_chance = name.starts_with('|') || name.is_empty() || ["bw", "iops"].contains(&name) || name == "lat" && !line.contains("avg=");
    (!by_chance).then(|| name.to_owned())
}

/// Sizes in the lines of groups, and what follows the factor of their rates.
pub fn amounts(pair: &Pair) -> Vec<String> {
    let of = |seen: &Seen| -> Vec<(String, bool)> { seen.text.iter().filter_map(|line| amount(line)).collect() };
    differ("sizes and units", &of(&pair.theirs), &of(&pair.ours))
}

/// Of `READ: bw=29.5MiB/s (31.0MB/s), ..., io=59.1MiB (62.0MB), run=...`.
fn amount(line: &str) -> Option<(String, bool)> {
    let (rates, rest) = line.split_once(", io=")?;
    let (size, _) = rest.split_once(", run=")?;
    Some((size.to_owned(), rates.contains("bit/s")))
}

/// Names and sizes.
pub fn files(pair: &Pair) -> Vec<String> {
    // fio's state of what is to be verified, which ioproof has no use for.
    let own = |seen: &Seen| {
        seen.files.iter().filter(|(name, _)| !name.ends_with("-verify.state")).map(|(n, s)| (n.clone(), *s)).collect::<Vec<_>>()
    };
    differ("files", &own(&pair.theirs), &own(&pair.ours))
}

/// Names, columns and directions.
pub fn logs(pair: &Pair) -> Vec<String> {
    let of = |seen: &Seen| seen.logs.iter().map(|(name, log)| (name.clone(), log.columns(), log.directions())).collect::<Vec<_>>();
    differ("logs", &of(&pair.theirs), &of(&pair.ours))
}

/// Lines of each.
pub fn log_lines(pair: &Pair) -> Vec<String> {
    let of = |seen: &Seen| seen.logs.iter().map(|(name, log)| (name.clone(), log.lines.len())).collect::<Vec<_>>();
    differ("lines of logs", &of(&pair.theirs), &of(&pair.ours))
}

#[test]
fn keys_are_told_apart_by_what_is_above_them() {
    let mut keys = BTreeSet::new();
    collect(&serde_json::json!({ "jobs": [{ "read": { "bw": 1 } }, { "write": { "bw": 1 } }] }), "", &mut keys);
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), ["/jobs", "/jobs/read", "/jobs/read/bw", "/jobs/write", "/jobs/write/bw"]);
    assert_eq!(start("    clat (usec): min=49").as_deref(), Some("clat"));
    assert_eq!(start("  lat (usec)   : 50=0.78%"), None);
}
