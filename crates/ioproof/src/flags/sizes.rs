//! Sizes, times and shares as they are typed.

use ioproof_core::units::{parse_duration, parse_size_bytes};
use ioproof_session::request::TargetExtent;
use std::time::Duration;

pub fn read_bytes(text: &str) -> Result<u64, String> {
    parse_size_bytes(text).map_err(|error| error.to_string())
}

/// A size of whole blocks of 4 KiB.
pub fn read_offset(text: &str) -> Result<u64, String> {
    match read_bytes(text)? {
        bytes if bytes.is_multiple_of(4096) => Ok(bytes),
        _ => Err(format!("`{text}` is no multiple of 4 KiB")),
    }
}

pub fn read_extent(text: &str) -> Result<TargetExtent, String> {
    match text.strip_suffix('%') {
        Some(_) => read_share(text).map(TargetExtent::Share),
        None => match read_bytes(text)? {
            0 => Err("a size of 0 bytes".into()),
            bytes => Ok(TargetExtent::Bytes(bytes)),
        },
    }
}

pub fn read_duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text).map_err(|e| e.to_string())? {
        Duration::ZERO => Err("a time of 0".into()),
        time => Ok(time),
    }
}

pub fn read_share(text: &str) -> Result<f64, String> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |n| (n, 100.0));
    let share = number.trim().parse::<f64>().map_err(|_| format!("`{text}` is no share; write 80% or 0.8"))? / scale;
    if share > 0.0 && share <= 1.0 { Ok(share) } else { Err(format!("`{text}` is not more than 0 and at most 100 %")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_sizes() {
        assert_eq!(read_share("80%"), Ok(0.8));
        assert_eq!(read_share("0.5"), Ok(0.5));
        assert!(read_share("80").is_err() && read_share("0").is_err() && read_share("x%").is_err());
        for text in ["0", "101%"] {
            assert!(read_share(text).unwrap_err().contains("more than 0 and at most 100 %"), "{text}");
        }
        assert_eq!(read_extent("100%").map(|extent| extent.in_bytes(1000)), Ok(1000));
        assert_eq!(read_extent("4KiB").map(|extent| extent.in_bytes(1 << 30)), Ok(4096));
        assert!(read_extent("0").is_err());
        assert_eq!((read_offset("1MiB"), read_offset("0")), (Ok(1 << 20), Ok(0)));
        assert!(read_offset("100B").is_err() && read_offset("x").is_err());
    }
}
