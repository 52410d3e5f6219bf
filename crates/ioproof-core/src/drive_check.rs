//! A quick look at a drive without load: its health, its link, and its last verdict; as a state, as words, and as a line for Nagios.

use crate::facts::{Fact, Link};
use crate::text::visible;
use crate::units::throughput;
use serde::Serialize;

/// The facts of a quick look.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DriveCheck {
    /// Kernel name.
    pub name: String,
    pub model: String,
    pub serial: String,
    pub firmware: String,
    /// Health in a word: `OK`, `OK as far as told`, `watch`, `worn`, `failing`; empty of a drive that tells none.
    pub health: String,
    /// Reasons for a health that is not OK.
    pub reasons: Vec<String>,
    /// The reason for which the drive could not be asked, though one of its kind answers.
    pub unanswered: Option<String>,
    pub link: Option<Link>,
    /// Endurance used. Percent.
    pub used_percent: Option<f64>,
    pub temperature_celsius: Option<f64>,
    pub media_errors: Option<u64>,
    /// The newest stored run of it that has a verdict.
    pub last: Option<LastRun>,
}

/// A stored run of a drive.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LastRun {
    pub id: String,
    /// RFC 3339.
    pub started_at: String,
    pub exit_status: u8,
    pub exit_reason: String,
}

/// The state of a drive; the worst of several counts, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Ok,
    Unknown,
    Warning,
    Critical,
}

impl CheckState {
    pub const ALL: [Self; 4] = [Self::Ok, Self::Unknown, Self::Warning, Self::Critical];

    /// As Nagios writes it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// Exit status of a plugin (Monitoring Plugins Development Guidelines, "Plugin Return Codes").
    pub fn nagios_status(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Warning => 1,
            Self::Critical => 2,
            Self::Unknown => 3,
        }
    }
}

/// Rates of one link are computed, and differ by nothing else than its generation and width.
const SAME_LINK: f64 = 0.98;

impl DriveCheck {
    /// Value of a fact as it may be printed.
    pub fn told(fact: Option<&Fact<String>>) -> String {
        fact.map_or_else(String::new, |fact| visible(&fact.value))
    }

    /// Each thing that is not as it should be, with the state by it.
    pub fn faults(&self) -> Vec<(CheckState, String)> {
        let because = if self.reasons.is_empty() { String::new() } else { format!(": {}", self.reasons.join("; ")) };
        let health = match self.health.as_str() {
            "failing" => Some((CheckState::Critical, format!("failing{because}"))),
            "worn" | "watch" => Some((CheckState::Warning, format!("{}{because}", self.health))),
            _ => None,
        };
        let last = self.last.as_ref().filter(|last| last.exit_status == 1);
        let last = last.map(|last| (CheckState::Critical, format!("run {}: {}", last.id, last.exit_reason)));
        let unanswered = self.unanswered.as_ref().map(|why| (CheckState::Unknown, why.clone()));
        health.into_iter().chain(last).chain(self.slow_link().map(|text| (CheckState::Warning, text))).chain(unanswered).collect()
    }

    fn slow_link(&self) -> Option<String> {
        let link = self.link.as_ref()?;
        let capable = link.capable_bytes_per_s.filter(|capable| link.limit_bytes_per_s < capable * SAME_LINK)?;
        let (now, could) = (throughput(link.limit_bytes_per_s), throughput(capable));
        Some(format!("link {}: {now} where the drive could do {could}", visible(&link.title)))
    }

    pub fn state(&self) -> CheckState {
        self.faults().into_iter().map(|(state, _)| state).max().unwrap_or(CheckState::Ok)
    }

    /// `nvme0n1 S4YP failing: critical warning: ...`; of a drive in order its health and last verdict.
    pub fn sentence(&self) -> String {
        let faults: Vec<String> = self.faults().into_iter().map(|(_, text)| text).collect();
        let text = if faults.is_empty() { self.in_order() } else { faults.join("; ") };
        let name = [self.name.as_str(), &self.serial].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        format!("{name}: {text}")
    }

    fn in_order(&self) -> String {
        let health = if self.health.is_empty() { "tells no health" } else { &self.health };
        match &self.last {
            Some(last) => format!("{health}; {} ({})", last.exit_reason, last.started_at.get(..10).unwrap_or_default()),
            None => format!("{health}; no verdict yet"),
        }
    }
}

/// The state of all; nothing can be said of none.
pub fn worst(drives: &[DriveCheck]) -> CheckState {
    drives.iter().map(DriveCheck::state).max().unwrap_or(CheckState::Unknown)
}

