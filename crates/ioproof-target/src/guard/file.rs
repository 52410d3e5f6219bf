//! The rule for a file that exists: it is written only where `--overwrite` names it, and never while something else uses it.
//! The kernel is asked for other users through the descriptor, in `open/file.rs`.

use super::{Consent, Ground, Reason};
use crate::block::loops;
use crate::guard::Claim;
use crate::system::System;
use crate::system::pin::Pin;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file that somebody wants to write.
pub(crate) struct FileSubject<'a> {
    pub ground: &'a Ground<'a>,
    /// The path by which it was resolved, for people.
    pub path: &'a Path,
    /// The file itself.
    pub pin: &'a Pin,
    /// Its filesystem is mounted read-only.
    pub read_only: bool,
    /// Its owner, as attribute and ledger tell.
    pub claim: Claim,
    /// Another user of it, in words: `/srv/data is open for writing in process 7 (ioproof)`.
    pub user: Option<&'a str>,
    pub consent: &'a Consent,
}

impl FileSubject<'_> {
    fn system(&self) -> &System {
        self.ground.system
    }

    fn is(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|meta| (meta.dev(), meta.ino()) == self.pin.id())
    }
}

/// `--overwrite` leads to this very file, through whatever links; or it lies in a directory of `--overwrite-all-in`; or ioproof made it.
pub(crate) fn overwrite(subject: &FileSubject<'_>) -> Vec<Reason> {
    let path = subject.path.display();
    let Consent { overwrite, overwrite_all_in, .. } = subject.consent;
    if subject.claim == Claim::Ours || subject.consent.covers(subject.pin) {
        return Vec::new();
    }
    if let (Claim::Changed, Some(user)) = (subject.claim, subject.user) {
        return vec![Reason::new(user).hint("wait until that has ended")];
    }
    let given: Vec<_> = overwrite.iter().chain(overwrite_all_in).map(|given| format!("\"{}\"", given.display())).collect();
    let text = match (given.as_slice(), subject.consent.nearly(subject.pin)) {
        ([], _) => format!("{path} exists, so it is only read{}", known_as(subject.claim)),
        (_, Some(nearly)) => format!("{path} is not written: {nearly}"),
        (given, None) => format!("--overwrite {} does not name {path}{}", given.join(", "), known_as(subject.claim)),
    };
    let hint = match subject.claim {
        Claim::Changed => format!("if nobody changed it since, add --overwrite {path}"),
        _ => format!("a file that exists is written only with --overwrite {path}"),
    };
    vec![Reason::new(text).hint(hint)]
}

/// Words for an attribute or a line of the ledger that is no proof.
fn known_as(claim: Claim) -> &'static str {
    match claim {
        Claim::Changed => {
            ": an earlier run of ioproof made it, and either was killed while it wrote or somebody changed it since or had it open when the run ended, \
             the machine was started anew, or its drive was taken away and put back, which may hide a change"
        }
        Claim::Unknown => ": it bears the attribute of files that ioproof makes, but the ledger in the state folder does not know it",
        Claim::Ours | Claim::Foreign => "",
    }
}

/// The kernel swaps to it.
pub(crate) fn swap(subject: &FileSubject<'_>) -> Vec<Reason> {
    let on = subject.ground.swaps.iter().any(|swap| subject.is(&loops::at(subject.system(), &swap.file)));
    on.then(|| Reason::new(format!("{} is swapped to", subject.path.display())).hint("swapoff it first")).into_iter().collect()
}

/// A loop device lies on it, by whatever name. Without root the loop driver answers nobody; the lease in `open/file.rs` tells then.
pub(crate) fn loop_backing(subject: &FileSubject<'_>) -> Vec<Reason> {
    let path = subject.path.display();
    let of = |(name, found): (String, Result<loops::Backing, String>)| match found {
        Ok(backing) if backing.may_be(subject.pin.id(), &subject.ground.mounts) => {
            Some(Reason::new(format!("{path} backs {name}")).hint("detach it first (losetup -d)"))
        }
        Err(why) if rustix::process::geteuid().is_root() => {
            Some(Reason::new(format!("whether {name} lies on {path} cannot be told: {why}")))
        }
        _ => None,
    };
    loops::backings(subject.system()).into_iter().filter_map(of).collect()
}

