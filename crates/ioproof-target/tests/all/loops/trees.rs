//! Folders of ours that are removed while something is mounted within. Needs root.

use crate::common::{folder, run};
use ioproof_target::state_folder::StateFolder;
use ioproof_target::{OwnTree, System, WorkFolder, left_behind};
use std::path::Path;
use std::process::Command;

/// A folder with a file that somebody else needs, mounted at a place within one of ours, on the same filesystem.
struct Bound<'a>(&'a Path);

impl<'a> Bound<'a> {
    fn new(precious: &Path, at: &'a Path) -> Self {
        std::fs::create_dir_all(precious).unwrap();
        std::fs::write(precious.join("thesis"), "the only copy").unwrap();
        std::fs::create_dir_all(at).unwrap();
        run("mount", &["--bind", precious.to_str().unwrap(), at.to_str().unwrap()]);
        Self(at)
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn what_is_mounted_within_is_not_entered() {
    let parent = folder();
    let (own, precious) = (parent.path().join("own"), parent.path().join("precious"));
    let at = own.join("a/mounted");
    let bound = Bound::new(&precious, &at);
    let removed = OwnTree::open(&own).unwrap().remove();
    assert_eq!(removed.unwrap_err().raw_os_error(), Some(libc::EXDEV));
    assert!(precious.join("thesis").exists());
    drop(bound);
    OwnTree::open(&own).unwrap().remove().unwrap();
    assert!(!own.exists() && precious.join("thesis").exists());
}

#[test]
fn what_is_mounted_in_the_place_of_a_folder_of_ours_is_not_emptied() {
    let parent = folder();
    let (own, precious) = (parent.path().join("own"), parent.path().join("precious"));
    let bound = Bound::new(&precious, &own);
    for error in [OwnTree::open(&own).map(drop), StateFolder::open(&own).map(drop)].map(Result::unwrap_err) {
        assert!(error.to_string().contains("something else is mounted in its place"), "{error}");
    }
    drop(bound);
    assert!(StateFolder::open(&own).unwrap().remove(&|_| true).unwrap().is_empty() && precious.join("thesis").exists());
}

#[test]
fn a_folder_of_work_with_a_mount_in_it_stays_and_is_said() {
    let parent = folder();
    let precious = parent.path().join("precious");
    let work = WorkFolder::make(&System::host(), parent.path(), 1 << 20).unwrap();
    let (path, at) = (work.path(), work.path().join("mounted"));
    let bound = Bound::new(&precious, &at);
    drop(work);
    assert!(precious.join("thesis").exists());
    assert!(left_behind().iter().any(|left| left.path == path), "it is told");
    drop(bound);
}
