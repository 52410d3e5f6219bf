//! Plain text in columns: width of a string on a terminal, cutting, wrapping, tables and colour.
//!
//! `summary` and `formats/text` print with it. It knows no record and no judgement.

use unicode_width::UnicodeWidthChar as _;

/// Columns that a string takes on a terminal. Control characters are expected to be gone.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Columns of one character after Unicode Standard Annex 11 (East Asian Width): combining marks take none, wide and full-width characters two. Characters are counted one
/// by one, so that a text is as wide as the parts into which it is cut.
fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The longest start of `text` that takes at most `columns`.
fn start_within(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_width(c);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// Cuts the end off a text that is wider than `columns` and marks the cut.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", start_within(text, columns.saturating_sub(1)))
}

/// Cuts whole words off the end of a text that is wider than `columns` and marks the cut; within a word only where the first one is wider.
fn clip_at_word(text: &str, columns: usize) -> String {
    let clipped = clip(text, columns);
    let Some(kept) = clipped.strip_suffix('…').filter(|_| width(text) > columns) else { return clipped };
    let is_whole = text[kept.len()..].starts_with(' ');
    match kept.rfind(' ').filter(|_| !is_whole) {
        Some(end) => format!("{} …", kept[..end].trim_end()),
        None => clipped,
    }
}

/// Takes the middle out of a text that is wider than `columns`: a path is known by its start and its end.
pub(crate) fn elide(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let keep = columns.saturating_sub(1);
    let start = start_within(text, keep / 2);
    let reversed: String = text.chars().rev().collect();
    let end: String = start_within(&reversed, keep - keep / 2).chars().rev().collect();
    format!("{start}…{end}")
}

/// Breaks a text into lines of at most `columns`, at blanks where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines: Vec<String> = vec![String::new()];
    // A per cent sign stays with its number.
    let text = text.replace(" %", "\u{a0}%");
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        push_word(&mut lines, word, columns);
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

fn push_word(lines: &mut Vec<String>, mut word: &str, columns: usize) {
    let Some(line) = lines.last_mut() else { return };
    if line.is_empty() {
        line.push_str(start_within(word, columns));
        word = &word[start_within(word, columns).len()..];
    } else if width(line) + 1 + width(word) <= columns {
        line.push(' ');
        line.push_str(word);
        return;
    }
    while !word.is_empty() {
        let piece = start_within(word, columns);
        lines.push(piece.to_owned());
        word = &word[piece.len()..];
    }
}

/// Wraps `text` behind a label; further lines are indented by the width of the label, and no more than `most` lines are given.
pub(crate) fn labelled(label: &str, text: &str, columns: usize, most: usize) -> Vec<String> {
    let indent = width(label);
    let room = columns.saturating_sub(indent).max(8);
    let mut lines = wrap(text, room);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(clip_at_word(&rest, room));
    }
    lines.iter().enumerate().map(|(n, line)| if n == 0 { format!("{label}{line}") } else { format!("{:indent$}{line}", "") }).collect()
}

/// Emphasis of a piece of text where colour is allowed; the words alone always say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Dim,
    Bold,
    Good,
    Bad,
    Doubt,
    Aside,
}

impl Tone {
    fn sgr(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Dim => "2",
            Tone::Bold => "1",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Doubt => "33",
            Tone::Aside => "36",
        }
    }

    /// The text in this tone, or bare where there is no colour.
    pub(crate) fn paint(self, text: &str, color: bool) -> String {
        if color && self != Tone::Plain && !text.is_empty() { format!("\x1b[{}m{text}\x1b[0m", self.sgr()) } else { text.to_owned() }
    }
}

/// The side on which a column is flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// One cell of a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::new(text, Tone::Plain)
    }
}

/// A column of a table of things: its name, its side, true where it is shown, and its cell of a thing.
pub(crate) type Column<'a, T> = (&'a str, Align, bool, &'a dyn Fn(&T) -> Cell);

/// A table of plain text; the first row is its head.
pub(crate) struct Table {
    align: Vec<Align>,
    gap: usize,
    rows: Vec<Vec<Cell>>,
    /// Names of columns that were taken out.
    removed: Vec<String>,
}

impl Table {
    pub(crate) fn new(gap: usize, columns: &[(&str, Align)]) -> Self {
        let head = columns.iter().map(|(name, _)| Cell::new(*name, Tone::Dim)).collect();
        Self { align: columns.iter().map(|(_, align)| *align).collect(), gap, rows: vec![head], removed: Vec::new() }
    }

