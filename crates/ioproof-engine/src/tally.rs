//! What one worker counts. Nothing here allocates after `new`, but for the first failed I/O.

use crate::backend::Operation;
use crate::slot::Slot;
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{Direction, IoError, IoErrors, WorkerUsage};
use std::io;

/// What one worker measured.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) read: Direction,
    pub(crate) write: Direction,
    pub(crate) sync: Direction,
    /// Write and its sync together, where the workload syncs.
    pub(crate) durable: Option<Histogram>,
    pub(crate) errors: IoErrors,
    pub(crate) usage: WorkerUsage,
    /// How long what is under way at the end has been so, less the same at the beginning.
    pub(crate) edge_ns: i64,
    /// Read and written, ramp and drain included.
    pub(crate) total_bytes: (u64, u64),
    /// Whether what completes counts.
    open: bool,
}

impl Tally {
    pub(crate) fn new(durable: Option<Histogram>) -> Self {
        Self {
            read: Direction::default(),
            write: Direction::default(),
            sync: Direction::default(),
            durable,
            errors: IoErrors::default(),
            usage: WorkerUsage::default(),
            edge_ns: 0,
            total_bytes: (0, 0),
            open: true,
        }
    }

    #[inline]
    pub(crate) fn count_read(&mut self, bytes: u32, latency_ns: u64) {
        self.total_bytes.0 += u64::from(bytes);
        if self.open {
            count(&mut self.read, bytes, latency_ns);
        }
    }

    #[inline]
    pub(crate) fn count_write(&mut self, bytes: u32, latency_ns: u64) {
        self.total_bytes.1 += u64::from(bytes);
        if self.open {
            count(&mut self.write, bytes, latency_ns);
        }
    }

    #[inline]
    pub(crate) fn count_sync(&mut self, latency_ns: u64, with_write_ns: u64) {
        if self.open {
            count(&mut self.sync, 0, latency_ns);
            if let Some(durable) = &mut self.durable {
                durable.record(with_write_ns);
            }
        }
    }

    /// Counts a failed I/O; `result` is a negative errno or fewer bytes than asked for.
    #[cold]
    pub(crate) fn fail(&mut self, slot: &Slot, result: i32) {
        if result < 0 {
            self.errors.failed += 1
        } else {
            self.errors.short += 1
        }
        if self.errors.first.is_none() {
            self.errors.first = Some(describe(slot, result));
        }
    }

    /// Drops what the ramp measured; errors stay.
    pub(crate) fn forget(&mut self) {
        for direction in [&mut self.read, &mut self.write, &mut self.sync] {
            direction.ios = 0;
            direction.bytes = 0;
            direction.latency.clear();
        }
        if let Some(durable) = &mut self.durable {
            durable.clear();
        }
    }

    /// From here on nothing counts but errors and total bytes.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }
}

#[inline]
fn count(direction: &mut Direction, bytes: u32, latency_ns: u64) {
    direction.ios += 1;
    direction.bytes += u64::from(bytes);
    direction.latency.record(latency_ns);
}

fn describe(slot: &Slot, result: i32) -> IoError {
    let errno = if result < 0 { -result } else { 0 };
    IoError {
        operation: slot.operation.name().to_owned(),
        offset_bytes: if slot.operation == Operation::Sync { 0 } else { slot.offset },
        errno,
        message: match errno {
            0 => format!("only {result} bytes were moved"),
            e => io::Error::from_raw_os_error(e).to_string(),
        },
    }
}
