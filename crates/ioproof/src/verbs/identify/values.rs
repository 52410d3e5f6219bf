//! A field's value in words, and what the sources of a page have in common.

use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_pages::field::{Field, Value};

pub fn shown(field: &Field) -> String {
    let unit = field.unit.as_deref().unwrap_or_default();
    match (&field.value, field.key.as_str()) {
        // As the buses and their lists of vendors spell it.
        (Value::Number(number), "vendor_id" | "subsystem_vendor_id") => return format!("{number:#06x}"),
        (Value::Number(0), "rotation_rate_rpm") => return "no rotation".to_owned(),
        (Value::Flag(passed), "smart_passed") => return (if *passed { "passed" } else { "failed" }).to_owned(),
        _ => {}
    }
    match &field.value {
        Value::Flag(flag) => (if *flag { "yes" } else { "no" }).to_owned(),
        Value::Number(bytes) if unit == "bytes" && *bytes >= 10_000 => format!("{} ({bytes} bytes)", decimal_size(*bytes)),
        Value::Number(number) => with_unit(&number.to_string(), unit),
        Value::Real(number) => with_unit(&format!("{number}"), unit),
        Value::Text(text) => with_unit(&visible(text), unit),
        Value::List(words) if words.is_empty() => "none".to_owned(),
        Value::List(words) => visible(&words.join(", ")),
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    match unit {
        "" => number.to_owned(),
        "percent" => format!("{number} %"),
        "celsius" => format!("{number} °C"),
        "gbit_per_s" => format!("{number} Gbit/s"),
        _ => format!("{number} {}", visible(unit)),
    }
}

/// Start that all sources share, up to a blank, so that it is said once for the page.
pub fn common_start(fields: &[&Field]) -> String {
    let mut sources = fields.iter().map(|field| field.source.as_str());
    let Some(first) = sources.next().filter(|_| fields.len() > 1) else { return String::new() };
    let length = sources.fold(first.len(), |most, source| common(first, source).min(most));
    let start = first.get(..length).unwrap_or_default();
    if fields.iter().all(|field| field.source == *first) {
        return first.to_owned();
    }
    // What stands in brackets stays together.
    let start =
        if start.matches('(').count() > start.matches(')').count() { start.rfind('(').map_or(start, |at| &start[..at]) } else { start };
    start.rfind([' ', '/']).filter(|end| *end > 0).map_or(String::new(), |end| start[..=end].to_owned())
}

fn common(a: &str, b: &str) -> usize {
    a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or(a.len().min(b.len()), |((at, _), _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: Value, unit: &str, source: &str) -> Field {
        let unit = (!unit.is_empty()).then(|| unit.to_owned());
        Field { key: "k".into(), title: "t".into(), value, unit, source: source.into() }
    }

    #[test]
    fn values_in_words() {
        let said = |value, unit| shown(&field(value, unit, ""));
        assert_eq!(said(Value::Flag(true), ""), "yes");
        assert_eq!(said(Value::Number(1_000_000), "bytes"), "1 MB (1000000 bytes)");
        assert_eq!(said(Value::Number(512), "bytes"), "512 bytes");
        assert_eq!(said(Value::Real(41.5), "celsius"), "41.5 °C");
        assert_eq!(said(Value::Number(7), "percent"), "7 %");
        assert_eq!(said(Value::List(vec![]), ""), "none");
        assert_eq!(said(Value::Real(6.0), "gbit_per_s"), "6 Gbit/s");
        assert_eq!(said(Value::Text("a\x1b[2J".into()), ""), "a\\u{1b}[2J");
    }

    #[test]
    fn some_keys_have_words_of_their_own() {
        let said = |key: &str, value, unit| shown(&Field { key: key.into(), ..field(value, unit, "") });
        assert_eq!(
            [said("vendor_id", Value::Number(0x1af4), ""), said("subsystem_vendor_id", Value::Number(0x8), "")],
            ["0x1af4", "0x0008"]
        );
        assert_eq!(
            [said("rotation_rate_rpm", Value::Number(0), "rpm"), said("rotation_rate_rpm", Value::Number(7200), "rpm")],
            ["no rotation", "7200 rpm"]
        );
        assert_eq!([true, false].map(|passed| said("smart_passed", Value::Flag(passed), "")), ["passed", "failed"]);
    }

    #[test]
    fn what_sources_share_is_said_once() {
        let of = |sources: &[&str]| {
            let fields: Vec<Field> = sources.iter().map(|source| field(Value::Flag(true), "", source)).collect();
            common_start(&fields.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(&["Identify bytes 4-23 (a)", "Identify bytes 24-63 (a)"]), "Identify bytes ");
        assert_eq!(of(&["/sys/block/sda/size", "/sys/block/sda/queue/x"]), "/sys/block/sda/");
        assert_eq!(of(&["data (SFF-8035i 2.0)", "data (SFF-8035i 3.0)"]), "data ");
        assert_eq!(of(&["log (SPC-5)", "log (SPC-5)"]), "log (SPC-5)");
        assert_eq!(of(&["one"]), "");
        assert_eq!(of(&["ab", "cd"]), "");
        assert_eq!(of(&["é x", "ê x"]), "");
    }
}
