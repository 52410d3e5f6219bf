//! Waiting until nobody else uses the CPUs of the host: an answer about a busy host is another answer.

use anyhow::{Context, Result};
use std::time::{Duration, Instant};

const BUSY_MAX: f64 = 0.2;

const LOOK: Duration = Duration::from_millis(400);

/// Waits, and no longer than this; true where the host became quiet.
pub fn wait(patience: Duration) -> Result<bool> {
    let until = Instant::now() + patience;
    loop {
        let before = read()?;
        std::thread::sleep(LOOK);
        if busy_share(before, read()?) < BUSY_MAX {
            return Ok(true);
        }
        if Instant::now() > until {
            return Ok(false);
        }
    }
}

/// CPU time since the start: used, and of all.
type Ticks = (u64, u64);

fn read() -> Result<Ticks> {
    let text = std::fs::read_to_string("/proc/stat")?;
    ticks(&text).context("/proc/stat has no line of all CPUs")
}

/// From the line `cpu` (proc(5)): user, nice, system, idle, iowait and others.
fn ticks(text: &str) -> Option<Ticks> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line.split_whitespace().take(8).filter_map(|field| field.parse().ok()).collect();
    let all = fields.iter().sum::<u64>();
    Some((all - fields.get(3)? - fields.get(4)?, all))
}

fn busy_share(before: Ticks, after: Ticks) -> f64 {
    let of = |ticks: fn(Ticks) -> u64| ticks(after).saturating_sub(ticks(before)) as f64;
    of(|ticks| ticks.0) / of(|ticks| ticks.1).max(1.0)
}
