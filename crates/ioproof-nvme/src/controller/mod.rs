//! A controller that this process drives: brought up, asked what it is, given queues, reset when it stops answering, and shut down in good order.

mod admin;
mod bring_up;
mod facts;

use crate::error::Error;
use crate::host::bus::{Bus, DmaMemory, PAGE_BYTES, read64};
use crate::host::doorbell::{Doorbell, Shadow};
use crate::host::ring::Ring;
use crate::wire::command::admin as opcode;
use crate::wire::registers::{CAP, CSTS, Capabilities, ControllerStatus};
use crate::wire::{Command, NamespacePage, identify};
use admin::Admin;
pub use facts::{Facts, Namespace};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A controller. Workers share it; each has queues of its own ([`crate::IoQueue`]).
#[derive(Debug)]
pub struct Controller {
    bus: Arc<dyn Bus>,
    capabilities: Capabilities,
    facts: Facts,
    state: Mutex<State>,
    /// Shadow doorbells in the first page, event indexes in the second.
    shadows: Option<DmaMemory>,
    /// Rises with each reset; queues of an earlier one are dead.
    generation: AtomicU32,
}

/// State that is changed beside the I/O.
#[derive(Debug)]
struct State {
    /// `None` where the controller could not be brought up again.
    admin: Option<Admin>,
    /// Numbers of pairs of queues that are free, the lowest last.
    free: Vec<u16>,
}

/// Stops a controller, whoever started it. It then touches no memory.
///
/// # Errors
/// When it is gone, or does not stop.
pub(crate) fn stop(bus: &dyn Bus) -> Result<(), Error> {
    bring_up::stop(bus, Capabilities(read64(bus, CAP)))
}

impl Controller {
    /// Takes over a controller: resets it and brings it up.
    ///
    /// # Errors
    /// When it does not answer, or is none that this driver can use.
    pub fn open(bus: Arc<dyn Bus>) -> Result<Arc<Self>, Error> {
        let capabilities = bring_up::capabilities(&*bus)?;
        let mut admin = bring_up::start(&bus, capabilities)?;
        // Its memory is given back with the error.
        let facts = bring_up::facts(&*bus, capabilities, &mut admin).inspect_err(|_| bus.cut_off())?;
        let shadows = shadows(&bus, &facts).inspect_err(|_| bus.cut_off())?;
        let free = (1..=facts.queues_max).rev().collect();
        let state = Mutex::new(State { admin: Some(admin), free });
        let mut controller = Self { bus, capabilities, facts, state, shadows, generation: AtomicU32::new(0) };
        let has_shadows = controller.shadow(&mut controller.state())?;
        controller.facts.shadow_doorbells = has_shadows;
        Ok(Arc::new(controller))
    }

