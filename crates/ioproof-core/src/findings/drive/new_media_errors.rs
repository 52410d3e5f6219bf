//! The drive counted errors of its medium during the run.

use crate::findings::prelude::*;

rule! {
    name: "new-media-errors",
    about: "the drive counted errors of its medium during the run",
    check: Check::EachDrive(of_drive),
}

fn of_drive(drive: &DriveBracket) -> Option<Finding> {
    let (before, after) = drive.before.media_errors.zip(drive.after.media_errors).filter(|(before, after)| after > before)?;
    let title = format!("{} counted {} new errors of its medium during the run", drive.name, after - before);
    let figures = vec![
        Evidence::number("before", before as f64, Unit::Count),
        Evidence::number("after", after as f64, Unit::Count).against(before as f64),
    ];
    let subject = Subject::Drive(drive.name.clone());
    Some(Finding { subject, ..finding(&RULE, Severity::Warn, Effect::None, title, figures, "save what is on it, and replace it") })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: counted(3), silent: counted(2) }

    /// It had counted two before.
    fn counted(after: u64) -> RunRecord {
        let state = |errors| DriveState { present: true, media_errors: Some(errors), ..DriveState::default() };
        record().with_health(state(2), state(after))
    }
}
