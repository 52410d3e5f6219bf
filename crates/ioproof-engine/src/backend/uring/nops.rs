//! No-ops through io_uring, for the self-test: the kernel takes every entry and completes it at once, so that what is left is the way there and back.

use super::ENTERED;
use super::abi::Head;
use super::ring::Ring;
use crate::backend::{Backend, BackendSetup, Build, Io};
use std::io;

/// `IORING_OP_NOP`.
const NOP: Head = Head { operation: 0, flags: 0, priority: 0, fd: -1 };

/// A ring, and the result that each slot is to give when it is done.
pub(crate) struct Nops {
    ring: Ring,
    results: Box<[i32]>,
}

impl Build for Nops {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let mut rings = ENTERED.iter().map(|flags| Ring::new(setup.depth, *flags));
        // The first with flags that this kernel knows, or what else it says.
        let knows_flags = |ring: &io::Result<Ring>| ring.as_ref().err().and_then(io::Error::raw_os_error) != Some(libc::EINVAL);
        let mut ring = rings.find(knows_flags).unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()))?;
        // Where the kernel cannot, it goes without, as the backend does.
        let _ = ring.register_self();
        Ok(Self { ring, results: vec![0; setup.depth as usize].into() })
    }
}

impl Backend for Nops {
    #[inline]
    fn push(&mut self, io: Io) {
        self.results[io.slot as usize] = io.operation.expects(io.bytes);
        self.ring.push(NOP, 0, 0, 0, 0, io.slot.into());
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if wait_ns == 0 { self.ring.submit() } else { self.ring.submit_and_wait(wait_ns) }
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let results = &self.results;
        self.ring.reap(|slot, result| done(slot as u32, if result < 0 { result } else { results[slot as usize] }));
    }

    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Buffers;
    use crate::slot::IoOperation;
    use ioproof_core::job::Span;
    use ioproof_core::shape::Data;

    #[test]
    fn every_entry_comes_back_once_as_if_it_had_been_done() {
        let buffers = Buffers::new(4, 512, true, false, &Data::default(), false, 0).unwrap();
        let setup = BackendSetup::without_target(&buffers, 4, Span { offset_bytes: 0, length_bytes: 4096 });
        let Ok(mut nops) = Nops::new(&setup) else { return };
        let take = |nops: &mut Nops| {
            let mut done = Vec::new();
            nops.reap(|slot, result| done.push((slot, result)));
            done
        };
        // More often than the ring has entries, so that they are used again.
        for _ in 0..5 {
            for (slot, bytes) in [(3, 512), (1, 8192)] {
                nops.push(Io { operation: IoOperation::Read, slot, target: 0, bytes, offset: 0, priority: 0 });
            }
            assert_eq!(take(&mut nops), [], "nothing is done before it is submitted");
            nops.submit(1_000_000_000).unwrap();
            assert_eq!(take(&mut nops), [(3, 512), (1, 8192)]);
            assert_eq!(take(&mut nops), []);
        }
    }
}
