//! Signals. Ctrl-C and its kin: the first ends the run, which still reports; the second ends the program at once unless it comes with the first, and so does the first where all is measured
//! and nobody reads what is told. The limit of CPU time ends a run as well.
//! Where data is known to be lost by then, the status of that end says so ([`data_is_lost`]); what was lost was said when it was found.
//! While a picture is on the terminal no signal ends the program at once: the first has the picture taken away, which is what the second waits for.
//! SIGUSR1 ends nothing: it asks for what was measured so far. SIGUSR2 does nothing.

use anyhow::{Context, Result};
use ioproof_target::signals;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::SigId;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Set by the first signal that is to end the run.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set when the next such signal is to end the program at once.
static ENDS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set where the program was started with SIGHUP ignored, which is looked at before a handler is there.
static IGNORES_HANGUP: AtomicBool = AtomicBool::new(false);

static ARMED: Mutex<Vec<SigId>> = Mutex::new(Vec::new());

/// Error of a kernel that takes no handler.
const REFUSED: &str = "cannot install a signal handler";

/// Exit status of a run that was interrupted.
pub const INTERRUPTED: u8 = 3;

/// Exit status of a run in which data was lost, however it ended.
const DATA_LOST: i32 = 1;

/// CPU time for the report of a run that the limit of it ends: a quarter of the limit, and at least this.
const TO_REPORT_S: u64 = 2;

/// Set when the CPU time that the user allows is used up.
static CPU_TIME_IS_UP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Exit status of an end at once: that of an interrupted run until another is known.
static STATUS: LazyLock<Arc<AtomicI32>> = LazyLock::new(|| Arc::new(i32::from(INTERRUPTED).into()));

