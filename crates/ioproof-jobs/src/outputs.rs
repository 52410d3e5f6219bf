//! The results where they are wanted: formats on standard output or in a file, and logs beside.

mod epoch;
mod header;
mod logs;

use super::request::FioRequest;
use super::subjob::Subjob;
use crate::files::place::{self, OutputPlace};
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_fio::command_line::OutputFormat;
use ioproof_fio::print::{TerseVersion, json, terse, text};
use ioproof_fio::results::{JobFailure, Results};
use ioproof_fio::settings::EngineName;
use ioproof_process::complaint::{self, complaint, describe};
use ioproof_process::{messages, output};
use ioproof_runner::TaskEnd;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Looks whether a name is given both to a file of a job and to results or a log, before anything is made.
pub fn check_names(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let places = |path: PathBuf, what: &str| place::same(&path).map(|same| (same, what.to_owned()));
    let mut taken: BTreeMap<PathBuf, String> = BTreeMap::new();
    taken.extend(request.line.general.output.as_deref().and_then(|name| places(PathBuf::from(name), "--output")));
    for (path, log) in clones.iter().flat_map(|clone| logs::paths(request, clone)).filter_map(|path| places(path, "a log")) {
        let before = taken.insert(path.clone(), log);
        if before.is_some_and(|what| what == "--output") {
            let text = format!("{} is named both by --output and by a log", visible(&path.to_string_lossy()));
            return Err(complaint(text, "give one of them another name"));
        }
    }
    if taken.is_empty() {
        return Ok(());
    }
    let files = clones.iter().flat_map(|clone| clone.instance.files.iter().map(move |file| (clone, file)));
    for (clone, file) in files.filter(|(clone, _)| request.job(clone).settings.engine.name != EngineName::Null) {
        if let Some(what) = place::same(Path::new(file)).and_then(|same| taken.get(&same)) {
            let text = format!("{} is named both as a file of job {} and by {what}", visible(file), visible(&request.job(clone).name));
            return Err(complaint(text, "give one of them another name"));
        }
    }
    Ok(())
}

/// Looks whether results and logs can be written, before anything runs, so that a mistyped name is found in time.
///
/// # Errors
/// When a file cannot be written or holds something else.
pub fn open(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    logs::check(request, clones)?;
    let general = &request.line.general;
    request.results_file.open(general.output.as_deref(), &request.line.own.overwrite)
}

/// Looks whether results and logs could be written, without making anything.
pub fn foresee(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let general = &request.line.general;
    if let Some(name) = general.output.as_deref().filter(|name| place::is_plain(Path::new(name))) {
        OutputPlace::at(Path::new(name), &request.line.own.overwrite)?.foresee()?;
    }
    logs::foresee(request, clones)
}

/// Writes the lines before the first job, where fio's text is wanted.
pub fn begin(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    if request.line.general.formats.contains(&OutputFormat::Normal) {
        request.results_file.begin(header::header(request, clones))
    } else {
        Ok(())
    }
}

/// Writes results and logs; one of them also where the other cannot be written.
pub fn write(request: &FioRequest, clones: &[Subjob], ends: &[TaskEnd], results: &Results) -> Result<()> {
    for warning in &results.warnings {
        messages::warning(&visible(warning));
    }
    for note in &results.notes {
        messages::note(note);
    }
    let formats = formats(request, results);
    // Before the results, which wait for whoever reads them, and may be given up then.
    let logs = logs::write(request, clones, ends);
    let written = request.results_file.put(&formats).map_err(|error| not_written(request, results, &formats, error));
    failed(&results.failures);
    match (written, logs) {
        (Err(written), Err(logs)) => {
            complaint::print(&logs);
            Err(written)
        }
        (written, logs) => written.and(logs),
    }
}

/// The error of results that could not be written. What is kept nowhere else goes to standard output.
fn not_written(request: &FioRequest, results: &Results, formats: &str, error: anyhow::Error) -> anyhow::Error {
    match &results.run_id {
        Some(run) => complaint(describe(&error), format!("nothing is lost: the run is stored, and `ioproof report {run}` shows it")),
        None if request.line.general.output.is_some() && output::print(formats).is_ok() => {
            complaint(describe(&error), "the run is not stored either, so the results are on standard output")
        }
        None => error,
    }
}

/// Failures of jobs, last, so that they are read last. One that clones share is printed once.
pub fn failed(failures: &[JobFailure]) {
    const MOST_TOLD: usize = 20;
    let mut seen = BTreeSet::new();
    let told: Vec<&JobFailure> = failures.iter().filter(|one| seen.insert(one.to_string())).collect();
    for (at, one) in told.iter().take(MOST_TOLD).enumerate() {
        messages::error(&one.to_string());
        let is_last_of_its_hint = told.iter().take(MOST_TOLD).skip(at + 1).all(|other| other.hint != one.hint);
        if let Some(hint) = one.hint.as_ref().filter(|_| is_last_of_its_hint) {
            messages::hint(hint);
        }
    }
    if told.len() > MOST_TOLD {
        messages::error(&format!("{} more failures are not shown; the JSON output lists them all", told.len() - MOST_TOLD));
    }
}

/// Every format that was request for, in fio's order: terse, JSON, text.
pub fn formats(request: &FioRequest, results: &Results) -> String {
    let general = &request.line.general;
    let version = TerseVersion::from_number(general.terse_version.into()).unwrap_or(TerseVersion::V3);
    let wants = |format: OutputFormat| general.formats.contains(&format);
    let mut all = String::new();
    if wants(OutputFormat::Terse) {
        all.push_str(&terse(results, version));
    }
    if wants(OutputFormat::Json) || wants(OutputFormat::JsonPlus) {
        all.push_str(&json(results, wants(OutputFormat::JsonPlus)));
    }
    if wants(OutputFormat::Normal) {
        all.push_str(&text(results));
    }
    all
}
