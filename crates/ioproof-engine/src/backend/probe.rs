//! Whether the kernel has a backend, and what to do where it refuses one.

use super::BackendChoice::{self, Auto, IoUring, Libaio, Mmap, Null, PosixAio, Psync, Pvsync2};
use super::{Libaio as LibaioBackend, Uring};
use std::io;

/// What a refusal of the kernel means, and how to mend it.
struct Row {
    choices: &'static [BackendChoice],
    errno: i32,
    hint: &'static str,
}

const RINGS: &[BackendChoice] = &[Auto, IoUring];
const CALLS: &[BackendChoice] = &[Libaio, PosixAio, Psync, Mmap, Null];
const ALL: &[BackendChoice] = &[Auto, IoUring, Libaio, PosixAio, Psync, Pvsync2, Mmap, Null];

/// The first row that fits counts.
const ROWS: &[Row] = &[
    Row {
        choices: RINGS,
        errno: libc::EPERM,
        hint: "io_uring is forbidden: by /proc/sys/kernel/io_uring_disabled (1: only members of io_uring_group may, 2: nobody; \
               `sysctl kernel.io_uring_disabled=0` mends it) or by the seccomp filter of a container; `--backend libaio` works without",
    },
    Row {
        choices: RINGS,
        errno: libc::ENOSYS,
        hint: "this kernel has no io_uring (it came with Linux 5.1, and can be left out), or the seccomp filter of a container hides it; \
               `--backend libaio` works without",
    },
    Row {
        choices: RINGS,
        errno: libc::ENOMEM,
        hint: "the limit of locked memory is too low for the rings: raise it (`ulimit -l`, LimitMEMLOCK= of a service)",
    },
    Row {
        choices: &[Auto, IoUring, Pvsync2],
        errno: libc::EOPNOTSUPP,
        hint: "polling needs a target that is open with O_DIRECT and a device with queues for it: for NVMe load the driver with \
               nvme.poll_queues=N (/sys/block/*/queue/io_poll says 1 then)",
    },
    Row {
        choices: &[Libaio],
        errno: libc::EAGAIN,
        hint: "the system's asynchronous I/O is used up: /proc/sys/fs/aio-nr has reached /proc/sys/fs/aio-max-nr; raise it with \
               `sysctl fs.aio-max-nr=1048576`, or ask for less queue depth",
    },
    Row {
        choices: &[Libaio],
        errno: libc::ENOSYS,
        hint: "this kernel is built without asynchronous I/O (CONFIG_AIO); `--backend psync` works",
    },
    Row {
        choices: &[PosixAio],
        errno: libc::EAGAIN,
        hint: "the C library could not start a thread: raise the limit of processes (`ulimit -u`, pids.max of a control group)",
    },
    Row { choices: &[Pvsync2], errno: libc::ENOSYS, hint: "preadv2 came with Linux 4.6; `--backend psync` works without" },
    Row {
        choices: &[Mmap],
        errno: libc::EACCES,
        hint: "a mapping must be read even where it is only written, and the target is open for writing only",
    },
    Row { choices: &[Mmap], errno: libc::ENODEV, hint: "this target cannot be mapped; take another backend" },
    Row {
        choices: &[Mmap],
        errno: libc::ENOMEM,
        hint: "the address space is too small for the span: raise its limit (`ulimit -v`) or take a smaller span",
    },
    Row {
        choices: CALLS,
        errno: libc::EOPNOTSUPP,
        hint: "the target does not know this operation: it cannot trim, or not write durably by a flag",
    },
    Row { choices: ALL, errno: libc::EMFILE, hint: "too many open files: raise their limit (`ulimit -n`)" },
    Row {
        choices: ALL,
        errno: libc::ENOMEM,
        hint: "there is no memory for so many and so large I/Os: ask for less queue depth or smaller blocks",
    },
];

/// What to do about an error, where something can be done.
pub(crate) fn explain(choice: BackendChoice, error: &io::Error) -> Option<&'static str> {
    let errno = error.raw_os_error()?;
    ROWS.iter().find(|row| row.errno == errno && row.choices.contains(&choice)).map(|row| row.hint)
}

/// What to do about a failed I/O, where something can be done; most of what the table has is about setting up.
#[must_use]
pub fn hint_of_io(choice: BackendChoice, errno: i32) -> Option<&'static str> {
    if errno == libc::EOPNOTSUPP { explain(choice, &io::Error::from_raw_os_error(errno)) } else { None }
}

/// Whether the kernel has a backend and lets this process use it.
///
/// # Errors
/// What the kernel says where it does not.
pub(crate) fn probe(choice: BackendChoice) -> io::Result<()> {
    match choice {
        Auto | IoUring => Uring::available(),
        Libaio => LibaioBackend::available(),
        PosixAio | Psync | Pvsync2 | Mmap | Null => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_explained_by_what_mends_it() {
        let hint = |choice, errno| explain(choice, &io::Error::from_raw_os_error(errno)).unwrap_or_default();
        assert!(hint(IoUring, libc::EPERM).contains("kernel.io_uring_disabled=0"));
        assert!(hint(Auto, libc::ENOMEM).contains("ulimit -l"));
        assert!(hint(Libaio, libc::EAGAIN).contains("fs.aio-max-nr"));
        assert!(hint(IoUring, libc::EOPNOTSUPP).contains("nvme.poll_queues"));
        assert!(hint(Pvsync2, libc::EOPNOTSUPP).contains("nvme.poll_queues"));
        assert!(hint(Psync, libc::EOPNOTSUPP).contains("trim"));
        assert_eq!(hint(Psync, libc::EIO), "");
        assert_eq!(explain(IoUring, &io::Error::other("not the kernel's")), None);
    }

    #[test]
    fn what_needs_no_kernel_support_is_always_there() {
        for choice in [PosixAio, Psync, Pvsync2, Mmap, Null] {
            assert!(probe(choice).is_ok(), "{choice:?}");
        }
    }

    #[test]
    fn what_the_probe_finds_can_be_set_up() {
        assert_eq!(probe(IoUring).is_ok(), super::super::ring::Ring::new(2, 0).is_ok());
        assert_eq!(probe(Libaio).is_ok(), super::super::libaio_calls::Context::new(2).is_ok());
    }
}
