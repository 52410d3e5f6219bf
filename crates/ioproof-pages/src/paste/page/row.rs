//! The table by which a line becomes a field: its label, the key, and how the value is read.
//!
//! Every tool has such tables and little else. A label is what stands before the colon (or the path of a value in JSON); `#` in it stands for a number, which takes the
//! place of `#` in the key. Neighbours: `kind` reads the value, `keys` has title and unit of each key, `page_builder` puts what a row gave into a page.

use super::kind::TextKind;

#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelRow {
    /// As printed; upper and lower case, and how many blanks, do not matter.
    pub label: &'static str,
    /// Stable key; empty where the line says nothing about the drive that anybody needs.
    pub key: &'static str,
    pub kind: TextKind,
}

pub(crate) const fn row(label: &'static str, key: &'static str, kind: TextKind) -> LabelRow {
    LabelRow { label, key, kind }
}

pub(crate) const fn skipped<const N: usize>(labels: [&'static str; N]) -> [LabelRow; N] {
    let mut rows = [skip(""); N];
    let mut index = 0;
    while index < N {
        rows[index] = skip(labels[index]);
        index += 1;
    }
    rows
}

pub(crate) const fn skip(label: &'static str) -> LabelRow {
    row(label, "", TextKind::Skip)
}

/// A label as it is compared: lower case, single blanks, without a mask such as `(0x0017)`, every number a `#`; and the first of those numbers.
pub(crate) fn generalised(label: &str) -> (String, Option<u64>) {
    let mut number = None;
    let words = label.split_whitespace().filter(|word| !word.starts_with("(0x"));
    let words: Vec<String> = words
        .map(|word| match word.trim_start_matches('#').parse::<u64>() {
            Ok(value) => {
                number.get_or_insert(value);
                "#".to_owned()
            }
            Err(_) => word.to_lowercase(),
        })
        .collect();
    (words.join(" "), number)
}

/// Longer labels no table has; what is longer is not looked at, since text that somebody made up has lines of any length.
const LABEL_BYTES_MAX: usize = 160;

/// The row for a label, and the number that stands for `#`. A row that spells the number out wins over one with `#`.
pub(crate) fn find<'a>(tables: &[&'a [LabelRow]], label: &str) -> Option<(&'a LabelRow, Option<u64>)> {
    let label = label.trim();
    if label.len() > LABEL_BYTES_MAX {
        return None;
    }
    let has_wide_blanks = label.contains("  ") || !label.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let exact = if has_wide_blanks { by(tables, &label.split_whitespace().collect::<Vec<_>>().join(" ")) } else { by(tables, label) };
    if let Some(row) = exact {
        return Some((row, None));
    }
    // Without a number or wide blanks the general form is the label itself; and no row may begin like it at all.
    let has_number = label.bytes().any(|byte| byte.is_ascii_digit());
    if !has_number && !has_wide_blanks || !has_general(tables, label) {
        return None;
    }
    let (general, number) = generalised(label);
    by(tables, &general).map(|row| (row, number))
}

/// The row with this label. Most rows differ in length or in the first letter, which is seen without a call.
fn by<'a>(tables: &[&'a [LabelRow]], wanted: &str) -> Option<&'a LabelRow> {
    let (bytes, first) = (wanted.len(), wanted.bytes().next()? | 0x20);
    for rows in tables {
        for row in *rows {
            let label = row.label.as_bytes();
            if label.len() == bytes && label[0] | 0x20 == first && row.label.eq_ignore_ascii_case(wanted) {
                return Some(row);
            }
        }
    }
    None
}

/// True where a row that stands for several labels begins with the same letter; a label that begins with a number may be any.
fn has_general(tables: &[&[LabelRow]], label: &str) -> bool {
    let Some(first) = label.bytes().next().map(|byte| byte | 0x20) else { return false };
    let is_masked = label.contains("(0x");
    for rows in tables {
        for row in *rows {
            let own = row.label.as_bytes();
            if own[0] | 0x20 == first && (is_masked || own.contains(&b'#')) {
                return true;
            }
        }
    }
    !first.is_ascii_alphabetic()
}

pub(crate) fn longest_label(tables: &[&[LabelRow]], text: &str) -> Option<usize> {
    let fits = |row: &&LabelRow| {
        let rest =
            text.get(row.label.len()..).filter(|_| text.get(..row.label.len()).is_some_and(|start| start.eq_ignore_ascii_case(row.label)));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    tables.iter().flat_map(|rows| rows.iter()).filter(fits).map(|row| row.label.len()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_by_number_and_by_spelling() {
        const ROWS: &[LabelRow] = &[
            row("Namespace # Size", "size_#", TextKind::Number),
            row("Thermal Temp. 2 Time", "two", TextKind::Number),
            row("LBA Format #", "format_#", TextKind::Text),
        ];
        let key = |label| find(&[ROWS], label).map(|(row, number)| (row.key, number));
        assert_eq!(key("namespace  7   size"), Some(("size_#", Some(7))));
        assert_eq!(key("Thermal Temp. 2 Time"), Some(("two", None)));
        assert_eq!(key("LBA Format #03"), Some(("format_#", Some(3))));
        assert_eq!(key("Thermal Temp. 3 Time"), None);
        assert_eq!(generalised("Optional Admin Commands (0x0017)").0, "optional admin commands");
    }
}
