//! Processors, as a list and as a mask.

use super::{Context, integer};

/// The highest number of a processor that fio knows, and one.
const MOST: u32 = 1024;

/// A list of processors (or nodes), `0-3,7`, in order and each once.
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

/// A mask of processors: bit 0 of `0x5` is processor 0.
pub fn cpu_mask(text: &str, context: &Context) -> Result<Vec<u32>, String> {
    let mask = integer(text, context)?;
    if mask <= 0 {
        return Err(format!("\"{}\" is no mask of processors; one such as 0xf is expected", text.trim()));
    }
    Ok((0..63).filter(|bit| mask >> bit & 1 == 1).collect())
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
    fn masks() {
        let context = Context::default();
        assert_eq!(cpu_mask("0x5", &context), Ok(vec![0, 2]));
        assert_eq!(cpu_mask("3", &context), Ok(vec![0, 1]));
        assert!(cpu_mask("0", &context).is_err() && cpu_mask("ff", &context).is_err());
    }
}
