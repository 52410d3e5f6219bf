//! A backend that was chosen: a row of the table, and the questions that everybody may ask of it.

use super::row::{Polling, Row};
use super::{OF_JOB_FILES, ROWS, WithBackend, refusals};
use std::fmt;
use std::io;
use std::str::FromStr;

/// A backend of the table.
#[derive(Clone, Copy)]
pub struct BackendChoice(&'static Row);

/// No backend has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no backend `{name}`; there are {}", BackendChoice::all().map(BackendChoice::name).collect::<Vec<_>>().join(", "))]
pub struct UnknownBackend {
    /// As it was asked for.
    pub name: String,
}

impl BackendChoice {
    /// io_uring where the kernel allows it and it can do what the job needs, else libaio on targets with O_DIRECT, else psync.
    pub const AUTO: Self = Self::known("auto");
    /// The first choice of [`Self::AUTO`].
    pub const IO_URING: Self = Self::known("io_uring");
    /// NVMe commands past the block layer; the choice of [`Self::AUTO`] on a namespace's character device.
    pub const IO_URING_CMD: Self = Self::known("io_uring_cmd");
    /// A driver of our own; the choice of [`Self::AUTO`] on a drive that was taken from the kernel.
    pub const POLLED: Self = Self::known("polled");
    /// The second choice of [`Self::AUTO`].
    pub const LIBAIO: Self = Self::known("libaio");
    /// The one that works everywhere.
    pub const PSYNC: Self = Self::known("psync");
    /// No I/O at all: everything is done at once.
    pub const NULL: Self = Self::known("null");

    /// The row of this name; a name that the table does not have fails the build.
    const fn known(name: &str) -> Self {
        let mut index = 0;
        while !is_same(ROWS[index].name, name) {
            index += 1;
        }
        Self(&ROWS[index])
    }

    /// All that `--backend` takes, in the order of the table. Those of job files alone are left aside.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        ROWS.iter().map(Self)
    }

    /// The one that stands in for an engine of fio.
    ///
    /// # Errors
    /// When none does.
    pub fn for_fio(engine: &str) -> Result<Self, UnknownBackend> {
        let mut all = Self::all().chain(OF_JOB_FILES.iter().map(Self));
        all.find(|choice| choice.0.fio_engines.contains(&engine)).ok_or_else(|| UnknownBackend { name: engine.to_owned() })
    }

    /// Its name, as the command line and the record have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// True where a worker keeps but one I/O outstanding, so that depth is made of threads and latency cannot be split.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        self.0.synchronous
    }

    /// True where it can wait for completions by polling.
    #[must_use]
    pub fn can_poll(self) -> bool {
        self.0.polling != Polling::Never
    }

    /// True where it can poll only on targets that pass the page cache by.
    pub(crate) fn polls_only_direct(self) -> bool {
        self.0.polling == Polling::Direct
    }

    /// True where a thread of the kernel can submit.
    #[must_use]
    pub fn kernel_can_submit(self) -> bool {
        self.0.kernel_submits
    }

    /// True where it can discard blocks.
    #[must_use]
    pub fn can_trim(self) -> bool {
        self.0.trims
    }

    /// True where it writes durably by a command of the drive (FUA).
    #[must_use]
    pub fn can_write_fua(self) -> bool {
        self.0.fua
    }

    /// True where it sends commands to an NVMe namespace, past the kernel's block layer.
    #[must_use]
    pub fn is_passthrough(self) -> bool {
        self.0.passthrough
    }

    /// True where it sends commands to a SCSI disk, past the kernel's block layer.
    #[must_use]
    pub fn is_scsi(self) -> bool {
        self.0.scsi
    }

    /// True where it drives an NVMe controller by itself, without the kernel.
    #[must_use]
    pub fn is_driver(self) -> bool {
        self.0.driver
    }

    /// True where it works on files and block devices.
    #[must_use]
    pub fn works_on_files(self) -> bool {
        !self.0.passthrough && !self.0.scsi && !self.0.driver
    }

    /// The choice on such targets: `auto` drives one of them by itself where it was taken from the kernel.
    #[must_use]
    pub(crate) fn on_bound(self, mut are_bound: impl Iterator<Item = bool>) -> Self {
        if self == Self::AUTO && are_bound.any(|is| is) { Self::POLLED } else { self }
    }

    /// The choice on such targets: `auto` sends commands where one of them was named by its character device.
    #[must_use]
    pub(crate) fn on(self, mut are_characters: impl Iterator<Item = bool>) -> Self {
        if self == Self::AUTO && are_characters.any(|is| is) { Self::IO_URING_CMD } else { self }
    }

    /// True where faults can be injected.
    #[must_use]
    pub fn takes_faults(self) -> bool {
        self.0.takes_faults
    }

    /// True where it moves data between memory and target at all.
    #[must_use]
    pub fn moves_data(self) -> bool {
        self.0.moves_data
    }

    /// True where it changes its targets whatever the direction of an I/O.
    #[must_use]
    pub fn changes_files(self) -> bool {
        self.0.changes_files
    }

    /// True where it goes through the page cache whatever the target was opened with.
    #[must_use]
    pub fn is_cached(self) -> bool {
        self.0.page_cache
    }

    /// Names of those for which something is true, for a sentence: `io_uring and pvsync2`.
    #[must_use]
    pub fn names_of(is: fn(Self) -> bool) -> String {
        let names: Vec<_> = Self::all().filter(|choice| *choice != Self::AUTO && is(*choice)).map(Self::name).collect();
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.concat(),
        }
    }

    /// Requirements on target and host.
    pub(crate) fn needs(self) -> &'static str {
        self.0.needs
    }

    /// Asks the kernel whether it has the backend and lets this process use it.
    ///
    /// # Errors
    /// The kernel's answer where it does not.
    pub(crate) fn probe(self) -> io::Result<()> {
        (self.0.probe)()
    }

    /// Works with it; with `faulty` it injects faults, where it takes them.
    pub(crate) fn with<W: WithBackend>(self, faulty: bool, work: W) -> W::Outcome {
        self.0.implementation.with(faulty, work)
    }

    /// A remedy for an error of the kernel, where there is one.
    pub(crate) fn explain(self, error: &io::Error) -> Option<&'static str> {
        refusals::explain(self.0.refusals, error.raw_os_error()?)
    }
}

