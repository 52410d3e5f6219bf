//! Lines that no reader understood: how many, and the first of them in words.

const QUOTED_LINES: usize = 3;
const QUOTED_CHARS: usize = 60;

/// Lines that nothing read. The first few are kept as a reader of a report wants to see them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadLines {
    count: usize,
    first: Vec<(usize, String)>,
}

impl UnreadLines {
    /// Adds the line with this number of the file.
    pub fn push(&mut self, number: usize, text: &str) {
        self.count += 1;
        if self.first.len() < QUOTED_LINES {
            self.first.push((number, text.chars().take(QUOTED_CHARS).collect()));
        }
    }

    /// Number and beginning of the first line.
    pub fn first(&self) -> Option<&(usize, String)> {
        self.first.first()
    }

    /// `3 lines were not understood: line 2: x; line 5: y; line 9: z`; `None` where all were read.
    pub fn describe(&self) -> Option<String> {
        let quoted: Vec<String> = self.first.iter().map(|(line, text)| format!("line {line}: {text}")).collect();
        let count = match self.count {
            0 => return None,
            1 => "1 line was".to_owned(),
            several => format!("{several} lines were"),
        };
        let more = if self.count > quoted.len() { "; …" } else { "" };
        Some(format!("{count} not understood: {}{more}", quoted.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_are_quoted_and_all_are_counted() {
        let mut unread = UnreadLines::default();
        assert_eq!(unread.describe(), None);
        unread.push(2, "x");
        assert_eq!(unread.describe().as_deref(), Some("1 line was not understood: line 2: x"));
        (3..6).for_each(|number| unread.push(number, "y"));
        assert_eq!(unread.describe().as_deref(), Some("4 lines were not understood: line 2: x; line 3: y; line 4: y; …"));
        assert_eq!(unread.first(), Some(&(2, "x".to_owned())));
    }
}
