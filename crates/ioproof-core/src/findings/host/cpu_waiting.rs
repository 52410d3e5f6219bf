//! The time for which tasks of this machine waited for a CPU.
//!
//! The kernel counts it while at least one task that could run did not (`some` of PSI, Documentation/accounting/psi.rst).

/// Share of the time from which on it bears on a number.
use crate::findings::prelude::*;

pub(crate) const MUCH: f64 = 0.5;

pub(crate) fn figure(share: f64) -> Evidence {
    Evidence::number("time for which a task waited for a CPU", share, Unit::Share).against(MUCH).read_at("/proc/pressure/cpu")
}

/// Share of the time for which tasks waited for a CPU, where it bears on a number.
pub(crate) fn much_waited(measured: &Measured) -> Option<f64> {
    waited(measured).filter(|share| *share >= MUCH)
}

/// The same share, large or small; none where the kernel does not count it.
pub(crate) fn waited(measured: &Measured) -> Option<f64> {
    measured.median_counted(|part| part.stage.share_waited(|host| host.cpu_waiting))
}
