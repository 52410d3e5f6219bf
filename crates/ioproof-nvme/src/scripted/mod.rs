//! A controller in memory, for tests: it executes commands as soon as a doorbell rings, and misbehaves as its script says. Its clock goes on by a
//! millisecond with each look, so no test waits. Addresses of the drive are those of this process, or moved where memory is scattered. It
//! touches only memory that was mapped.

mod execute;
mod memory;
mod script;

use crate::host::bus::{Bus, Piece};
use crate::wire::Command;
use crate::wire::registers::{ACQ, AQA, ASQ, CAP, CC, CSTS, DOORBELLS, ENABLE, GONE, SHUTDOWN_MASK, VS};
use memory::Reach;
pub use script::{Fault, Script};
use std::collections::BTreeMap;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Register space. Bytes.
const REGISTER_BYTES: usize = 0x4000;

/// Pieces of memory that is scattered. Bytes.
const PIECE_BYTES: usize = 64 << 10;

/// Distance by which every other piece is moved: no process has memory there.
const AWAY: u64 = 1 << 56;

/// Time that passes between two looks at the clock. Nanoseconds.
const TICK_NS: u64 = 1_000_000;

/// The scripted controller.
#[derive(Debug)]
pub struct Scripted {
    state: Mutex<State>,
    clock_ns: AtomicU64,
}

/// State of the controller.
#[derive(Debug)]
struct State {
    script: Script,
    reach: Reach,
    configuration: u32,
    status: u32,
    attributes: u32,
    admin_at: [u64; 2],
    submissions: BTreeMap<u16, Submissions>,
    completions: BTreeMap<u16, Completions>,
    /// Pages of shadow doorbells and of event indexes.
    shadows: Option<[u64; 2]>,
    data: Vec<u8>,
    /// I/O commands so far.
    ios: u64,
    /// Commands that it keeps: queue and identifier.
    held: Vec<(u16, u16)>,
    is_silent: bool,
    is_gone: bool,
    doorbell_writes: u64,
    log: Vec<Command>,
}

#[derive(Debug, Clone, Copy)]
struct Submissions {
    address: u64,
    entries: u16,
    head: u16,
}

#[derive(Debug, Clone, Copy)]
struct Completions {
    address: u64,
    entries: u16,
    tail: u16,
    /// As the host told it.
    head: u16,
    phase: bool,
}

impl Scripted {
    /// A controller whose namespace holds zeros.
    #[must_use]
    pub fn new(script: Script) -> Self {
        let state = State {
            script,
            reach: Reach::default(),
            configuration: 0,
            status: 0,
            attributes: 0,
            admin_at: [0; 2],
            submissions: BTreeMap::new(),
            completions: BTreeMap::new(),
            shadows: None,
            data: vec![0; (script.blocks << script.block_shift) as usize],
            ios: 0,
            held: Vec::new(),
            is_silent: false,
            is_gone: false,
            doorbell_writes: 0,
            log: Vec::new(),
        };
        Self { state: Mutex::new(state), clock_ns: AtomicU64::new(0) }
    }

    /// Lets it misbehave from here on.
    pub fn set_fault(&self, fault: Fault) {
        self.state().script.fault = fault;
    }

    /// The I/O commands so far, the last thousand at most.
    #[must_use]
    pub fn commands(&self) -> Vec<Command> {
        self.state().log.clone()
    }

    /// Bytes of the namespace.
    #[must_use]
    pub fn content(&self, offset: usize, bytes: usize) -> Vec<u8> {
        self.state().data[offset..offset + bytes].to_vec()
    }

    /// Doorbells that were rung over the bus, those of the admin queue left aside.
    #[must_use]
    pub fn doorbell_writes(&self) -> u64 {
        self.state().doorbell_writes
    }

    /// Ranges of memory that it reaches at the moment.
    #[must_use]
    pub fn mappings(&self) -> usize {
        self.state().reach.count()
    }

    /// I/O queues that exist.
    #[must_use]
    pub fn queues(&self) -> usize {
        self.state().submissions.keys().filter(|queue| **queue > 0).count()
    }

    /// True while it is enabled.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.state().configuration & ENABLE != 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for Scripted {
    fn read32(&self, offset: usize) -> u32 {
        self.state().read(offset)
    }

    fn write32(&self, offset: usize, value: u32) {
        self.state().write(offset, value);
    }

    fn register_bytes(&self) -> usize {
        REGISTER_BYTES
    }

