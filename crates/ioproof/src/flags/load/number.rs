//! Numbers as they are typed: counts with a k or an M behind them, thousandths, and a value with a count behind a colon.

/// A count from 1 on: `500`, `10k`, `1.5M`.
pub fn count(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.trim().strip_suffix(['k', 'K']) {
        Some(number) => (number, 1e3),
        None => text.trim().strip_suffix('M').map_or((text.trim(), 1.0), |number| (number, 1e6)),
    };
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value = number.parse::<f64>().ok().filter(|_| plain).map(|n| n * factor);
    match value {
        // Beyond 10^15 a float no longer tells whole numbers exactly, and nothing is that fast or that long.
        Some(n) if (1.0..=1e15).contains(&n) && (n - n.round()).abs() < 1e-6 => Ok(n.round() as u64),
        _ => Err(format!("`{text}` is no whole number from 1 on; write 500, 10k or 1.5M")),
    }
}

/// A whole number of a list, such as a queue depth, up to `most`.
pub fn up_to(most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync {
    move |text| match text.trim().parse::<u32>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ if text.contains(['-', ':']) || text.contains("..") => Err(format!("`{text}` is no number; several are written as 1,2,4,8")),
        _ => Err(format!("`{text}` is no whole number from 1 to {most}")),
    }
}

/// A number in whole thousandths: `1.2` is 1200.
pub fn milli(text: &str) -> Result<u32, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || !digits(whole) || !digits(part) || part.len() > 3 {
        return Err(format!("`{text}` is no number of at most three digits after the point"));
    }
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    Ok(number(whole) * 1000 + number(&format!("{part:0<3}")))
}

/// A share in whole thousandths, from 0.001 up to `most`: `0.2`, or `20%`.
pub fn milli_share(text: &str, most: u32) -> Result<u32, String> {
    let value = match text.strip_suffix('%') {
        Some(percent) => milli(percent.trim())?.checked_div(100),
        None => Some(milli(text)?),
    };
    value.filter(|v| (1..=most).contains(v)).ok_or_else(|| format!("`{text}` is not between 0.001 and {}", f64::from(most) / 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_answered_with_a_list() {
        assert_eq!(["1", "4096"].map(up_to(4096)), [Ok(1), Ok(4096)]);
        for text in ["1-8", "1..8", "1:8", "-1"] {
            assert!(up_to(4096)(text).unwrap_err().contains("1,2,4,8"), "{text}");
        }
        assert!(["0", "4097", "x", ""].map(up_to(4096)).iter().all(|read| read.as_ref().unwrap_err().contains("from 1 to 4096")));
    }

    #[test]
    fn counts() {
        assert_eq!((count("500"), count("10k"), count("1.5M"), count("2K")), (Ok(500), Ok(10_000), Ok(1_500_000), Ok(2000)));
        for bad in ["", "0", "k", "-5", "1.5", "1e3", "inf", "nan", "10G", "99999999999999999999", "0.0001k"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn thousandths() {
        assert_eq!((milli("1.2"), milli("0.999"), milli("3"), milli("0.05")), (Ok(1200), Ok(999), Ok(3000), Ok(50)));
        for bad in ["", ".5", "1.2345", "-1", "x", "1.x", "1234567", "1.2.3"] {
            assert!(milli(bad).is_err(), "{bad}");
        }
        assert_eq!((milli_share("20%", 999), milli_share("0.2", 999), milli_share("2.5%", 999)), (Ok(200), Ok(200), Ok(25)));
        assert!(milli_share("100%", 999).is_err() && milli_share("100%", 1000).is_ok() && milli_share("0", 999).is_err());
    }
}
