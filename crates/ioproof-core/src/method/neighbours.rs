//! Loads that run at the same time on the same drive and should not.

use super::described::derived::stages;
use super::name_hints::hints;
use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[rule! {
    name: "side-by-side",
    severity: Severity::Warn,
    about: "loads that look like separate tests and run at the same time on one drive",
    check: MethodCheck::All(side_by_side),
    fires: vec![in_stage(0, sequential(device()), "seq-read"), in_stage(0, device(), "rand-read")],
    silent: vec![in_stage(0, sequential(device()), "seq-read"), in_stage(1, device(), "rand-read")],
}];

#[cfg(test)]
fn in_stage(stage: u32, load: Load, name: &str) -> Load {
    changed(named(load, name), |l| l.start.stage = Some(stage))
}

fn conditions(load: &Load, words: &dyn Words) -> String {
    let sizes: Vec<String> = load.block_sizes().into_iter().map(|bytes| words.size(bytes)).collect();
    format!("{} of {}", load.rw_word(), sizes.join(", "))
}

fn side_by_side(loads: &[Load], words: &dyn Words) -> Vec<(usize, MethodFinding)> {
    stages(loads).into_iter().filter_map(|stage| of_stage(loads, stage, words)).collect()
}

/// A load whose name tells of a workload, with its conditions. Both are read once a load: a stage may hold thousands, and every two are compared.
struct NamedTest<'a> {
    at: usize,
    load: &'a Load,
    conditions: String,
}

/// The first load of a stage that looks like a test of its own beside an earlier one.
fn of_stage(loads: &[Load], stage: u32, words: &dyn Words) -> Option<(usize, MethodFinding)> {
    let in_stage: Vec<(usize, &Load)> = loads.iter().enumerate().filter(|(_, load)| load.start.stage == Some(stage)).collect();
    let is_named = |(_, load): &&(usize, &Load)| hints(&load.name).names_a_workload();
    let test = |&(at, load): &(usize, _)| NamedTest { at, load, conditions: conditions(load, words) };
    let tests: Vec<NamedTest> = in_stage.iter().filter(is_named).map(test).collect();
    let (one, other) = first_pair(&tests)?;
    let title = format!(
        "{} ({}) runs at the same time as {} ({}): {} {}s start together, and each measures the others too",
        other.load.name,
        other.conditions,
        one.load.name,
        one.conditions,
        in_stage.len(),
        words.phrases().load
    );
    let figures = vec![
        Evidence::number("loads that start together", in_stage.len() as f64, Unit::Count).against(1.0),
        Evidence::text("beside", one.load.name.clone()),
    ];
    Some((other.at, found(title, figures, words.alone(&other.load.name))))
}

fn first_pair<'a>(tests: &'a [NamedTest<'a>]) -> Option<(&'a NamedTest<'a>, &'a NamedTest<'a>)> {
    let first = tests.first()?;
    if tests.iter().all(|test| test.conditions == first.conditions) {
        return None;
    }
    let pairs = tests.iter().enumerate().flat_map(|(n, one)| tests[n + 1..].iter().map(move |other| (one, other)));
    pairs.into_iter().find(|(one, other)| one.conditions != other.conditions && run_together(one.load, other.load))
}

fn run_together(one: &Load, other: &Load) -> bool {
    let runtime_ns = one.time.runtime_ns.unwrap_or(0);
    let ends_ns = one.start.delay_ns.1.saturating_add(one.time.ramp_ns.unwrap_or(0)).saturating_add(runtime_ns);
    let is_later = runtime_ns > 0 && other.start.delay_ns.0 >= ends_ns;
    !other.start.waits && !is_later && !are_apart(one, other)
}

/// True where both are known to be on different drives, or name their files and have none in common: two drives at once are a test of their own.
fn are_apart(one: &Load, other: &Load) -> bool {
    if let (Some(ones), Some(others)) = (one.drives(), other.drives()) {
        return !ones.iter().any(|drive| others.contains(drive));
    }
    let are_named = |load: &Load| !load.targets.is_empty() && load.targets.iter().all(|target| target.is_named);
    are_named(one) && are_named(other) && !one.shares_a_target(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Flags;

    fn fires(drives: [&str; 2]) -> bool {
        let of = |path: &str, drive: &str, load: Load, name: &str| {
            changed(in_stage(0, load, name), |l| {
                l.targets[0].path = path.into();
                l.targets[0].drives = if drive.is_empty() { Vec::new() } else { vec![drive.to_owned()] };
            })
        };
        let loads = [of("/data/x", drives[0], sequential(device()), "seq-read"), of("/data/y", drives[1], device(), "rand-read")];
        !side_by_side(&loads, &Flags).is_empty()
    }

    #[test]
    fn different_files_of_one_drive_are_side_by_side_and_drives_are_apart() {
        assert!(fires(["sda", "sda"]) && !fires(["sda", "sdb"]));
        assert!(!fires(["", ""]) && !fires(["sda", ""]), "where drives are not known, files that were named are taken to be apart");
    }
}
