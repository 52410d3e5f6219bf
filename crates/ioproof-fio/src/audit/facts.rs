//! Facts from outside: the machine and the files. All of it may be unknown; then rules that need it say nothing.

use crate::region::Existing;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFacts {
    /// Memory of the machine; 0: not known. Bytes.
    pub memory_bytes: u64,
    /// Processors of the machine; 0: not known.
    pub cpus: u64,
    /// For each clone of the schedule, in its order, its files in their order. What is missing here is not known.
    pub files: Vec<Vec<FileFacts>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileFacts {
    pub kind: FileKind,
    /// Its size, 0 where it is not there; `None`: not known. Bytes.
    pub bytes: Option<u64>,
    /// Bytes of it that hold written data, by the file system's own map; `None`: not known.
    pub written_bytes: Option<u64>,
    /// Kernel names of the drives under it; empty where they are not known.
    pub drives: Vec<String>,
    /// True where these drives turn; `None`: not known.
    pub rotational: Option<bool>,
    /// The file or device itself, whatever it is called: numbers of device and inode; `None`: not known.
    pub identity: Option<(u64, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileKind {
    #[default]
    Unknown,
    Regular,
    Device,
    Memory,
    /// Something without an end and without a drive, `/dev/zero` and `/dev/null`.
    Endless,
}

impl FileFacts {
    pub(super) fn or_by_path(self, path: &str) -> Self {
        if self.kind == FileKind::Unknown { Self { kind: by_path(path), ..self } } else { self }
    }

    /// As the arithmetic of places wants it. A device of unknown size has no end that could be overstepped.
    pub(super) fn existing(&self) -> Existing {
        let bytes = self.bytes.unwrap_or(0);
        Existing { bytes, is_device: self.kind == FileKind::Device && bytes > 0, is_endless: self.kind == FileKind::Endless }
    }
}

fn by_path(path: &str) -> FileKind {
    match path {
        "/dev/zero" | "/dev/null" | "/dev/full" | "/dev/random" | "/dev/urandom" => FileKind::Endless,
        _ if path.starts_with("/dev/shm/") => FileKind::Memory,
        _ if path.starts_with("/dev/") => FileKind::Device,
        _ => FileKind::Regular,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_gone_by_where_nothing_is_known() {
        let kind = |path| FileFacts::default().or_by_path(path).kind;
        assert_eq!(
            ["/dev/sdb", "/dev/shm/x", "/dev/null", "/data/x", "x"].map(kind),
            [FileKind::Device, FileKind::Memory, FileKind::Endless, FileKind::Regular, FileKind::Regular]
        );
        let known = FileFacts { kind: FileKind::Memory, ..FileFacts::default() };
        assert_eq!(known.or_by_path("/data/x").kind, FileKind::Memory);
    }

    #[test]
    fn a_device_of_unknown_size_has_no_end() {
        let device = FileFacts { kind: FileKind::Device, ..FileFacts::default() };
        assert!(!device.existing().is_device);
        assert!(FileFacts { bytes: Some(1 << 30), ..device.clone() }.existing().is_device);
    }
}
