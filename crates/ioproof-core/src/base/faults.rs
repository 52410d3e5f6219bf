//! Faults that a test asks the engine to inject, written as `errors=0.01,fail_after=1000,hang_at=500,short=0.1,delay_us=200,seed=7`.
//!
//! A run with faults shows nothing about a drive; the record and every report say so.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Faults to inject, with their times. I/Os are counted per worker from 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Faults {
    /// Share of I/Os that fail with EIO, 0 to 1.
    pub errors: f64,
    /// Share of I/Os that move half of their bytes, 0 to 1.
    pub short: f64,
    /// Share of writes that are reported as done and are not, 0 to 1: a drive that lies.
    pub drop_writes: f64,
    /// Every I/O after this one fails with EIO.
    pub fail_after: Option<u64>,
    /// Every I/O after this one fails with ENODEV, as if the drive was pulled.
    pub gone_after: Option<u64>,
    /// This I/O and those after it never come back.
    pub hang_at: Option<u64>,
    /// Every completion is held back for so long. Microseconds.
    pub delay_us: u64,
    /// When this I/O is started, nothing comes back for `stall_ms`.
    pub stall_at: Option<u64>,
    /// Length of the stall. Milliseconds.
    pub stall_ms: u64,
    /// Seed of the choice.
    pub seed: u64,
}

/// Reason for which a description of faults could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no fault; known: errors=SHARE, short=SHARE, drop_writes=SHARE, fail_after=N, gone_after=N, hang_at=N, delay_us=N, \
     stall_at=N with stall_ms=N, seed=N"
)]
pub struct FaultError(String);

impl FromStr for Faults {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let mut faults = Self::default();
        for part in text.split(',').map(str::trim) {
            faults.set(part).ok_or_else(|| FaultError(part.to_owned()))?;
        }
        // A stall without an end, or an end without a stall, is nothing that a test can have meant.
        if faults.stall_at.is_some() != (faults.stall_ms > 0) {
            return Err(FaultError(text.to_owned()));
        }
        Ok(faults)
    }
}

impl Faults {
    fn set(&mut self, part: &str) -> Option<()> {
        let (name, value) = part.split_once('=')?;
        let share = || value.parse().ok().filter(|s| (0.0..=1.0).contains(s));
        let number = || value.parse().ok();
        match name {
            "errors" => self.errors = share()?,
            "short" => self.short = share()?,
            "drop_writes" => self.drop_writes = share()?,
            "fail_after" => self.fail_after = Some(number()?),
            "gone_after" => self.gone_after = Some(number()?),
            "hang_at" => self.hang_at = Some(number()?),
            "delay_us" => self.delay_us = number()?,
            "stall_at" => self.stall_at = Some(number()?),
            "stall_ms" => self.stall_ms = number()?,
            "seed" => self.seed = number()?,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        let faults: Faults = "errors=0.5, hang_at=9,seed=3".parse().unwrap();
        assert_eq!(faults, Faults { errors: 0.5, hang_at: Some(9), seed: 3, ..Faults::default() });
        let faults: Faults = "delay_us=200,stall_at=7,stall_ms=30".parse().unwrap();
        assert_eq!(faults, Faults { delay_us: 200, stall_at: Some(7), stall_ms: 30, ..Faults::default() });
        for bad in ["", "errors", "errors=2", "errors=x", "boom=1", "delay_us=-1", "stall_at=7", "stall_ms=30"] {
            assert!(bad.parse::<Faults>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_record_from_before_there_were_delays_can_be_read() {
        let old = r#"{"errors":0.5,"short":0.0,"fail_after":null,"gone_after":null,"hang_at":4,"seed":1}"#;
        let faults: Faults = serde_json::from_str(old).unwrap();
        assert_eq!(faults, Faults { errors: 0.5, hang_at: Some(4), seed: 1, ..Faults::default() });
    }
}
