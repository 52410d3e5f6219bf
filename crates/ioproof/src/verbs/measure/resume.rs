//! `--resume`: an interrupted run as it was typed, which goes on where it was. What is written is consented to anew.

use crate::flags::verify::VerifyFlags;
use crate::settle::{self, RunOutputs};
use crate::{flags, reports};
use anyhow::Result;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_process::complaint::complaint;
use std::ffi::OsString;
use std::path::PathBuf;

/// The record of an interrupted run; `verb` with the switches of its own that go with `--resume`.
///
/// # Errors
/// When it is of another kind, of another machine, or has ended; when more is typed beside it.
pub fn interrupted(run: &str, (verb, own): (&str, &[&str]), is_kind: impl Fn(&RunRecord) -> bool) -> Result<RunRecord> {
    let begin = || format!("begin a new one: ioproof {verb} TARGET");
    if let Some(word) = beside(&settle::command(), verb, own) {
        let own: String = own.iter().map(|switch| format!("{switch}, ")).collect();
        return Err(complaint(
            format!("--resume takes everything from the run, and `{word}` is typed beside it"),
            format!("only {own}--json, --format, --live, -o, --baseline, --fail-if and consent to write go with it"),
        ));
    }
    if ioproof_store::folder_of(run).is_ok_and(|folder| !ioproof_store::is_from_here(&folder)) {
        return Err(complaint(format!("run {run} was measured on another machine"), "go on with it there"));
    }
    let record = ioproof_store::find(run)?.record;
    if !is_kind(&record) {
        let what = if verb == "sweep" { "sweep" } else { "run of --standard" };
        return Err(complaint(format!("run {} is no {what}", record.id), format!("`ioproof runs list --verb {verb}` shows them")));
    }
    if matches!(record.status, RunStatus::Running) {
        return Err(complaint(format!("run {} still goes on", record.id), "wait until it has ended"));
    }
    if matches!(record.status, RunStatus::Complete) {
        return Err(complaint(format!("run {} was not interrupted", record.id), begin()));
    }
    Ok(record)
}

/// The command of the run, and its flags as they are read again.
///
/// # Errors
/// When they cannot be read again.
pub fn typed<F: clap::Args>(record: &RunRecord, verb: &str) -> Result<(Vec<String>, F)> {
    let command = record.config.command.clone();
    let typed = flags::read(command.iter().skip(1).map(OsString::from)).ok_or_else(|| unreadable(record, verb))?;
    Ok((command, typed))
}

pub fn unreadable(record: &RunRecord, verb: &str) -> anyhow::Error {
    complaint(format!("the command of run {} cannot be read again", record.id), format!("begin a new one: ioproof {verb} TARGET"))
}

/// Changes the flags of the run as those beside `--resume` ask.
///
/// # Errors
/// When the run had consent to write, and none is given anew.
pub fn anew(of_run: &mut VerifyFlags, now: &VerifyFlags, record: &RunRecord) -> Result<()> {
    // What is the last run has changed since; a baseline is named anew.
    of_run.baseline = now.baseline.clone();
    target_from_anywhere(of_run, record);
    consent_anew(of_run, now)
}

/// Where the results of the run go, as the flags beside `--resume` ask.
pub fn outputs(of_run: RunOutputs, now: &VerifyFlags) -> Result<RunOutputs> {
    Ok(RunOutputs { reports: reports::settle(&now.outputs)?, live: now.live, ..of_run })
}

/// Names the target by its whole path: what was typed, or left out, meant something from the folder of that run only.
fn target_from_anywhere(of_run: &mut VerifyFlags, record: &RunRecord) {
    let typed = of_run.target.as_ref().or(of_run.dir.as_ref());
    let measured = record.targets.first().map(|target| PathBuf::from(&target.facts.resolved));
    if let Some(measured) = measured.filter(|path| path.is_absolute() && typed.is_none_or(|typed| typed.is_relative())) {
        (of_run.target, of_run.dir) = (Some(measured), None);
    }
}

/// Puts the consent that was typed now in the place of that of the run: what stands at the name may be somebody else's since.
///
/// # Errors
/// When the run had consent to write, and none is given anew.
fn consent_anew(of_run: &mut VerifyFlags, now: &VerifyFlags) -> Result<()> {
    let serials = of_run.destroy.iter().map(|serial| format!("--destroy {serial}"));
    let files = of_run.overwrite.iter().map(|file| format!("--overwrite {}", file.display()));
    let had: Vec<String> = serials.chain(files).collect();
    if !had.is_empty() && now.destroy.is_empty() && now.overwrite.is_empty() {
        return Err(complaint(
            "the interrupted run was allowed to write, and consent is given for each run anew",
            format!("add {}", had.join(" ")),
        ));
    }
    (of_run.destroy, of_run.overwrite) = (now.destroy.clone(), now.overwrite.clone());
    (of_run.destroy_unknown_content, of_run.destroy_unseen_users) = (now.destroy_unknown_content, now.destroy_unseen_users);
    Ok(())
}

/// The first word of a command line that does not go with `--resume`.
fn beside<'a>(command: &'a [String], verb: &str, own: &[&str]) -> Option<&'a String> {
    const SWITCHES: [&str; 4] = ["--json", "--live", "--destroy-unknown-content", "--destroy-unseen-users"];
    const JOINED: [&str; 8] = ["--resume=", "--output=", "--format=", "--baseline=", "--fail-if=", "--overwrite=", "--destroy=", "-o"];
    let mut words = command.iter().skip_while(|word| *word != verb).skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--resume" | "-o" | "--output" | "--format" | "--baseline" | "--fail-if" | "--overwrite" | "--destroy" => drop(words.next()),
            switch if SWITCHES.contains(&switch) || own.contains(&switch) => {}
            joined if JOINED.iter().any(|flag| joined.starts_with(flag)) => {}
            _ => return Some(word),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::measure::sweep::SweepFlags;

    #[test]
    fn consent_is_given_anew() {
        let parsed = |line: &str| flags::read::<SweepFlags>(line.split(' ').skip(1)).unwrap_or_else(|| panic!("{line}")).verify;
        let of_run = || parsed("ioproof sweep x.img --overwrite x.img --destroy-unseen-users");
        let refused = consent_anew(&mut of_run(), &parsed("ioproof sweep --resume last")).unwrap_err();
        assert!(refused.to_string().contains("anew"), "{refused}");
        let (mut same, mut other) = (of_run(), of_run());
        consent_anew(&mut same, &parsed("ioproof sweep --resume last --overwrite x.img")).unwrap();
        assert!(same.overwrite.len() == 1 && !same.destroy_unseen_users);
        consent_anew(&mut other, &parsed("ioproof sweep --resume last --overwrite y.img")).unwrap();
        assert_eq!(other.overwrite, [std::path::PathBuf::from("y.img")]);
    }

    #[test]
    fn only_outputs_go_with_taking_up_a_sweep() {
        let beside = |line: &str| super::beside(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), "sweep", &["--full"]).cloned();
        for line in [
            "ioproof sweep --resume last",
            "ioproof sweep --resume=last --live --json -o x.html -oy.md --output z.csv --full --format csv --baseline a --fail-if=worse",
        ] {
            assert_eq!(beside(line), None, "{line}");
        }
        for (line, word) in [
            ("--resume last --dry-run", "--dry-run"),
            ("x.img --resume last", "x.img"),
            ("--resume last --destroy loop1 --size 1", "--size"),
        ] {
            assert_eq!(beside(&format!("ioproof sweep {line}")).as_deref(), Some(word));
        }
    }
}
