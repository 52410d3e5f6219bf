//! A measurement from end to end, on one screen: target, identify, plan, permit, run, record, judge, report.
//!
//! Each stage is a function of its own in `stages`; here is only their order and what one hands to the next.

use crate::cli::Verify;
use crate::complaint::{self, describe};
use crate::output::{self, Outputs};
use crate::progress::Progress;
use crate::stages::bench::Bench;
use crate::stages::{admit, clock, dry_run, identify, measure, prepare, record, target};
use crate::{interrupt, store};
use anyhow::Result;
use ioproof_core::judge::judge;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_target::System;

/// Runs `verify` and gives the exit status.
///
/// # Errors
/// When nothing can be measured; what goes wrong with the drive is part of the record.
pub fn verify(args: &Verify) -> Result<u8> {
    args.load.check()?;
    let outputs = Outputs::open(&args.output)?;
    let stop = interrupt::flag()?;
    let started = clock::Stopwatch::start();
    let system = System::host();
    let cpus = args.load.cpus(&system)?;
    let mut progress = Progress::new();

    let chosen = target::choose(&system, args)?;
    let facts = identify::identify(&system, &chosen, args)?;
    admit::admit(&system, args, &facts)?;
    let plan = record::plan(args, &chosen, &facts)?;
    if args.dry_run {
        return dry_run::show(&system, args, chosen, &facts, &plan);
    }
    let (under_test, handle) = target::permit(&system, args, chosen)?;
    let mut record = record::open(args, &under_test, &handle, facts, plan);
    let writer = store::Writer::create(&record).unwrap_or_else(|error| {
        complaint::warn("the run is not stored", &error);
        store::Writer::nowhere()
    });
    progress.say(&record::opening(&record));

    let mut bench = Bench { system: &system, handle: &handle, args, cpus, stop: &stop, started, progress: &mut progress };
    if let Err(e) = run(&mut bench, &mut record, &writer) {
        record.status = RunStatus::Failed { reason: describe(&e) };
        writer.save(&record)?;
        return Err(e);
    }
    record::close(&mut record, &stop);
    drop(handle);

    let judgement = judge(&record);
    writer.save(&record)?;
    writer.save_judgement(&judgement)?;
    progress.clear();
    output::print(&record, &judgement, args.json, writer.folder().is_some())?;
    outputs.write(&record, &judgement)?;
    if let Some(folder) = writer.folder() {
        eprintln!("stored in {}", folder.display());
    }
    Ok(judgement.exit_status)
}

/// The part that touches the target.
fn run(bench: &mut Bench, record: &mut RunRecord, writer: &store::Writer) -> Result<()> {
    prepare::prepare(bench, record)?;
    writer.save(record)?;
    measure::measure(bench, record, writer)
}
