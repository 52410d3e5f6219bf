//! A line of a log of version 2 or 3.

use ioproof_core::io_log::RecordedKind;

/// The largest I/O of a log. Bytes.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// Bytes of the longest line.
const MOST_LINE: usize = 8192;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Two,
    /// Each line begins with a time, microseconds.
    Three,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileAction {
    Add,
    Open,
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    File {
        name: &'a str,
        action: FileAction,
    },
    /// Version 2: nothing is issued before this time. fio 3.33 takes it as milliseconds since the start.
    Wait {
        ms: u64,
    },
    Io {
        name: &'a str,
        kind: RecordedKind,
        offset_bytes: u64,
        bytes: u32,
        /// Of version 3; 0 in version 2.
        at_us: u64,
    },
}

/// The version that the first line names.
pub(super) fn version(first: &[u8]) -> Result<Version, String> {
    match first.trim_ascii_end() {
        b"fio version 2 iolog" => Ok(Version::Two),
        b"fio version 3 iolog" => Ok(Version::Three),
        b"fio version 1 iolog" => Err("version 1 is no longer read, by fio neither".into()),
        _ => Err("\"fio version 2 iolog\" or \"fio version 3 iolog\" is expected".into()),
    }
}

/// Reads a line; `None` where there is nothing to do.
pub(super) fn parse(text: &str, version: Version) -> Result<Option<Line<'_>>, String> {
    if text.len() > MOST_LINE {
        return Err(format!("it is longer than {MOST_LINE} bytes"));
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    if text.starts_with("fio version ") && words.len() == 4 {
        return Err("another log begins here: the logs of several jobs are each a file of their own".into());
    }
    let (at_us, words) = match (version, words.split_first()) {
        (_, None) => return Ok(None),
        (Version::Two, _) => (0, &words[..]),
        (Version::Three, Some((time, rest))) => (number(time, "time")?, rest),
    };
    match *words {
        [name, action] => file(name, action).map(Some),
        [name, action, offset, bytes] => io(name, action, number(offset, "offset")?, number(bytes, "length")?, at_us, version),
        _ => Err(match version {
            Version::Two => "a name and an action are expected, and for an I/O its offset and length".into(),
            Version::Three => "a time, a name and an action are expected, and for an I/O its offset and length".into(),
        }),
    }
}

fn file<'a>(name: &'a str, action: &str) -> Result<Line<'a>, String> {
    let action = match action {
        "add" => FileAction::Add,
        "open" => FileAction::Open,
        "close" => FileAction::Close,
        other => return Err(format!("{other:?} is no action of a file: add, open and close are")),
    };
    Ok(Line::File { name, action })
}

fn io<'a>(name: &'a str, action: &str, offset: u64, bytes: u64, at_us: u64, version: Version) -> Result<Option<Line<'a>>, String> {
    let kind = match action {
        "wait" if version == Version::Two => return Ok(Some(Line::Wait { ms: offset })),
        // fio passes it over too: times are in front.
        "wait" => return Ok(None),
        "read" => RecordedKind::Read,
        "write" => RecordedKind::Write,
        "trim" => RecordedKind::Trim,
        "sync" => RecordedKind::Fsync,
        "datasync" => RecordedKind::Datasync,
        "sync_file_range" => RecordedKind::RangeSync,
        other => {
            return Err(format!("{other:?} is no action of an I/O: read, write, trim, sync, datasync, sync_file_range and wait are"));
        }
    };
    if matches!(kind, RecordedKind::Fsync | RecordedKind::Datasync | RecordedKind::RangeSync) {
        return Ok(Some(Line::Io { name, kind, offset_bytes: 0, bytes: 0, at_us }));
    }
    if !(1..=MOST_BYTES).contains(&bytes) {
        return Err(format!("a length of {bytes} bytes; 1 to {MOST_BYTES} are expected"));
    }
    if offset.checked_add(bytes).is_none_or(|end| i64::try_from(end).is_err()) {
        return Err(format!("the offset {offset} is beyond any file"));
    }
    Ok(Some(Line::Io { name, kind, offset_bytes: offset, bytes: bytes as u32, at_us }))
}

fn number(text: &str, of: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no {of}: a whole number is expected"))
}
