//! `ioproof report`: a stored run in any format. The stored judgement is shown, so that a report says what was said when the run ended.

use crate::cli::Report;
use crate::reports::print;
use crate::reports::{self, Reports};
use anyhow::Result;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_report::Format;
use ioproof_store::Stored;

/// Runs the verb.
///
/// # Errors
/// When there is no such run or an output cannot be written.
pub fn run(args: &Report) -> Result<u8> {
    let settled = reports::settle(&args.outputs)?;
    let shown = settled.shown.or(args.outputs.output.is_empty().then_some(Format::Text));
    let reports = Reports::open(&settled)?;
    let stored = ioproof_store::find(&args.run)?;
    let judgement = judgement(&stored, args.rejudge);
    let written = reports.write(&stored.record, &judgement);
    shown.map_or(Ok(()), |format| print::print_report(format, &stored.record, &judgement))?;
    written.map(|()| 0)
}

/// The judgement that is stored, or a new one where there is none or it is asked for.
pub fn judgement(stored: &Stored, rejudge: bool) -> Judgement {
    match &stored.judgement {
        Some(judgement) if !rejudge => judgement.clone(),
        _ => judge(&stored.record),
    }
}
