//! One cell: its value, its look, and the way in which it is written.

use crate::tables::Cell;
use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder, Worksheet, XlsxError};

/// Characters of a cell: a spreadsheet holds 32,767 units of UTF-16, of which a character takes two at the most.
const CHARACTERS: usize = 16_000;

/// The look of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The first line of a sheet.
    Title,
    /// The first line of a part of a sheet.
    Part,
    /// An explanation.
    Remark,
    /// The name of a column; flush right above numbers.
    Heading,
    NumberHeading,
    /// The conditions that the lines below share.
    Block,
    /// The name of a fact.
    Label,
    /// A fact.
    Fact,
    Text,
    /// Text in a narrow column.
    Wrapped,
    /// A whole number.
    Count,
    /// A measured figure, with about four digits.
    Figure,
    Seconds,
    /// A size or a temperature, with as many digits as it has.
    Size,
    /// A moment among facts.
    Date,
    /// A share, as per cent.
    Share,
    Moment,
    /// A sentence that takes weight from the numbers.
    Warning,
    /// A sentence that a reader must know.
    Note,
}

const MOMENT: &str = "yyyy-mm-dd hh:mm:ss";
const GREY: Color = Color::RGB(0x59_59_59);
const PALE: Color = Color::RGB(0xD9_E1_F2);
const PALER: Color = Color::RGB(0xEE_F2_FA);
const RULE: Color = Color::RGB(0x8E_A9_DB);

impl Look {
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Figure | Self::Seconds | Self::Size | Self::Share | Self::Moment)
    }

    pub(super) fn format(self) -> Format {
        let top = || Format::new().set_align(FormatAlign::Top);
        let line = || top().set_border_bottom(FormatBorder::Hair).set_border_bottom_color(RULE);
        let heading = || {
            Format::new()
                .set_bold()
                .set_text_wrap()
                .set_background_color(PALE)
                .set_border_bottom(FormatBorder::Thin)
                .set_border_bottom_color(RULE)
        };
        let banner = |fill: u32, font: u32| top().set_text_wrap().set_background_color(Color::RGB(fill)).set_font_color(Color::RGB(font));
        match self {
            Self::Title => Format::new().set_bold().set_font_size(14),
            Self::Part => Format::new().set_bold().set_font_size(12),
            Self::Remark => top().set_text_wrap().set_italic().set_font_color(GREY),
            Self::Heading => heading().set_align(FormatAlign::Bottom).set_align(FormatAlign::Left).set_indent(1),
            Self::NumberHeading => heading().set_align(FormatAlign::Bottom).set_align(FormatAlign::Right),
            Self::Block => Format::new().set_bold().set_background_color(PALER),
            Self::Label => top().set_font_color(GREY),
            Self::Fact => top().set_text_wrap(),
            Self::Text => line().set_align(FormatAlign::Left).set_indent(1),
            Self::Wrapped => line().set_align(FormatAlign::Left).set_indent(1).set_text_wrap(),
            Self::Count => line().set_num_format("#,##0"),
            Self::Figure => line().set_num_format("[>=1000]#,##0;[>=10]0.0;0.000"),
            Self::Seconds => line().set_num_format("0.000"),
            Self::Share => line().set_num_format("0.0%"),
            Self::Size => line(),
            Self::Date => top().set_num_format(MOMENT).set_align(FormatAlign::Left),
            Self::Moment => line().set_num_format(MOMENT),
            Self::Warning => banner(0xFF_C7_CE, 0x9C_00_06).set_bold(),
            Self::Note => banner(0xFF_F2_CC, 0x7F_60_00),
        }
    }
}

/// Writes one cell. An unknown value leaves it empty. Text is written as a string, never as a formula.
pub(super) fn put(sheet: &mut Worksheet, row: u32, column: u16, value: &Cell, format: &Format) -> Result<(), XlsxError> {
    match value {
        Cell::Empty => sheet.write_blank(row, column, format)?,
        Cell::Count(count) => sheet.write_number_with_format(row, column, *count as f64, format)?,
        Cell::Number(number) => sheet.write_number_with_format(row, column, *number, format)?,
        Cell::Text(text) => sheet.write_string_with_format(row, column, clipped(text), format)?,
    };
    Ok(())
}

/// As much of a text as a cell holds.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_empty() {
        assert_eq!(Cell::from(f64::NAN), Cell::Empty);
        assert_eq!(Cell::from(None::<u64>), Cell::Empty);
        assert_eq!((Cell::from(""), Cell::from(0u64)), (Cell::Empty, Cell::Count(0)));
    }

    #[test]
    fn a_cell_holds_so_much_text() {
        assert_eq!(clipped("µs"), "µs");
        assert_eq!(clipped(&"é".repeat(40_000)).chars().count(), CHARACTERS + 1);
    }
}
