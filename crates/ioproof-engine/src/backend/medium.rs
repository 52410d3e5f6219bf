//! A target as a backend reaches it: by the descriptor of a file or block device, or, for one that sends commands to a drive past the block layer, by its
//! character device beside that. A controller that a driver of our own holds gets a variant here.

use ioproof_target::Passthrough;
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
}

impl OpenMedium {
    /// The descriptor; with a variant that has none this becomes a `Result`.
    pub(crate) fn descriptor(&self) -> &Arc<OwnedFd> {
        let (Self::Descriptor(fd) | Self::Namespace(fd, _)) = self;
        fd
    }

    /// The namespace as commands reach it.
    ///
    /// # Errors
    /// Unsupported for what is none.
    pub(crate) fn passthrough(&self) -> io::Result<&Passthrough> {
        match self {
            Self::Namespace(_, passthrough) => Ok(passthrough),
            Self::Descriptor(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "it is no NVMe namespace")),
        }
    }
}