    /// The table of these things in those columns that are shown.
    pub(crate) fn of<T>(gap: usize, columns: &[Column<T>], things: &[T]) -> Self {
        let shown: Vec<_> = columns.iter().filter(|(_, _, is_shown, _)| *is_shown).collect();
        let mut table = Self::new(gap, &shown.iter().map(|(name, align, ..)| (*name, *align)).collect::<Vec<_>>());
        things.iter().for_each(|thing| table.push(shown.iter().map(|(.., cell)| cell(thing)).collect()));
        table
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.align.len())
            .map(|i| self.rows.iter().map(|row| row.get(i).map_or(0, |cell| width(&cell.text))).max().unwrap_or(0))
            .collect()
    }

    /// A row whose name takes several lines; the other cells stand in the first of them.
    pub(crate) fn push_named(&mut self, name: Vec<String>, cells: impl Iterator<Item = Cell>) {
        let mut name = name.into_iter();
        let row: Vec<Cell> = std::iter::once(Cell::from(name.next().unwrap_or_default())).chain(cells).collect();
        let blank = row.len() - 1;
        self.push(row);
        name.for_each(|more| self.push(std::iter::once(more).chain(std::iter::repeat_n(String::new(), blank)).map(Cell::from).collect()));
    }

    /// Columns that the widest line takes.
    pub(crate) fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + self.gap * widths.len().saturating_sub(1)
    }

    /// The same in so many columns, as far as it goes: those of these names are left out that say the same in every row, and then one after the other.
    pub(crate) fn within(mut self, columns: usize, first_to_go: &[&str]) -> Self {
        for name in first_to_go.iter().filter(|name| self.is_uniform(name)).chain(first_to_go).copied().collect::<Vec<_>>() {
            if self.width() > columns {
                self.remove(name);
            }
        }
        self
    }

    /// The same, with a line that names the columns that are left out.
    pub(crate) fn lines_within(self, columns: usize, first_to_go: &[&str], color: bool) -> Vec<String> {
        let fits = self.within(columns, first_to_go);
        let gone: Vec<&str> =
            first_to_go.iter().filter(|name| fits.removed.iter().any(|removed| removed == *name)).rev().copied().collect();
        let mut lines = fits.lines(color);
        if !gone.is_empty() {
            lines.extend(labelled("  ", &format!("not shown for want of columns: {}", gone.join(", ")), columns, 3));
        }
        lines
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.rows.first()?.iter().position(|cell| cell.text == name)
    }

    fn is_uniform(&self, name: &str) -> bool {
        let Some(at) = self.position(name) else { return false };
        let mut cells = self.rows.iter().skip(1).filter_map(|row| row.get(at));
        let first = cells.next();
        cells.all(|cell| Some(&cell.text) == first.map(|first| &first.text))
    }

    fn remove(&mut self, name: &str) {
        let Some(at) = self.position(name) else { return };
        self.removed.push(name.to_owned());
        self.align.remove(at);
        self.rows.iter_mut().filter(|row| row.len() > at).for_each(|row| drop(row.remove(at)));
    }

    pub(crate) fn lines(&self, color: bool) -> Vec<String> {
        let widths = self.widths();
        self.rows.iter().map(|row| self.line(row, &widths, color)).collect()
    }

    fn line(&self, row: &[Cell], widths: &[usize], color: bool) -> String {
        let mut line = String::new();
        for (i, (cell, columns)) in row.iter().zip(widths).enumerate() {
            let pad = " ".repeat(columns - width(&cell.text));
            let text = cell.tone.paint(&cell.text, color);
            let gap = if i == 0 { 0 } else { self.gap };
            line.push_str(&" ".repeat(gap));
            match self.align[i] {
                Align::Left => line.push_str(&(text + &pad)),
                Align::Right => line.push_str(&(pad + &text)),
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_table_that_is_too_wide_loses_what_says_the_same_everywhere_first() {
        let table = || {
            let mut table = Table::new(1, &["key", "rate", "kind", "more"].map(|name| (name, Align::Left)));
            table.push(["a", "1", "same", "x"].map(Cell::from).to_vec());
            table.push(["b", "2", "same", "y"].map(Cell::from).to_vec());
            table
        };
        let head = |columns| table().within(columns, &["more", "kind"]).lines(false).swap_remove(0);
        assert_eq!(head(80), "key rate kind more");
        assert_eq!(head(14), "key rate more");
        assert_eq!((head(9), head(1)), ("key rate".to_owned(), "key rate".to_owned()));
    }

    #[test]
    fn wide_and_combining_characters_are_counted() {
        assert_eq!(width("µs"), 2);
        assert_eq!(width("東芝"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!([width("ｶ"), width("กำ"), width("עִ"), width("🦀")], [1, 2, 1, 2], "half-width, Thai, Hebrew with a point, an emoji");
    }

    #[test]
    fn columns_line_up_behind_wide_characters() {
        let mut table = Table::new(2, &[("model", Align::Left), ("n", Align::Right)]);
        table.push(vec!["東芝".into(), "1".into()]);
        table.push(vec!["ab".into(), "22".into()]);
        assert_eq!(table.lines(false), ["model   n", "東芝    1", "ab     22"]);
        assert_eq!(table.width(), 9);
    }

    #[test]
    fn colour_moves_no_column() {
        let mut table = Table::new(1, &[("v", Align::Left), ("n", Align::Left)]);
        table.push(vec![Cell::new("ok", Tone::Good), "x".into()]);
        assert_eq!(table.lines(true)[1], "\x1b[32mok\x1b[0m x");
    }

    #[test]
    fn a_path_keeps_both_ends() {
        assert_eq!(elide("/dev/disk/by-id/nvme-x", 11), "/dev/…vme-x");
        assert_eq!(clip("abcdef", 4), "abc…");
    }

    #[test]
    fn a_long_text_is_cut_after_its_lines() {
        assert_eq!(labelled("1 ", "aaaa bbbb cccc dddd", 11, 2), ["1 aaaa bbbb", "  cccc dddd"]);
        assert_eq!(labelled("1 ", "aaaa bbbb cccc dddd eeee", 11, 2), ["1 aaaa bbbb", "  cccc …"]);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_asked(text in "\\PC{0,200}", columns in 8usize..100) {
            prop_assert!(width(&clip(&text, columns)) <= columns);
            prop_assert!(width(&elide(&text, columns)) <= columns);
            for line in wrap(&text, columns) {
                prop_assert!(width(&line) <= columns, "{line:?}");
            }
        }
    }
}
