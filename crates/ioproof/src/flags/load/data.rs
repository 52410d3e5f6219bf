//! `--data`: what is written.

use ioproof_core::shape::Fill;

/// The longest pattern: what repeats after more than a block is no pattern. Bytes.
const PATTERN_BYTES: usize = 4096;

/// Reads `--data`.
pub fn read(text: &str) -> Result<Fill, String> {
    match text.split_once(':').unwrap_or((text, "")) {
        ("random", "") => Ok(Fill::Random),
        ("fresh", "") => Ok(Fill::Fresh),
        ("zero", "") => Ok(Fill::Zero),
        ("pattern", hex) => pattern(hex).map(Fill::Pattern),
        _ => Err("known: random, fresh (new random bytes for every write), zero, pattern:HEX (pattern:deadbeef)".into()),
    }
}

fn pattern(hex: &str) -> Result<Vec<u8>, String> {
    let digits = hex.strip_prefix("0x").unwrap_or(hex);
    let bytes = || digits.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>();
    match bytes() {
        Some(bytes) if !bytes.is_empty() && bytes.len() <= PATTERN_BYTES => Ok(bytes),
        _ => Err(format!(
            "`{hex}` is no pattern: pairs of the digits 0 to 9 and a to f, at most {PATTERN_BYTES} of them, as pattern:deadbeef"
        )),
    }
}

fn byte(pair: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*pair.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data() {
        assert_eq!((read("random"), read("fresh"), read("zero")), (Ok(Fill::Random), Ok(Fill::Fresh), Ok(Fill::Zero)));
        assert_eq!(read("pattern:DEadbeef"), Ok(Fill::Pattern(vec![0xde, 0xad, 0xbe, 0xef])));
        assert_eq!(read("pattern:0x00ff"), Ok(Fill::Pattern(vec![0, 0xff])));
        for bad in ["", "pattern", "pattern:", "pattern:abc", "pattern:xy", "pattern:é0", "zero:1", "noise"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(&format!("pattern:{}", "00".repeat(PATTERN_BYTES))).is_ok());
        assert!(read(&format!("pattern:{}", "00".repeat(PATTERN_BYTES + 1))).is_err());
    }
}