impl PartialEq for BackendChoice {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for BackendChoice {}

impl fmt::Debug for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl FromStr for BackendChoice {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        Self::all().find(|choice| choice.name() == name).ok_or_else(|| UnknownBackend { name: name.to_owned() })
    }
}

/// Compares two names, as the compiler can.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut same = 0;
    while same < a.len() && same < b.len() && a[same] == b[same] {
        same += 1;
    }
    same == a.len() && same == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_one_backend_and_every_engine_of_fio_too() {
        let mut names: Vec<_> = BackendChoice::all().map(BackendChoice::name).collect();
        let mut engines: Vec<_> = ROWS.iter().flat_map(|row| row.fio_engines).collect();
        let all = (names.len(), engines.len());
        names.sort_unstable();
        engines.sort_unstable();
        names.dedup();
        engines.dedup();
        assert_eq!((names.len(), engines.len()), all);
        for choice in BackendChoice::all() {
            assert_eq!(choice.name().parse(), Ok(choice));
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_the_known() {
        let error = "uring".parse::<BackendChoice>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no backend `uring`; there are auto, io_uring, io_uring_cmd, polled, libaio, posixaio, psync, pvsync2, mmap, null"
        );
        assert_eq!(BackendChoice::for_fio("rbd"), Err(UnknownBackend { name: "rbd".into() }));
        assert_eq!(BackendChoice::for_fio("vsync"), Ok(BackendChoice::PSYNC));
        assert!(BackendChoice::for_fio("falloc").is_ok_and(|choice| choice.changes_files() && !choice.moves_data()));
        assert!("falloc".parse::<BackendChoice>().is_err(), "it is for job files alone");
    }

    #[test]
    fn those_that_can_are_named_in_a_sentence() {
        assert_eq!(BackendChoice::names_of(BackendChoice::can_poll), "io_uring, io_uring_cmd and pvsync2");
        assert_eq!(BackendChoice::names_of(BackendChoice::kernel_can_submit), "io_uring and io_uring_cmd");
        assert_eq!(BackendChoice::names_of(BackendChoice::can_write_fua), "io_uring_cmd, polled and psync");
        assert_eq!(BackendChoice::names_of(BackendChoice::takes_faults), "io_uring and psync");
        assert_eq!(BackendChoice::names_of(BackendChoice::is_cached), "mmap");
    }
}
