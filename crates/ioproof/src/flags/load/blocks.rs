//! `--bs`: one block size, or several with the share of each.

use ioproof_core::shape::SizeShare;
use ioproof_core::units::parse_size_bytes;

/// The sizes of one workload's I/O; their shares add up to 100.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSizes(Vec<SizeShare>);

impl BlockSizes {
    pub fn one(bytes: u32) -> Self {
        Self(vec![SizeShare { bytes, percent: 100 }])
    }

    /// The smallest size, by which a workload of several is named and placed. Bytes.
    pub fn smallest_bytes(&self) -> u32 {
        self.0.iter().map(|s| s.bytes).min().unwrap_or(0)
    }

    /// Every size. Bytes.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|size| size.bytes)
    }

    /// The sizes with their shares, where there are several; empty for one.
    pub fn split(&self) -> Vec<SizeShare> {
        if self.0.len() > 1 { self.0.clone() } else { Vec::new() }
    }
}

/// Reads one element of the list: `4KiB` or `4KiB:60/16KiB:40`.
pub fn read(text: &str) -> Result<BlockSizes, String> {
    if !text.contains([':', '/']) {
        return block(text).map(BlockSizes::one);
    }
    let sizes: Vec<SizeShare> = text.split('/').map(share).collect::<Result<_, _>>()?;
    let total: u32 = sizes.iter().map(|s| u32::from(s.percent)).sum();
    let twice = sizes.iter().enumerate().any(|(n, size)| sizes[..n].iter().any(|other| other.bytes == size.bytes));
    match () {
        () if total != 100 => Err(format!("the shares in `{text}` add up to {total} %, not 100 %")),
        () if twice => Err(format!("`{text}` names a size twice")),
        () => Ok(BlockSizes(sizes)),
    }
}

fn share(text: &str) -> Result<SizeShare, String> {
    let (size, percent) = text.split_once(':').ok_or_else(|| format!("`{text}` has no share; write 4KiB:60/16KiB:40"))?;
    let percent = percent.trim().trim_end_matches('%').trim().parse().ok().filter(|p| (1..=100).contains(p));
    let percent = percent.ok_or_else(|| format!("the share in `{text}` is no whole number from 1 to 100"))?;
    Ok(SizeShare { bytes: block(size)?, percent })
}

fn block(text: &str) -> Result<u32, String> {
    let bytes = parse_size_bytes(text).map_err(|e| e.to_string())?;
    let fits = (1..=1 << 30).contains(&bytes);
    u32::try_from(bytes).ok().filter(|_| fits).ok_or_else(|| format!("`{text}` is no size of a block from 1 B to 1 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_has_no_split() {
        let one = read("16KiB").unwrap();
        assert_eq!((one.smallest_bytes(), one.split()), (16384, vec![]));
        for bad in ["", "2GiB", "x", "0"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn several_sizes_add_up() {
        let split = read("16KiB:40/4KiB:60").unwrap();
        assert_eq!(split.smallest_bytes(), 4096);
        assert_eq!(split.split(), [SizeShare { bytes: 16384, percent: 40 }, SizeShare { bytes: 4096, percent: 60 }]);
        assert_eq!(read("4KiB:60%/16KiB:40%"), read("4KiB:60/16KiB:40"));
        for (bad, word) in [
            ("4KiB:60/16KiB:30", "add up to 90 %"),
            ("4KiB/16KiB", "has no share"),
            ("4KiB:0/16KiB:100", "1 to 100"),
            ("4KiB:50/4KiB:50", "twice"),
            ("4KiB:150/16KiB:206", "1 to 100"),
            ("4KiB:60/2GiB:40", "from 1 B to 1 GiB"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains(word), "{bad}: {error}");
        }
    }
}
