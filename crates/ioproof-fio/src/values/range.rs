//! Ranges of sizes.

use super::{Context, size};

/// Two sizes, `4k-16k` or `4k:16k`, the least first whatever their order. One alone is an error, as it is for fio. Bytes.
pub fn range(text: &str, context: &Context) -> Result<(u64, u64), String> {
    let (low, high) =
        text.trim().split_once(['-', ':']).ok_or_else(|| format!("\"{text}\" is no range; two sizes are expected, such as 4k-16k"))?;
    let (low, high) = (size(low.trim_end(), context)?, size(high, context)?);
    Ok((low.min(high), low.max(high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_reads_them() {
        let context = Context::default();
        for text in ["4k-16k", "4k:16k", "16k-4k"] {
            assert_eq!(range(text, &context), Ok((4096, 16384)), "{text}");
        }
        for text in ["4k", "4k-", "-8k", "4k,8k", "4k-8k-", "4k - 16k", "4k-16k/8k-32k"] {
            assert!(range(text, &context).is_err(), "{text}: {:?}", range(text, &context));
        }
    }
}
