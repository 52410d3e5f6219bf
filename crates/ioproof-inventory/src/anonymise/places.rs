//! Where in a capture names stand that somebody gave, and how they are found there: as whole words, so that a pool called `size` does not change every file.

use serde_json::Value;

/// Kind of a file of a capture, by the names that it may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapturePlace {
    Json,
    Mounts,
    Names,
    Other,
}

/// The key of a page's bytes in JSON.
pub const RAW: &str = "raw";

/// Texts of ours under these keys are words of ours or kernel names.
const OURS: [&str; 9] = ["kind", "key", "unit", "title", "state", "fs_type", "name", "schema_version", "device"];

pub fn place(file: &str) -> CapturePlace {
    const NAMES: [&str; 8] = [
        "/dm/name",
        "/dm/uuid",
        "/loop/backing_file",
        "/md/uuid",
        "proc/swaps",
        "proc/self/cgroup",
        "proc/sys/kernel/hostname",
        "/md/metadata_version",
    ];
    match file {
        "proc/self/mountinfo" => CapturePlace::Mounts,
        _ if file.ends_with(".json") => CapturePlace::Json,
        _ if file.starts_with("run/udev/") || NAMES.iter().any(|name| file.ends_with(name)) => CapturePlace::Names,
        _ => CapturePlace::Other,
    }
}

/// True when the text under a key may hold names that somebody gave.
pub fn may_hold_names(key: &str) -> bool {
    !OURS.contains(&key)
}

/// Of a line of the table of mounts (proc(5)): the root, the mount point, the source and the options; the numbers stay.
pub fn mounts(text: &str, clean: impl Fn(&str) -> String) -> String {
    let line = |line: &str| {
        let dash = line.split(' ').position(|field| field == "-").unwrap_or(usize::MAX);
        let fields = line.split(' ').enumerate();
        let cleaned = fields.map(|(at, field)| {
            let is_named = at == 3 || at == 4 || (at > dash && at != dash + 1);
            if is_named { clean(field) } else { field.to_owned() }
        });
        cleaned.collect::<Vec<_>>().join(" ")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Each text of a JSON value with its key; `change` gives the new one, or `None` to keep it.
pub fn each_text(value: &mut Value, change: &mut impl FnMut(&str, &str) -> Option<String>) {
    fn walk(key: &str, value: &mut Value, change: &mut impl FnMut(&str, &str) -> Option<String>) {
        match value {
            Value::String(text) => {
                if let Some(new) = change(key, text) {
                    *text = new;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| walk(key, value, change)),
            Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| walk(key, value, change)),
            _ => {}
        }
    }
    walk("", value, change);
}

/// Where the words of a text begin and end. The kernel writes a blank in a path as `\040` (proc(5)), which is no part of a word.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let (mut start, mut skip) = (None, 0);
    for (at, c) in text.char_indices() {
        if skip > 0 && c.is_ascii_digit() {
            skip -= 1;
            continue;
        }
        skip = if c == '\\' { 3 } else { 0 };
        match (start, c.is_alphanumeric()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                spans.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    spans.extend(start.map(|from| (from, text.len())));
    spans
}

pub fn split_words(text: &str) -> Vec<&str> {
    spans(text).into_iter().map(|(from, to)| &text[from..to]).collect()
}

pub fn replace_words(text: &str, pairs: &[(String, String)]) -> String {
    let mut made = String::new();
    let mut at = 0;
    for (from, to) in spans(text) {
        let word = &text[from..to];
        made.push_str(&text[at..from]);
        made.push_str(pairs.iter().find(|(name, _)| name == word).map_or(word, |(_, other)| other));
        at = to;
    }
    made.push_str(&text[at..]);
    made
}

/// The text with a name of any characters replaced where no letter and no digit touches it.
pub fn replace_whole(text: &str, name: &str, other: &str) -> String {
    let mut made = String::new();
    let mut at = 0;
    for (found, _) in text.match_indices(name) {
        let before = text[..found].chars().next_back().is_some_and(char::is_alphanumeric);
        let after = text[found + name.len()..].chars().next().is_some_and(char::is_alphanumeric);
        if !before && !after {
            made.push_str(&text[at..found]);
            made.push_str(other);
            at = found + name.len();
        }
    }
    made.push_str(&text[at..]);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_the_kernel_escapes() {
        assert_eq!(split_words(r"/mnt/my\040photos-2024"), ["mnt", "my", "photos", "2024"]);
        assert_eq!(split_words("Фото_x"), ["Фото", "x"]);
        assert_eq!(replace_words(r"a\040alice/alices", &[("alice".into(), "xxxxx".into())]), r"a\040xxxxx/alices");
    }

    #[test]
    fn a_name_within_another_word_stays() {
        assert_eq!(replace_whole("NVME-A and NVME-AB, NVME-A", "NVME-A", "XXXX-X"), "XXXX-X and NVME-AB, XXXX-X");
    }

    #[test]
    fn only_the_named_fields_of_a_mount() {
        let line = "20 1 8:1 /a /a rw,a - a /dev/a rw,x=a\n";
        assert_eq!(mounts(line, |field| field.replace('a', "x")), "20 1 8:1 /x /x rw,a - a /dev/x rw,x=x\n");
    }
}
