//! Figures as titles show them.

use crate::units::three_digits;

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

/// A number of things: `1 clone`, `4 clones`.
pub(super) fn many(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!([600_000, 3_600_000, 100_000_000].map(count), ["600000", "3.6 million", "100 million"]);
        assert_eq!((seconds(30_000_000_000), many(1, "clone"), many(4, "clone")), ("30 s".into(), "1 clone".into(), "4 clones".into()));
    }
}
