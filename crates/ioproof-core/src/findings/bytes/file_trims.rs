//! Trims of a file free its blocks in the filesystem (`fallocate` with `FALLOC_FL_PUNCH_HOLE`); a drive may be told later, or never, and a hole is freed at no cost.

use crate::findings::prelude::*;

rule! {
    name: "file-trims",
    about: "trims of a file free blocks in its filesystem, which is no work of the drive",
    check: Check::Run(check),
    limit: RuleLimit::not_the_drive(Place::Filesystem, |_, _| {
        "the filesystem: it frees blocks of the file, and the drive may be told later or never".into()
    }),
}

fn check(context: &Context) -> Vec<Finding> {
    let on_file = |m: &&Measured| context.record.targets_of(m.job).any(|target| target.facts.kind != TargetKind::BlockDevice);
    let trimmed = context.counted().filter(|m| m.workload().trims());
    trimmed.filter(on_file).map(of_job).collect()
}

fn of_job(measured: &Measured) -> Finding {
    let trims: u64 = measured.rounds.iter().map(|round| round.trim.ios).fold(0, u64::saturating_add);
    let title = "trims of a file free blocks in its filesystem: the figure is not the drive's".to_owned();
    let figures = vec![Evidence::number("trims", trims as f64, Unit::Count)];
    finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, "trim a device (--destroy SERIAL)")
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: trimmed(TargetKind::File), silent: trimmed(TargetKind::BlockDevice) }

    fn trimmed(kind: TargetKind) -> RunRecord {
        let mut record = record().with(|record| record.targets[0].facts.kind = kind);
        record.jobs.iter_mut().for_each(|job| job.workload.shape.trim_percent = 100);
        record
    }
}
