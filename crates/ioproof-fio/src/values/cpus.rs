//! Processors, as a list.

use std::fmt;

/// The highest number of a processor that fio knows, and one.
const MOST: u32 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present([u64; MOST as usize / 64]);

impl Present {
    /// From a list such as `0-3,7`; `None` where it is none.
    pub fn parse(list: &str) -> Option<Self> {
        let mut words = [0; MOST as usize / 64];
        for number in cpus(list).ok()? {
            words[number as usize / 64] |= 1 << (number % 64);
        }
        Some(Self(words))
    }

    fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Refuses a list with a number that is not there, and names those that are.
    ///
    /// # Errors
    /// The sentence with the first that is not there; `what` is what they are.
    pub fn check(&self, list: &[u32], what: &str) -> Result<(), String> {
        match list.iter().find(|number| !self.has(**number)) {
            Some(number) => Err(format!("this machine has no {what} {number}, only {self}")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for first in (0..MOST).filter(|one| self.has(*one) && (*one == 0 || !self.has(one - 1))) {
            let last = (first..MOST).take_while(|one| self.has(*one)).last().unwrap_or(first);
            match last {
                last if last == first => write!(f, "{comma}{first}")?,
                last => write!(f, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

pub fn cpus(text: &str) -> Result<Vec<u32>, String> {
    let bare = text.trim();
    let parts = bare.strip_suffix(',').unwrap_or(bare);
    let mut all = Vec::new();
    for part in parts.split(',') {
        let (low, high) = span(part.trim()).ok_or_else(|| format!("\"{bare}\" is no list of processors; one such as 0-3,7 is expected"))?;
        all.extend(low..=high);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn span(part: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|cpu| *cpu < MOST);
    let (low, high) = part.split_once('-').unwrap_or((part, part));
    number(low).zip(number(high)).filter(|(low, high)| low <= high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(cpus("0-3,7"), Ok(vec![0, 1, 2, 3, 7]));
        assert_eq!(cpus("1, 0,0-1,"), Ok(vec![0, 1]));
        for text in ["", "x", "1-0", "0:1", "0-", "-1", "4096", "0 1", "1,x", "0-1-2", ",0"] {
            assert!(cpus(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let there = Present::parse("0-1,4,62-65\n").unwrap();
        assert_eq!((there.to_string().as_str(), there.check(&[0, 4, 64], "CPU")), ("0-1,4,62-65", Ok(())));
        assert_eq!(there.check(&[1, 2, 99], "CPU"), Err("this machine has no CPU 2, only 0-1,4,62-65".into()));
        assert!(there.check(&[5000], "CPU").is_err() && Present::parse("").is_none());
        assert_eq!(Present::parse("0-1023").map(|all| all.to_string()).as_deref(), Some("0-1023"));
    }
}
