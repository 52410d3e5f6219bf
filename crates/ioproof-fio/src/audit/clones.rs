//! Clones that do the same work on the same blocks.

use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::{many, size};
use crate::schedule::Instance;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "same-blocks",
        grade: Grade::Mistake,
        covers: &[],
        about: "sequential clones that all go over the same blocks",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\noffset_increment=10g\n",
        check: Check::Job(same_blocks),
    },
    Rule {
        name: "overlapping-clones",
        grade: Grade::Mistake,
        covers: &[],
        about: "sequential clones that begin apart but go over each other's blocks",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\noffset_increment=5g\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\noffset_increment=10g\n",
        check: Check::Job(overlapping),
    },
];

/// Whether there are several clones and all have the same files.
pub(super) fn share_files(view: &View) -> bool {
    let mut files = view.clones.iter().map(|clone| &clone.instance.files);
    let first = files.next();
    view.clones.len() > 1 && files.all(|other| Some(other) == first)
}

fn same_blocks(view: &View) -> Option<Found> {
    if view.is_random() || !view.on_drive() || !share_files(view) || Instance::is_set_apart(view.job) {
        return None;
    }
    let clones = view.clone_count();
    let what = if view.writes() { "write" } else { "read" };
    let part = view.data_bytes().map_or_else(String::new, |bytes| format!(" of {}", size(bytes)));
    let effect = if view.writes() {
        "all but the first overwrite what is still in the drive's cache"
    } else {
        "all but the first are answered by caches"
    };
    let text = format!("{} {what} the same blocks{part} in the same order: {effect}", many(clones, "sequential clone"));
    let such_as = if clones <= 100 { format!(", such as size={0}% and offset_increment={0}%", 100 / clones) } else { String::new() };
    Some(found(text, format!("set offset_increment to the size of each clone's part{such_as}")))
}

fn overlapping(view: &View) -> Option<Found> {
    if view.is_random() || !view.on_drive() || !share_files(view) || !Instance::is_set_apart(view.job) {
        return None;
    }
    let once = view.data_bytes()?;
    let lengths =
        view.clones.iter().filter_map(|clone| clone.places.as_ref()).flat_map(|places| &places.spans).map(|span| span.length_bytes);
    let all = lengths.fold(0, u64::saturating_add);
    let text = format!(
        "the parts of the {} overlap: together they are {}, but only {} different ones",
        many(view.clone_count(), "clone"),
        size(all),
        size(once)
    );
    (once < all).then(|| found(text, "make offset_increment at least as large as size"))
}
