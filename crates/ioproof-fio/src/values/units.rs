//! Units of data, with fio's exchange of 1000 and 1024.
//!
//! With `kb_base=1024`, the default, `4k`, `4kb` and `4ki` are 4096 bytes and `4kib` is 4000; with `kb_base=1000` `4kib` is 4096 and the others 4000.

use super::context::ValueContext;

pub(super) const BYTES_MAX: usize = "kib".len();

pub(super) fn bytes_of(unit: &str, context: &ValueContext) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    if unit == "b" {
        return Some(1);
    }
    let mut letters = unit.chars();
    let power = "kmgtp".find(letters.next()?)?;
    let base: u64 = match letters.as_str() {
        "" | "b" | "i" => u64::from(context.kb_base),
        "ib" if context.kb_base == 1024 => 1000,
        "ib" => 1024,
        _ => return None,
    };
    base.checked_pow(u32::try_from(power).ok()? + 1)
}

/// True if the value is written with a unit that fio reads other than people do: `KiB` and so on as powers of 1000.
pub fn surprises(text: &str, context: &ValueContext) -> bool {
    let lower = text.to_ascii_lowercase();
    context.kb_base == 1024
        && ["kib", "mib", "gib", "tib", "pib"].iter().any(|unit| lower.match_indices(unit).any(|(at, _)| after_digit(&lower, at)))
}

fn after_digit(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bases() {
        let old = ValueContext::default();
        let new = ValueContext { kb_base: 1000, ..old };
        #[rustfmt::skip]
        let cases = [
            ("k", 1024, 1000), ("kb", 1024, 1000), ("Ki", 1024, 1000), ("KiB", 1000, 1024), ("b", 1, 1), ("m", 1 << 20, 1_000_000),
            ("GiB", 1_000_000_000, 1 << 30), ("t", 1 << 40, 1_000_000_000_000), ("pib", 1_000_000_000_000_000, 1 << 50),
        ];
        for (unit, of_1024, of_1000) in cases {
            assert_eq!((bytes_of(unit, &old), bytes_of(unit, &new)), (Some(of_1024), Some(of_1000)), "{unit}");
        }
        for unit in ["", "x", "e", "kk", "kbx", "ib", "%"] {
            assert_eq!(bytes_of(unit, &old), None, "{unit}");
        }
    }

    #[test]
    fn only_kib_and_its_kin_surprise() {
        let old = ValueContext::default();
        assert!(surprises("4KiB", &old) && surprises("4k,8MiB", &old));
        assert!(!surprises("4ki", &old) && !surprises("4kb", &old) && !surprises("kibble", &old));
        assert!(!surprises("4KiB", &ValueContext { kb_base: 1000, ..old }));
    }
}
