//! Doorbells (3.1.24, 3.1.25), and their shadows in memory (Doorbell Buffer Config, 5.7 and 7.13), by which a virtual controller is spared a trap.

use super::bus::Bus;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// The doorbell of one queue.
#[derive(Debug)]
pub(crate) struct Doorbell {
    bus: Arc<dyn Bus>,
    offset: usize,
    shadow: Option<Shadow>,
}

/// Places in the two pages of shadow doorbells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shadow {
    /// Value for the controller to look at.
    pub(crate) value: NonNull<u32>,
    /// The value at which the controller wants to be told.
    pub(crate) event: NonNull<u32>,
}

// SAFETY: the pages belong to the controller, which outlives the queues, and each place is written by one queue only.
unsafe impl Send for Doorbell {}

impl Doorbell {
    pub(crate) fn new(bus: Arc<dyn Bus>, offset: usize, shadow: Option<Shadow>) -> Self {
        Self { bus, offset, shadow }
    }

    /// Tells the controller the new tail of a submission queue or head of a completion queue. What was written to the queue before is visible to it.
    #[inline]
    pub(crate) fn ring(&self, value: u16) {
        publish();
        if self.shadow.is_none_or(|shadow| shadow.wants_to_be_told(value)) {
            self.bus.write32(self.offset, value.into());
        }
    }

    /// Bypasses the shadow, as the admin queue must (7.13), and keeps it up to date.
    pub(crate) fn ring_always(&self, value: u16) {
        publish();
        if let Some(shadow) = self.shadow {
            shadow.wants_to_be_told(value);
        }
        self.bus.write32(self.offset, value.into());
    }
}

impl Shadow {
    /// Stores the value; true where the controller asked to be told of a value that was passed with it.
    #[inline]
    fn wants_to_be_told(self, value: u16) -> bool {
        // SAFETY: both places lie in pages that live as long as the controller (see `Send` above).
        let (old, event) = unsafe {
            let old = self.value.read_volatile() as u16;
            self.value.write_volatile(value.into());
            // The controller does it the other way round: it sets the event, then looks at the value.
            fence(Ordering::SeqCst);
            (old, self.event.read_volatile() as u16)
        };
        passes(event, old, value)
    }
}

/// True where `event` is one of the values after `old` up to `new` minus one, or `old` itself; all wrap around.
fn passes(event: u16, old: u16, new: u16) -> bool {
    new.wrapping_sub(event).wrapping_sub(1) < new.wrapping_sub(old)
}

/// Orders what was written to memory before the register. x86-64 keeps this order by itself.
#[inline]
fn publish() {
    fence(Ordering::Release);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a barrier changes nothing.
    unsafe {
        std::arch::asm!("dsb st", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::passes;

    #[test]
    fn a_controller_is_told_when_its_event_is_passed() {
        assert!(passes(5, 5, 6) && passes(5, 3, 9));
        assert!(!passes(6, 5, 6) && !passes(9, 3, 9) && !passes(2, 3, 9));
        assert!(passes(u16::MAX, u16::MAX, 0), "wraps around");
    }

    #[test]
    fn a_ring_that_wraps_is_seen_as_one_step() {
        // From the last entry of a queue of 8 to its first: the controller, which has read all, waits at 7.
        assert!(passes(7, 7, 0));
    }
}
