//! Simple loops of a shell: the words of `for x in ...`, and what `$x` and `$((2**$x))` become.

use crate::command::Command;

/// The values of each variable of the loops around a command.
pub(super) fn variables(command: &Command) -> Vec<(String, Vec<String>)> {
    const MOST: usize = 1000;
    let mut all = Vec::new();
    for part in command.text.split("for ").skip(1) {
        let Some((name, rest)) = part.split_once(" in ") else { continue };
        let list = rest.split(';').next().unwrap_or_default().trim();
        let values = match list.strip_prefix("`seq ").or_else(|| list.strip_prefix("$(seq ")) {
            Some(range) => sequence(range.trim_end_matches(['`', ')']), MOST),
            None => list.split_whitespace().take(MOST).map(str::to_owned).collect(),
        };
        all.push((name.trim().to_owned(), values));
    }
    all
}

fn sequence(range: &str, most: usize) -> Vec<String> {
    let ends: Vec<u64> = range.split_whitespace().filter_map(|end| end.parse().ok()).collect();
    let (first, last) = match ends[..] {
        [last] => (1, last),
        [first, last] => (first, last),
        _ => return Vec::new(),
    };
    (first..=last).take(most).map(|value| value.to_string()).collect()
}

/// All values of a word that may hold variables: `0x$t`, `$((2**$i))`.
pub(super) fn values(word: &str, variables: &[(String, Vec<String>)]) -> Vec<String> {
    let Some((name, all)) = variables.iter().find(|(name, _)| word.contains(&format!("${name}")) || word.contains(&format!("${{{name}}}")))
    else {
        return vec![word.to_owned()];
    };
    let put = |value: &String| {
        let text = word.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        power(&text).unwrap_or(text)
    };
    all.iter().map(put).collect()
}

/// `$((2**3))`
fn power(text: &str) -> Option<String> {
    let (base, exponent) = text.strip_prefix("$((")?.strip_suffix("))")?.split_once("**")?;
    let (base, exponent): (u64, u32) = (base.trim().parse().ok()?, exponent.trim().parse().ok()?);
    base.checked_pow(exponent).map(|value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_unrolled() {
        let command = Command {
            line: 1,
            text: "for t in 3 f ff; do for i in `seq 0 2`; do perf -q $((2**$i)); done; done".into(),
            tool: "",
            arguments: Vec::new(),
            is_loop: true,
        };
        let all = variables(&command);
        assert_eq!(values("0x$t", &all), ["0x3", "0xf", "0xff"]);
        assert_eq!(values("$((2**$i))", &all), ["1", "2", "4"]);
        assert_eq!(values("4096", &all), ["4096"]);
    }
}
