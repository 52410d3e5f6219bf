//! A document as lines with their numbers, told apart as code or words, without what terminals, mail and HTML put around them.
//!
//! Deliberately absent: the meaning of any line (`readers`, `prose`), and reading the file.

mod clean;
mod html;
mod stamps;

/// Most lines of a document that are read.
pub const LINES_MAX: usize = 100_000;
/// Longest line that is read, in bytes; the rest of it is left out.
pub const LINE_BYTES_MAX: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Number in the file, from 1.
    pub number: u32,
    /// Its text without colours and line ends; blanks in front are kept.
    pub text: String,
    /// True inside of a fence, of `<pre>`, or indented as code.
    pub is_code: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Name of the file as it was given.
    pub file: String,
    pub lines: Vec<Line>,
    /// First line that was not read, because the document is too long.
    pub unread_from: Option<u32>,
}

impl Document {
    /// Reads a document. Bytes that are no UTF-8 become U+FFFD.
    #[must_use]
    pub fn new(file: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = clean::decoded(&text);
        let is_html = html::is_html(&text);
        let mut lines = Vec::new();
        let mut unread_from = None;
        for (index, raw) in text.trim_start_matches('\u{feff}').split('\n').enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if lines.len() >= LINES_MAX {
                unread_from = Some(number);
                break;
            }
            lines.extend(clean::lines(clean::shortened(raw)).map(|text| Line { number, text, is_code: false }));
        }
        if is_html {
            lines = html::without_tags(lines);
        }
        uncomment(&mut lines);
        stamps::remove(&mut lines);
        mark_code(&mut lines);
        Self { file: file.to_owned(), lines, unread_from }
    }

    /// True where a line separates blocks: a fence, an end of `<pre>`.
    #[must_use]
    pub fn is_fence(text: &str) -> bool {
        let text = text.trim();
        let is_mark = |mark: &str| text.starts_with(mark) && !text[mark.len()..].contains('`');
        is_mark("```") || is_mark("~~~") || ["<pre>", "</pre>", "[code]", "[/code]"].iter().any(|tag| text.eq_ignore_ascii_case(tag))
    }
}

/// Takes `//` off where most lines are comments of a program.
fn uncomment(lines: &mut [Line]) {
    const SHARE: usize = 2;
    let is_comment = |line: &&Line| line.text.trim_start().starts_with("//");
    let filled = lines.iter().filter(|line| !line.text.trim().is_empty()).count();
    if lines.iter().filter(is_comment).count() * SHARE <= filled {
        return;
    }
    for line in lines {
        if let Some(text) = line.text.trim_start().strip_prefix("//") {
            line.text = text.to_owned();
        }
    }
}

/// Fences open and close; four blanks after an empty line begin indented code.
fn mark_code(lines: &mut [Line]) {
    let (mut fenced, mut indented, mut after_gap) = (false, false, true);
    for line in lines {
        let is_empty = line.text.trim().is_empty();
        if Document::is_fence(&line.text) {
            fenced = match line.text.trim().to_ascii_lowercase().as_str() {
                "<pre>" | "[code]" => true,
                "</pre>" | "[/code]" => false,
                _ => !fenced,
            };
            indented = false;
        } else if !fenced {
            let is_deep = line.text.starts_with("    ") && !line.text.trim_start().starts_with(['-', '*', '+']);
            indented = is_deep && (indented || after_gap) || indented && is_empty;
        }
        line.is_code = fenced || indented;
        after_gap = is_empty;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u32, String, bool)> {
        Document::new("a.md", text.as_bytes()).lines.into_iter().map(|line| (line.number, line.text, line.is_code)).collect()
    }

    #[test]
    fn code_is_told_from_words() {
        let lines = read("words\n```\ncode\n```\nwords\n\n    indented\n- item\n");
        let code: Vec<u32> = lines.iter().filter(|line| line.2).map(|line| line.0).collect();
        assert_eq!(code, [2, 3, 7]);
    }

    #[test]
    fn quoted_printable_is_decoded_and_lines_keep_their_numbers() {
        let lines = read("bs=3D4k =\nx\nd =3D 5\n=20\nlast");
        let texts: Vec<(u32, &str)> = lines.iter().filter(|line| !line.1.is_empty()).map(|line| (line.0, line.1.as_str())).collect();
        assert_eq!(texts, [(1, "bs=4k x"), (3, "d = 5"), (5, "last")]);
        assert_eq!(read("bs=3D4k")[0].1, "bs=3D4k");
        assert_eq!(read("[a]\niodepth=20\nrw=read\n")[1].1, "iodepth=20", "a setting of a job file");
        let broken = "host           1G 19931  99 99258  73 61688  31 23784  98 178478  41 61=\n6.9   2\n";
        assert!(read(&broken.repeat(2))[0].1.ends_with("616.9   2"), "no other sign than lines that are broken");
        assert!(read(broken)[0].1.ends_with('='), "one line may end so by chance");
    }

    #[test]
    fn comments_of_a_program_are_its_text() {
        assert_eq!(read("// a: 1\n//\n//   b: 2\nint x;\n")[2].1, "   b: 2");
        assert_eq!(read("a // b\n// c\nd")[1].1, "// c");
    }

    #[test]
    fn colours_and_line_ends_are_removed() {
        assert_eq!(
            read("\u{1b}[1;32ma\u{1b}[0m\r\nb\rc\r\n")[..3],
            [(1, "a".into(), false), (2, "b".into(), false), (2, "c".into(), false)]
        );
    }

    #[test]
    fn html_is_read_as_its_text() {
        let lines = read("<html><body>\n<p>4 &lt; 5 IOPS</p>\n<pre>\n<b>x</b>: y\n</pre>\n<table><tr><td>a</td>\n<td>9</td></tr></table>");
        let texts: Vec<&str> = lines.iter().map(|line| line.1.trim()).filter(|text| !text.is_empty()).collect();
        assert_eq!(texts, ["4 < 5 IOPS", "<pre>", "x: y", "</pre>", "| a | 9 |"]);
        assert!(lines.iter().any(|line| line.1.contains("x: y") && line.2));
    }
}
