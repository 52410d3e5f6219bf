//! Everything beside the figures in which runs differ: the drive, the host, the way to it, the program.

use crate::base::distinct::distinct;
use crate::facts::{DeviceFacts, Fact, OwnLimit, StackNode};
use crate::job::Span;
use crate::record::{RunRecord, TargetRecord};
use crate::units::{binary_size, decimal_size, duration};
use serde::Serialize;
use std::time::Duration;

/// A fact that is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Differing {
    /// Its name: `firmware`.
    pub name: String,
    /// Its value in each run; `not told` where a run has none.
    pub values: Vec<String>,
    /// True where figures of the runs are of other conditions, so that a difference is no sign of a better or worse drive.
    pub bears: bool,
}

/// A fact of a run: its name, whether it bears on figures as a condition, whether it is one of the machine or of the way to the target, which a run takes as it finds it, and its
/// value.
type ConditionRow = (&'static str, bool, bool, fn(&RunRecord) -> Option<String>);

/// The name of the fact that is also a condition of single workloads.
pub(super) const BACKEND: &str = "backend";

const FACTS: [ConditionRow; 28] = [
    ("target", false, false, |run| of_targets(run, |target| Some(target.facts.resolved.clone()))),
    ("layer", true, true, |run| of_targets(run, |target| Some(format!("{:?}", target.facts.layer).to_lowercase()))),
    ("filesystem", true, true, |run| of_targets(run, |target| Some(target.facts.filesystem.as_ref()?.fs_type.clone()))),
    ("mount options", true, true, |run| of_targets(run, |target| Some(target.facts.filesystem.as_ref()?.options.clone()))),
    ("largest record", true, true, |run| of_targets(run, |target| Some(binary_size(target.facts.filesystem.as_ref()?.record_bytes?)))),
    ("layers below", true, true, |run| of_targets(run, |target| target.facts.stack.as_ref().map(layers))),
    ("size of the target", false, false, |run| of_targets(run, |target| Some(binary_size(target.facts.size_bytes)))),
    ("part that was used", true, false, |run| Some(part(run.jobs.first()?.span))),
    ("model of the drive", false, false, |run| of_drives(run, |drive| text(drive.model.as_ref()))),
    ("serial number", false, false, |run| of_drives(run, |drive| text(drive.serial.as_ref()))),
    ("firmware", false, true, |run| of_drives(run, |drive| text(drive.firmware.as_ref()))),
    ("capacity of the drive", false, false, |run| of_drives(run, |drive| Some(decimal_size(drive.capacity_bytes.value)))),
    ("link", true, true, |run| of_drives(run, |drive| Some(drive.link.as_ref()?.title.clone()))),
    ("scheduler", false, true, |run| of_drives(run, |drive| text(drive.scheduler.as_ref()))),
    ("write cache", true, true, |run| of_drives(run, |drive| text(drive.write_cache.as_ref()))),
    ("kernel", false, true, |run| Some(run.host.kernel.value.clone())),
    ("CPU", false, true, |run| Some(run.host.cpu_model.value.clone())),
    ("CPUs", false, true, |run| Some(run.host.cpus_usable.to_string())),
    ("governor", false, true, |run| text(run.host.governor.as_ref())),
    ("limits", true, true, |run| Some(limits(run)).filter(|_| run.host.limits_are_known())),
    ("hypervisor", false, true, |run| text(run.host.hypervisor.as_ref())),
    (BACKEND, true, false, |run| served(run).or_else(|| Some(run.config.backend.clone()))),
    ("load generator", true, false, generator),
    ("databases", true, false, databases),
    ("injected faults", true, false, |run| Some(run.config.faults.clone().unwrap_or_else(|| "none".into()))),
    ("length of a run", false, false, |run| Some(duration(Duration::from_nanos(run.plan.as_ref()?.measure_ns)))),
    ("end", false, false, |run| Some(run.status.title().to_owned())),
    ("ioproof", false, false, |run| Some(run.program_version.clone())),
];

/// The part of a target in words: `128 MiB from 256 MiB on`.
fn part(span: Span) -> String {
    let length = binary_size(span.length_bytes);
    if span.offset_bytes == 0 { length } else { format!("{length} from {} on", binary_size(span.offset_bytes)) }
}

/// Flags of the command that change how I/O is generated, with their values; of a job file its options say so.
fn generator(run: &RunRecord) -> Option<String> {
    let words = &run.config.command;
    let told = words.iter().enumerate().filter(|(_, word)| GENERATOR.iter().any(|flag| word.split('=').next() == Some(*flag)));
    let with_value = |(at, word): (usize, &String)| match words.get(at + 1).filter(|_| word == "--pin") {
        Some(value) => format!("{word} {value}"),
        None => word.clone(),
    };
    joined(told.map(with_value)).or_else(|| Some("as usual".to_owned())).filter(|_| run.verb != "run")
}

/// Flags that change how I/O is generated.
const GENERATOR: [&str; 5] = ["--pin", "--polled", "--kernel-submits", "--huge-pages", "--buffered"];

/// The backends that served the run, whatever was asked for.
fn served(run: &RunRecord) -> Option<String> {
    joined(run.parts().map(|part| part.round.engine.backend.clone()).filter(|backend| !backend.is_empty()))
}

/// Limits on the process, the least on each resource: `CPU time 2 CPUs`, `none`.
fn limits(run: &RunRecord) -> String {
    let mut least: Vec<&OwnLimit> = Vec::new();
    for limit in &run.host.limits {
        match least.iter_mut().find(|known| (known.resource, &known.device) == (limit.resource, &limit.device)) {
            Some(known) if known.value > limit.value => *known = limit,
            Some(_) => {}
            None => least.push(limit),
        }
    }
    let words = |limit: &&OwnLimit| {
        let (what, unit) = limit.resource.in_words();
        format!("{what} {}", unit.show(limit.value))
    };
    joined(least.iter().map(words)).unwrap_or_else(|| "none".into())
}

/// Programs of databases with their versions.
fn databases(run: &RunRecord) -> Option<String> {
    joined(run.databases.iter().map(|of| format!("{} {}", of.kind.title(), of.version)))
}

/// The kinds of the devices below a target, from the top down: `loop on disk`. A partition is as the disk is, and what a loop device's file lies on is told with it.
fn layers(stack: &StackNode) -> String {
    let kind = |node: &&StackNode| if node.is_cached { "loop through the page cache".into() } else { node.kind.clone() };
    distinct(stack.nodes().iter().filter(|node| node.kind != "partition").map(kind)).join(" on ")
}

fn text(fact: Option<&Fact<String>>) -> Option<String> {
    fact.map(|fact| fact.value.clone())
}

fn of_targets(run: &RunRecord, value: fn(&TargetRecord) -> Option<String>) -> Option<String> {
    // A device below a directory is no place of its own, and not everybody may read it.
    joined(run.targets.iter().filter(|target| target.below.is_none()).filter_map(value))
}

fn of_drives(run: &RunRecord, value: fn(&DeviceFacts) -> Option<String>) -> Option<String> {
    joined(run.drives().into_iter().filter_map(value))
}

/// Each value once; none of nothing.
fn joined(values: impl Iterator<Item = String>) -> Option<String> {
    let all = distinct(values);
    (!all.is_empty()).then(|| all.join(", "))
}

/// The facts in which the runs differ.
pub(super) fn differing(records: &[&RunRecord]) -> Vec<Differing> {
    told(&FACTS, records)
}

fn told(facts: &[ConditionRow], records: &[&RunRecord]) -> Vec<Differing> {
    let of = |(name, bears, _, value): &ConditionRow| {
        let values: Vec<String> = records.iter().map(|record| value(record).unwrap_or_else(|| "not told".into())).collect();
        let is_same = values.windows(2).all(|pair| pair[0] == pair[1]);
        (!is_same).then(|| Differing { name: (*name).into(), values, bears: *bears })
    };
    facts.iter().filter_map(of).collect()
}

/// The conditions that have changed between a run that was interrupted and the one that goes on with it; figures of both are not of one.
pub fn changed_conditions(earlier: &RunRecord, record: &RunRecord) -> Vec<Differing> {
    let found: Vec<ConditionRow> = FACTS.into_iter().filter(|(_, _, is_found, _)| *is_found).collect();
    told(&found, &[earlier, record])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn what_a_place_is_and_no_run_chooses_may_not_change_meanwhile() {
        let (first, mut second) = (record(), record());
        second.host.kernel.value = "9.9".into();
        second.program_version = "9.9".into();
        second.status = crate::record::RunStatus::Running;
        let changed = changed_conditions(&first, &second);
        assert_eq!(changed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["kernel"]);
    }

    #[test]
    fn a_loop_device_below_is_another_condition() {
        let (mut first, mut second) = (record(), record());
        let disk = || StackNode { kind: "partition".into(), under: vec![StackNode::disk("sda")], ..StackNode::disk("sda1") };
        let image = StackNode { kind: "loop".into(), under: vec![disk()], ..StackNode::disk("loop0") };
        first.targets[0].facts.stack = Some(disk());
        second.targets[0].facts.stack = Some(image.clone());
        let told = |first: &RunRecord, second: &RunRecord| differing(&[first, second]).into_iter().find(|one| one.name == "layers below");
        let told_of_both = told(&first, &second).unwrap();
        assert!(told_of_both.bears && told_of_both.values == ["disk", "loop on disk"], "{told_of_both:?}");
        first.targets[0].facts.stack = Some(StackNode { is_cached: true, ..image });
        assert_eq!(told(&first, &second).unwrap().values[0], "loop through the page cache on disk");
        second.targets[0].facts.stack = first.targets[0].facts.stack.clone();
        assert_eq!(told(&first, &second), None);
    }

    #[test]
    fn only_what_differs_is_told() {
        let (first, mut second) = (record(), record());
        assert_eq!(differing(&[&first, &second]), []);
        second.host.kernel.value = "9.9".into();
        second.targets[0].drives[0].firmware = None;
        second.jobs[0].span.length_bytes /= 2;
        second.config.command.extend(["--pin".into(), "0".into()]);
        let told = differing(&[&first, &second]);
        let names: Vec<(&str, bool)> = told.iter().map(|one| (one.name.as_str(), one.bears)).collect();
        let values = |name: &str| told.iter().find(|one| one.name == name).map(|one| one.values.clone());
        assert_eq!(values("load generator").unwrap(), ["as usual", "--pin 0"]);
        let moved = |offset_bytes| part(Span { offset_bytes, length_bytes: 1 << 27 });
        assert_eq!([moved(0), moved(1 << 28)], ["128 MiB", "128 MiB from 256 MiB on"]);
        assert!(names.contains(&("kernel", false)) && names.contains(&("part that was used", true)), "{names:?}");
    }
}
