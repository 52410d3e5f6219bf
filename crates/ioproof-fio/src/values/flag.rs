//! Flags and booleans.
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
}
