//! The clock that stamps every I/O: the time-stamp counter where it is sound, else `clock_gettime`.
//!
//! The counter costs half of what the system call costs (docs/performance.md). It is used only where the CPU says that it is invariant and the
//! caller says that the kernel itself trusts it; it is calibrated against CLOCK_MONOTONIC_RAW, which is not slewed.

use std::sync::OnceLock;
use std::time::Duration;

/// Which clock the caller allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockChoice {
    /// The time-stamp counter, where the CPU has an invariant one.
    CounterIfInvariant,
    /// `clock_gettime(CLOCK_MONOTONIC)`.
    System,
}

/// A clock in nanoseconds since an arbitrary start.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    counter: Option<TickConversion>,
    cost_ns: f64,
}

/// The conversion of counter ticks to nanoseconds: `(ticks - base) * scale >> 32`.
#[derive(Debug, Clone, Copy)]
struct TickConversion {
    base: u64,
    scale: u64,
}

const CALIBRATION: Duration = Duration::from_millis(20);

impl Clock {
    /// The clock of this process; calibrated once, which takes 20 ms.
    #[must_use]
    pub fn new(choice: ClockChoice) -> Self {
        static COUNTER: OnceLock<Option<TickConversion>> = OnceLock::new();
        let counter = match choice {
            ClockChoice::CounterIfInvariant => *COUNTER.get_or_init(calibrate),
            ClockChoice::System => None,
        };
        let mut clock = Self { counter, cost_ns: 0.0 };
        clock.cost_ns = clock.measure_cost_ns();
        clock
    }

    /// Nanoseconds since an arbitrary start, the same for all threads.
    #[inline]
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        match self.counter {
            Some(TickConversion { base, scale }) => ((u128::from(ticks().wrapping_sub(base)) * u128::from(scale)) >> 32) as u64,
            None => system_ns(libc::CLOCK_MONOTONIC),
        }
    }

    /// Its name for the record.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.counter.is_some() { "tsc" } else { "clock_gettime(CLOCK_MONOTONIC)" }
    }

    /// Cost of one reading. Nanoseconds.
    #[must_use]
    pub fn cost_ns(&self) -> f64 {
        self.cost_ns
    }

    fn measure_cost_ns(&self) -> f64 {
        const READINGS: u32 = 10_000;
        let start = self.now_ns();
        let mut last = start;
        for _ in 0..READINGS {
            last = std::hint::black_box(self.now_ns());
        }
        last.saturating_sub(start) as f64 / f64::from(READINGS)
    }
}

/// clock_gettime(2), through the C library: what runs a program under a tool (valgrind) often hides the kernel's page of functions from it.
fn system_ns(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of this frame; the clocks asked for exist on every Linux, so it is filled.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Finds the rate of the counter; `None` where there is no sound one.
fn calibrate() -> Option<TickConversion> {
    if !has_invariant_counter() {
        return None;
    }
    let (base, start_ns) = paired_reading();
    std::thread::sleep(CALIBRATION);
    let (end, end_ns) = paired_reading();
    let elapsed = end.checked_sub(base).filter(|t| *t > 0)?;
    let scale = (u128::from(end_ns - start_ns) << 32) / u128::from(elapsed);
    Some(TickConversion { base, scale: u64::try_from(scale).ok()? })
}

/// A counter value and the system time at the same moment: the pair, of several, that was read most quickly.
fn paired_reading() -> (u64, u64) {
    let pairs = (0..16).map(|_| {
        let before = ticks();
        let time = system_ns(libc::CLOCK_MONOTONIC_RAW);
        let after = ticks();
        (after.wrapping_sub(before), before.wrapping_add(after.wrapping_sub(before) / 2), time)
    });
    pairs.min_by_key(|(width, ..)| *width).map_or((0, 0), |(_, ticks, time)| (ticks, time))
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn ticks() -> u64 {
    // SAFETY: RDTSC is part of every x86-64 CPU and touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "x86_64")]
fn has_invariant_counter() -> bool {
    // Leaf 8000_0007h, EDX bit 8: "Invariant TSC" (Intel SDM volume 3, 18.17.1; AMD APM volume 3, E.4.6).
    use core::arch::x86_64::__cpuid;
    #[expect(unused_unsafe, reason = "compilers before 1.94 ask for it")]
    // SAFETY: every processor of 64 bits has the instruction.
    let leaf = |number| unsafe { __cpuid(number) };
    leaf(0x8000_0000).eax >= 0x8000_0007 && leaf(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn has_invariant_counter() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_agree_with_the_system() {
        for choice in [ClockChoice::CounterIfInvariant, ClockChoice::System] {
            let clock = Clock::new(choice);
            let (a, start) = (clock.now_ns(), std::time::Instant::now());
            std::thread::sleep(Duration::from_millis(30));
            let (b, elapsed) = (clock.now_ns(), start.elapsed().as_nanos() as f64);
            let ratio = (b - a) as f64 / elapsed;
            // Wide, because the thread can be preempted between the two readings; a wrong scale is off by far more.
            assert!((0.8..1.25).contains(&ratio), "{choice:?}: {ratio}");
            assert!(clock.cost_ns() > 0.0);
        }
    }

    #[test]
    fn time_does_not_run_backwards() {
        let clock = Clock::new(ClockChoice::CounterIfInvariant);
        let mut last = 0;
        for _ in 0..10_000 {
            let now = clock.now_ns();
            assert!(now >= last);
            last = now;
        }
    }
}
