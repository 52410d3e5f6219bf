//! Runs with the same printed settings, in one document or in several: their difference is the noise that other differences are held against.

use crate::checks::{Findings, Measured, Reading, show};
use std::collections::BTreeMap;

const NAME: &str = "repeats-differ";
/// Relative difference from which on it is worth saying.
const NOTABLE: f64 = 0.05;

struct Run<'a> {
    file: &'a str,
    measured: &'a Measured,
    value: f64,
    words: String,
}

pub(super) fn check(readings: &[Reading], findings: &mut Findings) {
    let mut groups: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for reading in readings {
        for measured in &reading.measured {
            let (Some(key), Some((value, words))) = (key(reading, measured), show::quoted(measured)) else { continue };
            // Documents of one machine are held together; others have targets of the same name only by chance.
            let machine = machine(readings, reading);
            groups.entry(format!("{machine} {key}")).or_default().push(Run { file: reading.file(), measured, value, words });
        }
    }
    groups.values().filter(|runs| runs.len() > 1).for_each(|runs| group(runs, findings));
}

/// The file that stands for a document's machine: the first one that names a serial number of its drives.
fn machine<'a>(readings: &'a [Reading], reading: &'a Reading) -> &'a str {
    let serials = |reading: &Reading| -> Vec<String> {
        reading.drives.iter().filter_map(|drive| drive.serial.as_ref()).map(|serial| serial.value.clone()).collect()
    };
    let own = serials(reading);
    let first = readings.iter().find(|other| serials(other).iter().any(|serial| own.contains(serial)));
    first.unwrap_or(reading).file()
}

/// All settings that an output prints; `None` where it does not say what it measured.
fn key(reading: &Reading, measured: &Measured) -> Option<String> {
    let load = &measured.load;
    if measured.target.is_empty() || load.word.is_empty() || !matches!(measured.tool, "fio" | "nvmecontrol perftest" | "spdk_nvme_perf") {
        return None;
    }
    // Settings that outputs do not print are those of the command.
    let command = reading.command_of(measured).filter(|_| measured.tool != "fio").map_or("", |command| command.text.as_str());
    let (block, depth, workers) = (load.block_bytes?, load.depth?, load.workers?);
    let is_loop = reading.command_of(measured).is_some_and(|command| command.is_loop);
    let command = if is_loop { "" } else { command };
    Some(format!("{} {} {} {block} {depth} {workers} {:?} {command}", measured.tool, measured.target, load.word, load.engine))
}

fn group(runs: &[Run], findings: &mut Findings) {
    let (Some(low), Some(high)) =
        (runs.iter().min_by(|a, b| a.value.total_cmp(&b.value)), runs.iter().max_by(|a, b| a.value.total_cmp(&b.value)))
    else {
        return;
    };
    let Some(last) = runs.last() else { return };
    // The same output in two places is no repetition.
    let is_copy =
        |a: &Run, b: &Run| a.measured.ended.is_some() && (a.measured.pid, &a.measured.ended) == (b.measured.pid, &b.measured.ended);
    if low.value <= 0.0 || is_copy(low, high) {
        return;
    }
    let spread = high.value / low.value - 1.0;
    let place = (last.file, last.measured.first);
    let name = |run: &Run| {
        if run.file == last.file {
            format!("{} (line {})", run.words, run.measured.first)
        } else {
            format!("{} ({}, line {})", run.words, run.file, run.measured.first)
        }
    };
    if spread < NOTABLE {
        findings.holds(NAME, place, format!("{}: repeated within {}", last.measured.words(), show::percent(spread)));
        return;
    }
    let earlier = if std::ptr::eq(high, last) { low } else { high };
    let title = format!(
        "the same settings on {} differ by {}: smaller differences tell nothing",
        last.measured.target,
        show::change(earlier.value, if std::ptr::eq(high, last) { high.value } else { low.value })
    );
    let list = runs.iter().take(6).map(name).collect::<Vec<_>>().join(", ");
    findings.note(NAME, place, title, format!("{}: {list}", last.measured.words())).mend("repeat each run, and show the spread");
}
