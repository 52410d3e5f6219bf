//! `sync --show-loss`: what a power cut takes of writes without fsync, to be seen with one's own eyes. Files are written in a folder of its own until the power goes, and looked at afterwards. A demonstration
//! and no proof: the drive's own word stands for what was durable. Proofs are `powercut`'s.

use super::SyncFlags;
use anyhow::{Context, Result};
use ioproof_powercut::{STEPS_MAX, ShownFiles, Steps};
use ioproof_process::complaint::complaint;
use ioproof_process::{interrupt, output};
use ioproof_session::observers::progress::ProgressLine;
use ioproof_target::{ProofFolder, System, Target};
use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Time between two steps: a person's cut falls between them, and the drive is not busy.
const PAUSE: Duration = Duration::from_millis(100);
/// Name of its folders before their number.
const FOLDER: &str = "ioproof-show-loss-";
const FOLDERS_MAX: u32 = 1000;
/// The file with the start of the machine in which the others were written.
const ABOUT: &str = "boot_id";
const ABOUT_BYTES_MAX: u64 = 100;
/// Exit status where what was synced is gone, and where nothing was cut.
const LOST: u8 = 1;
const CANNOT_TELL: u8 = 3;

/// Runs it.
///
/// # Errors
/// When the directory cannot be written or read.
pub fn run(args: &SyncFlags, system: &System) -> Result<u8> {
    let place = args.verify.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let target = ioproof_target::resolve(system, &place)?;
    if !target.is_directory() {
        return Err(complaint(
            format!("{} is no directory", place.display()),
            "name a directory on the drive: what is lost and kept are files",
        ));
    }
    if args.after { look(args, &place, &target) } else { write(args, &place, &target) }
}

/// Document of `--json`.
#[derive(Debug, Serialize)]
struct LossDocument {
    folder: String,
    /// False where the machine runs since before the writes; none before a cut, and where nothing tells in which start of the machine they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    was_cut: Option<bool>,
    #[serde(flatten)]
    steps: Steps,
}

fn write(args: &SyncFlags, place: &Path, target: &Target) -> Result<u8> {
    let (stop, mut progress) = (interrupt::flag()?, ProgressLine::on_stderr());
    let (name, folder) = own_folder(place)?;
    let path = place.join(&name).display().to_string();
    folder.create(ABOUT, boot_id(target).unwrap_or_default().as_bytes()).with_context(|| format!("{path} cannot be written"))?;
    let shown = ShownFiles::make(&folder).with_context(|| format!("the files in {path} cannot be made"))?;
    progress.say(&format!(
        "writing to {path}: `buffered` without a sync, `fsynced` with fsync, `renamed` with fsync of the file and not of its folder"
    ));
    let (began, mut steps) = (Instant::now(), 0);
    while !stop.load(Relaxed) && steps < STEPS_MAX && args.verify.time.is_none_or(|time| began.elapsed() < time) {
        steps += 1;
        shown.step(steps).with_context(|| format!("writing to {path}"))?;
        if steps == 1 {
            progress.say(&format!(
                "cut the power now, or whenever you like; when it is back: ioproof sync --show-loss --after {}",
                place.display()
            ));
        }
        progress.step(&format!("{} written", counted(steps)), None);
        std::thread::sleep(PAUSE);
    }
    progress.clear();
    let document = LossDocument { folder: path, was_cut: None, steps: Steps::of(&folder)? };
    if args.verify.outputs.json {
        return output::print_document(&document).map(|()| 0);
    }
    output::print_lines([format!("{} written to {}, and the power was not cut meanwhile", counted(steps), document.folder)]).map(|()| 0)
}

fn look(args: &SyncFlags, place: &Path, target: &Target) -> Result<u8> {
    let (path, folder) = match itself(place) {
        Some((above, name)) => (place.to_owned(), ProofFolder::open(&above, &name)?),
        None => last_folder(place).map(|(name, folder)| (place.join(name), folder))?,
    };
    let path = path.display().to_string();
    let steps = Steps::of(&folder).with_context(|| format!("{path} cannot be read"))?;
    let then = folder.read(ABOUT, ABOUT_BYTES_MAX).with_context(|| format!("{path} cannot be read"))?;
    let was_cut = was_cut(then.as_deref(), boot_id(target).as_deref());
    let document = LossDocument { folder: path, was_cut, steps };
    output::or_warn(if args.verify.outputs.json { output::print_document(&document) } else { output::print_lines(told(&document)) });
    let LossDocument { was_cut, steps, .. } = document;
    Ok(match () {
        () if was_cut != Some(true) || steps.done_at_least() == 0 => CANNOT_TELL,
        () if steps.fsynced < steps.done || steps.undone() > 0 => LOST,
        () => 0,
    })
}

/// True where the machine was started since; none where the mark of one of both starts is missing, and so a cut cannot be told from none.
fn was_cut(then: Option<&[u8]>, now: Option<&str>) -> Option<bool> {
    let (then, now) = (then.filter(|then| !then.is_empty())?, now.filter(|now| !now.is_empty())?);
    Some(then != now.as_bytes())
}

