//! Rows as aligned lines that fit the terminal, text broken at blanks, and names in the order in which people count.

/// Columns but the last are no wider; what is longer loses its beginning, since names tell most by their ends.
const WIDEST: usize = 60;

fn shortened<const N: usize>(row: &[String; N]) -> [String; N] {
    let short = |cell: &String| match cell.chars().count().checked_sub(WIDEST) {
        Some(over) if over > 0 => ['…'].into_iter().chain(cell.chars().skip(over + 1)).collect(),
        _ => cell.clone(),
    };
    std::array::from_fn(|at| if at + 1 == N { row[at].clone() } else { short(&row[at]) })
}

/// Rows as lines, each column as wide as its widest cell; the last is cut where the terminal ends.
pub fn columns<const N: usize>(rows: &[[String; N]], terminal: Option<usize>) -> Vec<String> {
    let rows: Vec<[String; N]> = rows.iter().map(shortened).collect();
    // Nothing stands behind the last one, which may be of any length; the formatter takes no width of 2^16.
    let width = |column: usize| if column + 1 == N { 0 } else { widest(&rows, column) };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| row.iter().zip(&widths).map(|(cell, w)| format!("{cell:w$}")).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| clip(line(row).trim_end(), terminal.unwrap_or(usize::MAX))).collect()
}

/// The same for a table that need not show all its columns: where the terminal is too narrow, those in which every row has a dash go first,
/// then the ones in `spare`, in that order. The last column stays whatever happens, and at least `LAST` characters of it.
pub fn fitting<const N: usize>(rows: &[[String; N]], terminal: Option<usize>, spare: &[usize]) -> Vec<String> {
    const LAST: usize = 30;
    let width = |column: usize| widest(rows, column);
    let empty = |column: &usize| rows.iter().skip(1).all(|row| row[*column] == "-");
    let mut kept: Vec<usize> = (0..N).collect();
    let needed = |kept: &[usize]| kept.iter().map(|&at| if at + 1 == N { width(at).min(LAST) } else { width(at) } + 2).sum::<usize>();
    while terminal.is_some_and(|most| needed(&kept) > most + 2) {
        let droppable = |column: &&usize| kept.contains(column) && **column + 1 != N;
        let all: Vec<usize> = (1..N).collect();
        let next = all.iter().filter(droppable).find(|column| empty(column)).or_else(|| spare.iter().find(droppable)).copied();
        match next {
            Some(next) => kept.retain(|column| *column != next),
            None => break,
        }
    }
    let pad = |at: usize| if at + 1 == N { 0 } else { width(at) };
    let line = |row: &[String; N]| kept.iter().map(|&at| format!("{:1$}", row[at], pad(at))).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| clip(line(row).trim_end(), terminal.unwrap_or(usize::MAX))).collect()
}

/// Width of the widest cell of a column, as far as a line can be padded to it.
fn widest<const N: usize>(rows: &[[String; N]], column: usize) -> usize {
    const MOST: usize = 1000;
    rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(MOST)
}

/// The beginning of a text that is longer, with a mark of the cut.
pub fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most.saturating_sub(1)).chain(['…']).collect() }
}

/// The text in lines of at most `width` columns, those after the first behind `indent` blanks. A word that is longer stands alone and is kept whole.
pub fn wrapped(text: &str, indent: usize, width: Option<usize>) -> Vec<String> {
    let Some(width) = width.filter(|width| text.chars().count() > *width) else { return vec![text.to_owned()] };
    let indent = indent.min(width / 2);
    let start = text.len() - text.trim_start().len();
    let mut lines = vec![text[..start].to_owned()];
    let mut is_first_word = true;
    // Blanks between columns belong to the word before them.
    for word in text[start..].split_inclusive(' ') {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if !is_first_word && used + word.trim_end().chars().count() > width {
            lines.push(" ".repeat(indent));
            is_first_word = true;
        }
        if let Some(line) = lines.last_mut().filter(|_| !(is_first_word && word == " ")) {
            line.push_str(word);
            is_first_word = false;
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
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
    fn cells_of_any_length_are_shown() {
        let long = "x".repeat(100_000);
        let rows = [[long.clone(), "a".to_owned()], ["b".to_owned(), long.clone()]];
        let lines = columns(&rows, None);
        assert!(lines[0].ends_with("x  a") && lines[0].chars().count() < 70 && lines[1].len() > 100_000, "{}", lines[0]);
        assert_eq!(fitting(&[["b".to_owned(), long.clone()], [long, "b".to_owned()]], None, &[]).len(), 2);
    }

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

    #[test]
    fn what_says_nothing_goes_first_and_the_last_column_stays() {
        let row = |cells: [&str; 5]| cells.map(str::to_owned);
        let rows = [row(["name", "model", "serial", "link", "used by"]), row(["sda", "-", "S1", "SATA", "ext4 at /"])];
        let shown =
            |terminal, spare: &[usize]| fitting(&rows, terminal, spare)[1].split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(fitting(&rows, None, &[3]), columns(&rows, None));
        assert_eq!(shown(Some(35), &[3, 2]), ["sda", "S1", "SATA", "ext4", "at", "/"]);
        assert_eq!(shown(Some(26), &[3, 2]), ["sda", "S1", "ext4", "at", "/"]);
        assert_eq!(shown(Some(15), &[3, 2]), ["sda", "ext4", "at", "/"]);
        assert_eq!(shown(Some(5), &[3, 2]), ["sda", "…"]);
    }

    #[test]
    fn lines_break_at_blanks_and_lose_nothing() {
        let text = "  title  value  where it was read in the specification";
        assert_eq!(wrapped(text, 9, Some(30)), ["  title  value  where it was", "         read in the", "         specification"]);
        assert_eq!((wrapped(text, 9, None), wrapped(text, 9, Some(200))), (vec![text.to_owned()], vec![text.to_owned()]));
        assert_eq!(wrapped("  a-word-that-is-longer-than-a-line b", 4, Some(20)), ["  a-word-that-is-longer-than-a-line", "    b"]);
    }

    #[test]
    fn no_line_is_wider_than_asked_unless_a_word_is() {
        let text = (0..60).map(|n| format!("w{n}")).collect::<Vec<_>>().join("  ");
        let lines = wrapped(&text, 6, Some(40));
        assert!(lines.len() > 5 && lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
        assert_eq!(lines.join(" ").split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}
