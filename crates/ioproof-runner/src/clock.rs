//! Time of day for the record, and waiting.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time between two looks at whether a wait is to end.
const LOOK: Duration = Duration::from_millis(20);

/// A moment by the time of day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WallTime {
    /// RFC 3339 in UTC to the millisecond.
    pub rfc3339: String,
    /// Milliseconds since 1970.
    pub unix_ms: u64,
}

/// Now.
#[must_use]
pub fn now() -> WallTime {
    let unix_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let stamp = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    WallTime { rfc3339: format!("{:.3}", stamp.unwrap_or(jiff::Timestamp::UNIX_EPOCH)), unix_ms }
}

/// Waits, or until `stop` is set.
pub(crate) fn wait(time: Duration, stop: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < time && !stop.load(Relaxed) {
        std::thread::sleep(LOOK.min(time.saturating_sub(began.elapsed())));
    }
}
