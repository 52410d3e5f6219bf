//! The clock that is trusted on this machine.

use ioproof_engine::ClockChoice;
use ioproof_target::System;

/// The counter is trusted only where the kernel itself goes by it.
pub fn clock_choice(system: &System) -> ClockChoice {
    match system.sys_text("devices/system/clocksource/clocksource0/current_clocksource").as_deref() {
        Some("tsc") => ClockChoice::CounterIfInvariant,
        _ => ClockChoice::System,
    }
}
