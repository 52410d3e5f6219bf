//! The table of the ways to hand I/O to the kernel: a backend is a file of this folder and a row here. Whoever wants to know what a backend can do asks its
//! row through [`BackendChoice`]. README.md says how to add one; `interface` is the trait that it implements, `row` the columns.

mod choice;
mod commands;
mod faulty;
mod interface;
mod libaio;
mod mapping;
mod medium;
mod metadata;
mod mmap;
mod null;
mod polled;
mod posix_aio;
mod psync;
mod pvsync2;
mod refusals;
mod row;
mod serial;
mod synchronous;
#[cfg(test)]
mod tests;
mod uring;

pub(crate) use crate::slot::IoOperation;
pub use choice::{BackendChoice, UnknownBackend};
pub(crate) use faulty::Faulty;
pub(crate) use interface::{Backend, BackendSetup, Build, Io, WithBackend};
pub(crate) use medium::OpenMedium;
pub use mmap::LostPages;
pub(crate) use null::Null;
pub use refusals::hint_of_io;
pub(crate) use uring::Nops;

use row::{Polling, Row};

/// Every backend, in the order in which they are listed; `auto` is the first and resolved before a job starts.
static ROWS: [Row; 10] = [
    // Trims are not for a ring, so that it takes psync for them.
    Row { fio_engines: &[], trims: true, ..io_uring("auto") },
    io_uring("io_uring"),
    Row {
        fio_engines: &["io_uring_cmd"],
        polling: Polling::Direct,
        kernel_submits: true,
        trims: true,
        fua: true,
        passthrough: true,
        needs: "it needs an NVMe namespace with a character device (/dev/ng0n1), Linux 5.19, and the right to open that device",
        refusals: uring::passthrough::REFUSALS,
        probe: uring::available,
        ..Row::plain("io_uring_cmd", Implementation::Passthrough)
    },
    Row {
        trims: true,
        fio_engines: &["spdk"],
        fua: true,
        driver: true,
        needs: "it needs an NVMe drive that `ioproof device bind` took from the kernel, and an IOMMU",
        refusals: polled::REFUSALS,
        ..Row::plain("polled", Implementation::Polled)
    },
    Row {
        fio_engines: &["libaio"],
        needs: "it needs a kernel with asynchronous I/O (CONFIG_AIO), and a target that is open with O_DIRECT to be asynchronous",
        refusals: libaio::REFUSALS,
        probe: libaio::available,
        ..Row::plain("libaio", Implementation::Libaio)
    },
    Row {
        fio_engines: &["posixaio"],
        needs: "it needs threads of the C library",
        refusals: posix_aio::REFUSALS,
        ..Row::plain("posixaio", Implementation::PosixAio)
    },
    Row {
        fio_engines: &["psync", "sync", "vsync", "pvsync"],
        synchronous: true,
        trims: true,
        fua: true,
        refusals: refusals::OF_CALLS,
        takes_faults: true,
        ..Row::plain("psync", Implementation::Psync)
    },
    Row {
        fio_engines: &["pvsync2"],
        synchronous: true,
        polling: Polling::Wish,
        trims: true,
        needs: "it needs Linux 4.6",
        refusals: pvsync2::REFUSALS,
        ..Row::plain("pvsync2", Implementation::Pvsync2)
    },
    Row {
        fio_engines: &["mmap"],
        synchronous: true,
        trims: true,
        page_cache: true,
        needs: "it needs a target that can be mapped and read",
        refusals: mmap::REFUSALS,
        ..Row::plain("mmap", Implementation::Mmap)
    },
    Row { fio_engines: &["null"], trims: true, moves_data: false, ..Row::plain("null", Implementation::Null) },
];

/// Backends that job files name as their engine and `--backend` does not take: what they do is no I/O, or says nothing of a drive that others do not.
static OF_JOB_FILES: [Row; 6] = [
    Row {
        fio_engines: &["sg"],
        synchronous: true,
        scsi: true,
        needs: "it needs a whole SCSI or SATA disk (/dev/sda), and the right to send commands to it",
        refusals: commands::sg::REFUSALS,
        ..Row::plain("sg", Implementation::Sg)
    },
    metadata("falloc", &["falloc"], Implementation::Falloc),
    Row { trims: false, ..metadata("ftruncate", &["ftruncate"], Implementation::Ftruncate) },
    Row { trims: false, ..metadata("filecreate", &["filecreate"], Implementation::Names) },
    Row { trims: false, changes_files: false, ..metadata("filestat", &["filestat"], Implementation::Names) },
    Row { trims: false, ..metadata("filedelete", &["filedelete"], Implementation::Names) },
];

/// A row of calls that change what a file is and move no data.
const fn metadata(name: &'static str, fio_engines: &'static [&'static str], implementation: Implementation) -> Row {
    Row {
        fio_engines,
        synchronous: true,
        trims: true,
        moves_data: false,
        changes_files: true,
        refusals: metadata::REFUSALS,
        ..Row::plain(name, implementation)
    }
}

/// The row of io_uring, which is that of `auto` too.
const fn io_uring(name: &'static str) -> Row {
    Row {
        fio_engines: &["io_uring"],
        polling: Polling::Direct,
        kernel_submits: true,
        needs: "it needs Linux 5.6 with io_uring allowed (/proc/sys/kernel/io_uring_disabled, seccomp)",
        refusals: uring::REFUSALS,
        probe: uring::available,
        takes_faults: true,
        ..Row::plain(name, Implementation::Uring)
    }
}

/// Types of the table's backends.
#[derive(Debug, Clone, Copy)]
enum Implementation {
    Falloc,
    Ftruncate,
    Libaio,
    Mmap,
    Names,
    Null,
    Passthrough,
    Polled,
    PosixAio,
    Psync,
    Pvsync2,
    Sg,
    Uring,
}

impl Implementation {
    fn with<W: WithBackend>(self, faulty: bool, work: W) -> W::Outcome {
        match self {
            Self::Falloc => work.with::<metadata::falloc::Falloc>(),
            Self::Ftruncate => work.with::<metadata::ftruncate::Ftruncate>(),
            Self::Libaio => work.with::<libaio::Libaio>(),
            Self::Mmap => work.with::<mmap::Mmap>(),
            Self::Names => work.with::<metadata::names::Names>(),
            Self::Null => work.with::<Null>(),
            Self::Passthrough => work.with::<uring::Passthrough>(),
            Self::Polled => work.with::<polled::Polled>(),
            Self::PosixAio => work.with::<posix_aio::PosixAio>(),
            Self::Psync if faulty => work.with::<Faulty<psync::Psync>>(),
            Self::Psync => work.with::<psync::Psync>(),
            Self::Pvsync2 => work.with::<pvsync2::Pvsync2>(),
            Self::Sg => work.with::<commands::sg::Sg>(),
            Self::Uring if faulty => work.with::<Faulty<uring::Uring>>(),
            Self::Uring => work.with::<uring::Uring>(),
        }
    }
}
