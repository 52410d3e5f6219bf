//! Limits of the load generator and its host, found out in a fifth of a second before a run, so that a figure of theirs is not taken for the drive's.
//!
//! The loop is the one that measures drives, with all that it counts: once without any I/O, which shows what it costs itself, and once with no-ops through
//! io_uring, which shows the most that it can ask of a kernel that completes everything at once. Both are held against the CPU time that they took, so
//! that a moment in which the host was busy otherwise does not count against them; how much the host takes away is a figure of its own.

use crate::backend::{BackendChoice, BackendSetup, Build, Nops, Null};
use crate::buffers::Buffers;
use crate::clock::{Clock, ClockChoice};
use crate::live::Live;
use crate::worker::{JobShared, Worker};
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::{SelfTest, WorkerUsage};
use ioproof_core::shape::Data;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_target::Handle;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Length of each part. Nanoseconds.
const PART_NS: u64 = 50_000_000;
/// Before a part counts, so that code and data are in the caches. Nanoseconds.
const WARM_UP_NS: u64 = 5_000_000;
/// Between two looks at the clock less than this is the loop's own. Nanoseconds.
const OWN_GAP_NS: u64 = 1000;
/// I/Os outstanding: one full batch.
const DEPTH: u32 = 32;

/// Measures the load generator on the calling thread, which takes under 300 ms. Of the target at most one block is read.
///
/// The cost of the loop changes only with program, kernel and CPU and is taken from `known`, if that is given; the time that the host takes away and the behaviour of the target are
/// looked at in any case.
#[must_use]
pub fn self_test(clock: ClockChoice, target: Option<&Handle>, known: Option<&SelfTest>) -> SelfTest {
    let clock = Clock::new(clock);
    let (loop_ns_per_io, ceiling_ios_per_s) = known.map_or_else(|| costs(clock), |k| (k.loop_ns_per_io, k.ceiling_ios_per_s));
    let jitter = look(|| clock.now_ns());
    SelfTest {
        loop_ns_per_io,
        ceiling_ios_per_s,
        jitter_ns_max: jitter.longest_ns,
        jitter_share: jitter.lost_ns as f64 / jitter.looked_ns.max(1) as f64,
        looked_ns: jitter.looked_ns,
        punts: target.filter(|t| t.may_read()).and_then(|t| punts(t.as_fd(), t.alignment_bytes())),
    }
}

/// Cost of one I/O in the loop, and the most that it can ask for in a second.
fn costs(clock: Clock) -> (f64, Option<f64>) {
    let alone = turn::<Null>(clock).ok();
    let through_kernel = turn::<Nops>(clock).ok();
    (alone.map_or(0.0, ns_per_io), through_kernel.map(|usage| 1e9 / ns_per_io(usage)))
}

/// Runs a worker's loop over a backend that needs no target.
fn turn<B: Build>(clock: Clock) -> io::Result<WorkerUsage> {
    let spec = job();
    let buffers = buffer(DEPTH, spec.workload.block_bytes)?;
    let backend = B::new(&BackendSetup::without_target(&buffers, DEPTH, spec.span))?;
    let shared = JobShared {
        spec,
        clock,
        stop: AtomicBool::new(false),
        faults: None,
        choice: BackendChoice::NULL,
        polled: false,
        kernel_submits: false,
        batching: None,
        flow: None,
        buffers_in: None,
        ledger: None,
        read_back: false,
        replay: None,
        all_syncs: Arc::default(),
        start_ns: AtomicU64::new(clock.now_ns()),
    };
    let live = Live::default();
    let mut worker = Worker::new(backend, buffers, &shared, &live, 0, 1)?;
    worker.run()?;
    Ok(worker.tally.usage)
}

/// Random reads, as most figures are of.
fn job() -> JobSpec {
    let workload = Workload::plain(Pattern::Random, 100, 4096, 1, DEPTH);
    JobSpec {
        ramp_ns: WARM_UP_NS,
        io_timeout_ns: 1_000_000_000,
        ..JobSpec::plain(workload, Span { offset_bytes: 0, length_bytes: 1 << 40 }, Until::ElapsedNs(PART_NS))
    }
}

