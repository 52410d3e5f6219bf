//! Queue depth that is not kept, and threads that do not get a processor.

use super::described::derived::stages;
use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "depth-of-one",
        severity: Severity::Warn,
        covers: ["name-against-depth"],
        about: "a depth above 1 with a backend or a direction that keeps one I/O outstanding",
        check: MethodCheck::Each(depth_of_one),
        fires: {
            let psync = BackendTraits { name: "psync".into(), synchronous: true, ..BackendTraits::default() };
            vec![changed(file(), |l| (l.depth_asked, l.backend) = (Some(32), Some(psync)))]
        },
        silent: vec![deep(file(), 32)],
    },
    rule! {
        name: "buffered-depth",
        severity: Severity::Warn,
        about: "libaio through the page cache, where submitting waits for the I/O",
        check: MethodCheck::Each(buffered_depth),
        fires: vec![by_libaio(buffered(deep(file(), 32)))],
        silent: vec![by_libaio(deep(file(), 32))],
    },
    rule! {
        name: "polling-cpus",
        severity: Severity::Warn,
        about: "more threads that never sleep than processors",
        check: MethodCheck::All(polling_cpus),
        fires: vec![polling(16)],
        silent: vec![polling(8), changed(polling(8), |l| l.start.stage = Some(1))],
    },
];

#[cfg(test)]
fn by_libaio(load: Load) -> Load {
    changed(load, |l| l.backend = Some(BackendTraits { name: "libaio".into(), ..BackendTraits::default() }))
}

/// So many workers that poll, in the first stage.
#[cfg(test)]
fn polling(workers: u32) -> Load {
    changed(split(&device(), workers, |_| (0, 1 << 40)), |l| {
        l.start = Start { stage: Some(0), ..Start::default() };
        l.backend = Some(BackendTraits { name: "io_uring".into(), spinning_threads: 1, ..BackendTraits::default() });
    })
}

fn depth_of_one(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let asked = load.depth_asked.filter(|asked| *asked > 1 && load.depth() == 1)?;
    let (depth, backend) = (words.with(Setting::Depth, &asked), words.with(Setting::Backend, &load.backend_name()));
    let reason = if load.backend.as_ref().is_some_and(|backend| backend.synchronous) {
        format!("{backend} does one I/O at a time")
    } else {
        "trims are done one at a time".into()
    };
    let each =
        if load.worker_count() > 1 { format!(" for each of {}", many(load.worker_count(), words.phrases().worker)) } else { String::new() };
    let title = format!("{depth} has no effect: {reason}, so the depth is 1{each}");
    let (one, workers) = (words.with(Setting::Depth, &1), words.with(Setting::Workers, &asked));
    let remedy = if load.only_trims() {
        format!("make depth with {}s: {one} and {workers}", words.phrases().worker)
    } else {
        format!("use {} with {}, or {one} and {workers}", words.queueing_backend(), words.phrases().is_direct)
    };
    let figures = vec![Evidence::number("depth asked for", asked.into(), Unit::Count).against(1.0), backend_fact(load)];
    Some(found(title, figures, remedy))
}

fn backend_fact(load: &Load) -> Evidence {
    Evidence::text("backend", load.backend_name())
}

fn buffered_depth(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    if load.backend_name() != "libaio" || load.depth() < 2 || !load.is_buffered() {
        return None;
    }
    let title = format!(
        "libaio does not keep {} through the page cache: the kernel finishes each buffered I/O before io_submit returns",
        words.with(Setting::Depth, &load.depth())
    );
    let figures = vec![Evidence::number("depth", load.depth() as f64, Unit::Count).against(1.0), backend_fact(load)];
    Some(found(title, figures, format!("{}, or take io_uring", words.phrases().direct)))
}

/// Threads of a stage that spin; a thread of the kernel that submits spins beside the worker's own.
fn polling_cpus(loads: &[Load], words: &dyn Words) -> Vec<(usize, MethodFinding)> {
    let of_stage = |stage: u32| {
        let spinning = |load: &Load| load.backend.as_ref().map_or(0, |b| u64::from(b.spinning_threads)) * load.worker_count();
        let in_stage = loads.iter().enumerate().filter(|(_, load)| load.start.stage == Some(stage));
        let spinning: Vec<(usize, u64)> = in_stage.map(|(at, load)| (at, spinning(load))).filter(|(_, threads)| *threads > 0).collect();
        let threads: u64 = spinning.iter().map(|(_, threads)| threads).sum();
        let (at, _) = *spinning.first()?;
        let cpus = loads[at].host.cpus.map(u64::from).filter(|cpus| threads > *cpus)?;
        Some((at, too_many(threads, cpus, words)))
    };
    stages(loads).into_iter().filter_map(of_stage).collect()
}

fn too_many(threads: u64, cpus: u64, words: &dyn Words) -> MethodFinding {
    let title = format!(
        "{threads} threads poll without sleeping at once, and there are {}: they take turns, which shows as latency",
        many(cpus, "processor")
    );
    let figures = vec![Evidence::number("threads that never sleep", threads as f64, Unit::Count).against(cpus as f64)];
    found(title, figures, format!("keep {} so small that at most {cpus} threads poll", words.setting(Setting::Workers)))
}
