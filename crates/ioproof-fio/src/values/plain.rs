//! Flags and booleans, and decimal fractions, alone and in lists.
//!
//! fio knows two kinds. A flag (`group_reporting`, `stonewall`, `time_based`, `thread`, `norandommap`, ...: `--cmdhelp` calls it "empty or boolean value")
//! may stand alone; a boolean (`direct`, `invalidate`, ...) must have its 0 or 1. The words true, false, yes and no are neither.

pub fn flag(value: Option<&str>) -> Result<bool, String> {
    match value {
        None => Ok(true),
        Some(text) => number(text).map(|number| number != 0),
    }
}

pub fn boolean(value: Option<&str>) -> Result<bool, String> {
    let text = value.ok_or("0 or 1 is expected after =; fio takes this option only with a value")?;
    match number(text)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("0 or 1 is expected, and {other} is neither")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let bare = text.trim();
    let meant = match bare.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => "; write 1",
        "false" | "no" | "off" => "; write 0",
        _ => "",
    };
    let digits = bare.strip_prefix("0x").map_or_else(|| bare.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok());
    digits.ok_or_else(|| format!("0 or 1 is expected, and \"{bare}\" is neither{meant}"))
}

pub fn float(text: &str) -> Result<f64, String> {
    let bare = text.trim();
    let is_number = bare.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    let found = bare.parse::<f64>().ok().filter(|number| is_number && number.is_finite());
    found.ok_or_else(|| format!("\"{bare}\" is no number; one such as 99.9 is expected"))
}

pub fn floats(text: &str, most: usize) -> Result<Vec<f64>, String> {
    let all: Vec<f64> = text.split(':').map(float).collect::<Result<_, _>>().map_err(|error| with_comma(text, error))?;
    if all.len() > most { Err(format!("at most {most} numbers are expected, and here are {}", all.len())) } else { Ok(all) }
}

fn with_comma(text: &str, error: String) -> String {
    if text.contains(',') { format!("{error}; a colon stands between two, as in 95:99:99.9") } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_may_stand_alone() {
        assert_eq!(flag(None), Ok(true));
        assert_eq!(flag(Some("0")), Ok(false));
        assert_eq!(flag(Some(" 1")), Ok(true));
        assert_eq!(flag(Some("2")), Ok(true));
        assert!(flag(Some("true")).is_err_and(|error| error.ends_with("write 1")));
        assert!(flag(Some("")).is_err());
    }

    #[test]
    fn booleans_have_a_value() {
        assert!(boolean(None).is_err_and(|error| error.contains("only with a value")));
        assert_eq!(boolean(Some("0x1")), Ok(true));
        assert_eq!(boolean(Some("0")), Ok(false));
        for text in ["2", "-1", "no", "1 x", "1k"] {
            assert!(boolean(Some(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn lists() {
        assert_eq!(floats("1:5:99.9", 20), Ok(vec![1.0, 5.0, 99.9]));
        assert_eq!(floats("1: 5", 20), Ok(vec![1.0, 5.0]));
        assert_eq!(floats("1e1", 20), Ok(vec![10.0]));
        assert!(floats("1,2", 20).is_err_and(|error| error.contains("colon")));
        for text in ["", "1:x", "1:5:", "99.9%", "inf", "nan", "1:2:3"] {
            assert!(floats(text, 2).is_err(), "{text}");
        }
    }
}
