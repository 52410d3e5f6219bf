//! No I/O: everything is done at once and well, without the kernel. It shows what the loop itself costs.

use super::{Backend, BackendSetup, Build, Io};
use std::io;

/// I/Os that were pushed and not reaped.
#[derive(Debug)]
pub(crate) struct Null {
    done: Box<[(u32, i32)]>,
    count: usize,
}

impl Build for Null {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        Ok(Self { done: vec![(0, 0); setup.depth as usize].into(), count: 0 })
    }
}

impl Backend for Null {
    #[inline]
    fn push(&mut self, io: Io) {
        self.done[self.count] = (io.slot, io.operation.expects(io.bytes));
        self.count += 1;
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if self.count == 0 {
            super::synchronous::sleep(wait_ns);
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let count = std::mem::take(&mut self.count);
        self.done[..count].iter().for_each(|(slot, result)| done(*slot, *result));
    }

    fn features(&self) -> Vec<String> {
        vec!["no I/O is done".into()]
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}
