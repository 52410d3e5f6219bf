//! The head of an exported run: a table of the files that follow it, in plain text.
//!
//! ```text
//! ioproof run export 1
//! id 20261121-031500-128-3f9a
//! file run.json 12345 <SHA-256 of the file, in hexadecimal digits>
//! file stages/0000.json 2345 <SHA-256>
//! all <SHA-256 of every byte above this line>
//! (the files, one right behind the other)
//! ```
//!
//! Nothing is compressed, every size is known before a byte of a file is read, and the names are of a closed set, so whoever reads one knows beforehand all
//! that it can ask for. Deliberately absent: reading, writing and digests, which are the program's (`ioproof::store::transfer`).

use std::collections::BTreeSet;
use std::fmt;

/// Version of the format, which rises with every change that an older reader would misread.
pub const EXPORT_VERSION: u32 = 1;

/// Files of an export. A day of stages of half a second is more than the half of it.
pub const MOST_FILES: usize = 100_000;

/// The head is no longer: a line for each file. Bytes.
pub const MOST_HEAD_BYTES: usize = 16 << 20;

/// No file of an export is larger, nor all of them together. Bytes.
pub const MOST_FILE_BYTES: u64 = 256 << 20;
/// All files of an export together. Bytes.
pub const MOST_BYTES: u64 = 1 << 30;

const BEGINNING: &str = "ioproof run export ";

/// Digits of a SHA-256.
const DIGITS: usize = 64;

/// No line is longer. Bytes.
const MOST_LINE_BYTES: usize = 200;

/// A file of an exported run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileName {
    /// The record without its stages, `run.json`.
    Record,
    /// A stage, `stages/0007.json`.
    Stage(u32),
    /// A round of format 1, `rounds/0007.json`.
    Round(u32),
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record => f.write_str("run.json"),
            Self::Stage(number) => write!(f, "stages/{number:04}.json"),
            Self::Round(number) => write!(f, "rounds/{number:04}.json"),
        }
    }
}

impl FileName {
    /// The file of this path below a run's folder; `None` for every other path, however it is written.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let number = |folder: &str| path.strip_prefix(folder)?.strip_suffix(".json")?.parse::<u32>().ok();
        let name = number("stages/").map(Self::Stage).or_else(|| number("rounds/").map(Self::Round)).unwrap_or(Self::Record);
        // `+7` and `00007` are numbers too.
        (name.to_string() == path).then_some(name)
    }
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// The file.
    pub name: FileName,
    /// Its length. Bytes.
    pub size_bytes: u64,
    /// SHA-256 of its content in hexadecimal digits.
    pub sha256: String,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The run's id.
    pub id: String,
    /// The files in the order in which they follow.
    pub files: Vec<ExportedFile>,
}

/// A head as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The table.
    pub contents: Contents,
    /// SHA-256 that the bytes before the last line are to have.
    pub sha256: String,
    /// Length of the part with that digest. Bytes.
    pub digested_bytes: usize,
    /// Length of all of it, behind which the files begin. Bytes.
    pub length_bytes: usize,
}

/// A reason why something is no export that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// It does not begin like one.
    #[error("it is no export of a run")]
    Foreign,
    /// It is of a version that came later.
    #[error("it is an export of format {0}, and this version reads up to {EXPORT_VERSION}")]
    Newer(u32),
    /// A line is wrong.
    #[error("line {line}: {why}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The reason.
        why: &'static str,
    },
    /// The table as a whole is wrong.
    #[error("{0}")]
    Table(&'static str),
}

