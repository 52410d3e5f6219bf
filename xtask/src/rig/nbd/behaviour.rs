//! Commands to a drive that misbehaves: their words, and the state that they change.
//!
//! Each part holds until it is told otherwise, beside the others: a drive may be slow, lie and have bad sectors at the same time.
//! `honest` ends all of it.

use crate::cached::behaviours::{self, Habits};
use crate::cached::medium::{Cut, SECTOR_BYTES};
use anyhow::{Context, Result, bail};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A drive that hangs goes on by itself after this time. The kernel resets a drive that is silent for 30 s, QEMU then waits for
/// the request, and nothing in the guest moves any more, not even the command that would end it.
const HANG_DEFAULT: Duration = Duration::from_secs(20);

/// Kinds of requests that are slowed down or fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// Also trims and writes of zeros.
    Write,
    Flush,
}

/// Present behaviour of the drive. The default is an honest one.
#[derive(Debug, PartialEq, Eq)]
pub struct Behaviour {
    delays: [Duration; 3],
    /// Bytes that cannot be touched, by reads and by writes.
    errors: [Option<Range<u64>>; 2],
    /// Dealings with the cache.
    pub habits: Habits,
    pub hangs_until: Option<Instant>,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self { delays: [Duration::ZERO; 3], errors: [None, None], habits: Habits::HONEST, hangs_until: None }
    }
}

/// Change that a command asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Order {
    /// The behaviour changes.
    Behave,
    /// The power fails.
    Cut(u64, Cut),
    /// Tell what came.
    Count,
}

impl Behaviour {
    /// Takes in a command.
    pub fn command(&mut self, words: &[&str], now: Instant) -> Result<Order> {
        match words {
            ["honest"] => *self = Self::default(),
            ["slow", kind, milliseconds] => {
                let delay = Duration::from_millis(number(milliseconds)?);
                kinds(kind)?.into_iter().for_each(|kind| self.delays[kind as usize] = delay);
            }
            ["errors", kind, from, length] => self.fail(kind, number(from)?, number(length)?)?,
            ["lie"] => self.habits = habits("flush-ignored")?,
            ["lie", name] => self.habits = habits(name)?,
            ["hang"] => self.hangs_until = Some(now + HANG_DEFAULT),
            ["hang", seconds] => self.hangs_until = Some(now + Duration::from_secs(number(seconds)?)),
            ["cut", seed] => return Ok(Order::Cut(number(seed)?, Cut::Whole)),
            ["cut", seed, "torn"] => return Ok(Order::Cut(number(seed)?, Cut::Torn(SECTOR_BYTES))),
            ["cut", seed, "all"] => return Ok(Order::Cut(number(seed)?, Cut::All)),
            ["count"] => return Ok(Order::Count),
            _ => bail!("a drive cannot be told: {}", words.join(" ")),
        }
        Ok(Order::Behave)
    }

    /// Delay of a request before it is carried out.
    pub fn delay(&self, kind: Kind) -> Duration {
        self.delays[kind as usize]
    }

    /// True when a request touches a bad sector.
    pub fn fails(&self, kind: Kind, offset: u64, length: u64) -> bool {
        let bad = self.errors.get(kind as usize).and_then(Option::as_ref);
        bad.is_some_and(|bad| offset < bad.end && bad.start < offset.saturating_add(length))
    }

    fn fail(&mut self, kind: &str, from: u64, length: u64) -> Result<()> {
        for kind in kinds(kind)? {
            // A flush has no bytes.
            if let Some(errors) = self.errors.get_mut(kind as usize) {
                *errors = Some(from..from.saturating_add(length));
            }
        }
        Ok(())
    }
}

fn kinds(word: &str) -> Result<Vec<Kind>> {
    Ok(match word {
        "read" => vec![Kind::Read],
        "write" => vec![Kind::Write],
        "flush" => vec![Kind::Flush],
        "all" => vec![Kind::Read, Kind::Write, Kind::Flush],
        _ => bail!("{word} is none of read, write, flush and all"),
    })
}

/// Habits of a row of the table.
fn habits(name: &str) -> Result<Habits> {
    behaviours::find(name).map(|behaviour| behaviour.habits).with_context(|| format!("no drive lies so: {name}"))
}

fn number(word: &str) -> Result<u64> {
    word.parse().with_context(|| format!("{word} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Behaviour {
        let mut behaviour = Behaviour::default();
        for line in lines {
            let order = behaviour.command(&line.split(' ').collect::<Vec<_>>(), Instant::now()).unwrap();
            assert_eq!(order, Order::Behave, "{line}");
        }
        behaviour
    }

    #[test]
    fn parts_add_up_until_honest() {
        let behaviour = told(&["slow read 5", "slow flush 7", "lie", "errors write 10 5"]);
        let delays = [Kind::Read, Kind::Write, Kind::Flush].map(|kind| behaviour.delay(kind).as_millis());
        assert_eq!((delays, behaviour.habits != Habits::HONEST, behaviour.fails(Kind::Write, 14, 1)), ([5, 0, 7], true, true));
        assert_eq!(told(&["slow all 5", "errors all 0 1", "lie", "hang", "honest"]), Behaviour::default());
    }

    #[test]
    fn errors_meet_what_touches_their_bytes() {
        let behaviour = told(&["errors read 1024 512"]);
        let cases = [(0, 1024, false), (0, 1025, true), (1535, 1, true), (1536, 512, false), (1100, 1, true), (u64::MAX, 9, false)];
        for (offset, length, fails) in cases {
            assert_eq!(behaviour.fails(Kind::Read, offset, length), fails, "{offset} {length}");
            assert!(!behaviour.fails(Kind::Write, offset, length) && !behaviour.fails(Kind::Flush, offset, length));
        }
    }

    #[test]
    fn a_cut_has_a_seed_and_a_manner() {
        let order = |line: &str| Behaviour::default().command(&line.split(' ').collect::<Vec<_>>(), Instant::now()).ok();
        assert_eq!(order("cut 7"), Some(Order::Cut(7, Cut::Whole)));
        assert_eq!(order("cut 7 torn"), Some(Order::Cut(7, Cut::Torn(SECTOR_BYTES))));
        assert_eq!(order("cut 7 all"), Some(Order::Cut(7, Cut::All)));
        assert_eq!(order("count"), Some(Order::Count));
        for wrong in ["cut", "cut x", "cut 1 2", "slow read", "slow trim 5", "errors read 1", "melt", "lie so", ""] {
            assert_eq!(order(wrong), None, "{wrong}");
        }
    }
}
