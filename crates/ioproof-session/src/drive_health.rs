//! The drives of a run by their own account, before the first stage and after the last one. What speaks against a drive is said before it is measured, and
//! kept with the run; what it counted meanwhile is told in the end.

use ioproof_core::finding::{Finding, Severity};
use ioproof_core::record::{DriveBracket, DriveState, RunRecord};
use ioproof_core::units::decimal_size;
use ioproof_inventory::drives::{KnownDrive, state_word};
use ioproof_pages::field::{Page, Value, find};
use ioproof_pages::health::{HealthState, judge};
use ioproof_process::messages;
use ioproof_target::System;

/// Asks every drive, says what speaks against it, and puts both into the record.
pub fn before(system: &System, record: &mut RunRecord) {
    for name in names(record) {
        let pages = KnownDrive::look(system, &name, None).pages;
        add_findings(record, &name, &pages);
        if let Some(before) = state(&name, &pages) {
            record.health.push(DriveBracket { name, before, after: DriveState::default() });
        }
    }
}

/// Asks the drives again, and tells what they counted meanwhile.
pub fn after(system: &System, record: &mut RunRecord) {
    for at in 0..record.health.len() {
        let name = record.health[at].name.clone();
        let pages = KnownDrive::look(system, &name, None).pages;
        add_findings(record, &name, &pages);
        record.health[at].after = state(&name, &pages).unwrap_or_default();
        record.notes.extend(meanwhile(&record.health[at]));
    }
}

fn names(record: &RunRecord) -> Vec<String> {
    record.drives().iter().map(|drive| drive.name.clone()).collect()
}

/// Those that are not known yet; a note about a drive is no warning.
fn add_findings(record: &mut RunRecord, name: &str, pages: &[Page]) {
    for finding in judge(name, pages).findings.into_iter().filter(|finding| finding.severity < Severity::Info) {
        let is_known = |known: &Finding| known.title == finding.title && known.subject == finding.subject;
        if !record.warnings.iter().any(is_known) {
            messages::warning(&format!("{name}: {}", finding.title));
            record.warnings.push(finding);
        }
    }
}

/// A drive that is there, with what its own pages tell of its state.
pub fn told(name: &str, pages: &[Page]) -> DriveState {
    state(name, pages).unwrap_or_else(silent)
}

/// A drive that is there and tells nothing.
pub(crate) fn silent() -> DriveState {
    DriveState { present: true, ..DriveState::default() }
}

/// `None` where the drive tells none of it.
fn state(name: &str, pages: &[Page]) -> Option<DriveState> {
    let number = |key: &str| match &find(pages, key)?.value {
        Value::Number(number) => Some(*number),
        _ => None,
    };
    let real = |key: &str| match &find(pages, key)?.value {
        Value::Number(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        _ => None,
    };
    let sum = |one: &str, other: &str| match (number(one), number(other)) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    };
    let flag = |key: &str| match &find(pages, key)?.value {
        Value::Flag(flag) => Some(*flag),
        _ => None,
    };
    let judged = Some(judge(name, pages).state).filter(|state| *state != HealthState::Unknown);
    let state = DriveState {
        present: true,
        health: judged.map(|state| state_word(state).to_owned()),
        temperature_celsius: real("temperature_celsius"),
        hot_minutes: sum("warning_temperature_minutes", "critical_temperature_minutes"),
        write_cache_on: flag("write_cache_enabled").or_else(|| flag("volatile_write_cache").filter(|is_there| !is_there)),
        throttle_seconds: sum("thermal_time_1_seconds", "thermal_time_2_seconds"),
        throttles: sum("thermal_transitions_1", "thermal_transitions_2"),
        media_errors: number("media_errors"),
        written_bytes: number("data_written_bytes"),
        used_percent: real("percentage_used_percent").or_else(|| real("life_left_percent").map(|left| 100.0 - left)),
    };
    (state != silent()).then_some(state)
}

