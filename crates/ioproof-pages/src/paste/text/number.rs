//! Numbers as tools print them in several languages, and temperatures and speeds with their units.

/// Zero degrees Celsius in Kelvin, without the fraction: drives give whole Kelvins, and every tool takes 273.
const CELSIUS_ZERO_KELVIN: f64 = 273.0;

/// Separators between groups of three digits, by language: `1,234`, `1.234`, `1’234`, `1 234`; the last is left by a broken encoding.
const GROUPING: [char; 11] = ['?', ',', '.', '\'', '’', ' ', '\u{a0}', '\u{202f}', '\u{2009}', '_', '\u{fffd}'];

pub(crate) fn whole(text: &str) -> Option<u128> {
    let text = text.trim_start();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits),
        None => decimal(text),
    }
}

pub(crate) fn whole_u64(text: &str) -> Option<u64> {
    whole(text)?.try_into().ok()
}

pub(crate) fn hexadecimal(text: &str) -> Option<u128> {
    let length = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
    u128::from_str_radix(&text[..length], 16).ok()
}

fn decimal(text: &str) -> Option<u128> {
    let (first, mut rest) = split_digits(text);
    let mut digits = first.to_owned();
    let separator = rest.chars().next().filter(|c| GROUPING.contains(c) && first.len() <= 3 && first != "0");
    while let Some((group, after)) = separator.and_then(|separator| split_group(rest, separator)) {
        digits.push_str(group);
        rest = after;
    }
    let has_fraction = rest.strip_prefix(['.', ',']).is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    if has_fraction { fraction_of_zeros(&digits, rest) } else { digits.parse().ok() }
}

fn fraction_of_zeros(digits: &str, rest: &str) -> Option<u128> {
    let (fraction, after) = split_digits(&rest[1..]);
    let is_whole = fraction.bytes().all(|digit| digit == b'0') && !after.starts_with(['e', 'E']);
    if is_whole { digits.parse().ok() } else { None }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// Three digits after the separator; in India groups of two stand before the last one.
fn split_group(text: &str, separator: char) -> Option<(&str, &str)> {
    let (group, after) = split_digits(text.strip_prefix(separator)?);
    let is_group = group.len() == 3 || group.len() == 2 && separator == ',' && after.starts_with(',');
    is_group.then_some((group, after))
}

pub(crate) fn real(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let length = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | ','))).unwrap_or(text.len());
    text[..length].replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Bytes of a figure with its unit: `KiB` counts in 1024, `KB` in `kilo`.
pub(crate) fn size_bytes(figure: f64, unit: &str, kilo: f64) -> Option<u64> {
    const LETTERS: [&str; 6] = ["", "K", "M", "G", "T", "P"];
    let letter = unit.trim_end_matches('B').trim_end_matches('i').to_ascii_uppercase();
    let power = LETTERS.iter().position(|known| *known == letter)?;
    let step: f64 = if unit.contains('i') { 1024.0 } else { kilo };
    let bytes = figure * step.powi(power as i32);
    (0.0..1e18).contains(&bytes).then(|| bytes.round() as u64)
}

/// The size of a drive that was rounded, perhaps with a decimal comma: two digits are too few to be a fact.
pub(crate) fn rounded_size_bytes(figure: &str, unit: &str, kilo: f64) -> Option<u64> {
    const LEAST_BYTES: u64 = 1_000_000;
    let digits = figure.bytes().filter(u8::is_ascii_digit).count();
    size_bytes(figure.replace(',', ".").parse().ok()?, unit, kilo).filter(|bytes| digits >= 3 && *bytes >= LEAST_BYTES)
}

/// Degrees Celsius out of `309 K, 35.85 C`, `36 °C (309 K)`, `309 Kelvin (36 Celsius)` or a bare `36`. Kelvins win, because they are what the drive said. `None` where
/// there is no temperature; that includes absolute zero, which is how a drive says that it has none.
pub(crate) fn celsius(text: &str) -> Option<f64> {
    let told = temperatures(text);
    let kelvin = told.iter().find(|(_, unit)| *unit == Some('K')).map(|(number, _)| number - CELSIUS_ZERO_KELVIN);
    let celsius = || told.iter().find(|(_, unit)| matches!(unit, Some('C') | None)).map(|(number, _)| *number);
    kelvin.or_else(celsius).filter(|degrees| *degrees > -CELSIUS_ZERO_KELVIN)
}

