//! The places of the kernel's own files: `/sys` and `/proc` of this machine, or a captured tree that a test replays.
//!
//! Everything that asks the kernel by path goes through here, so that no rule can be tested only on the machine that it endangers.

pub(crate) mod file_numbers;
pub(crate) mod filesystem;
pub(crate) mod folder;
pub(crate) mod inherited;
pub(crate) mod kernel;
pub(crate) mod mounts;
pub(crate) mod patience;
pub(crate) mod pin;
pub mod private_mounts;
pub(crate) mod sample;
pub mod signals;
pub(crate) mod stdout;
pub mod threads;

use std::path::{Path, PathBuf};

/// The roots of sysfs and procfs.
#[derive(Debug, Clone)]
pub struct System {
    sys: PathBuf,
    proc: PathBuf,
    root: PathBuf,
}

impl System {
    /// This machine.
    #[must_use]
    pub fn host() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into(), root: "/".into() }
    }

    /// A captured tree with the folders `sys` and `proc`.
    #[must_use]
    pub fn captured(root: &Path) -> Self {
        Self { sys: root.join("sys"), proc: root.join("proc"), root: root.to_path_buf() }
    }

    /// True for this machine, of which system calls tell too.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.proc == Path::new("/proc")
    }

    /// A path below `/sys`.
    #[must_use]
    pub fn sys(&self, path: &str) -> PathBuf {
        self.sys.join(path)
    }

    /// A path below `/proc`.
    #[must_use]
    pub fn proc(&self, path: &str) -> PathBuf {
        self.proc.join(path)
    }

    /// The place of an absolute path that the kernel has named, such as a loop device's backing file or the source of a mount.
    #[must_use]
    pub fn at(&self, absolute: &str) -> PathBuf {
        self.root.join(absolute.trim_start_matches('/'))
    }

    /// The text of a file below `/sys`, outer blanks removed; `None` where it is missing, unreadable or empty.
    #[must_use]
    pub fn sys_text(&self, path: &str) -> Option<String> {
        text(&self.sys(path))
    }

    /// The same for a file below `/proc`.
    #[must_use]
    pub fn proc_text(&self, path: &str) -> Option<String> {
        text(&self.proc(path))
    }

    /// A number in a file below `/sys`.
    #[must_use]
    pub fn sys_number(&self, path: &str) -> Option<u64> {
        self.sys_text(path)?.parse().ok()
    }

    /// The names in a folder below `/sys`, sorted; empty where there is none.
    #[must_use]
    pub fn sys_list(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.sys(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}
