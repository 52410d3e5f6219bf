//! Workers that do the same work on the same blocks.

use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "same-blocks",
        severity: Severity::Warn,
        about: "sequential workers that all go over the same blocks",
        check: MethodCheck::Each(same_blocks),
        fires: vec![split(&sequential(device()), 4, |_| (0, 10 * GIB))],
        silent: vec![split(&sequential(device()), 4, |worker| (worker * 10 * GIB, 10 * GIB))],
    },
    rule! {
        name: "overlapping-clones",
        severity: Severity::Warn,
        about: "sequential workers that begin apart but go over each other's blocks",
        check: MethodCheck::Each(overlapping),
        fires: vec![split(&sequential(device()), 4, |worker| (worker * 5 * GIB, 10 * GIB))],
        silent: vec![split(&sequential(device()), 4, |worker| (worker * 10 * GIB, 10 * GIB))],
    },
];

/// True where several workers use the same targets from the same place on.
pub(super) fn begin_together(load: &Load) -> bool {
    load.workers_share_targets() && load.begins_apart == Some(false)
}

fn same_blocks(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    if load.is_random() || !load.is_on_drive() || !begin_together(load) {
        return None;
    }
    let workers = load.worker_count();
    let (verb, effect) = if load.writes() {
        ("write", "all but the first overwrite what is still in the drive's cache")
    } else {
        ("read", "all but the first are answered by caches")
    };
    let part = load.data_bytes().map_or_else(String::new, |bytes| format!(" of {}", words.size(bytes)));
    let sequential = many(workers, &format!("sequential {}", words.phrases().worker));
    let title = format!("{sequential} {verb} the same blocks{part} in the same order: {effect}");
    let data = load.data_bytes().map(|bytes| Evidence::number("different data", bytes as f64, Unit::Bytes));
    let figures = [Evidence::number("workers", workers as f64, Unit::Count)].into_iter().chain(data).collect();
    Some(found(title, figures, words.own_parts(workers)))
}

fn overlapping(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    if load.is_random() || !load.is_on_drive() || !load.workers_share_targets() || load.begins_apart != Some(true) {
        return None;
    }
    let once = load.data_bytes()?;
    let all = load.parts.iter().filter_map(|part| part.span).fold(0, |sum: u64, span| sum.saturating_add(span.length_bytes));
    let title = format!(
        "the parts of the {} overlap: together they are {}, but only {} different ones",
        many(load.worker_count(), words.phrases().worker),
        words.size(all),
        words.size(once)
    );
    let figures = vec![
        Evidence::number("all parts together", all as f64, Unit::Bytes),
        Evidence::number("different data", once as f64, Unit::Bytes).against(all as f64),
    ];
    (once < all).then(|| found(title, figures, words.phrases().wider_parts))
}
