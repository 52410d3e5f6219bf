//! Whether the drives under the target are still there. A drive that was pulled rarely says so: the kernel answers reads with an end of file, and writes
//! with "no space left", so after failed I/O sysfs is asked.

use ioproof_core::facts::TargetFacts;
use ioproof_core::record::IoErrors;
use ioproof_target::System;
use std::time::Duration;

/// The kernel fails I/O a little before it takes the drive out of sysfs: so long it is waited for. Milliseconds, and steps of them.
const PATIENCE_MS: u64 = 500;
const STEP_MS: u64 = 50;

/// Says that the target is gone, where I/O failed and a drive under the target is not there any more.
///
/// `wait` gives the kernel the time to notice; without it only what it knows now counts.
pub fn gone(system: &System, target: &TargetFacts, errors: &IoErrors, wait: bool) -> Option<String> {
    let first = errors.first.as_ref()?;
    let name = missing_soon(system, target, if wait { PATIENCE_MS } else { 0 })?;
    let (operation, at) = (&first.operation, first.offset_bytes);
    Some(format!("the target is gone: the kernel has no {name} any more ({operation} at byte {at}: {})", first.message))
}

fn missing_soon(system: &System, target: &TargetFacts, patience_ms: u64) -> Option<String> {
    let mut waited_ms = 0;
    loop {
        let missing = missing(system, target);
        if missing.is_some() || waited_ms >= patience_ms {
            return missing;
        }
        std::thread::sleep(Duration::from_millis(STEP_MS));
        waited_ms += STEP_MS;
    }
}

/// The first drive that is not there or has no bytes. Its name cannot have gone to another drive, because the target is still open.
fn missing(system: &System, target: &TargetFacts) -> Option<String> {
    let drives = target.stack.as_ref()?.drives();
    let is_there = |name: &str| system.sys_number(&format!("block/{name}/size")).is_some_and(|sectors| sectors > 0);
    drives.into_iter().find(|drive| !is_there(&drive.name)).map(|drive| drive.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::facts::{Layer, NodeKind, StackNode, TargetKind};
    use ioproof_core::record::IoError;
    use std::path::Path;

    fn on(drive: &str) -> TargetFacts {
        todo!()
    }
}