    /// Facts about it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Numbers of its active namespaces.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn namespaces(&self) -> Result<Vec<u32>, Error> {
        Ok(identify::active_namespaces(&self.with_admin(|admin| admin.identify(2, 0))?))
    }

    /// A namespace.
    ///
    /// # Errors
    /// When there is none of this number, or it has a format that this driver does not use.
    pub fn namespace(&self, number: u32) -> Result<Namespace, Error> {
        let page = self.with_admin(|admin| admin.identify(0, number))?;
        Namespace::new(number, &NamespacePage::parse(&page))
    }

    /// Resets the controller and brings it up again. All queues of before are dead; their commands will not be answered.
    ///
    /// # Errors
    /// When it does not come back; then it stays unusable.
    pub fn reset(&self) -> Result<(), Error> {
        self.recover(self.generation())
    }

    /// The same for a queue of a generation; whoever comes second finds it done.
    pub(crate) fn recover(&self, generation: u32) -> Result<(), Error> {
        let mut state = self.state();
        if generation != self.generation() {
            return Ok(());
        }
        self.generation.fetch_add(1, Ordering::SeqCst);
        // The memory of the old queues is given back once the controller is disabled.
        let old = state.admin.take();
        state.admin = Some(bring_up::start(&self.bus, self.capabilities).inspect_err(|_| self.bus.cut_off())?);
        drop(old);
        self.shadow(&mut state).map(drop)
    }

    /// True where an IOMMU keeps it from all memory but that of its queues and buffers.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        self.bus.is_confined()
    }

    pub(crate) fn bus(&self) -> &Arc<dyn Bus> {
        &self.bus
    }

    /// Number of resets so far.
    #[inline]
    pub(crate) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Relaxed)
    }

    pub(crate) fn status(&self) -> ControllerStatus {
        ControllerStatus(self.bus.read32(CSTS))
    }

    pub(crate) fn is_gone(&self) -> bool {
        bring_up::is_gone(&*self.bus)
    }

    /// Doorbells of a pair: of submissions and of completions.
    pub(crate) fn doorbells(&self, queue: u16) -> [Doorbell; 2] {
        [false, true].map(|of_completions| {
            let offset = self.capabilities.doorbell(queue, of_completions);
            let shadow = self.shadows.as_ref().filter(|_| self.facts.shadow_doorbells).map(|pages| {
                let place = offset - self.capabilities.doorbell(0, false);
                Shadow { value: pages.at(place).cast(), event: pages.at(PAGE_BYTES + place).cast() }
            });
            Doorbell::new(Arc::clone(&self.bus), offset, shadow)
        })
    }

    /// Makes the controller use a pair of queues; gives its number.
    pub(crate) fn create_pair(&self, ring: &Ring) -> Result<u16, Error> {
        let mut state = self.state();
        let entries = u32::from(ring.entries());
        let State { admin, free } = &mut *state;
        let admin = admin.as_mut().ok_or(Error::WasReset)?;
        let none = || Error::Unfit(format!("the drive has {} I/O queues, one for each worker: take fewer workers", self.facts.queues_max));
        let queue = free.pop().ok_or_else(none)?;
        self.clear_shadows(queue);
        let made = admin
            .run("Create I/O Completion Queue", Command::create_completions(queue, entries, ring.completions_at()))
            .and_then(|_| admin.run("Create I/O Submission Queue", Command::create_submissions(queue, entries, ring.submissions_at())));
        match made {
            Ok(_) => Ok(queue),
            Err(error) => {
                let _ = admin.run("Delete I/O Completion Queue", Command::delete_queue(opcode::DELETE_COMPLETIONS, queue));
                free.push(queue);
                Err(error)
            }
        }
    }

    /// Sets the shadow doorbells of a pair to where new queues begin: those of an earlier pair of this number would be read as its head and tail.
    fn clear_shadows(&self, queue: u16) {
        let Some(pages) = &self.shadows else { return };
        for of_completions in [false, true] {
            let place = self.capabilities.doorbell(queue, of_completions) - self.capabilities.doorbell(0, false);
            for page in [0, PAGE_BYTES] {
                // SAFETY: doorbells of all pairs lie in the pages (`Facts::queues_max`), and no queue uses these places.
                unsafe { pages.at(page + place).cast::<u32>().write_volatile(0) };
            }
        }
    }

    /// Makes the controller forget a pair of queues; those of before a reset it has forgotten.
    pub(crate) fn delete_pair(&self, queue: u16, generation: u32) {
        let mut state = self.state();
        if generation == self.generation()
            && let Some(admin) = &mut state.admin
        {
            let submissions = admin.run("Delete I/O Submission Queue", Command::delete_queue(opcode::DELETE_SUBMISSIONS, queue));
            let completions = admin.run("Delete I/O Completion Queue", Command::delete_queue(opcode::DELETE_COMPLETIONS, queue));
            // A drive that does not answer may use the memory until it is reset; whoever drops the queue gives it back now.
            if submissions.and(completions).is_err() {
                self.bus.cut_off();
            }
        }
        state.free.push(queue);
    }

    /// Asks the controller to abort a command of a queue.
    pub(crate) fn abort(&self, queue: u16, identifier: u16) -> Result<(), Error> {
        self.with_admin(|admin| admin.run("Abort", Command::abort(queue, identifier))).map(drop)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_admin<T>(&self, work: impl FnOnce(&mut Admin) -> Result<T, Error>) -> Result<T, Error> {
        work(self.state().admin.as_mut().ok_or(Error::WasReset)?)
    }

    /// Gives the controller its shadow doorbells; false where it has none or refuses them.
    fn shadow(&self, state: &mut State) -> Result<bool, Error> {
        let (Some(pages), Some(admin)) = (&self.shadows, &mut state.admin) else { return Ok(false) };
        for offset in (0..2 * PAGE_BYTES).step_by(8) {
            // SAFETY: the offset lies inside the two pages, which the controller does not use yet.
            unsafe { pages.at(offset).cast::<u64>().write_volatile(0) };
        }
        let command = Command::doorbell_buffers(pages.address(0), pages.address(PAGE_BYTES));
        match admin.run("Doorbell Buffer Config", command) {
            Ok(_) => {}
            Err(Error::Refused { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        let doorbells = [0, self.capabilities.doorbell_stride_bytes()].map(|place| {
            let shadow = Shadow { value: pages.at(place).cast(), event: pages.at(PAGE_BYTES + place).cast() };
            Doorbell::new(Arc::clone(&self.bus), self.capabilities.doorbell(0, false) + place, Some(shadow))
        });
        admin.shadow(doorbells);
        Ok(true)
    }
}

/// Pages for shadow doorbells. A drive that is not confined gets none: after the death of this process it would read whatever is there as
/// doorbells.
fn shadows(bus: &Arc<dyn Bus>, facts: &Facts) -> Result<Option<DmaMemory>, Error> {
    let has_some = facts.page.has_shadow_doorbells && bus.is_confined();
    has_some.then(|| DmaMemory::new(bus, 2 * PAGE_BYTES)).transpose()
}

impl Drop for Controller {
    fn drop(&mut self) {
        let answers = self.state().admin.is_some();
        bring_up::shut_down(&*self.bus, self.capabilities, answers);
    }
}
