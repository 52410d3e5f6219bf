//! The driver against the scripted controller.

mod faults;
mod memory;
mod transfers;

use crate::host::bus::Bus;
use crate::scripted::{Fault, Script, Scripted};
use crate::{Controller, IoQueue, Layout, Operation};
use std::ptr::NonNull;
use std::sync::Arc;

/// Longer than any scripted drive takes. Nanoseconds.
const LONG_NS: u64 = 100_000_000_000;
const PATIENCE_NS: u64 = 4_000_000_000;

/// Buffers of a test: for each slot one to read into and one to write from.
struct Region {
    bytes: Vec<u8>,
    start: usize,
    layout: Layout,
}

impl Region {
    fn new(slots: usize, largest_bytes: u32) -> Self {
        let stride = (largest_bytes as usize).next_multiple_of(4096);
        let length = 2 * slots * stride;
        let mut bytes = vec![0_u8; length + 4096];
        let start = bytes.as_ptr().align_offset(4096);
        let base = NonNull::new(&raw mut bytes[start]).unwrap();
        let place = |index: usize| (&raw const bytes[start]).wrapping_add(index * stride);
        let places = (0..slots).map(|slot| [place(slot), place(slots + slot)]).collect();
        Self { layout: Layout { start: base, bytes: length, slots: places, largest_bytes }, bytes, start }
    }

    fn stride(&self) -> usize {
        (self.layout.largest_bytes as usize).next_multiple_of(4096)
    }

    /// The part of a slot to write from.
    fn write_part(&mut self, slot: usize, length: usize) -> &mut [u8] {
        let at = self.start + (self.layout.slots.len() + slot) * self.stride();
        &mut self.bytes[at..at + length]
    }

    /// The part of a slot that was read into.
    fn read_part(&self, slot: usize, length: usize) -> &[u8] {
        let at = self.start + slot * self.stride();
        &self.bytes[at..at + length]
    }
}

/// A drive with one queue.
struct Bench {
    queue: IoQueue,
    region: Region,
    drive: Arc<Scripted>,
}

impl Bench {
    fn new(script: Script, slots: usize, largest_bytes: u32) -> Self {
        let drive = Arc::new(Scripted::new(script));
        let bus: Arc<dyn Bus> = Arc::clone(&drive) as _;
        let controller = Controller::open(bus).unwrap();
        let namespace = controller.namespace(1).unwrap();
        let region = Region::new(slots, largest_bytes);
        // SAFETY: the region is dropped after the queue.
        let queue = unsafe { IoQueue::new(&controller, namespace, &region.layout, PATIENCE_NS) }.unwrap();
        Self { queue, region, drive }
    }

    /// Waits for so many slots; gives them in the order of their ends.
    fn take(&mut self, count: usize) -> Vec<(u32, i32)> {
        let mut taken = Vec::new();
        for _ in 0..1000 {
            self.queue.submit(LONG_NS).unwrap();
            self.queue.reap(|slot, result| taken.push((slot, result)));
            if taken.len() >= count {
                return taken;
            }
        }
        panic!("only {taken:?} of {count}");
    }

    /// Does one I/O in slot 0.
    fn one(&mut self, operation: Operation, offset: u64, bytes: u32) -> i32 {
        self.queue.push(operation, 0, offset, bytes);
        self.take(1)[0].1
    }
}
