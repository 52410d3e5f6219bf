//! `ioproof report`: a stored run in any format. The stored judgement is shown, so that a report says what was said when the run ended.

use crate::cli::Report;
use crate::output::{self, Outputs};
use crate::store::{self, Stored};
use anyhow::Result;
use ioproof_core::judge::judge;
use ioproof_core::verdict::Judgement;
use ioproof_report::Format;
use std::io::stdout;

/// Runs the verb.
///
/// # Errors
/// When there is no such run or an output cannot be written.
pub fn run(args: &Report) -> Result<u8> {
    let outputs = Outputs::open(&args.output)?;
    let stored = store::find(&args.run)?;
    let judgement = judgement(&stored, args.rejudge);
    if args.json {
        output::print(&stored.record, &judgement, true, true)?;
    } else if args.output.is_empty() {
        ioproof_report::render(Format::Text, &stored.record, &judgement, &mut stdout().lock())?;
    }
    outputs.write(&stored.record, &judgement)?;
    Ok(0)
}

/// The judgement that is stored, or a new one where there is none or it is asked for.
pub fn judgement(stored: &Stored, rejudge: bool) -> Judgement {
    match &stored.judgement {
        Some(judgement) if !rejudge => judgement.clone(),
        _ => judge(&stored.record),
    }
}
