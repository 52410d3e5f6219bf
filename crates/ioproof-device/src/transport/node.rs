//! A device node that commands are sent through: a controller (`/dev/nvme0`), a namespace (`/dev/nvme0n1`, `/dev/ng0n1`) or a partition of one.
//!
//! It is opened with `O_RDONLY` and `O_NONBLOCK` and never read from. That alone would not be safe, since an ioctl through such a descriptor can destroy data; it is
//! safe because only a `NvmeCommand` can be sent. Before it is opened, sysfs must know the node as NVMe, and afterwards it must still be the same device, so no other
//! driver is ever asked. With multipath, `/dev/nvme0n1` belongs to a subsystem rather than to the controller `nvme0`, and the kernel chooses the path by itself.

use super::command::NvmeCommand;
use super::{NvmeAnswer, NvmeRefusal, NvmeTransport, ioctl};
use crate::sysfs_device::resolved;
use ioproof_target::System;
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, major, minor, open, stat};
use rustix::io::Errno;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Errors for which a drive cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// It is not an NVMe controller or namespace.
    NotNvme(PathBuf),
    /// It is not a SCSI or ATA drive.
    NotScsi(PathBuf),
    /// This user may not ask it.
    NotPermitted(PathBuf),
    /// It cannot be opened, for another reason.
    System(PathBuf, String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNvme(node) => write!(f, "{} is no NVMe controller or namespace", node.display()),
            Self::NotScsi(node) => write!(f, "{} is no SCSI or ATA drive", node.display()),
            Self::NotPermitted(node) => write!(
                f,
                "{} may not be asked by this user; root would add what the drive says of itself: wear, temperature, errors, self-tests, formats, limits and settings",
                node.display()
            ),
            Self::System(node, reason) => write!(f, "cannot ask {}: {reason}", node.display()),
        }
    }
}

impl std::error::Error for ReadError {}

/// A node that is open.
#[derive(Debug)]
pub struct DeviceNode {
    node: PathBuf,
    fd: OwnedFd,
    /// Refusal after which nothing more is sent: the drive has gone, or let a command run out of time.
    gone: Option<NvmeRefusal>,
}

impl DeviceNode {
    /// Opens a node, given by its absolute path, after sysfs has shown that it is NVMe.
    ///
    /// # Errors
    /// When it is something else, or cannot be opened.
    pub fn open(system: &System, node: &Path) -> Result<Self, ReadError> {
        let fd = open_known(system, node, is_nvme_name, ReadError::NotNvme)?;
        Ok(Self { node: node.to_owned(), fd, gone: None })
    }
}

/// Opens a node, given by its absolute path, after sysfs has shown that its kernel name is one that `knows` tells; else it is a `stranger`.
pub(super) fn open_known(
    system: &System,
    node: &Path,
    knows: fn(&str) -> bool,
    stranger: fn(PathBuf) -> ReadError,
) -> Result<OwnedFd, ReadError> {
    let here = system.at(&node.to_string_lossy());
    let before = stat(&here).map_err(|error| failed(node, error))?;
    if !node.is_absolute() || !is_known(system, &before, knows) {
        return Err(stranger(node.to_owned()));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = open(&here, flags, Mode::empty()).map_err(|error| failed(node, error))?;
    let after = fstat(&fd).map_err(|error| failed(node, error))?;
    if identity(&before) != identity(&after) {
        return Err(ReadError::System(node.to_owned(), "another device took its place".to_owned()));
    }
    Ok(fd)
}

fn failed(node: &Path, error: Errno) -> ReadError {
    match error {
        Errno::ACCESS | Errno::PERM => ReadError::NotPermitted(node.to_owned()),
        error => ReadError::System(node.to_owned(), super::reason(error)),
    }
}

/// Type and numbers by which two looks at a node are known to be of the same device.
fn identity(stat: &Stat) -> (FileType, u32, u32) {
    (FileType::from_raw_mode(stat.st_mode), major(stat.st_rdev), minor(stat.st_rdev))
}

/// True when sysfs knows the device number under a name of the driver.
fn is_known(system: &System, stat: &Stat, knows: fn(&str) -> bool) -> bool {
    let (file_type, major, minor) = identity(stat);
    let class = match file_type {
        FileType::BlockDevice => "block",
        FileType::CharacterDevice => "char",
        _ => return false,
    };
    let path = resolved(system, &format!("dev/{class}/{major}:{minor}"));
    path.is_some_and(|path| path.rsplit('/').next().is_some_and(knows))
}

/// `nvme0`, `nvme0n1`, `nvme0n1p2`, `ng0n1`, and a single path of a multipath namespace, `nvme0c1n1` and `ng0c1n1`; not `nvme-fabrics`.
fn is_nvme_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (prefix, rest) = match (name.strip_prefix("nvme"), name.strip_prefix("ng")) {
        (Some(rest), _) => ("nvme", rest),
        (None, Some(rest)) => ("ng", rest),
        (None, None) => return false,
    };
    let letters: String = rest.chars().filter(char::is_ascii_alphabetic).collect();
    let known = match prefix {
        "nvme" => ["", "n", "np", "cn", "cnp"].as_slice(),
        _ => ["n", "cn"].as_slice(),
    };
    known.contains(&letters.as_str()) && rest.split(|c: char| c.is_ascii_alphabetic()).all(is_number)
}

