//! The words of a document: paragraphs with the figures in them, tables, and the headings above both.

pub mod figure;
mod table;

pub use figure::{Figure, figures};
pub use table::{Row, Table};

use crate::document::Line;

/// Most figures that are kept of the paragraphs of a document.
const FIGURES_MAX: usize = 100_000;

#[derive(Debug, Default)]
pub struct Prose {
    /// Paragraphs, in order. An item of a list is one.
    pub paragraphs: Vec<Paragraph>,
    pub tables: Vec<Table>,
    figures: usize,
}

#[derive(Debug, Default, Clone)]
pub struct Paragraph {
    pub line: u32,
    /// Its text on one line.
    pub text: String,
    /// Where each of its lines begins in the text, with its number.
    pub starts: Vec<(usize, u32)>,
    /// The nearest heading above.
    pub heading: String,
    pub figures: Vec<Figure>,
    pub is_heading: bool,
}

impl Paragraph {
    /// The number of the line at a place of the text.
    #[must_use]
    pub fn line_at(&self, at: usize) -> u32 {
        self.starts.iter().rev().find(|(start, _)| *start <= at).map_or(self.line, |(_, line)| *line)
    }

    #[must_use]
    pub fn is_item(&self) -> bool {
        is_item(&self.text)
    }

    /// The sentence around a place, without what lies further away than sentences are long.
    #[must_use]
    pub fn sentence(&self, at: usize) -> &str {
        const REACH_BYTES: usize = 600;
        let boundary = |at: usize| (at..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len());
        let is_end = |index: &usize| matches!(self.text.as_bytes().get(*index..index + 2), Some(b". " | b"? " | b"! "));
        let at = boundary(at.min(self.text.len()));
        let (first, last) = (boundary(at.saturating_sub(REACH_BYTES)), boundary((at + REACH_BYTES).min(self.text.len())));
        let start = (first..at).rev().find(is_end).map_or(first, |index| index + 2);
        let end = (at..last).find(is_end).map_or(last, |index| index + 1);
        &self.text[start.min(at)..end]
    }

    /// The figures of the sentence around a place.
    pub fn figures_beside(&self, at: usize) -> impl Iterator<Item = &Figure> {
        let sentence = self.sentence(at);
        let start = sentence.as_ptr() as usize - self.text.as_ptr() as usize;
        let range = start..start + sentence.len();
        self.figures.iter().filter(move |figure| range.contains(&figure.at))
    }
}

impl Prose {
    pub(crate) fn new(lines: &[&Line]) -> Self {
        let mut prose = Self::default();
        let mut open = Paragraph::default();
        let mut heading = String::new();
        let mut at = 0;
        while at < lines.len() {
            if let Some((table, end)) =
                table::read(lines, at, &heading, prose.paragraphs.last().filter(|_| open.text.is_empty()).unwrap_or(&open))
            {
                prose.close(&mut open, &mut heading);
                prose.tables.push(table);
                at = end;
                continue;
            }
            prose.line(lines[at], &mut open, &mut heading);
            at += 1;
        }
        prose.close(&mut open, &mut heading);
        prose
    }

    fn line(&mut self, line: &Line, open: &mut Paragraph, heading: &mut String) {
        const TEXT_BYTES_MAX: usize = 16 << 10;
        let text = line.text.trim();
        let is_item = is_item(text);
        let is_heading = text.starts_with('#') || text.len() > 4 && text.starts_with("**") && text.ends_with("**") && text.len() < 80;
        let is_far = !open.text.is_empty() && open.starts.last().is_some_and(|(_, last)| line.number > last + 1);
        if text.is_empty() || is_item || is_heading || is_far || open.text.len() > TEXT_BYTES_MAX {
            self.close(open, heading);
        }
        if text.is_empty() {
            return;
        }
        if open.text.is_empty() {
            open.line = line.number;
        } else {
            open.text.push(' ');
        }
        open.starts.push((open.text.len(), line.number));
        open.text.push_str(text);
        if is_heading {
            open.is_heading = true;
            self.close(open, heading);
        }
    }

    fn close(&mut self, open: &mut Paragraph, heading: &mut String) {
        if open.text.is_empty() {
            return;
        }
        let mut done = std::mem::take(open);
        if done.is_heading {
            *heading = done.text.trim_matches(['#', '*', ' ', ':']).to_owned();
        }
        heading.clone_into(&mut done.heading);
        done.figures = figures(&done.text);
        done.figures.truncate(FIGURES_MAX.saturating_sub(self.figures));
        self.figures += done.figures.len();
        for figure in &mut done.figures {
            figure.line = done.starts.iter().rev().find(|(start, _)| *start <= figure.at).map_or(done.line, |(_, line)| *line);
        }
        self.paragraphs.push(done);
    }
}

fn is_item(text: &str) -> bool {
    let is_bullet = text.strip_prefix(['-', '*', '•', '+']).is_some_and(|rest| rest.starts_with(' '));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    is_bullet || (1..=2).contains(&digits) && text[digits..].starts_with(". ")
}
