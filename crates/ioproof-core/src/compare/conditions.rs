//! Everything beside the figures in which runs differ: the drive, the host, the way to it, the program.

use crate::facts::Fact;
use crate::record::RunRecord;
use crate::units::{binary_size, decimal_size};
use serde::{Deserialize, Serialize};

/// A fact that is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// Its name: `firmware`.
    pub name: String,
    /// Its value in each run; `not told` where a run has none.
    pub values: Vec<String>,
    /// True where figures of the runs are of other conditions, so that a difference is no sign of a better or worse drive.
    pub bears: bool,
}

/// A fact of a run: its name, whether it bears on figures as a condition, and its value.
type Told = (&'static str, bool, fn(&RunRecord) -> Option<String>);

/// The facts that are looked at.
const FACTS: [Told; 16] = [
    ("target", false, |run| Some(run.target()?.facts.resolved.clone())),
    ("layer", true, |run| Some(format!("{:?}", run.target()?.facts.layer).to_lowercase())),
    ("filesystem", true, |run| Some(run.target()?.facts.filesystem.as_ref()?.fs_type.clone())),
    ("part that was used", true, |run| Some(binary_size(run.jobs.first()?.span.length_bytes))),
    ("model", false, |run| text(run.drive()?.model.as_ref())),
    ("serial number", false, |run| text(run.drive()?.serial.as_ref())),
    ("firmware", false, |run| text(run.drive()?.firmware.as_ref())),
    ("capacity", false, |run| Some(decimal_size(run.drive()?.capacity_bytes.value))),
    ("scheduler", false, |run| text(run.drive()?.scheduler.as_ref())),
    ("write cache", true, |run| text(run.drive()?.write_cache.as_ref())),
    ("kernel", false, |run| Some(run.host.kernel.value.clone())),
    ("CPU", false, |run| Some(run.host.cpu_model.value.clone())),
    ("CPUs", false, |run| Some(run.host.cpus_usable.to_string())),
    ("backend", true, |run| Some(run.config.backend.clone())),
    ("injected faults", true, |run| run.config.faults.clone()),
    ("ioproof", false, |run| Some(run.program_version.clone())),
];

fn text(fact: Option<&Fact<String>>) -> Option<String> {
    fact.map(|fact| fact.value.clone())
}

/// The facts in which the runs differ.
pub(super) fn differing(records: &[&RunRecord]) -> Vec<Differing> {
    let of = |(name, bears, value): Told| {
        let values: Vec<String> = records.iter().map(|record| value(record).unwrap_or_else(|| "not told".into())).collect();
        let is_same = values.windows(2).all(|pair| pair[0] == pair[1]);
        (!is_same).then(|| Differing { name: name.into(), values, bears })
    };
    FACTS.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn only_what_differs_is_told() {
        let (first, mut second) = (record(), record());
        assert_eq!(differing(&[&first, &second]), []);
        second.host.kernel.value = "9.9".into();
        second.targets[0].drives[0].firmware = None;
        second.jobs[0].span.length_bytes /= 2;
        let told = differing(&[&first, &second]);
        let names: Vec<(&str, bool)> = told.iter().map(|one| (one.name.as_str(), one.bears)).collect();
        assert!(names.contains(&("kernel", false)) && names.contains(&("part that was used", true)), "{names:?}");
    }
}
