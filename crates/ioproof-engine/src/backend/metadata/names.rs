//! Calls that take a name: a file is made, looked up, or removed. Each I/O of the job is one, the first block of the span the first name.

use super::super::serial::{Serial, SerialCall};
use super::super::synchronous::Targets;
use super::super::{BackendSetup, Io};
use ioproof_target::{NameCall, NamedFiles};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The backend.
pub(crate) type Names = Serial<Calls>;

/// A look at the file that is next is good for so long.
const LOOKED_AT: Duration = Duration::from_millis(1);

/// Calls on the names of one target.
#[derive(Debug)]
pub(crate) struct Calls {
    files: Arc<NamedFiles>,
    /// A file that was made, closed when its call was timed.
    made: Option<OwnedFd>,
    last: usize,
    /// A file that is still the one that may be removed, and since when that is known.
    expected: Option<(usize, Instant)>,
}

impl SerialCall for Calls {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let [target] = setup.targets else { return Err(io::ErrorKind::InvalidInput.into()) };
        let files = target.names().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self { files: Arc::clone(files), made: None, last: 0, expected: None })
    }

    fn read(&mut self, _: &Targets, io: &Io) -> i32 {
        self.call(io)
    }

    fn write(&mut self, _: &Targets, io: &Io) -> i32 {
        self.call(io)
    }

    /// Closes what was made, and looks at the next file that is to be removed: neither belongs to the time of a call.
    fn timed(&mut self) {
        self.made = None;
        if self.files.call() == NameCall::Remove {
            let next = self.last + 1;
            self.expected = self.files.is_expected(next).then(|| (next, Instant::now()));
        }
    }

    fn features(&self) -> Vec<String> {
        vec!["no data is moved".into()]
    }
}

impl Calls {
    /// Gives what a whole I/O gives, or the negative errno.
    fn call(&mut self, io: &Io) -> i32 {
        let at = (io.offset / u64::from(io.bytes.max(1))) as usize;
        self.last = at;
        let done = match self.files.call() {
            NameCall::Make => self.files.make(at).map(|file| self.made = Some(file)),
            NameCall::Stat | NameCall::LinkStat | NameCall::Statx => self.files.look_up(at),
            NameCall::Remove => self.remove(at),
        };
        done.map_or_else(|errno| -errno.raw_os_error(), |()| io.bytes.cast_signed())
    }

    fn remove(&self, at: usize) -> Result<(), Errno> {
        let is_known = self.expected.is_some_and(|(known, since)| known == at && since.elapsed() < LOOKED_AT);
        // Another file has the name, or none: it was removed by an earlier pass, or by somebody else.
        if is_known || self.files.is_expected(at) { self.files.remove(at) } else { Err(Errno::NOENT) }
    }
}