/// The filesystem cannot be written.
pub(crate) fn read_only(subject: &FileSubject<'_>) -> Vec<Reason> {
    let reason = || Reason::new(format!("{} lies on a filesystem that is mounted read-only", subject.path.display()));
    subject.read_only.then(reason).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use crate::guard::existing_file;
    use std::os::unix::fs::symlink;

    fn refused(tree: &Tree, overwrite: Option<&str>, read_only: bool) -> Vec<&'static str> {
        let system = tree.system();
        let ground = Ground::new(&system).unwrap();
        let path = tree.path("srv/data");
        let pin = Pin::new(&path).unwrap();
        let consent = Consent { overwrite: overwrite.map(|name| tree.path(name)).into_iter().collect(), ..Consent::default() };
        let subject =
            FileSubject { ground: &ground, path: &path, pin: &pin, read_only, claim: Claim::Foreign, user: None, consent: &consent };
        existing_file(&subject).into_iter().map(|r| r.clause).collect()
    }

    fn tree() -> Tree {
        let tree = Tree::new();
        tree.write("srv/data", "something");
        tree.write("srv/other", "something");
        tree
    }

    #[test]
    fn only_the_file_that_was_named() {
        let tree = tree();
        symlink("data", tree.path("srv/link")).unwrap();
        std::fs::hard_link(tree.path("srv/data"), tree.path("srv/hard")).unwrap();
        for same in ["srv/data", "srv/link", "srv/hard", "srv/../srv/data"] {
            assert_eq!(refused(&tree, Some(same), false), [] as [&str; 0], "{same}");
        }
        for other in [None, Some("srv/other"), Some("srv/missing"), Some("srv")] {
            assert_eq!(refused(&tree, other, false), ["overwrite"], "{other:?}");
        }
    }

    #[test]
    fn a_file_that_a_run_is_writing_is_told_from_one_of_a_killed_run() {
        let tree = tree();
        let (system, consent, path) = (tree.system(), Consent::default(), tree.path("srv/data"));
        let (ground, pin) = (Ground::new(&system).unwrap(), Pin::new(&path).unwrap());
        let said = |user| {
            let subject =
                FileSubject { ground: &ground, path: &path, pin: &pin, read_only: false, claim: Claim::Changed, user, consent: &consent };
            overwrite(&subject)[0].text.clone()
        };
        assert!(
            said(Some("/data is open for writing in process 7 (ioproof)")).ends_with("data is open for writing in process 7 (ioproof)")
        );
        assert!(said(None).contains("either was killed while it wrote or somebody changed it since"));
    }

    #[test]
    fn consents_that_name_another_file_are_quoted() {
        let tree = tree();
        let (system, path) = (tree.system(), tree.path("srv/data"));
        let (ground, pin) = (Ground::new(&system).unwrap(), Pin::new(&path).unwrap());
        let consent = Consent { overwrite: vec!["a b".into(), "c".into()], ..Consent::default() };
        let claim = Claim::Foreign;
        let subject = FileSubject { ground: &ground, path: &path, pin: &pin, read_only: false, claim, user: None, consent: &consent };
        let text = overwrite(&subject)[0].text.clone();
        assert!(text.starts_with("--overwrite \"a b\", \"c\" does not name /"), "{text}");
    }

    #[test]
    fn swap_loop_and_read_only_are_told_together() {
        let tree = tree();
        tree.swap("/srv/data");
        tree.disk("loop2", "7:2", 1 << 20);
        tree.write("sys/block/loop2/loop/backing_file", "/srv/data\n");
        assert_eq!(refused(&tree, None, true), ["overwrite", "swap", "loop-backing", "read-only"]);
        assert_eq!(refused(&tree, Some("srv/data"), false), ["swap", "loop-backing"]);
    }
}
