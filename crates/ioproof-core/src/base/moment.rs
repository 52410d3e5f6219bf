//! Moments as spreadsheets count them: days since the end of 1899, in UTC.

/// Days from the first of March of the year 0 to day 0 of spreadsheets, 1899-12-30.
const DAY_0: i64 = 693_899;
const DAY_S: f64 = 86_400.0;
/// 1970-01-01.
const DAY_1970: f64 = 25_569.0;

/// The number of a moment in RFC 3339; none for other text.
pub fn serial(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<i64>().ok())
    };
    let is = |at: usize, byte: u8| text.as_bytes().get(at) == Some(&byte);
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':') && is(16, b':')) {
        return None;
    }
    let (seconds, zone) = text.get(17..)?.split_at_checked(text.get(17..)?.find(['Z', '+', '-'])?)?;
    let seconds: f64 = seconds.parse().ok().filter(|seconds| (0.0..61.0).contains(seconds))?;
    let minutes = number(11, 13)? * 60 + number(14, 16)? - offset_minutes(zone)?;
    let day = day(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    Some(day as f64 + (minutes as f64 * 60.0 + seconds) / DAY_S)
}

/// Seconds since 1970 of the same, to the millisecond.
pub fn unix_seconds(text: &str) -> Option<f64> {
    let seconds = (serial(text)? - DAY_1970) * DAY_S;
    Some((seconds * 1e3).round() / 1e3)
}

/// `Z`, `+01:00`.
fn offset_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let minutes = hours.parse::<u8>().ok().map(i64::from)? * 60 + minutes.parse::<u8>().ok().map(i64::from)?;
    Some(if zone.starts_with('-') { -minutes } else { minutes })
}

/// A year begins with March here, so that the day that some years lack is the last one.
fn day(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1900..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5;
    Some(before + day - 1 - DAY_0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_since_1899() {
        assert_eq!(serial("1970-01-01T00:00:00Z"), Some(25_569.0));
        assert_eq!(unix_seconds("2026-12-03T10:15:00.125Z"), Some(1_796_292_900.125));
        assert_eq!(serial("2000-02-29T12:00:00.000Z"), Some(36_585.5));
        assert_eq!(serial("2000-03-01T00:00:00Z"), Some(36_586.0));
        assert_eq!(serial("2026-12-03T11:15:00+01:00"), serial("2026-12-03T10:15:00Z"));
        assert_eq!(serial("2026-12-31T22:30:00-02:00"), serial("2027-01-01T00:30:00Z"));
    }

    #[test]
    fn other_text_is_none() {
        for text in
            ["", "yesterday", "2026-12-03", "2026-13-03T10:15:00Z", "2026-12-03T10:15:00", "2026-12-03T1é:15:00Z", "東芝東芝東芝東芝"]
        {
            assert_eq!(serial(text), None, "{text}");
        }
    }
}
