//! From the cells of a picture that have changed to the bytes that change them on a terminal (ECMA-48: CUP, SGR).

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};
use std::fmt::Write;

/// Bytes that make `after` of `before`; without it the screen is emptied first.
pub fn bytes(before: Option<&Buffer>, after: &Buffer) -> Vec<u8> {
    let blank = Buffer::empty(after.area);
    let mut text = if before.is_some() { String::new() } else { "\x1b[0m\x1b[2J".to_owned() };
    let mut next: Option<(u16, u16)> = None;
    let mut style = String::from("0");
    for (x, y, cell) in before.unwrap_or(&blank).diff(after) {
        if next != Some((x, y)) {
            let _ = write!(text, "\x1b[{};{}H", y + 1, x + 1);
        }
        let wanted = codes(cell);
        if wanted != style {
            let _ = write!(text, "\x1b[{wanted}m");
            style = wanted;
        }
        text.push_str(cell.symbol());
        next = Some((x + 1, y));
    }
    if style != "0" {
        text.push_str("\x1b[0m");
    }
    text.into_bytes()
}

/// The codes of a cell's style, all others off.
fn codes(cell: &Cell) -> String {
    let mut codes = String::from("0");
    for (modifier, code) in [(Modifier::BOLD, ";1"), (Modifier::DIM, ";2")] {
        codes.push_str(if cell.modifier.contains(modifier) { code } else { "" });
    }
    codes.push_str(match cell.fg {
        Color::Red => ";31",
        Color::Green => ";32",
        Color::Yellow => ";33",
        Color::Cyan => ";36",
        _ => "",
    });
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Style;

    fn picture(text: &str, style: Style) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        buffer.set_string(0, 0, text, style);
        buffer
    }

    #[test]
    fn only_what_has_changed_is_drawn_again() {
        let (before, after) = (picture("abcdef", Style::new()), picture("abXYef", Style::new()));
        assert_eq!(bytes(Some(&before), &after), b"\x1b[1;3HXY");
        assert!(bytes(Some(&after), &after).is_empty());
    }

    #[test]
    fn a_new_screen_is_emptied_and_styles_end() {
        let bold = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let bytes = bytes(None, &picture("a", bold));
        assert_eq!(String::from_utf8(bytes).unwrap(), "\x1b[0m\x1b[2J\x1b[1;1H\x1b[0;1;31ma\x1b[0m");
    }
}
