//! A target as a backend reaches it. Every backend of today wants a descriptor; one that speaks to a drive past the block layer (an NVMe character
//! device, a controller that a driver of our own holds) gets a variant here, and the others answer Unsupported to it.

use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A permitted target that stays open as long as this value lives.
#[derive(Debug, Clone)]
pub(crate) enum OpenMedium {
    /// An open file or block device.
    Descriptor(Arc<OwnedFd>),
}

impl OpenMedium {
    /// The descriptor; with a second variant this becomes a `Result`.
    pub(crate) fn descriptor(&self) -> &Arc<OwnedFd> {
        let Self::Descriptor(fd) = self;
        fd
    }
}