fn buffer(slots: u32, bytes: u32) -> io::Result<Buffers> {
    Buffers::new(slots as usize, bytes as usize, true, false, &Data::default(), false, 0)
}

fn ns_per_io(usage: WorkerUsage) -> f64 {
    let ns = if usage.cpu_ns() > 0 { usage.cpu_ns() } else { usage.wall_ns };
    ns as f64 / usage.ios.max(1) as f64
}

/// Gaps that were seen in a clock that was looked at without a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Jitter {
    longest_ns: u64,
    lost_ns: u64,
    looked_ns: u64,
}

/// Looks at a clock without a pause; longer gaps are time in which somebody else had the CPU.
fn look(mut now_ns: impl FnMut() -> u64) -> Jitter {
    let start_ns = now_ns();
    let mut jitter = Jitter { longest_ns: 0, lost_ns: 0, looked_ns: 0 };
    let mut last_ns = start_ns;
    while jitter.looked_ns < PART_NS {
        let now_ns = now_ns();
        let gap_ns = now_ns.saturating_sub(last_ns);
        if gap_ns > OWN_GAP_NS {
            jitter.lost_ns += gap_ns;
            jitter.longest_ns = jitter.longest_ns.max(gap_ns);
        }
        last_ns = now_ns;
        jitter.looked_ns = now_ns.saturating_sub(start_ns);
    }
    jitter
}

/// True where io_uring hands I/O on this file to kernel threads: it does so where the file cannot be asked without waiting. `None` where it cannot be told.
fn punts(file: BorrowedFd, block_bytes: u32) -> Option<bool> {
    let bytes = block_bytes.max(512);
    let buffers = buffer(1, bytes).ok()?;
    let part = libc::iovec { iov_base: buffers.read_at(0).cast(), iov_len: bytes as usize };
    // SAFETY: the vector is one part of a live buffer of at least this length, which nobody else uses; the descriptor is open.
    let read = unsafe { libc::preadv2(file.as_raw_fd(), &raw const part, 1, 0, libc::RWF_NOWAIT) };
    if read >= 0 {
        return Some(false);
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EOPNOTSUPP) => Some(true),
        Some(libc::EAGAIN) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn it_finds_out_something_about_everything() {
        let test = self_test(ClockChoice::CounterIfInvariant, None, None);
        assert!(test.loop_ns_per_io > 0.0 && test.loop_ns_per_io < 1e6, "{test:?}");
        assert!(test.ceiling_ios_per_s.is_none_or(|c| c > 1e3 && c.is_finite()), "{test:?}");
        assert_eq!(test.ceiling_ios_per_s.is_some(), BackendChoice::IO_URING.probe().is_ok());
        assert!(test.looked_ns >= PART_NS && (0.0..=1.0).contains(&test.jitter_share) && test.jitter_ns_max <= test.looked_ns, "{test:?}");
        assert_eq!(test.punts, None);
    }

    #[test]
    fn gaps_are_told_from_the_loop() {
        // A look takes 500 ns, every tenth one 1.5 us, and one 4 ms.
        let (mut now_ns, mut looks) = (9_000_000_000, 0u64);
        let jitter = look(|| {
            looks += 1;
            now_ns += match looks {
                5001 => 4_000_000,
                n if n % 10 == 0 => 1500,
                _ => 500,
            };
            now_ns
        });
        assert_eq!(jitter.longest_ns, 4_000_000);
        let tenths = (looks - 1).div_ceil(10) as f64;
        assert!((jitter.lost_ns as f64 - 4_000_000.0 - tenths * 1500.0).abs() <= 1500.0, "{jitter:?}");
        assert!(jitter.looked_ns >= PART_NS && jitter.looked_ns < PART_NS + 4_000_000);
    }

    #[test]
    fn files_that_can_only_be_waited_for_are_told() {
        // What /proc shows is made while it is read; zeros are there at once.
        assert_eq!(punts(File::open("/proc/self/stat").unwrap().as_fd(), 512), Some(true));
        assert_eq!(punts(File::open("/dev/zero").unwrap().as_fd(), 4096), Some(false));
        let (pipe, _writer) = io::pipe().unwrap();
        assert_eq!(punts(pipe.as_fd(), 512), None, "a pipe has no offset to read at");
    }
}