impl Contents {
    /// Length of all files. Bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add)
    }

    /// The head up to the last line, which has the digest of this text.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |file: &ExportedFile| format!("file {} {} {}\n", file.name, file.size_bytes, file.sha256);
        format!("{BEGINNING}{EXPORT_VERSION}\nid {}\n{}", self.id, self.files.iter().map(line).collect::<String>())
    }

    /// The last line of the head.
    #[must_use]
    pub fn last_line(sha256: &str) -> String {
        format!("all {sha256}\n")
    }

    /// Looks whether a reader takes such a table.
    ///
    /// # Errors
    /// When it is too large, or is not of one run.
    pub fn check(&self) -> Result<(), ExportError> {
        let has = |is_it: fn(&FileName) -> bool| self.files.iter().any(|file| is_it(&file.name));
        let mut seen = BTreeSet::new();
        let problems = [
            (self.files.len() > MOST_FILES, "it has more than 100,000 files"),
            (self.files.iter().any(|file| file.size_bytes > MOST_FILE_BYTES), "a file of it is larger than 256 MiB"),
            (self.size_bytes() > MOST_BYTES, "it is larger than 1 GiB"),
            (!is_id(&self.id), "its id is none that ioproof gives"),
            (!self.files.iter().all(|file| seen.insert(file.name)), "a file is in it twice"),
            (!has(|name| *name == FileName::Record), "run.json is not in it"),
            (has(|name| matches!(name, FileName::Stage(_))) && has(|name| matches!(name, FileName::Round(_))), "it has stages and rounds"),
        ];
        problems.into_iter().find(|(is_so, _)| *is_so).map_or(Ok(()), |(_, why)| Err(ExportError::Table(why)))
    }
}

/// True for an id as runs have it: `20261121-031500-128-3f9a`, in older ones without the milliseconds.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    let drawn = |part: &str| part.len() == 4 && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match text.split('-').collect::<Vec<_>>().as_slice() {
        [day, time, last] => digits(day, 8) && digits(time, 6) && drawn(last),
        [day, time, ms, last] => digits(day, 8) && digits(time, 6) && digits(ms, 3) && drawn(last),
        _ => false,
    }
}

/// Reads the head of an export; what stands behind it is not looked at.
///
/// # Errors
/// When it is none, or one that no reader should follow.
pub fn read_head(bytes: &[u8]) -> Result<Head, ExportError> {
    let bytes = &bytes[..bytes.len().min(MOST_HEAD_BYTES)];
    let mut lines = Lines { bytes, at: 0, number: 0 };
    let version = lines.next().ok().and_then(|line| line.strip_prefix(BEGINNING)).and_then(|version| version.parse().ok());
    match version.ok_or(ExportError::Foreign)? {
        EXPORT_VERSION => {}
        newer => return Err(ExportError::Newer(newer)),
    }
    let id = lines.next()?.strip_prefix("id ").ok_or_else(|| lines.wrong("it is to be `id`"))?.to_owned();
    let mut contents = Contents { id, files: Vec::new() };
    loop {
        let digested_bytes = lines.at;
        let line = lines.next()?;
        if let Some(sha256) = line.strip_prefix("all ") {
            let sha256 = digest(sha256).ok_or_else(|| lines.wrong("it has no SHA-256"))?;
            contents.check()?;
            return Ok(Head { contents, sha256, digested_bytes, length_bytes: lines.at });
        }
        contents.files.push(file(line).map_err(|why| lines.wrong(why))?);
        if contents.files.len() > MOST_FILES {
            return Err(ExportError::Table("it has more than 100,000 files"));
        }
    }
}

fn file(line: &str) -> Result<ExportedFile, &'static str> {
    let words: Vec<&str> = line.strip_prefix("file ").ok_or("it is neither `file` nor `all`")?.split(' ').collect();
    let [name, size, sha256] = words.as_slice() else { return Err("it is to be `file NAME BYTES SHA-256`") };
    Ok(ExportedFile {
        name: FileName::of(name).ok_or("no run has a file of that name")?,
        size_bytes: size.parse().map_err(|_| "it has no size")?,
        sha256: digest(sha256).ok_or("it has no SHA-256")?,
    })
}

fn digest(text: &str) -> Option<String> {
    let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == DIGITS && text.bytes().all(is_digit)).then(|| text.to_owned())
}