/// Each number with the letter that follows it, blanks and degree signs in between left out.
fn temperatures(text: &str) -> Vec<(f64, Option<char>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let sign = if rest[..start].ends_with('-') { -1.0 } else { 1.0 };
        let length = rest[start..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - start);
        let (number, after) = rest[start..].split_at(length);
        let unit = after.chars().find(|c| !c.is_whitespace() && !matches!(c, '°' | 'º' | '₁' | '\u{fffd}' | 'Â'));
        found.extend(number.trim_end_matches('.').parse().ok().map(|number: f64| (sign * number, unit.filter(|c| c.is_alphabetic()))));
        rest = after;
    }
    found
}

/// Gbit/s in the order named, those in MB/s of eight data bits in ten of the line.
pub(crate) fn speeds(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for (at, unit) in text.match_indices("Gb/s").chain(text.match_indices("MB/s")) {
        let start = text[..at].trim_end().rfind([' ', ',', '(']).map_or(0, |blank| blank + 1);
        let scale = if unit == "Gb/s" { 1.0 } else { 0.01 };
        found.extend(real(&text[start..at]).map(|speed| speed * scale));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn grouping_of_several_languages() {
        for text in
            ["500,107,862,016 [500 GB]", "500.107.862.016 [500 GB]", "500’107’862’016", "500'107'862'016", "500 107 862 016 [500 GB]"]
        {
            assert_eq!(whole(text), Some(500_107_862_016), "{text}");
        }
        assert_eq!(whole("500\u{a0}107\u{a0}862\u{a0}016 bytes"), Some(500_107_862_016));
        assert_eq!(whole("500\u{202f}107\u{202f}862\u{202f}016"), Some(500_107_862_016));
        assert_eq!(whole("5,00,107"), Some(500_107), "grouping of India");
    }

    #[test]
    fn what_follows_a_number_is_not_part_of_it() {
        assert_eq!(whole("36 (Min/Max 20/45)"), Some(36));
        assert_eq!(whole("512 bytes logical, 4096 bytes physical"), Some(512));
        assert_eq!(whole("1 [512 KB]"), Some(1));
        assert_eq!(whole("100%, with"), Some(100));
        assert_eq!(whole("2026 120 more"), Some(2026), "a year is no group");
        assert_eq!(whole("6,932,144 (3.55 TB)"), Some(6_932_144));
        assert_eq!(whole("1,234 567"), Some(1234), "one separator in one number");
    }

    #[test]
    fn fractions_are_no_whole_numbers_unless_they_are_zero() {
        assert_eq!((whole("35.85 C"), whole("0.125"), whole("1,5"), whole("12608.93")), (None, None, None, None));
        assert_eq!((whole("1234.000000"), whole("0.0")), (Some(1234), Some(0)));
        assert_eq!((whole("1.302"), whole("176987.332")), (Some(1302), None));
    }

    #[test]
    fn hexadecimal_and_nothing() {
        assert_eq!((whole("0x773bd2b0(2000409264₁₀)"), whole("0X0f")), (Some(0x773b_d2b0), Some(15)));
        assert_eq!((whole("0x"), whole(""), whole("-5"), whole("x1")), (None, None, None, None));
        assert_eq!(hexadecimal("8086"), Some(0x8086));
        assert_eq!(whole("340282366920938463463374607431768211455"), Some(u128::MAX));
        assert_eq!(whole("340282366920938463463374607431768211456"), None);
    }

    #[test]
    fn temperatures_in_every_dress() {
        #[rustfmt::skip]
        let cases = [
            "36 C", "36 °C (309 K)", "36°C (309 Kelvin)", "309 Kelvin (36 Celsius)", "309 K, 35.85 C, 96.53 F", "36", "97 °F (309 K)",
            "36 Celsius",
        ];
        for text in cases {
            assert_eq!(celsius(text), Some(36.0), "{text}");
        }
        assert_eq!(celsius("-5 C"), Some(-5.0));
        assert_eq!(celsius("36 Â°C"), Some(36.0), "a broken encoding");
        assert_eq!(celsius("35.85 C"), Some(35.85));
    }

    #[test]
    fn no_temperature_is_none() {
        for text in ["0 K, -273.15 C", "-273 C", "--", "", "97 F", "?"] {
            assert_eq!(celsius(text), None, "{text}");
        }
    }

    #[test]
    fn speeds_in_both_units() {
        assert_eq!(speeds("SATA 3.2, 6.0 Gb/s (current: 3.0 Gb/s)"), [6.0, 3.0]);
        assert_eq!((speeds("600.000MB/s transfers"), speeds("fast")), (vec![6.0], vec![]));
    }

    proptest! {
        #[test]
        fn any_number_is_read_back(number: u128) {
            prop_assert_eq!(whole(&number.to_string()), Some(number));
            prop_assert_eq!(whole(&format!("{number:#x}")), Some(number));
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,40}") {
            let _ = (whole(&text), real(&text), celsius(&text), hexadecimal(&text));
        }
    }
}