/// Set once data is known to be lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Set when the next signal is to end the program at once and data is lost: asked before the other two.
static LOST_ENDS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set while nothing is left but to wait for whoever reads.
static WAITS_FOR_READER: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Has signals end nothing that would end the program without a word: a file beyond the user's limit (`ulimit -f`), whose write fails then, SIGUSR1, which
/// somebody may send while there is nothing yet that could be told, and SIGUSR2, which asks for nothing.
pub fn survive() {
    for signal in [SIGXFSZ, SIGUSR1, SIGUSR2] {
        // Where the kernel refuses a handler, it stays as it is.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

/// A flag that the first SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGALRM sets, and the end of the CPU time that the user allows.
///
/// # Errors
/// When the kernel refuses to install a handler.
pub fn flag() -> Result<Arc<AtomicBool>> {
    IGNORES_HANGUP.store(is_ignored(SIGHUP), Relaxed);
    for signal in ends() {
        // In this order: the shutdown looks at its flag before the last handler sets it, so only the second signal ends the program.
        let second = [(Arc::new(DATA_LOST.into()), &*LOST_ENDS_AT_ONCE), (Arc::clone(&STATUS), &*ENDS_AT_ONCE)];
        for (status, is_armed) in second {
            signals::ends_at_once(signal, status, Arc::clone(is_armed)).context(REFUSED)?;
        }
        signals::ends_waiting(signal, Arc::clone(&STATUS), Arc::clone(&WAITS_FOR_READER)).context(REFUSED)?;
        signal_hook::flag::register(signal, Arc::clone(&STOP)).context(REFUSED)?;
        signals::notes_first(signal).context(REFUSED)?;
    }
    // It comes again every second (setrlimit(2)), so the second one ends nothing.
    for flag in [&*STOP, &*CPU_TIME_IS_UP] {
        signal_hook::flag::register(SIGXCPU, Arc::clone(flag)).context(REFUSED)?;
    }
    arm()?;
    spare_time_to_report();
    Ok(Arc::clone(&STOP))
}

/// Ends the run as the first signal does.
pub fn end_run() {
    STOP.store(true, Relaxed);
}

/// The run is judged and kept: an end at once leaves with its status, since only the reader misses something.
pub fn run_is_kept(status: u8) {
    STATUS.store(status.into(), Relaxed);
}

/// True once the run is to end.
pub fn is_ending() -> bool {
    STOP.load(Relaxed)
}

/// A picture comes to the terminal: until it is gone no signal ends the program at once, which would leave the terminal as it is then.
pub fn picture_comes() {
    for id in ARMED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        signal_hook::low_level::unregister(id);
    }
}

/// The picture is gone: the next signal ends the program at once if one has come.
pub fn picture_is_gone() {
    // Where the kernel refuses a handler, a second signal ends nothing.
    let _ = arm();
    if is_ending() {
        signals::first_is_seen();
        ENDS_AT_ONCE.store(true, Relaxed);
        LOST_ENDS_AT_ONCE.store(LOST.load(Relaxed), Relaxed);
    }
}

/// Notes that data was lost, which is the exit status from now on, also of an end at once.
pub fn data_is_lost() {
    let mut armed = ARMED.lock().unwrap_or_else(PoisonError::into_inner);
    if LOST.swap(true, Relaxed) {
        return;
    }
    // While a picture is there nothing is armed.
    if !armed.is_empty() {
        // Where the kernel refuses a handler, it is the status of an interrupted run.
        let _ = arm_with(&mut armed, &LOST_ENDS_AT_ONCE);
    }
    if ENDS_AT_ONCE.load(Relaxed) || WAITS_FOR_READER.load(Relaxed) {
        LOST_ENDS_AT_ONCE.store(true, Relaxed);
    }
}

/// True once [`data_is_lost`] was called.
pub fn is_data_lost() -> bool {
    LOST.load(Relaxed)
}

/// Has the first signal from now on arm the next.
fn arm() -> Result<()> {
    let mut armed = ARMED.lock().unwrap_or_else(PoisonError::into_inner);
    if LOST.load(Relaxed) {
        arm_with(&mut armed, &LOST_ENDS_AT_ONCE)?;
    }
    arm_with(&mut armed, &ENDS_AT_ONCE)
}

fn arm_with(armed: &mut Vec<SigId>, flag: &Arc<AtomicBool>) -> Result<()> {
    for signal in ends().chain([SIGXCPU]) {
        armed.push(signal_hook::flag::register(signal, Arc::clone(flag)).context(REFUSED)?);
    }
    Ok(())
}

/// Signals that end a run. Whoever started the program with nohup wants it to outlive the terminal.
fn ends() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGQUIT].into_iter().filter(|signal| *signal != SIGHUP || !IGNORES_HANGUP.load(Relaxed))
}

/// True where the program was started with a signal ignored (SigIgn of proc(5), a bit a signal).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// Waits for whoever reads; meanwhile Ctrl-C ends the program at once.
pub fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    let is_lost = LOST.load(Relaxed);
    let before = LOST_ENDS_AT_ONCE.fetch_or(is_lost, Relaxed);
    WAITS_FOR_READER.store(true, Relaxed);
    let waited = wait();
    WAITS_FOR_READER.store(false, Relaxed);
    LOST_ENDS_AT_ONCE.store(before || is_lost && ENDS_AT_ONCE.load(Relaxed), Relaxed);
    waited
}

/// A flag that each SIGUSR1 sets. Whoever answers has one of their own.
pub fn asked() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    // Where the kernel refuses a handler, nobody asks.
    let _ = signal_hook::flag::register(SIGUSR1, Arc::clone(&asked));
    asked
}

/// The sentence about a run that the limit of CPU time has ended.
pub fn limit_note() -> Option<String> {
    let is_up = CPU_TIME_IS_UP.load(Relaxed);
    is_up.then(|| "the run was ended by the limit of CPU time (`ulimit -t`): its figures are of what ran until then".to_owned())
}

/// Where the limit of CPU time is the hard one, at which the kernel kills, has it told a little before.
fn spare_time_to_report() {
    let limit = getrlimit(Resource::Cpu);
    let Some(hard) = limit.maximum else { return };
    let told = hard.saturating_sub(TO_REPORT_S.max(hard / 4)).max(1);
    if limit.current.is_none_or(|soft| soft > told) {
        // To lower it is always allowed.
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(told), maximum: Some(hard) });
    }
}
