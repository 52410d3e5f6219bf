//! SMART attributes as a table, one line an attribute. They stand in several pages (data, thresholds, smartctl's reading), each figure as a field of its own, as JSON has them.

use ioproof_core::text::visible;
use ioproof_pages::field::{Field, Page, Value};
use ioproof_pages::pages::ata::{attribute_flags, attribute_name};
use std::collections::BTreeMap;

/// The figures of an attribute, in the order of the columns behind number and name.
const FIGURES: [&str; 6] = ["value", "worst", "threshold", "flags", "raw", "reading"];
const READING: usize = 5;

/// Number and figure of a field that belongs to the table.
pub fn figure(field: &Field) -> Option<(u8, usize)> {
    let (id, figure) = field.key.strip_prefix("attribute_")?.split_once('_')?;
    Some((id.parse().ok()?, FIGURES.iter().position(|known| *known == figure)?))
}

#[derive(Debug, Default)]
struct AttributeRow {
    name: String,
    figures: [String; 6],
}

/// The table of a drive; empty where it has no attributes.
pub fn lines(pages: &[Page]) -> Vec<String> {
    let mut rows: BTreeMap<u8, AttributeRow> = BTreeMap::new();
    let mut sources: Vec<&str> = Vec::new();
    for (page, field, (id, at)) in
        pages.iter().flat_map(|page| page.fields.iter().filter_map(move |field| Some((page, field, figure(field)?))))
    {
        let row = rows
            .entry(id)
            .or_insert_with(|| AttributeRow { name: attribute_name(id).unwrap_or("attribute").to_owned(), ..AttributeRow::default() });
        // smartctl knows the maker's name, unless it says that it does not.
        if at == READING && !field.title.is_empty() && !field.title.starts_with("Unknown") && !field.title.starts_with("attribute ") {
            row.name.clone_from(&field.title);
        }
        if row.figures[at].is_empty() {
            row.figures[at] = shown(at, &field.value);
        }
        if !sources.contains(&page.name.as_str()) {
            sources.push(&page.name);
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let head =
        format!("SMART attributes [{}; flags: Prefailure, Online, Speed, error Rate, event Count, Kept]", visible(&sources.join(", ")));
    [vec![String::new(), head], table(&rows)].concat()
}

fn shown(at: usize, value: &Value) -> String {
    match value {
        Value::Number(bits) if FIGURES[at] == "flags" => attribute_flags(*bits),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => visible(text),
        _ => String::new(),
    }
}

/// Number and name, then the figures; numbers end, and words begin, under their titles. A figure that no attribute has makes no column.
fn table(rows: &BTreeMap<u8, AttributeRow>) -> Vec<String> {
    let titles = ["id", "name"].into_iter().chain(FIGURES);
    let mut cells: Vec<Vec<String>> = vec![titles.map(str::to_owned).collect()];
    cells.extend(rows.iter().map(|(id, row)| [vec![id.to_string(), visible(&row.name)], row.figures.to_vec()].concat()));
    let is_told = |column: &usize| cells.iter().skip(1).any(|row| !row[*column].is_empty());
    let columns: Vec<usize> = (0..cells[0].len()).filter(is_told).collect();
    // The formatter takes no width of 2^16.
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(1000);
    let cell = |row: &[String], column: usize| {
        let is_word = matches!(cells[0][column].as_str(), "name" | "flags" | "reading");
        if is_word { format!("{:1$}", row[column], width(column)) } else { format!("{:>1$}", row[column], width(column)) }
    };
    let line = |row: &Vec<String>| columns.iter().map(|column| cell(row, *column)).collect::<Vec<_>>().join("  ");
    cells.iter().map(|row| format!("  {}", line(row)).trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(key: &str, title: &str, value: Value) -> Field {
        Field { key: key.into(), title: title.into(), value, unit: None, source: "x".into() }
    }

    #[test]
    fn an_attribute_is_one_line_whoever_told_it() {
        let data = vec![
            field("attribute_5_flags", "", Value::Number(0x33)),
            field("attribute_5_value", "", Value::Number(100)),
            field("attribute_5_raw", "", Value::Number(7)),
            field("attribute_173_value", "", Value::Number(98)),
            field("attribute_blocks_written", "", Value::Number(1)),
        ];
        let read = vec![
            field("attribute_173_reading", "Wear Of Maker", Value::Text("12".into())),
            field("attribute_5_reading", "Unknown Attribute", Value::Text("7".into())),
        ];
        let page = |name: &str, fields| Page { name: name.into(), fields, ..Page::default() };
        let lines = lines(&[page("smart-data", data), page("smartctl", read)]);
        assert_eq!(lines[1].split(';').next(), Some("SMART attributes [smart-data, smartctl"));
        assert_eq!(
            lines[2..],
            [
                "   id  name                 value  flags   raw  reading",
                "    5  reallocated sectors    100  PO--CK    7  7",
                "  173  Wear Of Maker           98               12"
            ]
        );
    }

    #[test]
    fn no_attributes_no_table() {
        assert!(lines(&[Page::default()]).is_empty());
        assert_eq!(figure(&field("attribute_300_raw", "", Value::Flag(true))), None);
    }
}
