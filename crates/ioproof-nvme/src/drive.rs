//! One namespace of a controller that this process drives: a target of measurements. Whoever holds a clone keeps the controller up.

use crate::host::bus::Bus;
use crate::queue::{IoQueue, Layout, Operation};
use crate::{Controller, Error, Namespace};
use std::ptr::NonNull;
use std::sync::Arc;

/// Time that a flush outside of a measurement may take. Nanoseconds.
const FLUSH_NS: u64 = 30_000_000_000;

/// A namespace with its controller.
#[derive(Debug, Clone)]
pub struct Drive {
    controller: Arc<Controller>,
    namespace: Namespace,
}

impl Drive {
    /// Brings a controller up and takes one of its namespaces.
    ///
    /// # Errors
    /// When the controller does not come up, or the namespace cannot be used.
    pub fn open(bus: Arc<dyn Bus>, namespace: u32) -> Result<Self, Error> {
        let controller = Controller::open(bus)?;
        let namespace = controller.namespace(namespace)?;
        Ok(Self { controller, namespace })
    }

    /// The controller.
    #[must_use]
    pub fn controller(&self) -> &Arc<Controller> {
        &self.controller
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> Namespace {
        self.namespace
    }

    /// A pair of queues for the buffers of a layout; see [`IoQueue::new`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn queue(&self, layout: &Layout, patience_ns: u64) -> Result<IoQueue, Error> {
        // SAFETY: as demanded of the caller.
        unsafe { IoQueue::new(&self.controller, self.namespace, layout, patience_ns) }
    }

    /// Makes all that was written durable.
    ///
    /// # Errors
    /// When the drive fails or does not answer.
    pub fn flush(&self) -> Result<(), Error> {
        let page = crate::host::bus::DmaMemory::new(self.controller.bus(), 1)?;
        let start: NonNull<u8> = page.at(0);
        let layout = Layout { start, bytes: 1, slots: vec![[start.as_ptr(); 2]], largest_bytes: 1 };
        // SAFETY: the page is dropped after the queue.
        let mut queue = unsafe { self.queue(&layout, FLUSH_NS) }?;
        queue.push(Operation::Flush, 0, 0, 0);
        let mut result = None;
        while result.is_none() {
            queue.submit(FLUSH_NS)?;
            queue.reap(|_, errno| result = Some(errno));
        }
        match result {
            Some(0) => Ok(()),
            other => {
                let cause = std::io::Error::from_raw_os_error(-other.unwrap_or(-libc::EIO));
                Err(Error::System { what: "flush the drive", cause })
            }
        }
    }
}
