//! Names of nodes as Slurm writes them: `n[001-003,7]` is `n001`, `n002`, `n003` and `n7`.

use ioproof_process::complaint::complaint;

/// Nodes of one expression; more are a slip.
const MOST: usize = 100_000;

/// The names that an expression stands for.
///
/// # Errors
/// When a bracket is not closed, or a range is none.
pub fn expanded(expression: &str) -> anyhow::Result<Vec<String>> {
    let wrong = || complaint(format!("`{expression}` is no list of nodes"), "write it as n[01-12,20] or as one name");
    let Some((before, rest)) = expression.split_once('[') else {
        return if expression.contains(']') { Err(wrong()) } else { Ok(vec![expression.to_owned()]) };
    };
    let (inside, after) = rest.split_once(']').ok_or_else(wrong)?;
    let mut names = Vec::new();
    let ends = expanded(after)?;
    for part in inside.split(',') {
        let numbers = numbers(part).ok_or_else(wrong)?;
        if numbers.len() * ends.len() + names.len() > MOST {
            return Err(wrong());
        }
        names.extend(numbers.iter().flat_map(|number| ends.iter().map(move |end| format!("{before}{number}{end}"))));
    }
    Ok(names)
}

/// `007` alone, or `007-012` with leading zeros kept.
fn numbers(part: &str) -> Option<Vec<String>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (from, to) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
    let width = if first.starts_with('0') { first.len() } else { 0 };
    (from <= to && (to - from) < MOST as u32).then(|| (from..=to).map(|number| format!("{number:0width$}")).collect())
}

#[cfg(test)]
mod tests {
    use super::expanded;

    #[test]
    fn ranges_keep_their_zeros() {
        let names = |text: &str| expanded(text).unwrap();
        assert_eq!(names("n[08-10,7]"), ["n08", "n09", "n10", "n7"]);
        assert_eq!(names("r[1-2]n[3,4].x"), ["r1n3.x", "r1n4.x", "r2n3.x", "r2n4.x"]);
        assert_eq!(names("box"), ["box"]);
        for wrong in ["n[1", "n1]", "n[]", "n[a-b]", "n[3-1]", "n[1-999999999]"] {
            assert!(expanded(wrong).is_err(), "{wrong}");
        }
    }
}
