//! Admission of a drive: conditions that must hold before its figures are held against a datasheet.

use super::{HealthState, UNREAD, judge, number};
use crate::field::{Field, Page, Value};
use ioproof_core::finding::Severity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// As from the factory: no critical warnings, all of its spare, none of its endurance used, no error on the medium.
    New,
    Healthy,
}

#[derive(Debug, Clone, Copy)]
enum WantedValue {
    Empty,
    True,
    Is(f64),
}

const NEW: &[(&str, WantedValue)] = &[
    ("critical_warnings", WantedValue::Empty),
    ("smart_passed", WantedValue::True),
    ("available_spare_percent", WantedValue::Is(100.0)),
    ("percentage_used_percent", WantedValue::Is(0.0)),
    ("life_left_percent", WantedValue::Is(100.0)),
    ("media_wearout_left_percent", WantedValue::Is(100.0)),
    ("media_errors", WantedValue::Is(0.0)),
    ("reallocated_sectors", WantedValue::Is(0.0)),
    ("pending_sectors", WantedValue::Is(0.0)),
    ("uncorrectable_sectors", WantedValue::Is(0.0)),
    ("health_lines_unread", WantedValue::Empty),
    ("end_to_end_errors", WantedValue::Is(0.0)),
    ("attributes_failing", WantedValue::Empty),
    ("attributes_failed", WantedValue::Empty),
    ("controller_faults", WantedValue::Empty),
    ("controller_errors", WantedValue::Is(0.0)),
];

/// Admits a drive whose pages show what is asked; else gives all that stands against it. What is not told is not shown: a drive must tell all that one of its kind
/// tells of its health (`basis`).
///
/// # Errors
/// Everything that stands against it, for people, each with its source; at least one.
pub fn admit(pages: &[Page], admission: Admission) -> Result<(), Vec<String>> {
    let against = match admission {
        Admission::New => not_new(pages),
        Admission::Healthy => not_healthy(pages),
    };
    if against.is_empty() { Ok(()) } else { Err(against) }
}

fn not_healthy(pages: &[Page]) -> Vec<String> {
    let health = judge("", pages);
    if health.state == HealthState::Unknown {
        let unread = health.findings.iter().filter(|finding| finding.rule == UNREAD).map(|finding| finding.title.clone());
        return std::iter::once("nothing is told about its health".to_owned()).chain(unread).collect();
    }
    let against = health.findings.iter().filter(|finding| finding.severity != Severity::Info);
    against.map(|finding| format!("{} ({})", finding.title, finding.source())).chain(untold(&health.not_told)).collect()
}

fn untold(titles: &[String]) -> Option<String> {
    (!titles.is_empty()).then(|| format!("not told: {}", titles.join(", ")))
}

fn not_new(pages: &[Page]) -> Vec<String> {
    let differs = |(key, wanted): &(&str, WantedValue)| -> Vec<String> {
        let told = pages.iter().filter_map(|page| page.field(key));
        told.filter_map(|field| wanted.differs(field)).collect()
    };
    NEW.iter().flat_map(differs).chain(untold(&judge("", pages).not_told)).collect()
}

impl WantedValue {
    fn differs(self, field: &Field) -> Option<String> {
        let instead = match (self, &field.value) {
            (Self::Empty, Value::List(words)) if !words.is_empty() => words.join(", "),
            (Self::True, Value::Flag(false)) => "no".to_owned(),
            (Self::Is(wanted), _) => {
                number(field).filter(|figure| *figure != wanted).map(|figure| format!("{figure} instead of {wanted}"))?
            }
            _ => return None,
        };
        Some(format!("{}: {instead} ({})", field.title, field.source))
    }
}
