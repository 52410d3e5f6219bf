//! Sizes, and amounts of a target.

use super::context::{Amount, ValueContext};
use super::number::measured;

pub fn size(text: &str, context: &ValueContext) -> Result<u64, String> {
    match amount(text, context)? {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Percent(_) => Err(format!("\"{}\": a size in bytes is expected, and % does not go here", text.trim())),
        Amount::Blocks(_) => Err(format!("\"{}\": a size in bytes is expected, and z does not go here", text.trim())),
    }
}

/// A size (`10g`), a share of the target (`50%`), or zones (`5z`).
pub fn amount(text: &str, context: &ValueContext) -> Result<Amount, String> {
    let (number, mark) = measured(text, context, "size")?;
    let number = u64::try_from(number).map_err(|_| format!("\"{}\": a size is not below zero", text.trim()))?;
    match mark {
        None => Ok(Amount::Bytes(number)),
        Some('z') => Ok(Amount::Blocks(number)),
        Some(_) => u8::try_from(number).ok().filter(|percent| *percent <= 100).map(Amount::Percent).ok_or_else(|| beyond(text)),
    }
}

/// Two sizes, `4k-16k` or `4k:16k`, the least first whatever their order. One alone is an error, as it is for fio. Bytes.
pub fn range(text: &str, context: &ValueContext) -> Result<(u64, u64), String> {
    let (low, high) =
        text.trim().split_once(['-', ':']).ok_or_else(|| format!("\"{text}\" is no range; two sizes are expected, such as 4k-16k"))?;
    let (low, high) = (size(low.trim_end(), context)?, size(high, context)?);
    Ok((low.min(high), low.max(high)))
}

fn beyond(text: &str) -> String {
    format!("\"{}\": a share of 0% to 100% is expected", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_reads_them() {
        let context = ValueContext { cpus: 2, memory_bytes: 24105 << 20, ..ValueContext::default() };
        #[rustfmt::skip]
        let cases = [
            ("8kib", 8000), ("4KB", 4096), ("2ti", 2_199_023_255_552), ("0X10", 16), ("1b", 1), ("$mb_memory", 24105),
            ("8*$mb_memory", 192_840), ("$mb_memorym", 24105 << 20), ("4*$pagesize", 16384), ("($ncpus*200)", 400),
        ];
        for (text, bytes) in cases {
            assert_eq!(size(text, &context), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn amounts() {
        let context = ValueContext::default();
        assert_eq!(amount("50%", &context), Ok(Amount::Percent(50)));
        assert_eq!(amount("0%", &context), Ok(Amount::Percent(0)));
        assert_eq!(amount("5z", &context), Ok(Amount::Blocks(5)));
        assert_eq!(amount("1m", &context), Ok(Amount::Bytes(1 << 20)));
        for text in ["101%", "%", "-5", "50%x", "100 %", "50percent", "'4k'"] {
            assert!(amount(text, &context).is_err(), "{text}");
        }
        assert!(size("50%", &context).is_err() && size("5z", &context).is_err());
    }

    #[test]
    fn ranges() {
        let context = ValueContext::default();
        for text in ["4k-16k", "4k:16k", "16k-4k"] {
            assert_eq!(range(text, &context), Ok((4096, 16384)), "{text}");
        }
        for text in ["4k", "4k-", "-8k", "4k,8k", "4k-8k-", "4k - 16k", "4k-16k/8k-32k"] {
            assert!(range(text, &context).is_err(), "{text}: {:?}", range(text, &context));
        }
    }
}
