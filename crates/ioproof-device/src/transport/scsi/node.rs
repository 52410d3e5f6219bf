//! A device node that SCSI commands are sent through: a disk (`/dev/sda`) or its generic twin (`/dev/sg0`).
//!
//! Opened like a node of NVMe: to read, without waiting for a medium, only where sysfs knows it as SCSI, and never read from.

use super::command::ScsiWire;
use super::sg_io::{self, SENSE_BYTES, SgCompletion};
use super::{ScsiAnswer, ScsiCommand, ScsiRefusal, ScsiTransport};
use crate::transport::ReadError;
use crate::transport::node::open_known;
use ioproof_pages::pages::scsi::Sense;
use ioproof_target::System;
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A node that is open.
#[derive(Debug)]
pub struct ScsiNode {
    node: PathBuf,
    fd: OwnedFd,
    /// Refusal after which nothing more is sent: the drive has gone, or let a command run out of time.
    gone: Option<ScsiRefusal>,
}

impl ScsiNode {
    /// Opens a node, given by its absolute path, after sysfs has shown that it is a SCSI disk (as those of libata and of USB are too).
    ///
    /// # Errors
    /// When it is something else, or cannot be opened.
    pub fn open(system: &System, node: &Path) -> Result<Self, ReadError> {
        let fd = open_known(system, node, is_scsi_name, ReadError::NotScsi)?;
        Ok(Self { node: node.to_owned(), fd, gone: None })
    }
}

/// `sda`, `sdaa` and `sg0`. Not a partition: most kernels send nothing through it.
fn is_scsi_name(name: &str) -> bool {
    let is = |prefix: &str, kind: fn(u8) -> bool| name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(kind));
    is("sd", |byte| byte.is_ascii_lowercase()) || is("sg", |byte| byte.is_ascii_digit())
}

/// A drive answers the first command after a reset with a unit attention instead of doing it, and there may be several in a row.
const ATTENTIONS_MAX: usize = 4;

impl ScsiTransport for ScsiNode {
    fn name(&self) -> String {
        self.node.display().to_string()
    }

    fn ask(&mut self, command: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal> {
        if let Some(gone) = &self.gone {
            return Err(gone.clone());
        }
        let wire = command.wire();
        let mut answer = self.send(&wire);
        for _ in 0..ATTENTIONS_MAX {
            if !matches!(&answer, Err(ScsiRefusal::Sense(sense)) if sense.key == UNIT_ATTENTION) {
                break;
            }
            answer = self.send(&wire);
        }
        self.gone = answer.as_ref().err().filter(|refusal| refusal.is_final()).cloned();
        answer
    }
}

impl ScsiNode {
    fn send(&self, wire: &ScsiWire) -> Result<ScsiAnswer, ScsiRefusal> {
        let (mut data, mut sense) = (vec![0; wire.length], [0; SENSE_BYTES]);
        match sg_io::send(self.fd.as_fd(), wire, &mut data, &mut sense) {
            Ok(completion) => answer(completion, data, &sense),
            Err(Errno::ACCESS | Errno::PERM) => Err(ScsiRefusal::NotPermitted),
            Err(error) => Err(ScsiRefusal::System(crate::transport::reason(error))),
        }
    }
}

const GOOD: u8 = 0;
const CHECK_CONDITION: u8 = 2;
const RECOVERED_ERROR: u8 = 1;
const UNIT_ATTENTION: u8 = 6;

/// Sense data of a command that did what it was to do come with its data; all other sense data are a refusal.
fn answer(completion: SgCompletion, mut data: Vec<u8>, sense: &[u8; SENSE_BYTES]) -> Result<ScsiAnswer, ScsiRefusal> {
    let SgCompletion { status, host_status, data_bytes, sense_bytes } = completion;
    let sense = &sense[..sense_bytes.min(SENSE_BYTES)];
    data.truncate(data_bytes);
    if host_status != 0 {
        return Err(ScsiRefusal::Host(host_status));
    }
    match (status, Sense::parse(sense)) {
        (GOOD, _) => Ok(ScsiAnswer { data, sense: sense.to_vec() }),
        (CHECK_CONDITION, Some(told)) if told.key <= RECOVERED_ERROR => Ok(ScsiAnswer { data, sense: sense.to_vec() }),
        (CHECK_CONDITION, Some(told)) => Err(ScsiRefusal::Sense(told)),
        (status, _) => Err(ScsiRefusal::Status(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_of_scsi_drivers() {
        assert!(["sda", "sdz", "sdaa", "sg0", "sg12"].into_iter().all(is_scsi_name));
        assert!(!["", "sd", "sg", "sda1", "sr0", "st0", "nvme0n1", "sgx", "sd1", "null", "vda"].into_iter().any(is_scsi_name));
    }

    #[test]
    fn only_what_sysfs_knows_as_scsi_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = |below: &str| dir.path().join(below);
        for folder in ["dev", "sys/dev/char", "sys/devices/mem", "sys/devices/sg0"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        symlink("/dev/null", path("dev/null")).unwrap();
        let system = System::captured(dir.path());
        let open = || ScsiNode::open(&system, Path::new("/dev/null"));
        symlink("../../devices/mem", path("sys/dev/char/1:3")).unwrap();
        assert_eq!(open().err(), Some(ReadError::NotScsi("/dev/null".into())));
        std::fs::remove_file(path("sys/dev/char/1:3")).unwrap();
        symlink("../../devices/sg0", path("sys/dev/char/1:3")).unwrap();
        let mut node = open().unwrap();
        // A device of another driver answers with an error and no data.
        assert!(matches!(node.ask(ScsiCommand::Inquiry), Err(ScsiRefusal::System(_))));
    }

    fn completion(status: u8, sense_bytes: usize) -> SgCompletion {
        SgCompletion { status, host_status: 0, data_bytes: 2, sense_bytes }
    }

    fn sense(key: u8) -> [u8; SENSE_BYTES] {
        let mut sense = [0; SENSE_BYTES];
        (sense[0], sense[1]) = (0x72, key);
        sense
    }

    #[test]
    fn what_becomes_of_a_completion() {
        let data = vec![7, 7, 7];
        let of = |completion, key| answer(completion, data.clone(), &sense(key));
        assert_eq!(of(completion(0, 0), 5), Ok(ScsiAnswer { data: vec![7, 7], sense: vec![] }));
        assert_eq!(of(completion(2, 8), 1).map(|answer| (answer.data.len(), answer.sense.len())), Ok((2, 8)));
        assert!(matches!(of(completion(2, 8), 5), Err(ScsiRefusal::Sense(Sense { key: 5, .. }))));
        assert_eq!(of(completion(2, 0), 5), Err(ScsiRefusal::Status(2)));
        assert_eq!(of(completion(8, 0), 0), Err(ScsiRefusal::Status(8)));
        assert_eq!(of(SgCompletion { host_status: 3, ..completion(0, 0) }, 0), Err(ScsiRefusal::Host(3)));
    }
}
