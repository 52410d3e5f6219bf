//! Failures of the driver: each says what happened; [`Error::hint`] what mends it.

use crate::wire::Status;
use std::{fmt, io};

/// A failure of the drive or of the way to it.
#[derive(Debug)]
pub enum Error {
    /// The kernel refused something.
    System {
        /// The attempt, after "cannot".
        what: &'static str,
        /// The kernel's answer.
        cause: io::Error,
    },
    /// The drive is no longer on the bus.
    Gone,
    /// The drive did not get ready, or did not stop.
    NotReady {
        /// True where it was to become ready.
        starting: bool,
        /// Time that it was given. Nanoseconds.
        waited_ns: u64,
    },
    /// The controller reports that it cannot go on.
    Fatal,
    /// An admin command got no answer.
    Silent {
        /// The command.
        what: &'static str,
    },
    /// An admin command failed.
    Refused {
        /// The command.
        what: &'static str,
        /// The status of the drive.
        status: Status,
    },
    /// A completion bears an identifier under which no command is outstanding.
    UnknownIdentifier {
        /// Number of the queue.
        queue: u16,
        /// The identifier.
        identifier: u16,
    },
    /// The controller was reset while the queue was in use.
    WasReset,
    /// The drive or the request does not fit this driver.
    Unfit(String),
}

impl Error {
    /// Wraps an answer of the kernel.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::System { what, cause }
    }

    /// The errno of I/Os that it ends.
    #[must_use]
    pub fn errno(&self) -> i32 {
        match self {
            Self::Gone => libc::ENODEV,
            Self::Silent { .. } | Self::WasReset | Self::NotReady { .. } => libc::ETIMEDOUT,
            Self::System { cause, .. } => cause.raw_os_error().unwrap_or(libc::EIO),
            _ => libc::EIO,
        }
    }

    /// Remedy, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::System { cause, .. } if cause.raw_os_error() == Some(libc::ENOMEM) => {
                Some("raise the limit of locked memory (`ulimit -l`, LimitMEMLOCK= of a service), or take less depth or smaller blocks")
            }
            Self::NotReady { .. } | Self::Fatal | Self::Silent { .. } => {
                Some("unbind the drive, and reset it with `nvme reset` or by a power cycle; `dmesg` may say more")
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { what, cause } => write!(f, "cannot {what}: {cause}"),
            Self::Gone => f.write_str("the drive is gone: its registers read as ones"),
            Self::NotReady { starting, waited_ns } => {
                let what = if *starting { "ready" } else { "idle" };
                write!(f, "the controller did not become {what} within {} s", *waited_ns as f64 / 1e9)
            }
            Self::Fatal => f.write_str("the controller reports a fatal error (CSTS.CFS)"),
            Self::Silent { what } => write!(f, "the controller did not answer {what}"),
            Self::Refused { what, status } => write!(f, "the controller refused {what}: {status}"),
            Self::UnknownIdentifier { queue, identifier } => {
                write!(f, "queue {queue} completed command {identifier}, which is not outstanding: the drive cannot be trusted")
            }
            Self::WasReset => f.write_str("the controller was reset because it stopped answering"),
            Self::Unfit(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::System { cause, .. } = self { Some(cause) } else { None }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::System { cause, .. } => cause,
            other => Self::other(other),
        }
    }
}
