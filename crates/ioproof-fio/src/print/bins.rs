//! fio's bins: 64 a power of two, each named by a value within it. ioproof's histogram has twice as many, so two of its bins make one of fio's.

use ioproof_core::histogram::Histogram;

const BITS: u32 = 6;
const SUB: u64 = 1 << BITS;
const GROUPS: u64 = 29;
/// Number of fio's bins, up to 17 s. Longer latencies have bins of the same kind here, where fio counts them in its last; a histogram's log has no columns for them.
pub(super) const BINS: usize = (SUB * GROUPS) as usize;

pub(super) fn bin_of(ns: u64) -> usize {
    if ns < SUB {
        return ns as usize;
    }
    let shift = u64::from(ns.ilog2() - BITS);
    (((shift + 1) << BITS) + ((ns >> shift) - SUB)) as usize
}

/// The latency by which fio names a bin: its middle. Nanoseconds.
pub(super) fn value_of(bin: usize) -> u64 {
    let bin = bin as u64;
    if bin < SUB {
        return bin;
    }
    let shift = (bin >> BITS) - 1;
    let lowest = (SUB + (bin & (SUB - 1))) << shift;
    lowest + (1 << shift) / 2
}

/// The lowest latency of each of ioproof's bins that hold something, its width, and how many.
pub(super) fn counted(histogram: &Histogram) -> Vec<(u64, u64, u64)> {
    histogram.counted().collect()
}

pub(super) fn folded(counted: &[(u64, u64, u64)]) -> Vec<(usize, u64)> {
    let mut bins: Vec<(usize, u64)> = Vec::new();
    for (lowest, _, n) in counted {
        let bin = bin_of(*lowest);
        match bins.last_mut() {
            Some(last) if last.0 == bin => last.1 = last.1.saturating_add(*n),
            _ => bins.push((bin, *n)),
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_fio() {
        // Printed by fio 3.33 for latencies that were made to last so long.
        for (ns, value) in [(9, 9), (30, 30), (71, 71), (131, 131), (1000, 1004), (2000, 2008), (3000, 2992), (58_617, 58_624)] {
            assert_eq!(value_of(bin_of(ns)), value, "{ns} ns");
        }
        assert_eq!((BINS, value_of(BINS - 1), bin_of(17_112_760_320)), (1856, 17_112_760_320, BINS - 1));
        let beyond = value_of(bin_of(250_000_000_000)) as f64 / 250e9;
        assert!((beyond - 1.0).abs() < 1.0 / 128.0, "{beyond}");
    }

    #[test]
    fn bins_follow_each_other() {
        for bin in 0..2 * BINS / 3 * 2 {
            assert_eq!(bin_of(value_of(bin)), bin);
        }
        assert!((1..2 * BINS / 3 * 2).all(|bin| value_of(bin) > value_of(bin - 1)));
    }

    #[test]
    fn two_of_ours_make_one_of_fios() {
        let mut histogram = Histogram::default();
        let latencies = [0, 5, 63, 64, 127, 128, 129, 130, 131, 4095, 1_000_000, 1_003_000, 16_000_000_000, 3_600_000_000_000];
        let mut exact = vec![0u64; 2 * BINS];
        for ns in latencies {
            histogram.record(ns);
            exact[bin_of(ns)] += 1;
        }
        let exact: Vec<(usize, u64)> = exact.into_iter().enumerate().filter(|(_, n)| *n > 0).collect();
        assert_eq!(folded(&counted(&histogram)), exact);
    }
}
