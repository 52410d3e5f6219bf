//! Reads of blocks that were never written, or that are gone.

use super::prelude::*;

/// A file is rarely written to its last byte; from this share on, reads find data nearly everywhere.
const WRITTEN: f64 = 0.99;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "sparse-file",
        severity: Severity::Warn,
        about: "reads of a file that is there but not written",
        check: MethodCheck::All(|loads, words| each(loads, words, sparse_file)),
        fires: vec![changed(file(), |l| l.targets[0].written_bytes = Some(GIB))],
        silent: vec![changed(file(), |l| l.targets[0].written_bytes = Some(64 * GIB))],
    },
    rule! {
        name: "reads-after-trim",
        severity: Severity::Warn,
        about: "reads of what an earlier load trims",
        check: MethodCheck::All(|loads, words| each(loads, words, reads_after_trim)),
        fires: vec![trimming(), device()],
        silent: vec![trimming(), named(writing(device()), "w"), device()],
    },
];

#[cfg(test)]
fn trimming() -> Load {
    changed(named(writing(device()), "t"), |l| l.workload.shape.trim_percent = 100)
}

/// Applies a check to each load with those before it.
fn each(loads: &[Load], words: &dyn Words, check: fn(&[Load], &Load, &dyn Words) -> Option<MethodFinding>) -> Vec<(usize, MethodFinding)> {
    loads.iter().enumerate().filter_map(|(at, load)| Some((at, check(&loads[..at], load, words)?))).collect()
}

fn only_writes(load: &Load) -> bool {
    load.writes() && !load.reads() && !load.workload.trims()
}

fn sparse_file(before: &[Load], load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is_written_before = before.iter().any(|other| only_writes(other) && load.shares_a_target(other));
    if !load.reads() || is_written_before {
        return None;
    }
    let known = |target: &LoadTarget| Some((target.path.clone(), target.size_bytes?, target.written_bytes?));
    let files = load.targets.iter().filter(|target| target.medium == Some(MediumKind::File)).filter_map(known);
    let share = |written: u64, bytes: u64| written as f64 / bytes.max(1) as f64;
    let (path, bytes, written) = files.into_iter().find(|(_, bytes, written)| share(*written, *bytes) < WRITTEN)?;
    let title = format!(
        "{path} holds data in {} of its {} only ({}): where nothing was written the file system answers, not the drive",
        words.size(written),
        words.size(bytes),
        percent(share(written, bytes))
    );
    let figures = vec![
        Evidence::text("file", path),
        Evidence::number("size", bytes as f64, Unit::Bytes),
        Evidence::number("share that holds data", share(written, bytes), Unit::Share).against(WRITTEN),
    ];
    Some(found(title, figures, words.phrases().write_first))
}

fn reads_after_trim(before: &[Load], load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let changes = |other: &&Load| other.workload.writes() && load.shares_a_target(other);
    let last = before.iter().rfind(changes).filter(|last| last.only_trims() && load.workload.read_percent == 100)?;
    let title = format!(
        "it reads what the {} {} has trimmed: the drive answers such reads without touching its memory",
        words.phrases().load,
        last.title()
    );
    Some(found(title, vec![Evidence::text("trimmed by", last.title())], words.phrases().write_between))
}
