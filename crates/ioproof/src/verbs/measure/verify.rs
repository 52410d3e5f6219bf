//! The verb `verify`, and the way of every verb that measures a request.

use super::finish::finish;
use crate::cli;
use crate::live::{self, LiveView};
use crate::reports::Reports;
use crate::settle::{self, Outputs};
use anyhow::Result;
use ioproof_process::{complaint, interrupt};
use ioproof_report::Format;
use ioproof_session::observers::progress::Progress;
use ioproof_session::request::Request;
use ioproof_session::session;
use ioproof_target::System;
use std::sync::atomic::Ordering::Relaxed;

/// Runs `verify` and gives the exit status.
///
/// # Errors
/// When nothing can be measured; what goes wrong with the drive is part of the record.
pub fn run(args: cli::Verify) -> Result<u8> {
    let system = System::host();
    let (request, outputs) = settle::settle(args, &system)?;
    measure(&system, &request, &outputs)
}

/// Measures what a request asks for, reports it and gives the exit status.
pub fn measure(system: &System, request: &Request, outputs: &Outputs) -> Result<u8> {
    if outputs.live {
        live::check()?;
    }
    let reports = Reports::open(&outputs.reports)?;
    request.targets.iter().filter_map(|target| target.path.as_deref()).try_for_each(|path| reports.spare(path))?;
    let stop = interrupt::flag()?;
    let session = match session::open(system, request, outputs.baseline.as_ref(), &stop) {
        Ok(session) => session,
        Err(error) => return complaint::or_interrupted(error, stop.load(Relaxed)),
    };
    if outputs.dry_run {
        session.say_beforehand();
        return session.show(outputs.reports.shown == Some(Format::Json)).map(|()| 0);
    }
    let mut progress = Progress::new();
    progress.say(&session.opening());
    session.say_beforehand();
    let mut live = if outputs.live { LiveView::begin(session.record())? } else { None };
    let measured = session.measure(live::beside(&mut progress, &mut live))?;
    drop(live);
    progress.clear();
    finish(&request.plan.kind, outputs, reports, &measured)
}
