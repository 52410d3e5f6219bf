//! Rows as aligned lines that fit the terminal, and names in the order in which people count.

/// Rows as lines, each column as wide as its widest cell; the last is cut where the terminal ends.
pub fn columns<const N: usize>(rows: &[[String; N]], terminal: Option<usize>) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| row.iter().zip(&widths).map(|(cell, w)| format!("{cell:w$}")).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| fitted(line(row).trim_end(), terminal)).collect()
}

fn fitted(line: &str, terminal: Option<usize>) -> String {
    match terminal {
        Some(most) if line.chars().count() > most => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        _ => line.to_owned(),
    }
}

/// A key that sorts `nvme2n1` before `nvme10n1` and `sdz` before `sdaa`.
pub fn natural(name: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    for c in name.chars() {
        match parts.last_mut() {
            Some((length, part)) if part.ends_with(|last: char| last.is_ascii_digit() == c.is_ascii_digit()) => {
                part.push(c);
                *length += 1;
            }
            _ => parts.push((1, c.to_string())),
        }
    }
    // The first part is the driver's name and sorts by letters, except for the letters that count drives.
    if let Some((length, part)) = parts.first_mut().filter(|(_, part)| !["sd", "vd", "hd", "xvd"].iter().any(|p| part.starts_with(p))) {
        *length = usize::from(part.starts_with(|c: char| c.is_ascii_digit()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_order_of_counting() {
        let mut names = ["sdaa", "nvme10n1", "sdb", "nvme2n1", "sdz", "nvme2n10", "nvme2n2"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["nvme2n1", "nvme2n2", "nvme2n10", "nvme10n1", "sdb", "sdz", "sdaa"]);
    }

    #[test]
    fn lines_align_and_end_with_the_terminal() {
        let rows = [["a".to_owned(), "wide cell".to_owned()], ["long".to_owned(), "x".to_owned()]];
        assert_eq!(columns(&rows, None), ["a     wide cell", "long  x"]);
        assert_eq!(columns(&rows, Some(9)), ["a     wi…", "long  x"]);
    }
}
