//! The input of a rule: fields of the host and of one drive by key; and its output, before it is known whose it is.

use super::picture::DriveWay;
use crate::evidence::of_field;
use crate::field::{Field, Page, Value, find};
use ioproof_core::finding::{Evidence, Severity};

#[derive(Debug, Clone, Copy)]
pub(super) struct RuleInput<'a> {
    pub(super) host: &'a [Page],
    pub(super) drive: Option<&'a DriveWay>,
}

#[derive(Debug)]
pub(super) struct RuleOutput {
    pub(super) severity: Severity,
    pub(super) title: String,
    pub(super) evidence: Vec<Evidence>,
    pub(super) mend: Option<String>,
}

impl<'a> RuleInput<'a> {
    pub(super) fn field(&self, key: &str) -> Option<&'a Field> {
        self.drive.and_then(|drive| find(&drive.pages, key)).or_else(|| find(self.host, key))
    }

    pub(super) fn name(&self) -> &'a str {
        self.drive.map_or("", |drive| drive.name.as_str())
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.field(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

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

    pub(super) fn list(&self, key: &str) -> &'a [String] {
        match self.field(key).map(|field| &field.value) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    pub(super) fn found(&self, severity: Severity, title: impl Into<String>, keys: &[&str], mend: Option<String>) -> Option<RuleOutput> {
        let evidence = keys.iter().filter_map(|key| self.field(key)).map(of_field).collect();
        Some(RuleOutput { severity, title: title.into(), evidence, mend })
    }
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
    use crate::doctor::testing::{picture, text};
    use proptest::prelude::*;

    #[test]
    fn a_drive_goes_before_the_host() {
        let picture = picture(&[("scheduler", text("a")), ("kernel", text("6.18"))], &[("scheduler", text("b"))]);
        let input = RuleInput { host: &picture.host, drive: picture.drives.first() };
        assert_eq!((input.text("scheduler"), input.text("kernel"), input.name()), (Some("b"), Some("6.18"), "nvme0n1"));
        assert_eq!((input.number("kernel"), input.flag("kernel"), input.list("kernel").len()), (None, None, 0));
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
