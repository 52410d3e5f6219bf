//! Text for a terminal that does not show UTF-8.

use std::env::var_os;
use std::sync::OnceLock;

/// True where the user's locale names another character set (locale(7): the first of these that is set counts).
pub(crate) fn is_plain() -> bool {
    static PLAIN: OnceLock<bool> = OnceLock::new();
    *PLAIN.get_or_init(|| {
        let named = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(var_os).find(|value| !value.is_empty());
        named.is_some_and(|name| lacks_utf8(&name.to_string_lossy()))
    })
}

fn lacks_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// The same in ASCII.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0'..='\x7f' => plain.push(c),
            'µ' | 'μ' => plain.push('u'),
            '…' => plain.push_str("..."),
            '·' | '–' | '—' => plain.push('-'),
            '×' => plain.push('x'),
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            // °C
            '°' => {}
            _ => plain.push('?'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ascii_has_a_like() {
        assert_eq!(plain("12.4 µs · 35 °C … 1\u{202f}000 ×2 größer"), "12.4 us - 35 C ... 1 000 x2 gr??er");
        assert_eq!(["C", "POSIX", "de_DE.ISO-8859-1", "en_US.UTF-8", "C.utf8"].map(lacks_utf8), [true, true, true, false, false]);
    }
}
