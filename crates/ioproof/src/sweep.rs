//! The verb `sweep`: `verify` over a matrix of cells, which a source of its own measures (`sources::sweep`). Here is what differs in the front: the preset, what
//! goes with a sweep, and the request of one that was interrupted (what it measured is taken over in `verify::take_over`).

pub mod presets;

use crate::cli;
use crate::complaint::complaint;
use crate::request::{self, Sweeping, VerifyRequest};
use crate::{store, verify};
use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_core::sweep;
use ioproof_target::System;
use std::ffi::OsString;

/// Runs `sweep` and gives the exit status.
///
/// # Errors
/// When nothing can be measured, or there is nothing to take up.
pub fn run(args: cli::Sweep) -> Result<u8> {
    let system = System::host();
    let request = match &args.resume {
        Some(run) => taken_up(run, &args, &system)?,
        None => settle(args, &system)?,
    };
    verify::measure_request(&system, request)
}

fn settle(args: cli::Sweep, system: &System) -> Result<VerifyRequest> {
    let mut verify = args.verify;
    if verify.load.check || verify.load.latency_target.is_some() {
        return Err(complaint("a sweep checks no data and searches for no rate", "`ioproof verify` does (--check, --latency-target)"));
    }
    presets::fill(&mut verify.load, args.preset.unwrap_or(presets::USUAL));
    let request = VerifyRequest::settle(verify, system)?;
    Ok(VerifyRequest { sweep: Some(Sweeping { full: args.full, taken_up: None }), ..request })
}

/// The request of an interrupted sweep as it was typed, with the same seed and with what was measured.
fn taken_up(run: &str, args: &cli::Sweep, system: &System) -> Result<VerifyRequest> {
    if let Some(word) = beside_resume(&request::command()) {
        return Err(complaint(
            format!("--resume takes everything from the run, and `{word}` is typed beside it"),
            "only --full, --json and -o go with it",
        ));
    }
    let record = store::find(run)?.record;
    if record.verb != sweep::VERB {
        return Err(complaint(format!("run {} is no sweep", record.id), "`ioproof runs list --json` has the verb of each run"));
    }
    if matches!(record.status, RunStatus::Complete) {
        return Err(complaint(format!("run {} was not interrupted", record.id), "begin a new one: ioproof sweep TARGET"));
    }
    let words = record.config.command.iter().map(OsString::from);
    let Ok(cli::Verb::Sweep(typed)) = cli::parse(words) else {
        return Err(complaint(format!("the command of run {} cannot be read again", record.id), "begin a new one: ioproof sweep TARGET"));
    };
    let full = args.full || typed.full;
    let request = settle(*typed, system)?;
    Ok(VerifyRequest {
        seed: record.config.seed,
        output: args.verify.output.clone(),
        json: args.verify.json,
        sweep: Some(Sweeping { full, taken_up: Some(Box::new(record)) }),
        ..request
    })
}

/// The first word of a command line that does not go with `--resume`.
fn beside_resume(command: &[String]) -> Option<&String> {
    let mut words = command.iter().skip_while(|word| *word != "sweep").skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--resume" | "-o" | "--output" => drop(words.next()),
            "--full" | "--json" => {}
            joined if ["--resume=", "--output=", "-o"].iter().any(|flag| joined.starts_with(flag)) => {}
            _ => return Some(word),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outputs_go_with_taking_up_a_sweep() {
        let beside = |line: &str| beside_resume(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).cloned();
        for line in ["ioproof sweep --resume last", "ioproof sweep --resume=last --json -o x.html -oy.md --output z.csv --full"] {
            assert_eq!(beside(line), None, "{line}");
        }
        for (line, word) in
            [("--resume last --dry-run", "--dry-run"), ("x.img --resume last", "x.img"), ("--resume last --destroy loop1", "--destroy")]
        {
            assert_eq!(beside(&format!("ioproof sweep {line}")).as_deref(), Some(word));
        }
    }
}
