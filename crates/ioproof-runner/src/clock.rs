//! Time of day for the record.

use std::time::{SystemTime, UNIX_EPOCH};

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
