//! When I/O is asked for: pauses, and the latency that a search for the highest rate must keep.

use ioproof_core::shape::Think;
use ioproof_core::units::parse_duration;
use ioproof_session::request::LatencyTarget;
use std::time::Duration;

/// Reads `--think`: the length of a pause, and after how many I/Os of a worker it comes.
pub fn think(text: &str) -> Result<Think, String> {
    let (time, every) = text.split_once(':').map_or((text, Ok(1)), |(time, every)| (time, every.parse()));
    let every = every.ok().filter(|n| *n > 0);
    let every = every.ok_or_else(|| format!("`{text}` is no pause; write 100us, or 1ms:16 for one after every 16 I/Os"))?;
    Ok(Think { ns: nanoseconds(time)?, every, every_ns: 0 })
}

fn nanoseconds(text: &str) -> Result<u64, String> {
    match parse_duration(text).map_err(|e| e.to_string())? {
        Duration::ZERO => Err("a time of 0".into()),
        time => Ok(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
    }
}

/// Reads `--latency-target`: `p99.9:1ms`, or `p99.9<1ms` where the shell is told not to take it for a redirection.
pub fn target(text: &str) -> Result<LatencyTarget, String> {
    let known = || format!("`{text}` is no target; write p99.9:1ms");
    let (which, limit) = text.split_once([':', '<']).ok_or_else(known)?;
    let percent = which.trim().strip_prefix('p').and_then(percent).ok_or_else(known)?;
    Ok(LatencyTarget { percent, limit_ns: nanoseconds(limit)? })
}

/// A share between 0 and 100, both excluded.
fn percent(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse::<f64>().ok().filter(|p| plain && *p > 0.0 && *p < 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses() {
        assert_eq!(think("100us"), Ok(Think { ns: 100_000, every: 1, every_ns: 0 }));
        assert_eq!(think("1ms:16"), Ok(Think { ns: 1_000_000, every: 16, every_ns: 0 }));
        for bad in ["", "0", "1ms:0", "1ms:x", "5 parsecs", "1ms:-1"] {
            assert!(think(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn targets() {
        let read = target("p99.9<1ms").unwrap();
        assert_eq!(Ok(read), target("p99.9:1ms"));
        assert_eq!((read.describe().as_str(), read.limit_ns), ("p99.9 up to 1 ms", 1_000_000));
        assert!((read.quantile() - 0.999).abs() < 1e-12);
        for bad in ["", "p99.9", "1ms", "p0:1ms", "p100:1ms", "p-5:1ms", "pinf:1ms", "median:1ms", "p99:0", "p99:x"] {
            assert!(target(bad).is_err(), "{bad}");
        }
    }
}
