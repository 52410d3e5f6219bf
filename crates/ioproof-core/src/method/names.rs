//! Loads that are called what they are not. A name is all that remains of a load in most tables and plots.

use super::name_hints::hints;
use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "name-against-order",
        severity: Severity::Warn,
        about: "a name that says random or sequential, against the order",
        check: MethodCheck::Each(order),
        fires: vec![named(sequential(file()), "random-read-4k")],
        silent: vec![named(file(), "random-read-4k")],
    },
    rule! {
        name: "name-against-direction",
        severity: Severity::Warn,
        about: "a name that says read or write, against the direction",
        check: MethodCheck::Each(direction),
        fires: vec![named(file(), "write-test")],
        silent: vec![named(writing(file()), "write-test")],
    },
    rule! {
        name: "name-against-size",
        severity: Severity::Warn,
        about: "a name with a size, against the block size",
        check: MethodCheck::Each(block),
        fires: vec![named(changed(file(), |l| l.workload.block_bytes = 128 << 10), "read-4k")],
        silent: vec![named(file(), "read-4k")],
    },
    rule! {
        name: "name-against-depth",
        severity: Severity::Warn,
        about: "a name with a depth, against depth and workers",
        check: MethodCheck::Each(depth),
        fires: vec![named(file(), "read-qd32")],
        silent: vec![named(deep(split(&file(), 4, |_| (0, 1 << 36)), 8), "read-qd32")],
    },
    rule! {
        name: "name-against-engine",
        severity: Severity::Warn,
        about: "a name with a backend, against the backend",
        check: MethodCheck::Each(backend),
        fires: vec![named(file(), "read-libaio")],
        silent: vec![named(file(), "read-io_uring")],
    },
];

/// A contradiction between the name and that which `is`, which `fact` bears out.
fn against(load: &Load, words: &dyn Words, is: &str, fact: Evidence, remedy: String) -> MethodFinding {
    let title = format!("the {} is called {}, but {is}", words.phrases().load, load.name);
    found(title, vec![Evidence::text("name", load.name.clone()), fact], remedy)
}

fn or_rename(words: &dyn Words, advice: &str) -> String {
    format!("{advice}, or rename the {}", words.phrases().load)
}

fn pattern(load: &Load, words: &dyn Words) -> String {
    words.with(Setting::Pattern, &load.rw_word())
}

fn order(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let hints = hints(&load.name);
    let contradicts = if load.is_random() { hints.sequential } else { hints.random };
    // Part random and part sequential is both.
    if !load.is_plainly_ordered() || !contradicts || hints.random == hints.sequential {
        return None;
    }
    let word = load.rw_word();
    let meant = if load.is_random() { word.trim_start_matches("rand").to_owned() } else { format!("rand{word}") };
    let order = if load.is_random() { "random" } else { "sequential" };
    let remedy = or_rename(words, &format!("set {}", words.with(Setting::Pattern, &meant)));
    Some(against(load, words, &format!("{} is {order}", pattern(load, words)), Evidence::text("order", order), remedy))
}

fn direction(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let hints = hints(&load.name);
    let lacks = match (load.only_trims(), load.reads(), load.writes()) {
        _ if hints.hedged => return None,
        (true, ..) if hints.reads || hints.writes || hints.mixed => "neither reads nor writes",
        (false, true, false) if hints.writes || hints.mixed => "does not write",
        (false, false, true) if hints.reads || hints.mixed => "does not read",
        _ => return None,
    };
    let remedy = or_rename(words, &format!("set {} to what the name says", words.setting(Setting::Pattern)));
    let fact = Evidence::text("direction", load.rw_word());
    Some(against(load, words, &format!("{} {lacks}", pattern(load, words)), fact, remedy))
}

fn block(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let hints = hints(&load.name);
    let has = load.block_sizes();
    let is = |bytes: u64, (number, bits): (u64, u32)| bytes == number << bits || bytes == number * 10_u64.pow(bits / 10 * 3);
    // A size in a name may be that of the file.
    let fits = |named: &(u64, u32)| has.iter().chain(&load.asked_bytes).any(|bytes| is(*bytes, *named));
    let (number, bits) = *hints.sizes.first().filter(|_| !hints.sizes.iter().any(fits))?;
    let sizes = has.iter().map(|bytes| words.size(*bytes)).collect::<Vec<_>>().join(", ");
    let remedy = or_rename(words, &format!("set {}", words.with(Setting::Block, &words.size(number << bits))));
    let is = format!("{} is {sizes}", words.setting(Setting::Block));
    Some(against(load, words, &is, Evidence::text("block sizes", sizes), remedy))
}

fn depth(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let (depth, workers) = (load.depth(), load.worker_count());
    let named = *hints(&load.name).depths.first().filter(|named| **named != depth && **named != depth.saturating_mul(workers))?;
    let each =
        if workers > 1 { format!("each of {workers} {}s", words.phrases().worker) } else { format!("one {}", words.phrases().worker) };
    let asked = words.with(Setting::Depth, &load.depth_asked.unwrap_or(load.workload.depth));
    let backend = load.backend.as_ref().map(|backend| format!(", {}", words.with(Setting::Backend, &backend.name)));
    let is = format!("it keeps {depth} outstanding in {each} ({asked}{})", backend.unwrap_or_default());
    let remedy = or_rename(words, &format!("set {} with an asynchronous engine", words.with(Setting::Depth, &named)));
    Some(against(load, words, &is, Evidence::text("depth", load.workload.concurrency()), remedy))
}

fn backend(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is = load.backend_name();
    let named = hints(&load.name).engines;
    let named = *named.first().filter(|_| !is.is_empty() && !named.contains(&is))?;
    let remedy = or_rename(words, &format!("set {}", words.with(Setting::Backend, &named)));
    Some(against(load, words, &words.with(Setting::Backend, &is), Evidence::text("backend", is), remedy))
}
