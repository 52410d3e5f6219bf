//! `--dry-run`: what would run, and of each file whether it would be made, read or written, or why not, as the run itself would say it.
//!
//! Nothing is made and nothing is opened for writing; and what of the jobs can be told without I/O is told: whether they fit their files and whether the
//! results can be written.

mod starts;

use super::prepare;
use super::request::FioRequest;
use super::subjob::Subjob;
use crate::outputs;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_fio::results::JobFailure;
use ioproof_process::{complaint, output};
use ioproof_target::{Foreseen, JobFiles, OpenRequest, System, TargetError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Exit status where a job ended by an error.
pub const FAILED: u8 = 2;
/// A file as the jobs together want it, and what would become of it.
type FileTable = BTreeMap<PathBuf, (OpenRequest, Result<Foreseen, TargetError>)>;

/// Says what would be done, and gives the exit status of the run as far as it can be told.
///
/// # Errors
/// The refusal of a file: then the run itself would be refused too. Of several the last, after the others are printed.
pub fn show(system: &System, request: &FioRequest, clones: &[Subjob], permit: &JobFiles<'_>) -> Result<u8> {
    let files = foreseen(request, clones, permit);
    let lines: Vec<String> = clones.iter().map(|clone| of_clone(request, clone, &files)).collect();
    let refused = files.values().filter(|(_, what)| what.is_err()).count();
    let before = || {
        prepare::check_room(request, clones.iter().map(|clone| (&clone.instance, &clone.compiled))).and(outputs::foresee(request, clones))
    };
    let before = if refused > 0 { Ok(()) } else { before() };
    let failures = if refused > 0 || before.is_err() { Vec::new() } else { starts::failures(system, request, clones) };
    let end = format!("nothing was made or written; without --dry-run this would {}\n", outlook(&files, refused, &before, &failures));
    output::or_warn(output::print(&(lines.concat() + &end)));
    refuse(files)?;
    before?;
    outputs::failed(&failures);
    Ok(if failures.is_empty() { 0 } else { FAILED })
}

fn outlook(files: &FileTable, refused: usize, before: &Result<()>, failures: &[JobFailure]) -> String {
    match failures.len() {
        _ if refused > 0 => format!("be refused, for {refused} of {} files", files.len()),
        _ if before.is_err() => "be refused".into(),
        0 => "run".into(),
        1 => "fail in one clone".into(),
        n => format!("fail in {n} clones"),
    }
}

/// Every file once, with all that is wanted of it.
fn foreseen(request: &FioRequest, clones: &[Subjob], permit: &JobFiles<'_>) -> FileTable {
    let mut wanted: BTreeMap<PathBuf, OpenRequest> = BTreeMap::new();
    for clone in clones {
        let files = prepare::wishes(request.job(clone), &clone.instance, &clone.compiled, request.line.general.readonly);
        for (path, wish) in files.into_iter().chain(prepare::buffers::wish(request, clone)) {
            let one = wanted.entry(path).or_insert(wish);
            *one = OpenRequest {
                write: one.write || wish.write,
                only_grows: (one.only_grows || !one.write) && (wish.only_grows || !wish.write),
                make: one.make || wish.make,
                size_bytes: one.size_bytes.max(wish.size_bytes),
                ..*one
            };
        }
    }
    wanted.into_iter().map(|(path, wish)| (path.clone(), (wish, permit.foresee(&path, wish)))).collect()
}

fn of_clone(request: &FioRequest, clone: &Subjob, files: &FileTable) -> String {
    let Subjob { compiled, instance, .. } = clone;
    let workload = &compiled.spec.workload;
    let what = format!("stage {}, group {}: {}: {}", instance.stage, instance.group, visible(&instance.name), workload.title());
    let mut text = format!("{what}, depth {}, {}\n", workload.depth, compiled.engine.word());
    let verb = if clone.compiled.writes() { "writes" } else { "reads" };
    for (path, needs) in prepare::paths(request.job(clone), instance).iter().zip(&compiled.needs_bytes) {
        let becomes = files.get(path).map_or("", |(wish, what)| becomes(path, *wish, what));
        text.push_str(&format!("  {verb} {}, up to {}: {becomes}\n", visible(&path.to_string_lossy()), binary_size(*needs)));
    }
    text
}

fn becomes(path: &Path, wish: OpenRequest, what: &Result<Foreseen, TargetError>) -> &'static str {
    let grows = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() < wish.size_bytes);
    match what {
        Ok(Foreseen::Made) => "it does not exist yet and would be made",
        Ok(Foreseen::MadeWithFolder) => "neither it nor its folder exists yet, and both would be made",
        Ok(Foreseen::Written) if grows => "it may be written, and would be made larger",
        Ok(Foreseen::Written) => "it may be written",
        Ok(Foreseen::Read) => "it would only be read",
        Err(_) => "REFUSED",
    }
}

/// Each refusal once, as the run would say it.
fn refuse(files: FileTable) -> Result<()> {
    let mut seen = BTreeSet::new();
    let refusals = files.into_values().filter_map(|(_, what)| what.err()).filter(|error| seen.insert(error.to_string()));
    let mut refusals: Vec<anyhow::Error> = refusals.map(anyhow::Error::from).collect();
    let last = refusals.pop();
    refusals.iter().for_each(complaint::print);
    last.map_or(Ok(()), Err)
}
