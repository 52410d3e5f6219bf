//! The page cache and other memory in place of a drive.

use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "in-memory",
        severity: Severity::Warn,
        covers: [
            "fits-in-memory",
            "buffered-reads",
            "buffered-writes",
            "meant-buffered",
            "buffered-depth",
            "unsynced-writes",
            "repeated-buffers",
            "same-offsets",
            "percentile-samples",
            "tail-samples",
        ],
        about: "files that are kept in memory",
        check: MethodCheck::Each(in_memory),
        fires: vec![changed(file(), |l| l.targets[0].medium = Some(MediumKind::Memory))],
        silent: vec![file()],
    },
    rule! {
        name: "fits-in-memory",
        severity: Severity::Warn,
        covers: [
            "buffered-depth",
            "unsynced-writes",
            "repeated-buffers",
            "same-offsets",
            "percentile-samples",
            "tail-samples",
            "short-run",
            "no-ramp",
            "small-share",
        ],
        about: "I/O through the page cache on less data than there is memory",
        check: MethodCheck::Each(fits_in_memory),
        fires: vec![on_first(buffered(file()), 8 * GIB)],
        silent: vec![buffered(file())],
    },
    rule! {
        name: "buffered-reads",
        severity: Severity::Warn,
        covers: ["buffered-writes", "unsynced-writes", "repeated-buffers"],
        about: "reads through the page cache on more data than there is memory, or on an unknown amount",
        check: MethodCheck::Each(|load, words| if is_meant(load) { None } else { reads(load, words) }),
        fires: vec![buffered(file())],
        silent: vec![file()],
    },
    rule! {
        name: "buffered-writes",
        severity: Severity::Warn,
        covers: ["unsynced-writes", "repeated-buffers"],
        about: "writes into the page cache whose way to the drive is not part of the time",
        check: MethodCheck::Each(|load, words| if is_meant(load) { None } else { writes(load, words) }),
        fires: vec![writing(buffered(file()))],
        silent: vec![changed(writing(buffered(file())), |l| l.workload.durability = Durability::FdatasyncEvery(1))],
    },
    rule! {
        name: "meant-buffered",
        severity: Severity::Info,
        about: "I/O through the page cache in a load whose author says that it is to go there",
        check: MethodCheck::Each(|load, words| if is_meant(load) { reads(load, words).or_else(|| writes(load, words)) } else { None }),
        fires: vec![changed(buffered(file()), |l| l.cache.is_meant = true)],
        silent: vec![changed(file(), |l| l.cache.is_meant = true)],
    },
];

fn in_memory(load: &Load, _: &dyn Words) -> Option<MethodFinding> {
    let target =
        load.targets.iter().find(|target| target.medium == Some(MediumKind::Memory)).filter(|_| load.is_on(&[MediumKind::Memory]))?;
    let title = "its files lie on tmpfs, in memory: no drive is involved";
    let remedy = "put them on a file system of the drive, or name the device";
    Some(found(title, vec![Evidence::text("file", target.path.clone())], remedy))
}

/// The data and the memory in bytes, where both are known.
fn data_and_memory(load: &Load) -> Option<(u64, u64)> {
    load.data_bytes().zip(load.host.memory_bytes)
}

fn figures(load: &Load) -> Vec<Evidence> {
    let memory = load.host.memory_bytes;
    let data = load.data_bytes().map(|data| Evidence::number("data", data as f64, Unit::Bytes));
    let data = data.map(|data| memory.map_or(data.clone(), |memory| data.against(memory as f64)));
    let cached = Evidence::text("direct I/O", if load.is_mapped() { "none: it is mapped" } else { "no" });
    data.into_iter().chain(memory.map(|memory| Evidence::number("memory", memory as f64, Unit::Bytes))).chain([cached]).collect()
}

fn fits_in_memory(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let (data, memory) = data_and_memory(load).filter(|(data, memory)| data < memory)?;
    // Writes that are made durable within the time reach the drive, whatever their number.
    if !load.is_buffered() || (!load.reads() && load.syncs_its_writes()) {
        return None;
    }
    let title = format!(
        "{} of data go through the page cache and fit into the {} of memory: little or nothing of the drive is seen{}",
        words.size(data),
        words.size(memory),
        content_before(load, words)
    );
    Some(found(title, figures(load), remedy(load, words)))
}

fn remedy(load: &Load, words: &dyn Words) -> String {
    if load.is_mapped() {
        let backend = words.setting(Setting::Backend);
        return format!("use another {backend} and {}: what is mapped always goes through the page cache", words.phrases().direct);
    }
    words.phrases().direct.into()
}

/// True where the author says that it is to go through the page cache, so that nobody is deceived.
fn is_meant(load: &Load) -> bool {
    load.cache.is_meant && load.direct == Some(false)
}

fn reads(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    if !load.is_buffered() || !load.reads() || fits_in_memory(load, words).is_some() {
        return None;
    }
    let title = match (load.is_random(), data_and_memory(load)) {
        (false, _) => format!(
            "sequential reads go through the page cache: the kernel reads ahead, so the drive sees other sizes and another depth than {} and {} say",
            words.setting(Setting::Block),
            words.setting(Setting::Depth)
        ),
        (true, Some((data, memory))) => {
            let share = percent(memory as f64 / data.max(1) as f64);
            format!("random reads go through the page cache: up to {share} of them can be answered by {} of memory", words.size(memory))
        }
        (true, None) => "random reads go through the page cache, which answers some of them in place of the drive".into(),
    };
    let writes = if load.writes() && !load.syncs_each_write() { "; writes end there and not on the drive" } else { "" };
    Some(found(format!("{title}{writes}{}", content_before(load, words)), figures(load), remedy(load, words)))
}

fn writes(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is_large = data_and_memory(load).is_some_and(|(data, memory)| data / 2 >= memory);
    let ends_on_drive = is_large && load.ends_with_sync == Some(true);
    if !load.is_buffered() || !load.writes() || load.syncs_its_writes() || ends_on_drive || fits_in_memory(load, words).is_some() {
        return None;
    }
    let title = "writes go into the page cache, so their latency is that of memory and the rate that of the drive only in the long run";
    Some(found(title, figures(load), remedy(load, words)))
}

/// That which fills the cache beforehand, where the author asks for it.
fn content_before(load: &Load, words: &dyn Words) -> String {
    match (load.cache.filled_first, load.cache.kept) {
        _ if !load.reads() => String::new(),
        (true, _) => format!("; {} fills it first", words.phrases().fills_cache),
        (false, true) => format!("; {} keeps what is in it from before", words.phrases().keeps_cache),
        (false, false) => String::new(),
    }
}
