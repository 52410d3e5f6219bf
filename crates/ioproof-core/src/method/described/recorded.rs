//! A load from the job that the engine is given and the targets that it is given on: the way of flags, sweeps and plans to the rules of method.
//!
//! The caller adds what a job does not tell: the backend, the depth that was asked for, the stage, and whether offsets come again in every run.

use super::load::{HostSize, Load, LoadTarget, LoadTime, MediumKind, Part};
use crate::facts::{DeviceFacts, HostFacts, Layer, TargetFacts, TargetKind};
use crate::job::{JobSpec, Span, Until};
use crate::record::TargetRecord;
use crate::workload::Pattern;

/// Filesystems that keep their files in memory (`Documentation/filesystems/tmpfs.rst`).
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

impl Load {
    /// The load of a job on these targets of a machine.
    pub fn of_job(name: &str, spec: &JobSpec, targets: &[&TargetRecord], host: &HostFacts) -> Self {
        let workers = spec.workload.workers;
        let of_worker = |worker: u32| {
            (0..targets.len()).map(move |target| Part { worker, target, span: Some(part_of(spec, worker, target)) }).collect::<Vec<_>>()
        };
        let begins_at = |worker: u32| part_of(spec, worker, 0).offset_bytes;
        Self {
            depth_asked: Some(spec.workload.depth),
            direct: (!targets.is_empty()).then(|| targets.iter().all(|target| target.facts.direct)),
            targets: targets.iter().map(|target| LoadTarget::of_record(target)).collect(),
            parts: (0..workers).flat_map(of_worker).collect(),
            begins_apart: (workers > 1 && !targets.is_empty()).then(|| begins_at(0) != begins_at(1)),
            time: time_of(spec),
            ends_with_sync: Some(spec.end_fsync),
            host: HostSize { memory_bytes: Some(host.memory_bytes.value), cpus: Some(host.cpus_usable) },
            ..Self::new(name, spec.workload.clone())
        }
    }
}

/// The part of a target that a worker uses. Sequential workers share a span among them, random ones each use all of it.
fn part_of(spec: &JobSpec, worker: u32, target: usize) -> Span {
    let span = spec.span_on(worker, target);
    if spec.workload.pattern == Pattern::Random || !spec.placement.spans.is_empty() {
        return span;
    }
    let each = span.length_bytes / u64::from(spec.workload.workers.max(1));
    Span { offset_bytes: span.offset_bytes.saturating_add(each.saturating_mul(worker.into())), length_bytes: each }
}

fn time_of(spec: &JobSpec) -> LoadTime {
    let time = LoadTime { ramp_ns: Some(spec.ramp_ns), runtime_ns: spec.at_most_ns, ..LoadTime::default() };
    let of_all = |bytes: u64| bytes.saturating_mul(spec.workload.workers.into());
    match spec.until {
        Until::ElapsedNs(ns) => LoadTime { runtime_ns: Some(ns), fills_runtime: true, ..time },
        Until::SpanCovered => LoadTime { total_bytes: Some(spec.span.length_bytes), ..time },
        Until::Bytes(bytes) => LoadTime { total_bytes: Some(of_all(bytes)), amount_is_meant: true, ..time },
        Until::Ios(ios) => LoadTime { ios_each: Some(ios), total_bytes: spec.at_most_bytes.map(of_all), amount_is_meant: true, ..time },
    }
}

impl LoadTarget {
    fn of_record(target: &TargetRecord) -> Self {
        let facts = &target.facts;
        let unwritten = target.content.unwritten_bytes;
        let turns: Option<Vec<bool>> = target.drives.iter().map(DeviceFacts::turns).collect();
        Self {
            path: facts.resolved.clone(),
            identity: None,
            is_named: facts.kind != TargetKind::Scratch,
            medium: Some(medium(facts)),
            size_bytes: Some(facts.size_bytes),
            written_bytes: unwritten.map(|unwritten| facts.size_bytes.saturating_sub(unwritten)),
            drives: target.drives.iter().map(|drive| drive.name.clone()).collect(),
            rotational: turns.filter(|turns| !turns.is_empty()).map(|turns| turns.iter().all(|turns| *turns)),
        }
    }
}

fn medium(facts: &TargetFacts) -> MediumKind {
    let in_memory = facts.filesystem.as_ref().is_some_and(|filesystem| IN_MEMORY.contains(&filesystem.fs_type.as_str()));
    match (facts.kind, facts.layer) {
        (TargetKind::Generator, _) | (_, Layer::Generator) => MediumKind::Generator,
        (TargetKind::BlockDevice, _) => MediumKind::Device,
        (TargetKind::File | TargetKind::Scratch, _) if in_memory => MediumKind::Memory,
        (TargetKind::File | TargetKind::Scratch, _) => MediumKind::File,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Flags, check};
    use crate::record::RunRecord;
    use crate::testing::record;
    use crate::workload::Workload;

    const SECOND: u64 = 1_000_000_000;

    fn spec(workload: Workload) -> JobSpec {
        let span = Span { offset_bytes: 0, length_bytes: 2_000_000_000_000 };
        let plain = JobSpec::plain(workload, span, Until::ElapsedNs(120 * SECOND));
        JobSpec { ramp_ns: SECOND, io_timeout_ns: 60 * SECOND, ..plain }
    }

    fn rules_of(record: &RunRecord, spec: &JobSpec) -> Vec<String> {
        let load = Load::of_job("load", spec, &[&record.targets[0]], &record.host);
        check(&[load], &Flags).into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn a_plain_job_on_a_whole_drive_is_right() {
        for pattern in [Pattern::Random, Pattern::Sequential] {
            assert_eq!(rules_of(&record(), &spec(Workload::plain(pattern, 100, 4096, 4, 32))), [""; 0], "{pattern:?}");
        }
    }

    #[test]
    fn a_cached_target_a_small_part_and_shared_parts_are_found() {
        let mut record = record();
        let mut small = spec(Workload::plain(Pattern::Random, 100, 4096, 1, 1));
        small.span.length_bytes = 1 << 30;
        assert_eq!(rules_of(&record, &small), ["small-share"]);
        let mut shared = spec(Workload::plain(Pattern::Sequential, 100, 4096, 4, 32));
        shared.placement.spans = vec![shared.span];
        assert_eq!(rules_of(&record, &shared), ["same-blocks"]);
        record.targets[0].facts.direct = false;
        assert_eq!(rules_of(&record, &small), ["fits-in-memory"]);
    }

    #[test]
    fn an_amount_is_that_of_all_workers() {
        let by = |until| time_of(&JobSpec { until, at_most_bytes: Some(4096), ..spec(Workload::plain(Pattern::Random, 100, 4096, 4, 1)) });
        assert_eq!(by(Until::Bytes(1000)).total_bytes, Some(4000));
        assert_eq!((by(Until::Ios(7)).ios_each, by(Until::Ios(7)).total_bytes), (Some(7), Some(16384)));
        assert!(by(Until::Ios(7)).amount_is_meant && !by(Until::SpanCovered).amount_is_meant);
    }
}
