//! Replacements of names: of the same length, recognisable as made up, and different where the names were different.

use std::collections::BTreeMap;

/// Names and what they became.
#[derive(Debug, Default)]
pub struct Replacements {
    made: BTreeMap<String, String>,
}

/// From here on a name of hexadecimal digits is taken for a number, and stays one.
const HEX_DIGITS_MIN: usize = 8;

impl Replacements {
    /// The replacement of a name; the case of its letters does not count.
    pub fn replacement_of(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        if let Some(made) = self.made.get(&key) {
            return like(name, made);
        }
        let made = (0..).map(|number| numbered(&key, number)).find(|made| !self.made.values().any(|known| known == made));
        let made = made.unwrap_or_else(|| key.clone());
        self.made.insert(key, made.clone());
        like(name, &made)
    }
}

/// Digits become zeros and letters x, and the last of them count.
fn numbered(name: &str, number: usize) -> String {
    let is_hex = name.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && name.chars().filter(|c| *c != '-').count() >= HEX_DIGITS_MIN;
    let mut rest = number;
    let mut made: Vec<char> = name.chars().rev().map(|c| other(c, is_hex, &mut rest)).collect();
    made.reverse();
    made.into_iter().collect()
}

fn other(c: char, is_hex: bool, rest: &mut usize) -> char {
    let (first, count) = match c {
        _ if is_hex && c != '-' => ('0', 10),
        '0'..='9' => ('0', 10),
        // A name of two letters has as many replacements as there are.
        _ if c.is_alphabetic() => ('a', 26),
        _ => return c,
    };
    let digit = *rest % count;
    *rest /= count;
    match (first, digit) {
        ('a', 0) => 'x',
        // The letter x is the zero.
        ('a', digit) if digit <= 23 => char::from(b'a' + digit as u8 - 1),
        (_, digit) if first == 'a' => char::from(b'a' + digit as u8),
        (_, digit) => char::from(b'0' + digit as u8),
    }
}

fn like(name: &str, made: &str) -> String {
    let cased = |(c, made): (char, char)| if c.is_uppercase() { made.to_ascii_uppercase() } else { made };
    name.chars().zip(made.chars()).map(cased).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_different_and_of_the_same_form() {
        let mut made = Replacements::default();
        assert_eq!(
            [made.replacement_of("BTTV4495"), made.replacement_of("BTTV4496"), made.replacement_of("bttv4495")],
            ["XXXX0000", "XXXX0001", "xxxx0000"]
        );
        assert_eq!([made.replacement_of("NVME-A"), made.replacement_of("SATA-A")], ["XXXX-X", "XXXX-A"]);
        assert_eq!(made.replacement_of("55cd2e404bd1f3a8"), "0000000000000000");
        assert_eq!(made.replacement_of("55cd2e404bd1f3a9"), "0000000000000001");
        assert_eq!(made.replacement_of("12345678-9abc"), "00000000-0000");
    }

    #[test]
    fn few_letters_have_many_replacements() {
        let mut made = Replacements::default();
        let names: Vec<String> = ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| format!("{a}{b}"))).collect();
        let mut others: Vec<String> = names.iter().map(|name| made.replacement_of(name)).collect();
        others.sort();
        others.dedup();
        assert_eq!(others.len(), names.len());
    }
}
