//! Errors between a path and an open handle: errors about the path, and refusals of the write rule.

use ioproof_core::text::visible;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// The clause of the write rule about the disk that the running system stands on.
pub(crate) const ROOT_DISK: &str = "root-disk";

/// The clause of the write rule about the serial number that the user gave.
pub(crate) const CONSENT: &str = "consent";

/// One reason why something is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The clause of the write rule, as the tables in `guard` name it.
    pub clause: &'static str,
    /// The fact that speaks against writing.
    pub reason: String,
    /// A remedy, where there is one.
    pub hint: Option<String>,
}

/// An error about a target, or a refusal to write it.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Nothing is there.
    #[error("{}: {}", shown(.0), missing(.0))]
    Missing(PathBuf),
    /// It is there and cannot be measured.
    #[error("{}: {}", shown(path), visible(what))]
    Unsuitable {
        /// The path.
        path: PathBuf,
        /// A description of it, for the record.
        what: String,
        /// A remedy: another path or option to give.
        hint: Option<String>,
    },
    /// It lies in memory or is made up by the kernel.
    #[error("{}: lies on {filesystem}, which is {} and no drive", shown(path), made_of(filesystem))]
    NoDrive {
        /// The path.
        path: PathBuf,
        /// The filesystem: `tmpfs`.
        filesystem: &'static str,
    },
    /// The user may not.
    #[error("{}: permission denied to {doing}", shown(path))]
    Denied {
        /// The path.
        path: PathBuf,
        /// The action that was tried: `open it for reading`.
        doing: &'static str,
    },
    /// The filesystem cannot be written.
    #[error("{}: the filesystem is mounted read-only", shown(.0))]
    ReadOnly(PathBuf),
    /// The scratch file does not fit.
    #[error(
        "{}: needs {} beside the {} that are left to others; {} are free",
        shown(path), size(*needs_bytes), size(*keep_bytes), size(*free_bytes)
    )]
    NoSpace {
        /// The directory.
        path: PathBuf,
        /// Bytes asked for.
        needs_bytes: u64,
        /// Bytes free for this user.
        free_bytes: u64,
        /// Bytes of them that ioproof leaves alone.
        keep_bytes: u64,
    },
    /// The system refused something else.
    #[error("{}: cannot {doing}: {source}", shown(path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The action that was tried.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The write rule forbids it; every reason that holds, never only the first.
    #[error("not written: {}", visible(&reasons(.0)))]
    Refused(Vec<Refusal>),
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// A link that leads nowhere is there itself.
fn missing(path: &Path) -> String {
    match std::fs::read_link(path) {
        Ok(to) => format!("is a link to {}, where nothing is", shown(&to)),
        Err(_) => "no such target".to_owned(),
    }
}

fn made_of(filesystem: &str) -> &'static str {
    if matches!(filesystem, "tmpfs" | "ramfs" | "hugetlbfs") { "memory" } else { "made up by the kernel" }
}

impl TargetError {
    /// A remedy to be printed beside the error.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing(_) => Some(
                "check the spelling; `ioproof list` shows the drives here, and a scratch file is made in a directory that is there".into(),
            ),
            Self::Unsuitable { hint, .. } => hint.clone(),
            Self::NoDrive { .. } => Some("give a directory or a file on a real drive".into()),
            Self::Denied { doing, .. } => Some(hint_of_denied(doing, rustix::process::geteuid().is_root())),
            Self::ReadOnly(_) => Some("give a directory on a filesystem that is mounted read-write".into()),
            Self::NoSpace { .. } => Some("make room, choose a smaller --size, or another directory with --dir".into()),
            Self::Io { .. } => None,
            Self::Refused(refusals) => joined_hints(&decisive(refusals)),
        }
    }

    /// An I/O error in words: the ones that people meet get a variant of their own.
    pub(crate) fn io(path: &Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        let (path, source) = (path.to_path_buf(), source.into());
        match source.raw_os_error() {
            Some(libc::ENOENT) => Self::Missing(path),
            Some(libc::EACCES | libc::EPERM) => Self::Denied { path, doing },
            Some(libc::EROFS) => Self::ReadOnly(path),
            Some(libc::ENOTDIR) => Self::unsuitable(&path, in_no_folder(&path)),
            _ => Self::Io { path, doing, source },
        }
    }

    pub(crate) fn unsuitable(path: &Path, what: impl Into<String>) -> Self {
        Self::Unsuitable { path: path.to_path_buf(), what: what.into(), hint: None }
    }

    pub(crate) fn unsuitable_hint(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Unsuitable { path: path.to_path_buf(), what: what.into(), hint: Some(hint.into()) }
    }
}

