//! Fields as evidence of findings: the value as data with its unit, and the source that it was read from.

use crate::field::{Field, Value};
use ioproof_core::finding::{Evidence, Unit};

pub(crate) fn of_field(field: &Field) -> Evidence {
    let figure = match &field.value {
        Value::Flag(flag) => Evidence::text(&field.title, if *flag { "yes" } else { "no" }),
        Value::Number(value) => of_number(field, *value as f64),
        Value::Real(value) => of_number(field, *value),
        Value::Text(text) => Evidence::text(&field.title, text.clone()),
        Value::List(list) => Evidence::text(&field.title, list.join(", ")),
    };
    figure.read_at(&field.source)
}

/// The same of a number, with the limit that it was held against, in the unit of the field.
pub(crate) fn against(field: &Field, number: f64, limit: Option<f64>) -> Evidence {
    let scale = unit(field).map_or(1.0, |(_, scale)| scale);
    let figure = of_number(field, number).read_at(&field.source);
    limit.map_or(figure.clone(), |limit| figure.against(limit * scale))
}

fn of_number(field: &Field, number: f64) -> Evidence {
    match unit(field) {
        Some((unit, scale)) => Evidence::number(&field.title, number * scale, unit),
        None => Evidence::text(&field.title, format!("{number} {}", field.unit.as_deref().unwrap_or_default())),
    }
}

fn unit(field: &Field) -> Option<(Unit, f64)> {
    match (field.unit.as_deref(), &field.value) {
        (None, Value::Real(_)) => Some((Unit::Average, 1.0)),
        (None | Some("lanes"), _) => Some((Unit::Count, 1.0)),
        (Some("bytes"), _) => Some((Unit::BinaryBytes, 1.0)),
        (Some("bytes/s"), _) => Some((Unit::BytesPerSecond, 1.0)),
        (Some("percent"), _) => Some((Unit::Share, 0.01)),
        (Some("ns"), _) => Some((Unit::Nanoseconds, 1.0)),
        (Some("celsius"), _) => Some((Unit::Celsius, 1.0)),
        (Some("CPUs"), _) => Some((Unit::Cpus, 1.0)),
        (Some("GT/s"), _) => Some((Unit::TransfersPerSecond, 1e9)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(unit: &str, value: Value) -> Field {
        Field { key: "k".into(), title: "t".into(), value, unit: (!unit.is_empty()).then(|| unit.into()), source: "/source".into() }
    }

    #[test]
    fn a_field_is_shown_in_its_unit_with_its_source() {
        for (unit, value, shown) in [
            ("bytes", Value::Number(8 << 20), "8 MiB (/source)"),
            ("percent", Value::Real(42.5), "42.5 % (/source)"),
            ("GT/s", Value::Real(8.0), "8.0 GT/s (/source)"),
            ("", Value::Number(3), "3 (/source)"),
            ("", Value::Real(1.5), "1.50 (/source)"),
            ("turns", Value::Number(5400), "5400 turns (/source)"),
            ("", Value::Flag(false), "no (/source)"),
            ("", Value::List(vec!["a".into(), "b".into()]), "a, b (/source)"),
        ] {
            assert_eq!(of_field(&field(unit, value)).describe(), shown);
        }
    }

    #[test]
    fn a_limit_is_in_the_unit_of_the_field() {
        let spare = against(&field("percent", Value::Number(10)), 10.0, Some(5.0));
        assert_eq!(spare.describe(), "10.0 % (limit 5.0 %) (/source)");
    }
}
