//! The admin queue: one command at a time, waited for. It is used before, after and beside the I/O, never in it.

use super::bring_up::is_gone;
use crate::error::Error;
use crate::host::bus::{Bus, DmaMemory, PAGE_BYTES};
use crate::host::doorbell::Doorbell;
use crate::host::ring::Ring;
use crate::wire::registers::{CSTS, ControllerStatus};
use crate::wire::{Command, Completion};
use std::sync::Arc;

/// Entries of the admin queues.
pub(super) const ENTRIES: u16 = 32;

/// Time that an admin command may take. Nanoseconds.
const PATIENCE_NS: u64 = 10_000_000_000;

/// The admin queue pair with a page for data.
#[derive(Debug)]
pub(super) struct Admin {
    bus: Arc<dyn Bus>,
    pub(super) ring: Ring,
    submissions: Doorbell,
    completions: Doorbell,
    page: DmaMemory,
    next: u16,
    /// Set once a command got no answer: what comes later could be the answer to it.
    is_silent: bool,
}

impl Admin {
    /// Empty queues, whose addresses the controller is still to be given.
    pub(super) fn new(bus: &Arc<dyn Bus>, doorbells: [usize; 2]) -> Result<Self, Error> {
        let [submissions, completions] = doorbells.map(|offset| Doorbell::new(Arc::clone(bus), offset, None));
        let (ring, page) = (Ring::new(bus, ENTRIES)?, DmaMemory::new(bus, PAGE_BYTES)?);
        Ok(Self { bus: Arc::clone(bus), ring, submissions, completions, page, next: 0, is_silent: false })
    }

    /// Replaces the doorbells by some with shadows.
    pub(super) fn shadow(&mut self, doorbells: [Doorbell; 2]) {
        [self.submissions, self.completions] = doorbells;
    }

    /// Sends a command and waits for its end; `what` is its name.
    pub(super) fn run(&mut self, what: &'static str, command: Command) -> Result<Completion, Error> {
        if self.is_silent {
            return Err(Error::Silent { what });
        }
        self.next = self.next.wrapping_add(1) & 0x7fff;
        self.ring.submissions.push(command.identified(self.next));
        self.submissions.ring_always(self.ring.tail());
        let completion = self.wait(what)?;
        if completion.identifier() != self.next {
            self.is_silent = true;
            return Err(Error::UnknownIdentifier { queue: 0, identifier: completion.identifier() });
        }
        if completion.status().is_good() { Ok(completion) } else { Err(Error::Refused { what, status: completion.status() }) }
    }

    fn wait(&mut self, what: &'static str) -> Result<Completion, Error> {
        let began_ns = self.bus.clock_ns();
        loop {
            if let Some(completion) = self.ring.completions.peek() {
                self.ring.completions.take();
                self.completions.ring_always(self.ring.head());
                return Ok(completion);
            }
            if is_gone(&*self.bus) {
                return Err(Error::Gone);
            }
            if ControllerStatus(self.bus.read32(CSTS)).is_fatal() {
                return Err(Error::Fatal);
            }
            if self.bus.clock_ns() - began_ns > PATIENCE_NS {
                self.is_silent = true;
                return Err(Error::Silent { what });
            }
            self.bus.pause();
        }
    }

    /// Asks for a page of Identify.
    pub(super) fn identify(&mut self, cns: u32, namespace: u32) -> Result<[u8; PAGE_BYTES], Error> {
        self.run("Identify", Command::identify(cns, namespace, self.page.address(0)))?;
        Ok(self.page.page(0))
    }
}
