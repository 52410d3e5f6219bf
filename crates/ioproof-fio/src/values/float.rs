//! Decimal fractions, alone and in lists.

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
