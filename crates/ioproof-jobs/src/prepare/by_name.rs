//! Clones of filecreate, filestat and filedelete: their files come under the write rule as any other, and are given up to their names before the jobs begin.

use crate::request::FioRequest;
use crate::subjob::{ByName, Subjob};
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_fio::compile::Compiled;
use ioproof_fio::settings::{EngineName, StatCall};
use ioproof_process::complaint::complaint;
use ioproof_target::{JobFiles, NameCall};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Refuses a file that one clone makes or removes by its name and another clone uses too.
pub(super) fn check(request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let mut users: HashMap<PathBuf, usize> = HashMap::new();
    let is_needed = clones.iter().any(takes);
    let files = || clones.iter().filter(|_| is_needed).flat_map(|clone| clone.instance.files.iter().map(move |file| (clone, file)));
    files().for_each(|(_, file)| *users.entry(place(file)).or_default() += 1);
    let is_shared = |file: &str| users.get(&place(file)).is_some_and(|users| *users > 1);
    let Some((clone, file)) = files().find(|(clone, file)| takes(clone) && is_shared(file)) else { return Ok(()) };
    let (engine, job) = (clone.compiled.engine.word(), visible(&request.job(clone).name));
    let text = format!("{} is used more than once, and {engine} of job {job} needs it for itself", visible(file));
    Err(complaint(text, "give each clone files of its own: leave out filename=, or name each file once"))
}

/// True where a clone makes or removes its files.
fn takes(clone: &Subjob) -> bool {
    matches!(clone.compiled.engine, EngineName::Filecreate | EngineName::Filedelete)
}

/// A file in its folder, whichever way the folder is named.
pub(super) fn place(file: &str) -> PathBuf {
    let path = Path::new(file);
    let folder = ioproof_target::folder_of(path).canonicalize();
    folder.map_or_else(|_| path.to_path_buf(), |folder| folder.join(path.file_name().unwrap_or_default()))
}

/// True for a file that a clone is to make while it is timed.
pub(super) fn is_to_come(compiled: &Compiled, path: &Path) -> bool {
    compiled.engine == EngineName::Filecreate && path.symlink_metadata().is_err()
}

/// The files of a clone that are open before it begins. Those that it makes come later, but for what an earlier run left.
pub(super) fn opened(clone: &Subjob) -> &[String] {
    let files = clone.instance.files.as_slice();
    let is_to_come = |file: &String| is_to_come(&clone.compiled, Path::new(file));
    if clone.compiled.engine == EngineName::Filecreate && files.iter().all(is_to_come) { &[] } else { files }
}

/// Describes the folders of files by name.
pub(super) fn describe(clones: &mut [Subjob], permit: &mut JobFiles<'_>) -> Result<()> {
    for clone in clones.iter_mut().filter(|clone| clone.compiled.engine.is_by_name()) {
        let Some(first) = clone.instance.files.first() else { continue };
        clone.by_name = Some(ByName { folder: permit.folder(Path::new(first))?, handle: None });
    }
    Ok(())
}

/// Gives files up to their names. From here on those that are to be made are gone, and those that are to be removed are not open.
///
/// # Errors
/// Where a name has another file by now, or the system refuses.
pub fn give_up(request: &FioRequest, clones: &mut [Subjob], permit: &mut JobFiles<'_>) -> Result<()> {
    for clone in clones {
        let Some(names) = &mut clone.by_name else { continue };
        let call = call(clone.compiled.engine, request.jobs[clone.job].settings.engine.stat);
        if clone.compiled.writes() {
            clone.files.clear();
        }
        let paths: Vec<PathBuf> = clone.instance.files.iter().map(PathBuf::from).collect();
        let bytes = clone.compiled.spec.workload.block_bytes.into();
        names.handle = Some(permit.by_name(&paths, call, bytes)?);
    }
    Ok(())
}

fn call(engine: EngineName, stat: StatCall) -> NameCall {
    match (engine, stat) {
        (EngineName::Filecreate, _) => NameCall::Make,
        (EngineName::Filedelete, _) => NameCall::Remove,
        (_, StatCall::Stat) => NameCall::Stat,
        (_, StatCall::Lstat) => NameCall::LinkStat,
        (_, StatCall::Statx) => NameCall::Statx,
    }
}

/// Notes what the clones made and left as ours, or removes it where their jobs say so.
///
/// # Errors
/// Where it cannot be noted or removed.
pub fn settle(request: &FioRequest, clones: &[Subjob], permit: &JobFiles<'_>) -> std::io::Result<()> {
    let mut names = clones.iter().filter_map(|clone| Some((clone, clone.by_name.as_ref()?.handle.as_ref()?)));
    names.try_for_each(|(clone, handle)| permit.settle_named(handle, request.job(clone).settings.files.unlink))
}