/// Names the part of a path that is no directory and yet has something below it.
fn in_no_folder(path: &Path) -> String {
    let is_file = |above: &&Path| above.metadata().is_ok_and(|meta| !meta.is_dir());
    match path.ancestors().skip(1).find(is_file) {
        Some(above) => format!("{} is no directory, so nothing lies in it", shown(above)),
        None => "part of this path is no directory".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    ioproof_core::units::binary_size(bytes)
}

fn reasons(refusals: &[Refusal]) -> String {
    let mut text = String::new();
    for (i, refusal) in refusals.iter().enumerate() {
        let gap = if i == 0 { "" } else { "; " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{gap}{}", refusal.reason);
    }
    text
}

/// The refusals whose hints are worth following: nothing frees the disk that the running system stands on.
fn decisive(refusals: &[Refusal]) -> Vec<&Refusal> {
    let root: Vec<&Refusal> = refusals.iter().filter(|refusal| refusal.clause == ROOT_DISK).collect();
    if root.is_empty() { refusals.iter().collect() } else { root }
}

fn joined_hints(refusals: &[&Refusal]) -> Option<String> {
    let mut hints: Vec<&str> = Vec::new();
    for hint in refusals.iter().filter_map(|r| r.hint.as_deref()) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    (!hints.is_empty()).then(|| hints.join("; "))
}

fn hint_of_denied(doing: &str, is_root: bool) -> String {
    let writes = doing.contains("writ") || doing.contains("make");
    match (is_root, writes) {
        (true, _) => "root is refused here: by a container or its device cgroup (--device), a network filesystem, or lsattr's flags i and a",
        (false, true) => {
            "run as root, or give a directory that you may write; a file that is immutable or only takes appends (lsattr) is nobody's to write"
        }
        (false, false) => "run as root, or ask for the right to read it",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_said_and_every_hint_once() {
        let refusal = |reason: &str, hint: &str| Refusal { clause: "x", reason: reason.into(), hint: Some(hint.into()) };
        let error = TargetError::Refused(vec![refusal("sda1 is mounted", "umount it"), refusal("sda2 is mounted", "umount it")]);
        assert_eq!(error.to_string(), "not written: sda1 is mounted; sda2 is mounted");
        assert_eq!(error.hint().as_deref(), Some("umount it"));
    }

    #[test]
    fn nothing_is_advised_that_would_take_the_running_system_away() {
        let refusal = |clause, hint: &str| Refusal { clause, reason: "x".into(), hint: Some(hint.into()) };
        let error = TargetError::Refused(vec![
            refusal("partitions", "remove the partition table"),
            refusal("mounted", "unmount it first"),
            refusal(ROOT_DISK, "give another drive"),
        ]);
        assert_eq!(error.hint().as_deref(), Some("give another drive"));
    }

    #[test]
    fn names_cannot_steer_a_terminal() {
        let evil = Path::new("/tmp/\u{1b}[31mred\u{202e}\n");
        for error in [
            TargetError::Missing(evil.into()),
            TargetError::io(evil, "open it", io::Error::from_raw_os_error(libc::EIO)),
            TargetError::unsuitable(evil, "is a \u{1b} pipe"),
            TargetError::Refused(vec![Refusal { clause: "x", reason: evil.display().to_string(), hint: None }]),
        ] {
            assert!(!error.to_string().contains(|c: char| c.is_control() || c == '\u{202e}'), "{error:?}");
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/no/where", &link).unwrap();
        assert!(TargetError::Missing(link).to_string().ends_with("is a link to /no/where, where nothing is"));
    }

    #[test]
    fn what_lies_below_a_file_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let error = TargetError::io(&file.join("below/it"), "make it", io::Error::from_raw_os_error(libc::ENOTDIR)).to_string();
        assert!(error.ends_with("/file is no directory, so nothing lies in it"), "{error}");
    }

    #[test]
    fn the_right_to_write_is_asked_of_whoever_writes() {
        let hint = |doing| hint_of_denied(doing, false);
        assert!(hint("open it for writing").contains("may write") && !hint("open it for reading").contains("may write"));
        assert!(!hint_of_denied("open it for reading", true).contains("run as root"));
    }

    #[test]
    fn space_is_said_in_sizes() {
        let error = TargetError::NoSpace { path: "/srv".into(), needs_bytes: 1 << 30, free_bytes: 3 << 20, keep_bytes: 1 << 20 };
        assert_eq!(error.to_string(), "/srv: needs 1 GiB beside the 1 MiB that are left to others; 3 MiB are free");
    }

    #[test]
    fn known_causes_get_their_own_words() {
        let error = |code| TargetError::io(Path::new("/x"), "open it", io::Error::from_raw_os_error(code));
        assert!(matches!(error(libc::ENOENT), TargetError::Missing(_)));
        assert!(matches!(error(libc::EACCES), TargetError::Denied { .. }));
        assert!(matches!(error(libc::EROFS), TargetError::ReadOnly(_)));
        assert!(matches!(error(libc::EIO), TargetError::Io { .. }));
    }
}