impl NvmeTransport for DeviceNode {
    fn name(&self) -> String {
        self.node.display().to_string()
    }

    fn namespace(&mut self) -> Option<u32> {
        ioctl::namespace(self.fd.as_fd())
    }

    fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
        if let Some(gone) = &self.gone {
            return Err(gone.clone());
        }
        let answer = self.send(command);
        self.gone = answer.as_ref().err().filter(|refusal| refusal.is_final()).cloned();
        answer
    }
}

impl DeviceNode {
    fn send(&self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
        let wire = command.wire();
        let mut data = vec![0; wire.length as usize];
        match ioctl::send(self.fd.as_fd(), &wire, &mut data) {
            Ok(completion) if completion.status == 0 => Ok(NvmeAnswer { result: completion.result, data }),
            Ok(completion) => Err(NvmeRefusal::Status(completion.status)),
            Err(Errno::ACCESS | Errno::PERM) => Err(NvmeRefusal::NotPermitted),
            Err(error) => Err(NvmeRefusal::System(super::reason(error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_of_the_nvme_driver() {
        for name in ["nvme0", "nvme12", "nvme0n1", "nvme10n21", "nvme0n1p2", "nvme0c1n1", "nvme0c0n1p3", "ng0n1", "ng0c1n1"] {
            assert!(is_nvme_name(name), "{name}");
        }
        for name in ["", "nvme", "nvme-fabrics", "nvme-subsys0", "nvmen1", "nvme0p1", "nvme0n", "ng0", "ng0n1p1", "sda", "null", "nvme0n1x"]
        {
            assert!(!is_nvme_name(name), "{name}");
        }
    }

    /// A tree in which `dev/null`, a link to the real one, is known to sysfs by this name.
    fn machine(name: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let path = |below: &str| dir.path().join(below);
        std::fs::create_dir_all(path("dev")).unwrap();
        std::fs::create_dir_all(path("sys/dev/char")).unwrap();
        std::fs::create_dir_all(path("sys/devices").join(name)).unwrap();
        symlink("/dev/null", path("dev/null")).unwrap();
        symlink(format!("../../devices/{name}"), path("sys/dev/char/1:3")).unwrap();
        dir
    }

    #[test]
    fn only_what_sysfs_knows_as_nvme_is_opened() {
        let open =
            |dir: &tempfile::TempDir, node: &str| DeviceNode::open(&System::captured(dir.path()), Path::new(node)).map(|node| node.name());
        assert_eq!(open(&machine("mem"), "/dev/null"), Err(ReadError::NotNvme("/dev/null".into())));
        let nvme = machine("nvme0");
        assert_eq!(open(&nvme, "/dev/null"), Ok("/dev/null".into()));
        assert_eq!(open(&nvme, "dev/null"), Err(ReadError::NotNvme("dev/null".into())));
        assert!(matches!(open(&nvme, "/dev/nvme9"), Err(ReadError::System(_, _))));
        std::fs::write(nvme.path().join("dev/nvme0"), "a file").unwrap();
        assert_eq!(open(&nvme, "/dev/nvme0"), Err(ReadError::NotNvme("/dev/nvme0".into())));
    }

    #[test]
    fn a_device_of_another_driver_answers_with_an_error_and_no_data() {
        let dir = machine("nvme0");
        let mut node = DeviceNode::open(&System::captured(dir.path()), Path::new("/dev/null")).unwrap();
        assert!(matches!(node.ask(NvmeCommand::IdentifyController), Err(NvmeRefusal::System(_))));
        assert_eq!(node.namespace(), None);
    }

    #[test]
    fn one_line_says_what_root_would_add() {
        let line = failed(Path::new("/dev/nvme0"), Errno::ACCESS).to_string();
        assert!(line.contains("root would add") && !line.contains('\n'), "{line}");
        assert_eq!(
            failed(Path::new("/dev/nvme0"), Errno::NOENT).to_string(),
            "cannot ask /dev/nvme0: No such file or directory (os error 2)"
        );
    }
}
