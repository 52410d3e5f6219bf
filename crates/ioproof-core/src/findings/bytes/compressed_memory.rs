//! The drive is memory: a zram device keeps its blocks compressed in RAM (Documentation/admin-guide/blockdev/zram.rst), and no promise of a drive is about that.

use crate::findings::prelude::*;

rule! {
    name: "compressed-memory",
    about: "the drive is compressed memory",
    check: Check::EachCounted(of_job),
    limit: RuleLimit::not_the_drive(Place::Memory, |_, _| "memory and CPU: zram is no drive".into()),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let drives = context.record.drives_of(measured.job);
    let first = drives.first().filter(|_| drives.iter().all(|drive| drive.kind == DriveKind::Zram))?;
    let title = format!("{} is compressed memory, and no promise of a drive is about that", first.name);
    let figures = vec![Evidence::text("kind of drive", "zram")];
    let remedy = "measure a drive; of zram the figures hold as they are, with its CPU time";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Incomparable, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: record().with(|record| record.targets[0].drives[0].kind = DriveKind::Zram), silent: record() }
}
