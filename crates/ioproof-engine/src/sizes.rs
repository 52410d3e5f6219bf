//! The size of the next I/O: always the same, or drawn by the shares of a list.

use crate::random::Draws;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::{SizeRange, SizeShare};

/// Most sizes in a list.
const SIZES_MAX: usize = 64;
/// Smallest unit of a drive. Bytes.
const SECTOR_BYTES: u32 = 512;
/// Largest I/O. Bytes.
const SIZE_MAX_BYTES: u32 = 1 << 30;

/// The sizes of one direction.
#[derive(Debug, Clone)]
pub(crate) enum Sizes {
    /// Always this one.
    One(u32),
    /// For each hundredth of the I/Os its size.
    ByPercent(Box<[u32; 100]>),
    /// Multiples of the step from the first on, each alike.
    Range { least: u32, step: u32, count: u64 },
}

impl Sizes {
    /// Those of a range, or of a list whose shares add up to 100; where there is neither, always `nominal_bytes`.
    pub(crate) fn new(nominal_bytes: u32, shares: &[SizeShare], range: Option<SizeRange>) -> Self {
        if let Some(SizeRange { least_bytes, most_bytes }) = range {
            let count = u64::from(most_bytes.saturating_sub(least_bytes) / least_bytes.max(1)) + 1;
            return Self::Range { least: least_bytes, step: least_bytes, count };
        }
        let first = shares.first().map_or(nominal_bytes, |share| share.bytes);
        if shares.iter().all(|share| share.bytes == first) {
            return Self::One(first);
        }
        let mut table = Box::new([first; 100]);
        let mut hundredths = table.iter_mut();
        for share in shares {
            hundredths.by_ref().take(share.percent.into()).for_each(|size| *size = share.bytes);
        }
        Self::ByPercent(table)
    }

    /// The next one. Bytes. Nothing is drawn where there is but one.
    #[inline]
    pub(crate) fn next(&mut self, random: &mut Draws) -> u32 {
        match self {
            Self::One(bytes) => *bytes,
            Self::ByPercent(table) => table[random.below(100) as usize],
            Self::Range { least, step, count } => *least + random.below(*count) as u32 * *step,
        }
    }
}

/// Says in plain words what does not fit in the job's sizes.
pub(crate) fn check(spec: &JobSpec) -> Result<(), String> {
    let shape = &spec.workload.shape;
    check_list("read", &shape.read_sizes)?;
    check_list("write", &shape.write_sizes)?;
    check_range("read", shape.read_range, &shape.read_sizes)?;
    check_range("write", shape.write_range, &shape.write_sizes)?;
    // All offsets are counted in the smallest block.
    if spec.workload.smallest_block_bytes() == 0 { Err("the block size is 0".into()) } else { Ok(()) }
}

fn check_list(direction: &str, shares: &[SizeShare]) -> Result<(), String> {
    let refuse = |text: &str| Err(format!("{direction} sizes: {text}"));
    match () {
        () if shares.is_empty() => Ok(()),
        () if shares.len() > SIZES_MAX => refuse(&format!("more than {SIZES_MAX}")),
        () if shares.iter().any(|s| !s.bytes.is_multiple_of(SECTOR_BYTES)) => refuse("one is no multiple of 512 B"),
        () if shares.iter().any(|s| !(SECTOR_BYTES..=SIZE_MAX_BYTES).contains(&s.bytes)) => refuse("one is outside 512 B to 1 GiB"),
        () if shares.iter().any(|s| s.percent == 0) => refuse("one has no share"),
        () if shares.iter().map(|s| u32::from(s.percent)).sum::<u32>() != 100 => refuse("the shares do not add up to 100 %"),
        () => Ok(()),
    }
}