/// Sentences of what is there, a file each.
fn told(document: &LossDocument) -> Vec<String> {
    let LossDocument { folder, was_cut, steps, .. } = document;
    let Steps { buffered, fsynced, renamed, .. } = steps;
    let done = &steps.done_at_least();
    let mut lines = vec![format!("{folder}: {} done", counted(*done))];
    if *done == 0 {
        lines.push(match was_cut {
            Some(true) => "nothing was shown: the power went before the first step was done, or its files are gone".to_owned(),
            _ => "nothing was shown: there is no step, and nothing tells that the power was cut".to_owned(),
        });
        return lines;
    }
    match was_cut {
        Some(true) => {}
        Some(false) => {
            lines.push("nothing was cut: this machine runs since before the writes, and what is there may be in its memory".to_owned());
        }
        None => {
            lines.push(format!("whether the power was cut cannot be told: `{ABOUT}`, which names the start of the machine, is missing"))
        }
    }
    let gone = |there: &u64| match done.saturating_sub(*there) {
        0 => "nothing is gone".to_owned(),
        gone => format!("{gone} are GONE"),
    };
    lines.push(format!("  buffered  {buffered} are there, {}: they were written without a sync, so nothing was promised", gone(buffered)));
    let broken = match was_cut {
        Some(true) => "fsync had promised them, so the drive or the filesystem lied",
        None => "fsync had promised them; nothing tells whether the power or somebody took them",
        Some(false) => "without a cut no drive loses them, so somebody changed the files",
    };
    let promise = if fsynced >= done { "as fsync had promised" } else { broken };
    lines.push(format!("  fsynced   {fsynced} are there, {}: {promise}", gone(fsynced)));
    if steps.undone() > 0 {
        lines.push(format!("  done      bears step {}, and the {} behind it are GONE: {broken}", steps.done, steps.undone()));
    }
    lines.push(format!("  renamed   step {renamed} bears the name, {}: the files were synced, their folder was not", gone(renamed)));
    lines.push(
        "this shows what fsync is for, and is no proof of the drive: `ioproof powercut`, with a witness on another machine, is".to_owned(),
    );
    lines
}

/// `1 step was`, `3 steps were`.
fn counted(steps: u64) -> String {
    if steps == 1 { "1 step was".to_owned() } else { format!("{steps} steps were") }
}

fn boot_id(target: &Target) -> Option<String> {
    target.facts.identity.as_ref()?.boot_id.clone()
}

fn folder_name(number: u32) -> String {
    format!("{FOLDER}{number}")
}

/// Makes a folder under the first name that is free.
fn own_folder(place: &Path) -> Result<(String, ProofFolder)> {
    for name in (1..=FOLDERS_MAX).map(folder_name) {
        match ProofFolder::make(place, &name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((name, made.with_context(|| format!("a folder in {} cannot be made", place.display()))?)),
        }
    }
    Err(complaint(
        format!("there are {FOLDERS_MAX} such folders in {}", place.display()),
        "remove those that you no longer need: ioproof-show-loss-*",
    ))
}

/// The directory that such a folder lies in, and its name, where a path leads to one of these.
fn itself(place: &Path) -> Option<(PathBuf, String)> {
    let whole = place.canonicalize().ok()?;
    let name = whole.file_name()?.to_str()?;
    name.strip_prefix(FOLDER)?.parse::<u32>().ok()?;
    Some((whole.parent()?.to_owned(), name.to_owned()))
}

/// The folder that was made last: the one before the first name that is free.
fn last_folder(place: &Path) -> Result<(String, ProofFolder)> {
    let mut last = None;
    for name in (1..=FOLDERS_MAX).map(folder_name) {
        match ProofFolder::open(place, &name) {
            Ok(folder) => last = Some((name, folder)),
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            // Writing left out a name that is somebody else's, and so does this.
            Err(_) if !place.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_dir()) => {}
            Err(error) => return Err(error).with_context(|| format!("{name} in {} cannot be opened", place.display())),
        }
    }
    last.ok_or_else(|| {
        let hint = format!("write some first, and cut the power: ioproof sync --show-loss {}", place.display());
        complaint(format!("there is no ioproof-show-loss-1 in {}", place.display()), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(steps: Steps, was_cut: impl Into<Option<bool>>) -> String {
        told(&LossDocument { folder: "f".into(), was_cut: was_cut.into(), steps }).join("\n")
    }

    #[test]
    fn without_the_mark_of_a_start_nothing_is_said_to_be_cut() {
        assert_eq!([was_cut(Some(b"a"), Some("b")), was_cut(Some(b"a"), Some("a"))], [Some(true), Some(false)]);
        assert_eq!([was_cut(None, Some("a")), was_cut(Some(b""), Some("a")), was_cut(Some(b"a"), None)], [None; 3]);
        let lost = said(Steps { done: 57, buffered: 0, fsynced: 3, renamed: 1 }, None);
        assert!(lost.contains("cannot be told") && !lost.contains("lied"), "{lost}");
    }

    #[test]
    fn what_was_promised_is_told_from_what_was_not() {
        let usual = said(Steps { done: 57, buffered: 0, fsynced: 57, renamed: 56 }, true);
        assert!(usual.contains("buffered  0 are there, 57 are GONE") && usual.contains("as fsync had promised"), "{usual}");
        assert!(usual.contains("step 56 bears the name, 1 are GONE") && usual.contains("no proof"), "{usual}");
        let lied = said(Steps { done: 57, buffered: 57, fsynced: 3, renamed: 57 }, true);
        assert!(lied.contains("fsynced   3 are there, 54 are GONE") && lied.contains("lied"), "{lied}");
        let changed = said(Steps { done: 57, buffered: 57, fsynced: 3, renamed: 57 }, false);
        assert!(changed.contains("somebody changed the files") && !changed.contains("lied"), "{changed}");
        assert!(said(Steps { done: 1, buffered: 1, fsynced: 2, renamed: 1 }, false).contains("nothing was cut"));
        assert!(said(Steps { done: 0, buffered: 0, fsynced: 1, renamed: 0 }, true).contains("before the first step"));
    }
}
