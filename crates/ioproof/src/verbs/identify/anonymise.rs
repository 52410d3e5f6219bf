//! Unique names made common: serial numbers, world wide names and the like are replaced in texts and in bytes, each by one of the same length, so that a
//! capture still replays. What is not known to be unique stays; whoever publishes a capture looks through it first.

use ioproof_core::field::{Page, Value};

/// Keys of fields that tell one drive from all others.
const UNIQUE: [&str; 9] = ["serial", "wwn", "eui64", "nguid", "nqn", "uuid", "wwid", "subsystem_nqn", "sas_address"];
/// What is shorter would be found everywhere.
const SHORTEST: usize = 4;

/// What is replaced by what.
#[derive(Debug, Default)]
pub struct Anonymiser {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Anonymiser {
    /// Learns the unique names that pages tell, and further ones.
    pub fn of(pages: &[Page], further: &[String]) -> Self {
        let mut known = Self::default();
        let fields = pages.iter().flat_map(|page| &page.fields).filter(|field| UNIQUE.iter().any(|key| field.key.contains(key)));
        for field in fields {
            if let Value::Text(text) = &field.value {
                known.add(text);
            }
        }
        for text in further {
            known.add(text);
        }
        // The longest first: one name may contain another.
        known.pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        known
    }

    fn add(&mut self, text: &str) {
        // A name of several parts (`eui.0011...`, an NQN) holds the serial number among them, so the parts are replaced rather than the whole.
        for part in text.split([' ', ':', '.', ',', '_']).filter(|part| part.len() >= SHORTEST && part.bytes().any(|b| b.is_ascii_digit()))
        {
            let part = part.trim_start_matches("0x");
            let bytes = part.as_bytes().to_vec();
            if part.len() < SHORTEST || self.pairs.iter().any(|(known, _)| *known == bytes) {
                continue;
            }
            let like = |lower: bool| if lower { part.to_lowercase() } else { part.to_uppercase() };
            for spelling in [part.to_owned(), like(true), like(false)] {
                self.pair(spelling.into_bytes());
            }
            self.swapped(part);
            self.hexadecimal(part);
        }
    }

    fn pair(&mut self, name: Vec<u8>) {
        let other = name.iter().map(|b| made_up(*b)).collect();
        if !self.pairs.iter().any(|(known, _)| *known == name) {
            self.pairs.push((name, other));
        }
    }

    /// As ATA writes it: the first character of each pair last, whichever half of a pair the name begins in.
    fn swapped(&mut self, part: &str) {
        for text in [part.to_owned(), format!(" {part}")] {
            let padded = if text.len() % 2 == 0 { text } else { format!("{text} ") };
            self.pair(padded.as_bytes().chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect());
        }
    }

    /// As the bytes that the digits stand for, in both orders.
    fn hexadecimal(&mut self, part: &str) {
        let digits: String = part.chars().filter(|c| *c != '-').collect();
        let pair = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
        let Some(bytes) = bytes.filter(|bytes| bytes.len() >= SHORTEST) else { return };
        let zeros = vec![0; bytes.len()];
        let backwards = bytes.iter().rev().copied().collect();
        self.pairs.push((bytes, zeros.clone()));
        self.pairs.push((backwards, zeros));
    }

    /// The same bytes with every unique name replaced. The length stays.
    pub fn clean(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for (name, other) in &self.pairs {
            let mut from = 0;
            while let Some(at) = bytes[from..].windows(name.len()).position(|window| window == name) {
                bytes[from + at..from + at + name.len()].copy_from_slice(other);
                from += at + name.len();
            }
        }
        bytes
    }
}

/// Digits become zeros and letters X, so that a serial number still looks like one; the rest stays.
fn made_up(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'A'..=b'Z' => b'X',
        b'a'..=b'z' => b'x',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::field::Field;

    fn pages(rows: &[(&str, &str)]) -> Vec<Page> {
        let field = |(key, text): &(&str, &str)| Field {
            key: (*key).into(),
            title: String::new(),
            value: Value::Text((*text).into()),
            unit: None,
            source: String::new(),
        };
        vec![Page { fields: rows.iter().map(field).collect(), ..Page::default() }]
    }

    fn text(known: &Anonymiser, text: &str) -> String {
        String::from_utf8(known.clean(text.as_bytes())).unwrap()
    }

    #[test]
    fn names_in_text_swapped_and_as_bytes() {
        let known = Anonymiser::of(&pages(&[("serial", "BTTV4495"), ("wwn", "0x55cd2e404b"), ("model", "INTEL SSDSC2BA800G3")]), &[]);
        assert_eq!(text(&known, "nqn:BTTV4495:bttv4495 INTEL SSDSC2BA800G3"), "nqn:XXXX0000:xxxx0000 INTEL SSDSC2BA800G3");
        assert_eq!(known.clean(b"..TBVT4459.."), b"..XXXX0000..");
        assert_eq!(known.clean(b".. BTTVT449  5"), b".. BTTVT449  5", "another order of letters is another name");
        assert_eq!(known.clean(&[7, 0x55, 0xcd, 0x2e, 0x40, 0x4b, 7]), [7, 0, 0, 0, 0, 0, 7]);
        assert_eq!(known.clean(&[7, 0x4b, 0x40, 0x2e, 0xcd, 0x55]), [7, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn an_odd_place_in_an_ata_string() {
        let known = Anonymiser::of(&[], &["S1234".to_owned()]);
        // " S1234" and "S1234 " with their pairs swapped.
        assert_eq!(known.clean(b"S 2143"), b"X 0000");
        assert_eq!(known.clean(b"1S32 4"), b"0X00 0");
    }

    #[test]
    fn short_words_stay() {
        let known = Anonymiser::of(&pages(&[("serial", "A1"), ("nqn", "nqn.2014-08.org.nvmexpress:uuid:12345678")]), &[]);
        assert_eq!(text(&known, "A1 org nvmexpress 12345678"), "A1 org nvmexpress 00000000");
    }
}
