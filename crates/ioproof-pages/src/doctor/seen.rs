//! What a rule sees: the fields of the host and of one drive by key, and how it tells what it saw.

use super::DriveWay;
use crate::field::{Field, Page, Value, find};
use ioproof_core::finding::{Evidence, Severity};
use ioproof_core::units::binary_size;

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) host: &'a [Page],
    pub(super) drive: Option<&'a DriveWay>,
}

/// What a rule says; `examine` adds whose it is.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) severity: Severity,
    pub(super) title: String,
    pub(super) evidence: Vec<Evidence>,
    pub(super) mend: Option<String>,
}

impl<'a> Seen<'a> {
    /// A field of the drive, or of the host.
    pub(super) fn field(&self, key: &str) -> Option<&'a Field> {
        self.drive.and_then(|drive| find(&drive.pages, key)).or_else(|| find(self.host, key))
    }

    /// Kernel name of the drive.
    pub(super) fn name(&self) -> &'a str {
        self.drive.map_or("", |drive| drive.name.as_str())
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.field(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// A number with or without a fraction.
    pub(super) fn real(&self, key: &str) -> Option<f64> {
        match self.field(key)?.value {
            Value::Number(number) => Some(number as f64),
            Value::Real(real) => Some(real),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        match &self.field(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.field(key)?.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// Empty where there is none.
    pub(super) fn list(&self, key: &str) -> &'a [String] {
        match self.field(key).map(|field| &field.value) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    /// What is said, resting on the fields with these keys.
    pub(super) fn tell(&self, severity: Severity, title: String, keys: &[&str], mend: Option<String>) -> Vec<Told> {
        let evidence = keys.iter().filter_map(|key| self.field(key)).map(evidence).collect();
        vec![Told { severity, title, evidence, mend }]
    }
}

/// A field as a figure: its value, and where it was read.
fn evidence(field: &Field) -> Evidence {
    let value = match (&field.value, field.unit.as_deref()) {
        (Value::Flag(flag), _) => if *flag { "yes" } else { "no" }.to_owned(),
        (Value::Number(bytes), Some("bytes")) => binary_size(*bytes),
        (Value::Number(number), unit) => with_unit(number.to_string(), unit),
        (Value::Real(real), unit) => with_unit(real.to_string(), unit),
        (Value::Text(text), _) => text.clone(),
        (Value::List(list), _) => list.join(", "),
    };
    Evidence::text(&field.title, format!("{value} ({})", field.source))
}

fn with_unit(number: String, unit: Option<&str>) -> String {
    unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}"))
}

/// The CPUs of a list such as `0-3,8`; `None` where it is no such list. An empty text is an empty list.
pub(super) fn cpus(list: &str) -> Option<Vec<u32>> {
    const MOST: u32 = 1 << 16;
    let mut found = Vec::new();
    for range in list.split(',').map(str::trim).filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= MOST || found.len() as u32 >= MOST {
            return None;
        }
        found.extend(first..=last);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::testing::{number, picture, text};
    use proptest::prelude::*;

    #[test]
    fn a_drive_goes_before_the_host() {
        let picture = picture(&[("scheduler", text("a")), ("kernel", text("6.18"))], &[("scheduler", text("b"))]);
        let seen = Seen { host: &picture.host, drive: picture.drives.first() };
        assert_eq!((seen.text("scheduler"), seen.text("kernel"), seen.name()), (Some("b"), Some("6.18"), "nvme0n1"));
        assert_eq!((seen.number("kernel"), seen.flag("kernel"), seen.list("kernel").len()), (None, None, 0));
    }

    #[test]
    fn evidence_names_its_source() {
        let picture = picture(&[("memlock_bytes", number(8 << 20))], &[]);
        let mut field = picture.host[0].fields[0].clone();
        field.unit = Some("bytes".into());
        assert_eq!(evidence(&field).describe(), "8 MiB (/source/memlock_bytes)");
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!((cpus("0-2,8"), cpus("")), (Some(vec![0, 1, 2, 8]), Some(vec![])));
        assert_eq!([cpus("3-1"), cpus("x"), cpus("0-4294967295")], [None, None, None]);
    }

    proptest! {
        #[test]
        fn any_list_of_cpus_ends(list in "[0-9,-]{0,40}|\\PC{0,20}") {
            prop_assert!(cpus(&list).is_none_or(|cpus| cpus.len() <= 2 << 16));
        }
    }
}