/// The lines of a head.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, ExportError> {
        self.number += 1;
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(MOST_LINE_BYTES).position(|byte| *byte == b'\n').ok_or_else(|| self.wrong("it has no end"))?;
        self.at += end + 1;
        std::str::from_utf8(&rest[..end]).map_err(|_| self.wrong("it is no text"))
    }

    fn wrong(&self, why: &'static str) -> ExportError {
        ExportError::Line { line: self.number, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "20261121-031500-128-3f9a";

    fn contents(files: &[(FileName, u64)]) -> Contents {
        let file = |(name, size_bytes): &(FileName, u64)| ExportedFile { name: *name, size_bytes: *size_bytes, sha256: "0a".repeat(32) };
        Contents { id: ID.into(), files: files.iter().map(file).collect() }
    }

    fn head_of(contents: &Contents) -> String {
        contents.text() + &Contents::last_line(&"f".repeat(64))
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let written = contents(&[(FileName::Record, 7), (FileName::Stage(0), 0), (FileName::Stage(12_345), MOST_FILE_BYTES)]);
        let text = head_of(&written);
        let head = read_head(&[text.as_bytes(), b"\xff\0 all of it"].concat()).unwrap();
        assert_eq!((&head.contents, head.length_bytes), (&written, text.len()));
        assert_eq!((head.digested_bytes, head.sha256), (written.text().len(), "f".repeat(64)));
    }

    #[test]
    fn a_table_that_asks_for_too_much_is_refused() {
        let stages = |count: u32, size| (0..count).map(|at| (FileName::Stage(at), size)).chain([(FileName::Record, 1)]).collect::<Vec<_>>();
        let why = |files: &[(FileName, u64)]| read_head(head_of(&contents(files)).as_bytes()).unwrap_err().to_string();
        assert_eq!(why(&stages(1, u64::MAX)), "a file of it is larger than 256 MiB");
        assert_eq!(why(&stages(5, MOST_FILE_BYTES)), "it is larger than 1 GiB");
        assert_eq!(why(&stages(100_001, 0)), "it has more than 100,000 files");
        assert_eq!(why(&[(FileName::Record, 1), (FileName::Record, 1)]), "a file is in it twice");
        assert_eq!(why(&[(FileName::Stage(1), 1)]), "run.json is not in it");
        assert_eq!(why(&[(FileName::Stage(1), 1), (FileName::Round(1), 1), (FileName::Record, 1)]), "it has stages and rounds");
    }

    #[test]
    fn lines_that_are_wrong_are_named() {
        let text = head_of(&contents(&[(FileName::Record, 7)]));
        let why = |from: &str, to: &str| read_head(text.replace(from, to).as_bytes()).unwrap_err().to_string();
        assert_eq!(why("ioproof run", "dear diary"), "it is no export of a run");
        assert_eq!(why("export 1", "export 2"), "it is an export of format 2, and this version reads up to 1");
        for name in ["/etc/passwd", "../run.json", "stages/../run.json", "stages/1.json", "stages/+001.json", "labels.json", "lock", ""] {
            assert_eq!(why("run.json", name), "line 3: no run has a file of that name", "{name}");
        }
        assert_eq!(why(" 7 ", " -7 "), "line 3: it has no size");
        assert_eq!(why(" 7 ", " 99999999999999999999 "), "line 3: it has no size");
        assert_eq!(why("0a0a", "0A0A"), "line 3: it has no SHA-256");
        assert_eq!(why(ID, "../../x"), "its id is none that ioproof gives");
        assert_eq!(why("all ", &"x".repeat(500)), "line 4: it has no end");
        assert_eq!(read_head(b"").unwrap_err(), ExportError::Foreign);
    }

    #[test]
    fn ids_are_of_one_form() {
        assert!(is_id(ID) && is_id("20261121-031500-3f9a"));
        for text in ["", ".", "last", "20261121-031500-128-3F9A", "20261121-031500", "20261121/031500-3f9a", "20261121-031500-3f9a-"] {
            assert!(!is_id(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let begun = [format!("{BEGINNING}1\nid {ID}\n").as_bytes(), &bytes].concat();
            prop_assert!(read_head(&bytes).is_err() && read_head(&begun).is_err());
        }
    }
}
