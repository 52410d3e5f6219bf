//! The first lines about a drive: names, size, temperature and health.

use ioproof_core::facts::DeviceFacts;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_inventory::drives::{DriveHealth, kind_title, state_word};
use ioproof_pages::field::{Page, Value, find};

/// Columns before what a line of the summary says.
pub const INDENT: usize = 14;

/// The heading of a drive, and what is known of it in short; `None` is a drive that nothing names.
pub fn lines(facts: Option<&DeviceFacts>, pages: &[Page], health: Option<&DriveHealth>) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        facts.map_or_else(|| nameless(pages), |facts| format!("drive {}: {}", visible(&facts.name), kind_title(facts.kind))),
    ];
    lines.extend(facts.iter().flat_map(|facts| who(facts)));
    lines.extend(temperature(facts, pages).map(|degrees| format!("  {:11} {degrees} °C", "temperature")));
    lines.extend(health.iter().flat_map(|health| health_lines(health)));
    lines
}

fn nameless(pages: &[Page]) -> String {
    let text = |key: &str| pages.iter().find_map(|page| page.text(key)).map(visible);
    text("device_name").map_or_else(|| "a drive whose name is not told".to_owned(), |name| format!("drive {name}: its model is not told"))
}

fn who(facts: &DeviceFacts) -> Vec<String> {
    let texts = [("vendor", &facts.vendor), ("model", &facts.model), ("serial", &facts.serial), ("firmware", &facts.firmware)];
    let mut lines: Vec<String> =
        texts.iter().filter_map(|(title, fact)| Some(format!("  {title:11} {}", visible(&fact.as_ref()?.value)))).collect();
    let size = Some(facts.capacity_bytes.value).filter(|bytes| *bytes > 0 || facts.capacity_bytes.source.starts_with('/'));
    lines.extend(size.map(|bytes| format!("  {:11} {}", "size", decimal_size(bytes))));
    lines.extend(facts.link.iter().map(|link| format!("  {:11} {}", "link", visible(&link.title))));
    lines
}

/// As the kernel tells it, else as the drive itself does.
fn temperature(facts: Option<&DeviceFacts>, pages: &[Page]) -> Option<f64> {
    let told = || match find(pages, "temperature_celsius")?.value {
        Value::Number(degrees) => Some(degrees as f64),
        Value::Real(degrees) => Some(degrees),
        _ => None,
    };
    facts.and_then(|facts| Some(facts.temperature_celsius.as_ref()?.value)).or_else(told)
}

/// The judgement, why, what it rests on and what was not told.
fn health_lines(health: &DriveHealth) -> Vec<String> {
    let mut lines = vec![format!("  {:11} {}", "health", health.word)];
    for row in &health.table {
        let state = row.state.map_or("note", state_word);
        lines.push(format!("  {:11}   {state}: {} [{}]", "", visible(&row.said), visible(&row.read_at)));
        lines.push(format!("  {:11}     {} ({})", "", row.reason, row.source));
    }
    if health.word != "unknown" {
        let told = [("rests on", &health.rests_on), ("not told", &health.not_told)];
        lines.extend(
            told.iter()
                .filter(|(_, what)| !what.is_empty())
                .map(|(how, what)| format!("  {:11}   {how}: {}", "", visible(&what.join(", ")))),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_pages::field::Field;

    #[test]
    fn a_judgement_says_what_it_rests_on() {
        let health = |word: &str| DriveHealth {
            word: word.into(),
            reasons: vec![],
            findings: vec![],
            table: vec![],
            rests_on: vec!["spare".into()],
            not_told: vec!["wear".into(), "media errors".into()],
        };
        assert_eq!(
            health_lines(&health("OK as far as told")),
            ["  health      OK as far as told", "                rests on: spare", "                not told: wear, media errors"]
        );
        assert_eq!(health_lines(&health("unknown")), ["  health      unknown"]);
    }

    #[test]
    fn the_drives_own_temperature_counts_where_the_kernel_tells_none() {
        let field =
            Field { key: "temperature_celsius".into(), title: String::new(), value: Value::Number(31), unit: None, source: "x".into() };
        let pages = [Page { fields: vec![field], ..Page::default() }];
        assert_eq!(lines(None, &pages, None), ["", "a drive whose name is not told", "  temperature 31 °C"]);
    }
}