/// A sentence on what a drive counted between two looks; `None` where it counted nothing that can be compared.
fn meanwhile(drive: &DriveBracket) -> Option<String> {
    let (before, after) = (&drive.before, &drive.after);
    let more = |later: Option<u64>, earlier: Option<u64>| Some(later?.saturating_sub(earlier?));
    let parts = [
        more(after.written_bytes, before.written_bytes).map(|bytes| format!("{} written", decimal_size(bytes))),
        more(after.media_errors, before.media_errors).map(|errors| format!("{errors} new errors of the medium")),
        more(after.throttles, before.throttles).map(|times| format!("slowed down by heat {times} times")),
        more(after.throttle_seconds, before.throttle_seconds).map(|seconds| format!("slowed down by heat for {seconds} s")),
        before.used_percent.zip(after.used_percent).map(|(from, to)| format!("endurance used {from} % before, {to} % after")),
        before.temperature_celsius.zip(after.temperature_celsius).map(|(from, to)| format!("{from:.0} °C before, {to:.0} °C after")),
    ];
    let cache = before.write_cache_on.zip(after.write_cache_on).map(|(from, to)| match (from, to) {
        (true, true) => "write cache on".to_owned(),
        (false, false) => "write cache off".to_owned(),
        (true, false) => "write cache on before, off after".to_owned(),
        (false, true) => "write cache off before, on after".to_owned(),
    });
    let health = before.health.as_ref().zip(after.health.as_ref()).map(|(from, to)| format!("{from} before, {to} after"));
    let parts: Vec<String> = parts.into_iter().chain([health, cache]).flatten().collect();
    (!parts.is_empty()).then(|| format!("{} by its own account during the run: {}", drive.name, parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_pages::pages::field;

    fn page(fields: &[(&str, Value)]) -> Vec<Page> {
        let of = |(key, value): &(&str, Value)| field(key, key, value.clone(), "", "test");
        vec![Page { name: "health".into(), fields: fields.iter().map(of).collect(), ..Page::default() }]
    }

    #[test]
    fn what_a_drive_counts_meanwhile() {
        let at = |written, errors, celsius| {
            let numbers =
                [("data_written_bytes", written), ("media_errors", errors), ("thermal_transitions_1", 2), ("thermal_transitions_2", 1)];
            let fields: Vec<(&str, Value)> = numbers.iter().map(|(key, n)| (*key, Value::Number(*n))).collect();
            state("nvme0n1", &page(&[&fields[..], &[("temperature_celsius", Value::Number(celsius))]].concat())).unwrap()
        };
        let drive = DriveBracket { name: "nvme0n1".into(), before: at(1_000_000, 4, 40), after: at(6_000_000, 5, 61) };
        assert_eq!(drive.before.throttles, Some(3));
        let text = "nvme0n1 by its own account during the run: 5 MB written, 1 new errors of the medium, slowed down by heat 0 times, 40 °C before, 61 °C after, failing before, failing after";
        assert_eq!(meanwhile(&drive).unwrap(), text);
    }

    #[test]
    fn health_heat_and_cache_are_told_before_and_after() {
        let at = |warnings: &[&str], seconds, is_on| {
            let warnings = Value::List(warnings.iter().map(|&word| word.to_owned()).collect());
            let seconds = [("thermal_time_1_seconds", Value::Number(seconds)), ("thermal_time_2_seconds", Value::Number(2))];
            let flags = [("critical_warnings", warnings), ("write_cache_enabled", Value::Flag(is_on))];
            state("nvme0n1", &page(&[&seconds[..], &flags[..]].concat())).unwrap()
        };
        let drive = DriveBracket { name: "nvme0n1".into(), before: at(&[], 1, true), after: at(&["reliability is degraded"], 5, false) };
        assert_eq!((drive.before.throttle_seconds, drive.after.health.as_deref()), (Some(3), Some("failing")));
        let text = "nvme0n1 by its own account during the run: slowed down by heat for 4 s, OK as far as told before, failing after, write cache on before, off after";
        assert_eq!(meanwhile(&drive).unwrap(), text);
        let none = state("sda", &page(&[("volatile_write_cache", Value::Flag(false))])).unwrap();
        assert_eq!((none.write_cache_on, none.health), (Some(false), None));
        assert_eq!(state("sda", &page(&[("volatile_write_cache", Value::Flag(true))])), None, "one that is there may be off");
    }

    #[test]
    fn a_drive_that_tells_nothing_has_no_state() {
        assert_eq!(state("vda", &page(&[("capacity_bytes", Value::Number(7))])), None);
        assert_eq!(meanwhile(&DriveBracket { name: "vda".into(), ..DriveBracket::default() }), None);
    }
}