fn check_range(direction: &str, range: Option<SizeRange>, list: &[SizeShare]) -> Result<(), String> {
    let refuse = |text: &str| Err(format!("{direction} sizes: {text}"));
    match range {
        None => Ok(()),
        Some(_) if !list.is_empty() => refuse("either a list or a range"),
        Some(r) if !r.least_bytes.is_multiple_of(SECTOR_BYTES) => refuse("one is no multiple of 512 B"),
        Some(r) if r.least_bytes < SECTOR_BYTES || r.most_bytes > SIZE_MAX_BYTES => refuse("one is outside 512 B to 1 GiB"),
        Some(r) if r.least_bytes > r.most_bytes => refuse("the range is empty"),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(shares: &[(u32, u8)]) -> Vec<SizeShare> {
        shares.iter().map(|(bytes, percent)| SizeShare { bytes: *bytes, percent: *percent }).collect()
    }

    #[test]
    fn each_size_has_its_share() {
        let shares = [(4096, 60), (512, 5), (65536, 35)];
        let (mut sizes, mut random) = (Sizes::new(8192, &list(&shares), None), Draws::new(17));
        let drawn: Vec<u32> = (0..100_000).map(|_| sizes.next(&mut random)).collect();
        for (bytes, percent) in shares {
            let share = drawn.iter().filter(|b| **b == bytes).count() as f64 / 1e5;
            // Four deviations of 100000 draws are at most 0.0062.
            assert!((share - f64::from(percent) / 100.0).abs() < 0.0062, "{bytes}: {share}");
        }
        assert!(drawn.iter().all(|bytes| shares.iter().any(|(b, _)| b == bytes)));
    }

    #[test]
    fn one_size_takes_no_draw() {
        for (shares, expected) in [(list(&[]), 8192), (list(&[(4096, 100)]), 4096), (list(&[(512, 30), (512, 70)]), 512)] {
            let mut random = Draws::new(1);
            assert_eq!(Sizes::new(8192, &shares, None).next(&mut random), expected);
            assert_eq!(random.next(), Draws::new(1).next());
        }
    }

    #[test]
    fn a_range_holds_its_multiples_alike() {
        let range = Some(SizeRange { least_bytes: 4096, most_bytes: 18000 });
        let (mut sizes, mut random) = (Sizes::new(8192, &[], range), Draws::new(17));
        let drawn: Vec<u32> = (0..40_000).map(|_| sizes.next(&mut random)).collect();
        for bytes in [4096, 8192, 12288, 16384] {
            let share = drawn.iter().filter(|b| **b == bytes).count();
            assert!((9500..10_500).contains(&share), "{bytes}: {share}");
        }
    }

    #[test]
    fn ranges_that_do_not_fit_are_refused() {
        let words =
            |least_bytes, most_bytes| check_range("read", Some(SizeRange { least_bytes, most_bytes }), &[]).err().unwrap_or_default();
        assert_eq!(words(512, 4096), "");
        assert_eq!(words(1000, 4096), "read sizes: one is no multiple of 512 B");
        assert_eq!(words(0, 4096), "read sizes: one is outside 512 B to 1 GiB");
        assert_eq!(words(8192, 4096), "read sizes: the range is empty");
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let words = |shares: &[SizeShare]| check_list("read", shares).err().unwrap_or_default();
        assert_eq!(words(&list(&[(4096, 60), (512, 40)])), "");
        assert_eq!(words(&[]), "");
        let many: Vec<_> = (0..65).map(|n| (4096, if n == 0 { 36 } else { 1 })).collect();
        assert_eq!(words(&list(&many[..64])), "read sizes: the shares do not add up to 100 %");
        let refused = [
            (list(&many), "more than 64"),
            (list(&[(4096, 60), (1000, 40)]), "one is no multiple of 512 B"),
            (list(&[(4096, 60), (0, 40)]), "one is outside 512 B to 1 GiB"),
            (list(&[((1 << 30) + 512, 100)]), "one is outside 512 B to 1 GiB"),
            (list(&[(4096, 100), (8192, 0)]), "one has no share"),
            (list(&[(4096, 60), (512, 41)]), "the shares do not add up to 100 %"),
        ];
        for (shares, text) in refused {
            assert_eq!(words(&shares), format!("read sizes: {text}"));
        }
    }
}
