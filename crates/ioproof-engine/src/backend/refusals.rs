//! Remedies for refusals of the kernel that several backends share. Those of a backend alone stand in its own file, and come first.

use super::BackendChoice;
use super::row::Refusal;
use std::io;

/// A ring or a call that polls, on a target that cannot.
pub(super) const NOT_POLLED: Refusal = (
    libc::EOPNOTSUPP,
    "polling needs a target that is open with O_DIRECT and a device with queues for it: for NVMe load the driver with \
     nvme.poll_queues=N (/sys/block/*/queue/io_poll says 1 then)",
);

/// A target that lacks an operation.
pub(super) const NO_SUCH_OPERATION: Refusal =
    (libc::EOPNOTSUPP, "the target does not know this operation: it cannot trim, or not write durably by a flag");

/// Remedies of a backend that has no others.
pub(super) const OF_CALLS: &[Refusal] = &[NO_SUCH_OPERATION];

/// Remedies for all backends, asked last.
const COMMON: &[Refusal] = &[
    (libc::EMFILE, "too many open files: raise their limit (`ulimit -n`)"),
    (libc::ENOMEM, "there is no memory for so many and so large I/Os: ask for less queue depth or smaller blocks"),
];

/// The remedy for an errno: the first of the backend's own, else one that all share.
pub(super) fn explain(own: &'static [Refusal], errno: i32) -> Option<&'static str> {
    own.iter().chain(COMMON).find(|(refused, _)| *refused == errno).map(|(_, remedy)| *remedy)
}

/// The remedy for a failed I/O, where there is one; most of what the table has is about setting up.
#[must_use]
pub fn hint_of_io(choice: BackendChoice, errno: i32) -> Option<&'static str> {
    if errno == libc::EOPNOTSUPP { choice.explain(&io::Error::from_raw_os_error(errno)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_explained_by_what_mends_it() {
        let hint = |name: &str, errno| {
            let choice: BackendChoice = name.parse().unwrap();
            choice.explain(&io::Error::from_raw_os_error(errno)).unwrap_or_default()
        };
        assert!(hint("io_uring", libc::EPERM).contains("kernel.io_uring_disabled=0"));
        assert!(hint("auto", libc::ENOMEM).contains("ulimit -l"));
        assert!(hint("mmap", libc::ENOMEM).contains("ulimit -v") && hint("psync", libc::ENOMEM).contains("less queue depth"));
        assert!(hint("libaio", libc::EAGAIN).contains("fs.aio-max-nr"));
        assert!(hint("io_uring", libc::EOPNOTSUPP).contains("nvme.poll_queues"));
        assert!(hint("pvsync2", libc::EOPNOTSUPP).contains("nvme.poll_queues"));
        assert!(hint("psync", libc::EOPNOTSUPP).contains("trim"));
        assert_eq!(hint("psync", libc::EIO), "");
        assert_eq!(BackendChoice::IO_URING.explain(&io::Error::other("not the kernel's")), None);
    }

    #[test]
    fn a_backend_that_needs_nothing_of_the_kernel_is_always_there() {
        for name in ["posixaio", "psync", "pvsync2", "mmap", "null"] {
            assert!(name.parse::<BackendChoice>().unwrap().probe().is_ok(), "{name}");
        }
    }
}
