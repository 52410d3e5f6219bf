//! I/O failed, came back short or never came back. What such a workload measured is no figure of the drive's performance.

use crate::findings::prelude::*;

rule! {
    name: "io-errors",
    about: "I/O failed, came back short, or never came back",
    check: Check::EachJob(of_workload),
    limit: RuleLimit::not_the_drive(Place::FailedIo, |_, _| "failed I/O".into()),
}

fn of_workload(context: &Context, measured: &Measured) -> Option<Finding> {
    let mut errors = IoErrors::default();
    measured.all.iter().for_each(|r| errors.merge(&r.errors));
    // A drive whose I/O fails while others are asked too is no less broken.
    context.record.parts_for(Purpose::Together, measured.index as usize).for_each(|part| errors.merge(&part.errors));
    let first = match (&errors.first, errors.lost) {
        (Some(first), _) => first.sentence(),
        (None, 0) => return None,
        (None, _) => "the kernel never gave it back".to_owned(),
    };
    let title = match errors.lost {
        0 => format!("{} I/Os failed, first {first}", errors.failed.saturating_add(errors.short)),
        lost => format!("{lost} I/Os never came back ({first})"),
    };
    let figures = vec![
        Evidence::number("failed", errors.failed as f64, Unit::Count),
        Evidence::number("short", errors.short as f64, Unit::Count),
        Evidence::number("never returned", errors.lost as f64, Unit::Count),
        Evidence::text("first", first),
    ];
    let remedy = "look at the kernel's log (dmesg) and at the drive's health before anything else";
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: failing(IoErrors { lost: 1, ..IoErrors::default() }), silent: failing(IoErrors::default()) }

    fn failing(errors: IoErrors) -> RunRecord {
        record().with(|record| record.stages[0].rounds[0].errors = errors)
    }

    #[test]
    fn names_the_first_error() {
        let first = IoError { operation: "read".into(), offset_bytes: 8192, errno: 5, message: "Input/output error".into() };
        let titles = RULE.titles(&failing(IoErrors { failed: 3, first: Some(first), ..IoErrors::default() }));
        assert_eq!(titles.len(), 1);
        assert!(titles[0].ends_with("3 I/Os failed, first read at byte 8192: Input/output error"), "{titles:?}");
    }
}