    unsafe fn map(&self, start: NonNull<u8>, bytes: usize) -> io::Result<Vec<Piece>> {
        let mut state = self.state();
        let each = if state.script.scattered { PIECE_BYTES } else { bytes };
        let piece = |offset: usize| {
            // SAFETY: the offset lies inside of the range.
            let place = unsafe { start.add(offset) };
            let address = place.addr().get() as u64 + (offset / each % 2) as u64 * AWAY;
            let piece = Piece { address, bytes: each.min(bytes - offset) };
            state.reach.add(place, piece);
            piece
        };
        Ok((0..bytes).step_by(each).map(piece).collect())
    }

    fn unmap(&self, address: u64, bytes: usize) {
        self.state().reach.remove(address, bytes);
    }

    fn clock_ns(&self) -> u64 {
        self.state().look_at_shadows();
        self.clock_ns.fetch_add(TICK_NS, Ordering::Relaxed)
    }

    fn pause(&self) {}
}

impl State {
    fn read(&self, offset: usize) -> u32 {
        let Script { queue_entries, stride, .. } = self.script;
        match offset {
            _ if self.is_gone && matches!(self.script.fault, Fault::ZerosAt(_)) => 0,
            _ if self.is_gone => GONE,
            CAP => (queue_entries - 1) | 2 << 24,
            0x04 => u32::from(stride) | 1 << 5,
            VS => 1 << 16 | 4 << 8,
            CC => self.configuration,
            CSTS => self.status,
            _ => 0,
        }
    }

    fn write(&mut self, offset: usize, value: u32) {
        let half = |old: u64, upper: bool| {
            if upper { old & 0xffff_ffff | u64::from(value) << 32 } else { old & !0xffff_ffff | u64::from(value) }
        };
        match offset {
            _ if self.is_gone => {}
            CC => self.configure(value),
            AQA => self.attributes = value,
            ASQ | 0x2c => self.admin_at[0] = half(self.admin_at[0], offset != ASQ),
            ACQ | 0x34 => self.admin_at[1] = half(self.admin_at[1], offset != ACQ),
            DOORBELLS.. => self.ring((offset - DOORBELLS) / (4 << self.script.stride), value as u16),
            _ => {}
        }
    }

    fn configure(&mut self, value: u32) {
        let was_enabled = self.configuration & ENABLE != 0;
        self.configuration = value;
        match (was_enabled, value & ENABLE != 0) {
            (false, true) => self.enable(),
            (true, false) => self.disable(),
            _ if value & SHUTDOWN_MASK != 0 => self.status |= 8,
            _ => {}
        }
    }

    fn enable(&mut self) {
        let entries = (self.attributes & 0xfff) as u16 + 1;
        self.add_pair(0, self.admin_at, entries);
        self.status = match self.script.fault {
            Fault::NeverReady => 0,
            Fault::FatalAtStart => 2,
            _ => 1,
        };
    }

    fn add_pair(&mut self, queue: u16, [submissions, completions]: [u64; 2], entries: u16) {
        self.submissions.insert(queue, Submissions { address: submissions, entries, head: 0 });
        self.completions.insert(queue, Completions { address: completions, entries, tail: 0, head: 0, phase: true });
    }

    fn disable(&mut self) {
        self.submissions.clear();
        self.completions.clear();
        self.held.clear();
        (self.status, self.shadows, self.is_silent) = (0, None, false);
    }

    /// A doorbell by its number: even ones are of submissions.
    fn ring(&mut self, number: usize, value: u16) {
        let queue = (number / 2) as u16;
        self.doorbell_writes += u64::from(queue > 0);
        match (number % 2, self.completions.get_mut(&queue)) {
            (0, _) => self.work(queue, value),
            (_, Some(completions)) => completions.head = value,
            _ => {}
        }
    }

    /// Does what the shadows of I/O queues ask for, and asks never to be told.
    fn look_at_shadows(&mut self) {
        let Some([values, events]) = self.shadows else { return };
        let queues: Vec<u16> = self.submissions.keys().copied().filter(|queue| *queue > 0).collect();
        for queue in queues {
            let place = u64::from(queue) * (8 << self.script.stride);
            let head: u32 = self.reach.read(values + place + (4 << self.script.stride));
            if let Some(completions) = self.completions.get_mut(&queue) {
                completions.head = head as u16;
            }
            let tail: u32 = self.reach.read(values + place);
            self.work(queue, tail as u16);
            for (side, value) in [(0, tail), (4 << self.script.stride, head)] {
                self.reach.write(events + place + side, value.wrapping_sub(1) & 0xffff);
            }
        }
    }
}
