//! The value of `bssplit`: sizes of blocks and their shares.

use super::context::ValueContext;
use super::per_direction::PerDirection;
use super::size::size;

const MOST: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSplit {
    pub bytes: u64,
    pub percent: u32,
}

/// `4k/50:64k/50,8k/..`: sizes and shares, a list a direction; an empty list: as `bs` says.
///
/// A second direction is for trims too if there is no third. Shares that are missing or 0 divide what the others leave, and as fio draws them, the
/// last size has what is left of 100 and nothing is beyond it.
pub fn splits(text: &str, context: &ValueContext) -> Result<PerDirection<Vec<BlockSplit>>, String> {
    let lists: Vec<Vec<BlockSplit>> = text.split(',').map(|list| one_direction(list, context)).collect::<Result<_, _>>()?;
    if lists.iter().all(Vec::is_empty) {
        return Err("sizes and shares are expected, such as 4k/60:64k/40".to_owned());
    }
    match lists.as_slice() {
        [all] => Ok(PerDirection::all(all.clone())),
        [read, write] => Ok(PerDirection { read: read.clone(), write: write.clone(), trim: write.clone() }),
        [read, write, trim] => Ok(PerDirection { read: read.clone(), write: write.clone(), trim: trim.clone() }),
        more => Err(format!("at most three lists are expected, for reads, writes and trims, and here are {}", more.len())),
    }
}

fn one_direction(list: &str, context: &ValueContext) -> Result<Vec<BlockSplit>, String> {
    let parts: Vec<&str> = list.split(':').filter(|part| !part.trim().is_empty()).collect();
    if parts.len() > MOST {
        return Err(format!("at most {MOST} sizes a direction are expected, and here are {}", parts.len()));
    }
    let mut all = Vec::new();
    for part in parts {
        let (bytes, share) = part.split_once('/').unwrap_or((part, ""));
        // Of a range fio takes the lower end and says nothing.
        let bytes = bytes.split_once('-').map_or(bytes, |(lower, _)| lower);
        let bytes = size(bytes.trim(), context)?;
        if bytes == 0 {
            return Err(format!("\"{part}\": a size of at least one byte is expected"));
        }
        all.push(BlockSplit { bytes, percent: percent(share, part)?.unwrap_or(0) });
    }
    Ok(drawn(all))
}

pub(super) fn percent(share: &str, part: &str) -> Result<Option<u32>, String> {
    match share.trim() {
        "" => Ok(None),
        digits => digits
            .parse()
            .ok()
            .filter(|percent| *percent <= 100)
            .map(Some)
            .ok_or_else(|| format!("\"{part}\": a whole share of 0 to 100 percent is expected after the slash")),
    }
}

fn drawn(mut all: Vec<BlockSplit>) -> Vec<BlockSplit> {
    share_out(&mut all);
    let mut left = 100;
    for split in &mut all {
        split.percent = split.percent.min(left);
        left -= split.percent;
    }
    if let Some(last) = all.last_mut() {
        last.percent += left;
    }
    all
}

fn share_out(all: &mut [BlockSplit]) {
    let given: u32 = all.iter().map(|split| split.percent).sum();
    let without = u32::try_from(all.iter().filter(|split| split.percent == 0).count()).unwrap_or(u32::MAX);
    let part = 100_u32.saturating_sub(given).checked_div(without).unwrap_or(0);
    all.iter_mut().filter(|split| split.percent == 0).for_each(|split| split.percent = part);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Vec<(u64, u32)> {
        let all = splits(text, &ValueContext::default()).unwrap_or_default();
        all.read.iter().map(|split| (split.bytes >> 10, split.percent)).collect()
    }

    #[test]
    fn shares_as_fio_draws_them() {
        for (text, all) in [
            ("4k/50:64k/50", vec![(4, 50), (64, 50)]),
            ("4k/50:64k", vec![(4, 50), (64, 50)]),
            ("4k:8k:16k", vec![(4, 33), (8, 33), (16, 34)]),
            ("4k/10:8k:16k", vec![(4, 10), (8, 45), (16, 45)]),
            ("4k/60:8k/20:16k", vec![(4, 60), (8, 20), (16, 20)]),
            ("4k/10:8k/20", vec![(4, 10), (8, 90)]),
            ("4k/0:8k", vec![(4, 50), (8, 50)]),
            ("4k/0:8k/100", vec![(4, 0), (8, 100)]),
            ("4k/60:8k/60", vec![(4, 60), (8, 40)]),
            ("4k", vec![(4, 100)]),
            ("4k/:", vec![(4, 100)]),
            ("4k/50:36k-60k/50", vec![(4, 50), (36, 50)]),
        ] {
            assert_eq!(reads(text), all, "{text}");
        }
    }

    #[test]
    fn directions() {
        let context = ValueContext::default();
        let of = |text| splits(text, &context).map(|all| [all.read.len(), all.write.len(), all.trim.len()]);
        assert_eq!(of("4k/50:64k/50,8k/"), Ok([2, 1, 1]));
        assert_eq!(of("4k/50:64k/50,8k/100,16k:32k:64k"), Ok([2, 1, 3]));
        assert_eq!(of(",8k/100"), Ok([0, 1, 1]));
        for text in ["", ":", "x/5", "4k/x", "4k/-5", "4k/101", "4k/50/3", "0/5", "4k,4k,4k,4k"] {
            assert!(of(text).is_err(), "{text}");
        }
        assert!(of(&"4k:".repeat(65)).is_err());
    }
}
