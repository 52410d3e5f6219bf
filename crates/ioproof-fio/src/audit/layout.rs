//! Reads of blocks that were never written, or that are gone.

use super::facts::FileKind;
use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::{Scene, View};
use super::text::size;
use crate::values::Mode;
use ioproof_core::units::percent;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sparse-file",
        grade: Grade::Mistake,
        covers: &[],
        about: "reads of a file that is there but not written",
        fires_on: "[a]\nfilename=/data/sparse\nrw=randread\ndirect=1\n",
        silent_on: "[a]\nfilename=/data/full\nrw=randread\ndirect=1\n",
        check: Check::All(|scene| scene.views.iter().filter_map(|view| Some((view.at, sparse_file(scene, view)?))).collect()),
    },
    Rule {
        name: "not-laid-out",
        grade: Grade::Mistake,
        covers: &[],
        about: "reads of files that are made only when they are opened",
        fires_on: "[a]\nfilename=/data/new\nsize=64g\nrw=randread\ncreate_on_open=1\n",
        silent_on: "[a]\nfilename=/data/new\nsize=64g\nrw=randread\n",
        check: Check::Job(not_laid_out),
    },
    Rule {
        name: "reads-after-trim",
        grade: Grade::Mistake,
        covers: &[],
        about: "reads of what an earlier job trims",
        fires_on: "[t]\nfilename=/dev/nvme0n1\nrw=trim\nbs=1m\n[r]\nstonewall\nfilename=/dev/nvme0n1\nrw=randread\n",
        silent_on: "[t]\nfilename=/dev/nvme0n1\nrw=trim\nbs=1m\n[w]\nstonewall\nfilename=/dev/nvme0n1\nrw=write\n[r]\nstonewall\nfilename=/dev/nvme0n1\nrw=randread\n",
        check: Check::All(reads_after_trim),
    },
];

fn sparse_file(scene: &Scene, view: &View) -> Option<Found> {
    let is_written_before = scene.views[..view.at].iter().any(|other| other.mode() == Mode::Write && shares_a_file(view, other));

    let all = view.clones.iter().flat_map(|clone| clone.instance.files.iter().zip(&clone.files));
    let known = all.filter(|(_, file)| file.kind == FileKind::Regular);
    // A file is rarely written to its last byte; what counts is that reads find little there.
    let is_sparse = |written: u64, bytes: u64| written < bytes / 100 * 99;
    let (path, bytes, written) = known
        .filter_map(|(path, file)| Some((path, file.bytes?, file.written_bytes?)))
        .find(|(_, bytes, written)| is_sparse(*written, *bytes))?;
    let text = format!(
        "{path} holds data in {} of its {} only ({}): where nothing was written the file system answers, not the drive",
        size(written),
        size(bytes),
        percent(written as f64 / bytes.max(1) as f64)
    );
    (view.reads() && !is_written_before)
        .then(|| found(text, "remove the file, so that it is laid out in full, or write all of it first (a job with rw=write)"))
}

fn not_laid_out(view: &View) -> Option<Found> {
    let is_missing = |file: &super::facts::FileFacts| file.kind == FileKind::Regular && file.bytes.is_none_or(|bytes| bytes == 0);
    let files = &view.set.files;
    let is = view.reads() && files.create_on_open && !files.overwrite && view.clones.iter().flat_map(|clone| &clone.files).any(is_missing);
    let text = "create_on_open=1 makes the files empty when they are opened, so there is nothing to read in them";
    is.then(|| found(text, "leave out create_on_open: the files are then written before the job reads them"))
}

fn reads_after_trim(scene: &Scene) -> Vec<(usize, Found)> {
    let of = |view: &View| {
        let before = &scene.views[..view.at];
        let last = before.iter().rfind(|other| other.mode() != Mode::Read && shares_a_file(view, other))?;
        let text = format!("it reads what the job {} has trimmed: the drive answers such reads without touching its memory", last.job.name);
        let is = last.mode() == Mode::Trim && view.mode() == Mode::Read;
        is.then(|| (view.at, found(text, "write the blocks between the two, with a job that has rw=write, a large bs and no runtime")))
    };
    scene.views.iter().filter_map(of).collect()
}

fn shares_a_file(one: &View, other: &View) -> bool {
    let files = |view: &View| -> Vec<String> { view.clones.iter().flat_map(|clone| clone.instance.files.clone()).collect() };
    let others = files(other);
    files(one).iter().any(|file| others.contains(file))
}
