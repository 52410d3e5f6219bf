//! Figures as warnings show them.

use ioproof_core::units::{decimal_size, three_digits};

/// Bytes as job files have them: `10g`, `1536m`, `4k`; where none of these is short, `4000 bytes` or `2 TB`.
pub(super) fn size(bytes: u64) -> String {
    const STEPS: [(u32, &str); 4] = [(40, "t"), (30, "g"), (20, "m"), (10, "k")];
    let whole = STEPS.iter().find(|(bits, _)| bytes > 0 && bytes.is_multiple_of(1 << bits));
    match whole.filter(|(bits, _)| bytes >> bits < 10_000) {
        Some((bits, unit)) => format!("{}{unit}", bytes >> bits),
        None if bytes < 10_000 => format!("{bytes} bytes"),
        None => decimal_size(bytes),
    }
}

/// A count to three digits: `600000`, `3.6 million`.
pub(super) fn count(number: u64) -> String {
    match number {
        0..1_000_000 => number.to_string(),
        _ if number.is_multiple_of(1_000_000) => format!("{} million", number / 1_000_000),
        _ => format!("{} million", three_digits(number as f64 / 1e6)),
    }
}

/// A time in seconds: `30 s`.
pub(super) fn seconds(ns: u64) -> String {
    format!("{} s", three_digits(ns as f64 / 1e9))
}

/// So many of something: `1 clone`, `4 clones`.
pub(super) fn many(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_as_in_job_files() {
        assert_eq!(
            [10 << 30, 3 << 19, 4096, 4000, 0, 2_000_398_934_016].map(size),
            ["10g", "1536k", "4k", "4000 bytes", "0 bytes", "2 TB"]
        );
        assert_eq!([600_000, 3_600_000, 100_000_000].map(count), ["600000", "3.6 million", "100 million"]);
        assert_eq!((seconds(30_000_000_000), many(1, "clone"), many(4, "clone")), ("30 s".into(), "1 clone".into(), "4 clones".into()));
    }
}