/// The sentences of drives that are not in order, the worst first.
pub fn complaints(drives: &[DriveCheck], from: CheckState) -> Vec<String> {
    let mut found: Vec<(CheckState, String)> =
        drives.iter().map(|drive| (drive.state(), drive.sentence())).filter(|(state, _)| *state >= from).collect();
    found.sort_by_key(|(state, _)| std::cmp::Reverse(*state));
    found.into_iter().map(|(_, text)| text).collect()
}

/// One line: state, words, and behind a bar what Nagios draws.
pub fn nagios_line(drives: &[DriveCheck]) -> String {
    let faults = complaints(drives, CheckState::Unknown);
    let count = crate::text::counted(drives.len() as u64, "drive");
    let text = match faults.len() {
        0 if drives.is_empty() => "no drive".to_owned(),
        0 if drives.len() == 1 => drives[0].sentence(),
        0 => format!("{count} in order"),
        _ => format!("{} of {count}: {}", faults.len(), faults.join(", ")),
    };
    // A bar ends the text, and a line break the line.
    let text = text.replace('|', "/").replace('\n', " ");
    let figures: Vec<String> = drives.iter().flat_map(performance).collect();
    let figures = if figures.is_empty() { figures.concat() } else { format!(" | {}", figures.join(" ")) };
    format!("IOPROOF {} - {text}{figures}", worst(drives).title())
}

/// Figures as `'label'=value[unit];warning;critical`. The limits are those of the rules of health.
fn performance(drive: &DriveCheck) -> Vec<String> {
    let label = |what: &str| format!("'{}_{what}'", drive.name.replace(['\'', '='], "_"));
    [
        drive.used_percent.map(|used| format!("{}={used}%;80", label("used"))),
        drive.temperature_celsius.map(|celsius| format!("{}={celsius}", label("celsius"))),
        drive.media_errors.map(|errors| format!("{}={errors}c;0;3", label("media_errors"))),
        drive.link.as_ref().map(|link| format!("{}={:.0}B", label("link"), link.limit_bytes_per_s)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(name: &str, health: &str) -> DriveCheck {
        DriveCheck { name: name.into(), serial: "S1".into(), health: health.into(), ..DriveCheck::default() }
    }

    #[test]
    fn the_worst_drive_makes_the_line() {
        let link =
            Link { title: "PCIe 8.0 GT/s x2".into(), limit_bytes_per_s: 1.0e9, capable_bytes_per_s: Some(2.0e9), source: String::new() };
        let failing =
            DriveCheck { reasons: vec!["critical warning: x|y\nz".into()], used_percent: Some(3.0), ..drive("nvme0n1", "failing") };
        let narrow = DriveCheck { link: Some(link), ..drive("nvme1n1", "OK") };
        let line = nagios_line(&[narrow.clone(), failing, drive("sda", "OK")]);
        assert_eq!(
            line,
            "IOPROOF CRITICAL - 2 of 3 drives: nvme0n1 S1: failing: critical warning: x/y z, nvme1n1 S1: link PCIe 8.0 GT/s x2: 1000 MB/s where the drive could do 2000 MB/s \
             | 'nvme1n1_link'=1000000000B 'nvme0n1_used'=3%;80"
        );
        assert_eq!((narrow.state().nagios_status(), worst(&[]).nagios_status()), (1, 3));
    }

    #[test]
    fn a_missed_claim_is_critical_and_a_drive_that_does_not_answer_unknown() {
        let last = LastRun { id: "r1".into(), exit_status: 1, exit_reason: "1 claim missed".into(), ..LastRun::default() };
        let missed = DriveCheck { last: Some(last.clone()), ..drive("sda", "OK") };
        assert_eq!((missed.state(), missed.sentence().as_str()), (CheckState::Critical, "sda S1: run r1: 1 claim missed"));
        let open = DriveCheck { last: Some(LastRun { exit_status: 3, ..last }), ..drive("sda", "") };
        assert_eq!(open.state(), CheckState::Ok, "what could not be told is no fault");
        let mute = DriveCheck { unanswered: Some("no answer within 4 s".into()), ..drive("sdb", "") };
        assert_eq!(nagios_line(&[mute]), "IOPROOF UNKNOWN - 1 of 1 drive: sdb S1: no answer within 4 s");
        assert_eq!(nagios_line(&[drive("sda", "OK")]), "IOPROOF OK - sda S1: OK; no verdict yet");
    }
}
