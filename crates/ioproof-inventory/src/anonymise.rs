//! Unique names made common, so that a capture can be published and still replays: each is replaced by one of the same length, the same one everywhere.
//!
//! Two kinds of names. What tells one drive from all others (serial numbers, world wide names, UUIDs) is replaced wherever its bytes are, also in the pages and in ATA's
//! order. What people name (volumes, pools, labels, mount points, hosts) may be any word, so it is replaced as a whole word and only where such names stand: `places` says
//! where. `gather` finds the names. What is not known to be a name stays; whoever publishes a capture looks through it first.

mod common_words;
mod gather;
mod places;
mod replacement;

use places::CapturePlace;
use replacement::Replacements;

/// Length of the shortest name that is replaced. A shorter one would be found everywhere. Bytes.
const SHORTEST: usize = 4;

#[derive(Debug, Default)]
pub struct Anonymiser {
    /// Bytes that are replaced wherever they are; the longest first.
    exact: Vec<(Vec<u8>, Vec<u8>)>,
    /// Words that are replaced in pages wherever they are, and in texts as whole words.
    plain: Vec<(String, String)>,
    /// Words that are replaced as whole words where names stand.
    words: Vec<(String, String)>,
    made: Replacements,
}

impl Anonymiser {
    /// Something that tells one drive, or one filesystem, from all others. It may consist of several parts.
    fn unique(&mut self, text: &str) {
        // A name of several parts (`eui.0011...`, an NQN) holds the serial number among them, so the parts are replaced rather than the whole.
        for part in text.split([' ', ':', '.', ',', '_', '"', '/']) {
            let part = part.trim_start_matches("0x");
            if part.len() < SHORTEST || !part.is_ascii() || self.exact.iter().any(|(known, _)| known == part.as_bytes()) {
                continue;
            }
            if part.bytes().any(|b| b.is_ascii_digit()) && differs(part.as_bytes()) {
                self.exactly(part);
            } else if differs(part.as_bytes()) {
                self.plainly(part);
            }
        }
    }

    fn exactly(&mut self, part: &str) {
        let other = self.made.replacement_of(part);
        let both =
            [(part.to_owned(), other.clone()), (part.to_lowercase(), other.to_lowercase()), (part.to_uppercase(), other.to_uppercase())];
        for (name, other) in both {
            self.pair(name.into_bytes(), other.into_bytes());
        }
        self.swapped(part, &other);
        self.hexadecimal(part, &other);
    }

    /// A name without digits may be an ordinary word, so in texts only the whole word is replaced.
    fn plainly(&mut self, part: &str) {
        let other = self.made.replacement_of(part);
        if !self.plain.iter().any(|(known, _)| known == part) {
            self.plain.push((part.to_owned(), other));
        }
    }

    fn named(&mut self, text: &str) {
        for word in places::split_words(text) {
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            if word.chars().count() < 2 || (is_number && word.len() < SHORTEST) || common_words::is_common(word) {
                continue;
            }
            let other = self.made.replacement_of(word);
            if !self.words.iter().any(|(known, _)| known == word) {
                self.words.push((word.to_owned(), other));
            }
        }
    }

    fn pair(&mut self, name: Vec<u8>, other: Vec<u8>) {
        if !self.exact.iter().any(|(known, _)| *known == name) {
            self.exact.push((name, other));
        }
    }

    /// As ATA writes it: the first character of each pair last, whichever half of a pair the name begins in.
    fn swapped(&mut self, part: &str, other: &str) {
        for lead in ["", " "] {
            let padded = |text: &str| {
                let text = format!("{lead}{text}");
                if text.len() % 2 == 0 { text } else { format!("{text} ") }
            };
            self.pair(swap(&padded(part)), swap(&padded(other)));
        }
    }

    /// As the bytes that the digits stand for, in both orders.
    fn hexadecimal(&mut self, part: &str, other: &str) {
        let (Some(bytes), Some(others)) = (hex_bytes(part), hex_bytes(other)) else { return };
        if bytes.len() < SHORTEST || !differs(&bytes) {
            return;
        }
        let backwards = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
        self.pair(backwards(&bytes), backwards(&others));
        self.pair(bytes, others);
    }

    /// The longest first: one name may contain another.
    fn sorted(mut self) -> Self {
        self.exact.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        self.plain.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        self
    }

    /// The content of a file of the capture with every name replaced. The length stays.
    pub fn clean(&self, file: &str, bytes: &[u8]) -> Vec<u8> {
        if self.exact.is_empty() && self.plain.is_empty() && self.words.is_empty() {
            return bytes.to_vec();
        }
        match (places::place(file), std::str::from_utf8(bytes)) {
            (CapturePlace::Json, Ok(text)) => self.json(text).unwrap_or_else(|| self.text(text, true).into_bytes()),
            (CapturePlace::Mounts, Ok(text)) => places::mounts(text, |part| self.text(part, true)).into_bytes(),
            (CapturePlace::Names, Ok(text)) => self.text(text, true).into_bytes(),
            (CapturePlace::Other, Ok(text)) if !text.contains('\0') => self.text(text, false).into_bytes(),
            _ => self.bytes(bytes),
        }
    }

    fn text(&self, text: &str, has_names: bool) -> String {
        let cleaned = String::from_utf8_lossy(&replace(text.as_bytes(), &self.exact)).into_owned();
        let cleaned = self.plain.iter().fold(cleaned, |text, (name, other)| places::replace_whole(&text, name, other));
        if has_names { places::replace_words(&cleaned, &self.words) } else { cleaned }
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let plain: Vec<(Vec<u8>, Vec<u8>)> = self.plain.iter().flat_map(in_pages).collect();
        replace(&replace(bytes, &self.exact), &plain)
    }

    /// Texts within JSON; the hexadecimal digits of pages are taken as the bytes that they stand for.
    fn json(&self, text: &str) -> Option<Vec<u8>> {
        let mut value = serde_json::from_str(text).ok()?;
        places::each_text(&mut value, &mut |key, text| match key {
            places::RAW => {
                let bytes = crate::answers::bytes_of(text)?;
                Some(crate::answers::digits_of(&self.bytes(&bytes)))
            }
            _ => Some(self.text(text, places::may_hold_names(key))),
        });
        serde_json::to_vec_pretty(&value).ok()
    }
}

/// A name as pages hold it: as it is, and in ATA's order.
fn in_pages((name, other): &(String, String)) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut known = Anonymiser::default();
    known.pair(name.clone().into_bytes(), other.clone().into_bytes());
    known.swapped(name, other);
    known.exact
}

/// A name of one character over and over would be found in every page.
fn differs(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte != bytes[0])
}

fn swap(text: &str) -> Vec<u8> {
    text.as_bytes().chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect()
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    crate::answers::bytes_of(&digits)
}

fn replace(bytes: &[u8], pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (name, other) in pairs {
        let mut from = 0;
        while let Some(at) = bytes[from..].windows(name.len()).position(|window| window == name) {
            bytes[from + at..from + at + name.len()].copy_from_slice(other);
            from += at + name.len();
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
