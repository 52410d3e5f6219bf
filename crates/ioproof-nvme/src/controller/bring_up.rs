//! Bringing a controller up (7.6.1), and shutting it down (7.6.2).

use super::Facts;
use super::admin::{Admin, ENTRIES};
use crate::error::Error;
use crate::host::bus::{Bus, PAGE_BYTES, read64, write64};
use crate::wire::registers::{
    ACQ, AQA, ASQ, CAP, CC, CONFIGURATION, CSTS, Capabilities, ControllerStatus, DOORBELLS, ENABLE, SHUTDOWN, SHUTDOWN_MASK, VS,
    admin_attributes,
};
use crate::wire::{Command, ControllerPage};
use std::sync::Arc;

/// Pairs of queues that are asked for.
const PAIRS_WANTED: u16 = 512;

/// Longest time for a shutdown. Nanoseconds.
const SHUTDOWN_NS: u64 = 5_000_000_000;

/// True where the drive no longer answers the bus. Some virtual machines then read zeros, which no version is (3.1.2).
pub(super) fn is_gone(bus: &dyn Bus) -> bool {
    let status = ControllerStatus(bus.read32(CSTS));
    status.is_gone() || !status.is_ready() && bus.read32(VS) == 0
}

/// Reads the capabilities, and refuses what this driver cannot drive.
pub(super) fn capabilities(bus: &dyn Bus) -> Result<Capabilities, Error> {
    if bus.register_bytes() < DOORBELLS + PAGE_BYTES {
        return Err(Error::Unfit(format!("its register space has {} bytes, too few for an NVMe controller", bus.register_bytes())));
    }
    let capabilities = Capabilities(read64(bus, CAP));
    if capabilities.0 == u64::MAX {
        return Err(Error::Gone);
    }
    if !capabilities.has_nvm_commands() {
        return Err(Error::Unfit("the controller has no NVM command set".to_owned()));
    }
    if capabilities.page_bytes_min() > PAGE_BYTES as u64 {
        return Err(Error::Unfit(format!("the controller needs pages of {} bytes; 4096 are supported", capabilities.page_bytes_min())));
    }
    Ok(capabilities)
}

/// Resets the controller, gives it new admin queues and waits until it is ready.
pub(super) fn start(bus: &Arc<dyn Bus>, capabilities: Capabilities) -> Result<Admin, Error> {
    stop(&**bus, capabilities)?;
    let admin = Admin::new(bus, [false, true].map(|of_completions| capabilities.doorbell(0, of_completions)))?;
    bus.write32(AQA, admin_attributes(ENTRIES.into()));
    write64(&**bus, ASQ, admin.ring.submissions_at());
    write64(&**bus, ACQ, admin.ring.completions_at());
    bus.write32(CC, CONFIGURATION | ENABLE);
    wait(&**bus, capabilities, true).inspect_err(|_| bus.cut_off())?;
    Ok(admin)
}

/// Asks for what the driver has to know.
pub(super) fn facts(bus: &dyn Bus, capabilities: Capabilities, admin: &mut Admin) -> Result<Facts, Error> {
    let version = bus.read32(VS);
    let page = ControllerPage::parse(&admin.identify(1, 0)?);
    let granted = admin.run("Set Features: Number of Queues", Command::wants_queues(PAIRS_WANTED))?.result;
    let pairs = (granted & 0xffff).min(granted >> 16) + 1;
    // Doorbells of a pair must lie in the register space, and their shadows in one page.
    let room = (bus.register_bytes() - DOORBELLS).min(PAGE_BYTES) / (2 * capabilities.doorbell_stride_bytes());
    Ok(Facts {
        page,
        version: ((version >> 16) as u16, (version >> 8) as u8),
        queue_entries_max: capabilities.queue_entries_max(),
        queues_max: pairs.min(room as u32 - 1) as u16,
        shadow_doorbells: false,
    })
}

/// Disables the controller; afterwards it touches no memory.
pub(super) fn stop(bus: &dyn Bus, capabilities: Capabilities) -> Result<(), Error> {
    let configuration = bus.read32(CC);
    if ControllerStatus(configuration).is_gone() {
        return Err(Error::Gone);
    }
    bus.write32(CC, configuration & !ENABLE & !SHUTDOWN_MASK);
    wait(bus, capabilities, false)
}

/// Waits until `CSTS.RDY` is as wanted, for as long as the controller may take.
fn wait(bus: &dyn Bus, capabilities: Capabilities, ready: bool) -> Result<(), Error> {
    let (began_ns, waited_ns) = (bus.clock_ns(), capabilities.ready_within_ns());
    loop {
        let status = ControllerStatus(bus.read32(CSTS));
        if status.is_gone() {
            return Err(Error::Gone);
        }
        if ready && status.is_fatal() {
            return Err(Error::Fatal);
        }
        if status.is_ready() == ready {
            return Ok(());
        }
        if bus.clock_ns() - began_ns > waited_ns {
            return Err(Error::NotReady { starting: ready, waited_ns });
        }
        bus.pause();
    }
}

/// Lets the drive write its cache down and disables it. It is for the end of a use, so that nothing can be done about a failure.
pub(super) fn shut_down(bus: &dyn Bus, capabilities: Capabilities, answers: bool) {
    if answers {
        let configuration = bus.read32(CC);
        bus.write32(CC, configuration & !SHUTDOWN_MASK | SHUTDOWN);
        let began_ns = bus.clock_ns();
        while !ControllerStatus(bus.read32(CSTS)).is_shut_down() && bus.clock_ns() - began_ns < SHUTDOWN_NS {
            if is_gone(bus) {
                return;
            }
            bus.pause();
        }
    }
    if stop(bus, capabilities).is_err() {
        bus.cut_off();
    }
}
