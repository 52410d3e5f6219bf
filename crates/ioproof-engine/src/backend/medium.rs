//! A target as a backend reaches it: by the descriptor of a file or block device, or, for one that sends commands to a drive past the block layer, by its
//! character device beside that, or by a driver of our own.

use ioproof_nvme::Drive;
use ioproof_target::{Handle, NamedFiles, Passthrough};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A permitted target that stays open as long as this value lives.
#[derive(Debug, Clone)]
pub(crate) enum OpenMedium {
    /// An open file or block device.
    Descriptor(Arc<OwnedFd>),
    /// An NVMe namespace: its block device, and its character device for commands.
    Namespace(Arc<OwnedFd>, Arc<Passthrough>),
    /// An NVMe namespace that this process drives by itself.
    Drive(Drive),
    /// Files by their names, none of which is open; the descriptor is of memory.
    Names(Arc<OwnedFd>, Arc<NamedFiles>),
}

impl OpenMedium {
    /// A target by the descriptor of its handle.
    pub(crate) fn of(handle: &Handle) -> Self {
        match handle.named() {
            Some(names) => Self::Names(handle.shared(), Arc::clone(names)),
            None => Self::Descriptor(handle.shared()),
        }
    }

    /// The descriptor.
    ///
    /// # Errors
    /// Unsupported for a drive that the kernel does not drive.
    pub(crate) fn descriptor(&self) -> io::Result<&Arc<OwnedFd>> {
        match self {
            Self::Descriptor(fd) | Self::Namespace(fd, _) | Self::Names(fd, _) => Ok(fd),
            Self::Drive(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel does not drive it")),
        }
    }

    /// The namespace as a driver of our own reaches it.
    ///
    /// # Errors
    /// Unsupported for what the kernel drives.
    pub(crate) fn drive(&self) -> io::Result<&Drive> {
        match self {
            Self::Drive(drive) => Ok(drive),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel drives it")),
        }
    }

    /// The namespace as commands reach it.
    ///
    /// # Errors
    /// Unsupported for what is none.
    pub(crate) fn passthrough(&self) -> io::Result<&Passthrough> {
        match self {
            Self::Namespace(_, passthrough) => Ok(passthrough),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "it is no NVMe namespace")),
        }
    }

    /// The names, where there are any.
    pub(crate) fn names(&self) -> Option<&Arc<NamedFiles>> {
        if let Self::Names(_, names) = self { Some(names) } else { None }
    }
}
