//! Use of the queue in words: I/Os outstanding, handed over at once, found done at once.

use crate::record::QueueUse;
use crate::units::{percent, three_digits};

/// The counts of a job; none where nothing was counted.
pub fn describe(queue: &QueueUse, outstanding: Option<f64>) -> Option<String> {
    let mut parts: Vec<String> =
        outstanding.filter(|n| *n > 0.0).map(|n| format!("{} outstanding on average", three_digits(n))).into_iter().collect();
    let spreads = [("at submission", &queue.depths), ("handed over at once", &queue.submitted), ("found done at once", &queue.reaped)];
    parts.extend(spreads.into_iter().filter_map(|(what, counts)| spread(counts).map(|spread| format!("{what} {spread}"))));
    (spreads.iter().any(|(_, counts)| counts.iter().any(|n| *n > 0))).then(|| parts.join("; "))
}

/// `1: 3.2 %, 16-31: 96.8 %`; shares below one in a thousand are left out.
fn spread(counts: &[u64]) -> Option<String> {
    let total = counts.iter().map(|n| *n as f64).sum::<f64>();
    let share = |(n, count): (usize, &u64)| (bucket(n), *count as f64 / total);
    let shares = counts.iter().enumerate().map(share).filter(|(_, share)| *share >= 0.001);
    let shares: Vec<String> = shares.map(|(bucket, share)| format!("{bucket}: {}", percent(share))).collect();
    (!shares.is_empty()).then(|| shares.join(", "))
}

/// The values that are counted at index `n`.
fn bucket(n: usize) -> String {
    let low = 1u128 << n.min(64);
    if n == 0 { "1".into() } else { format!("{low}-{}", low * 2 - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_names_its_buckets() {
        assert_eq!(spread(&[32, 0, 0, 0, 968, 0]).unwrap(), "1: 3.2 %, 16-31: 96.8 %");
        assert_eq!(spread(&[0, 0]), None);
        assert_eq!(spread(&[1, 99_999]).unwrap(), "2-3: 100 %");
        let queue = QueueUse { depths: vec![1], ..QueueUse::default() };
        assert_eq!(describe(&queue, Some(0.9514)).unwrap(), "0.951 outstanding on average; at submission 1: 100 %");
        assert_eq!(describe(&QueueUse::default(), Some(3.0)), None, "an old record says nothing of its queue");
    }
}
