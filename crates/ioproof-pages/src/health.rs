//! How healthy a drive is by its own account: a table of rules over the fields of its pages, whoever read them.
//!
//! `failing`: it says that it fails, or data is lost already. `worn`: it works, but not as it did when it was new, or it is too hot to; figures taken now may not be those of
//! its datasheet. `ok`: all that a drive of its kind tells was told, and nothing speaks against it. `ok_as_far_as_told`: nothing speaks against it, but something was not
//! told (`basis` says what). `unknown`: the pages say nothing about health. Reasons that change nothing are notes.
//!
//! The limits of NVMe drives follow the SMART / Health Information log (NVM Express Base Specification 2.0c, 5.16.1.3, figure 207):
//! - *Critical Warning*: each bit is a condition that the drive itself calls critical.
//! - *Available Spare*: below the threshold the drive may raise an event, so reaching it counts as failing. Worn is what is nearer to the threshold than twice its value, or
//!   where the threshold is high, nearer than half the way to it; a threshold of 99 % is not worn at 100 %.
//! - *Percentage Used*: 100 is the endurance that the maker estimates, "but may not indicate an NVM subsystem failure"; so it is worn from 80 on and never failing.
//! - *Composite Temperature* against WCTEMP and CCTEMP (figure 275): above the first a drive may slow itself down, above the second it may stop.
//!
//! Deliberately absent: statistics of how drives die, and any vendor's own scale other than life left in percent.

mod admit;
mod basis;
#[cfg(test)]
mod tests;

pub use admit::{Admission, admit};
pub(crate) use basis::ENDS_EARLY;

use crate::field::{Field, Page, Value, find};
use serde::{Deserialize, Serialize};

/// How healthy a drive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing speaks against it, and all that a drive of its kind tells was told.
    Ok,
    /// Nothing speaks against it, but not all was told.
    OkAsFarAsTold,
    /// It works, but not as when it was new, or not right now.
    Worn,
    /// It says that it fails, or data is lost already.
    Failing,
    /// Its pages say nothing about health.
    Unknown,
}

/// One thing that a drive says about its health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// For people: `media and data integrity errors: 3`.
    pub text: String,
    /// The field that says so.
    pub key: String,
    /// Where that was read.
    pub source: String,
    /// What it makes of the drive; [`State::Ok`] for a note.
    pub state: State,
}

/// The judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The worst of the reasons.
    pub state: State,
    /// In the order of the rules.
    pub reasons: Vec<Reason>,
    /// What was told of that which a drive of its kind tells of its health: `spare`, `wear`.
    #[serde(default)]
    pub rests_on: Vec<String>,
    /// What of it was not told.
    #[serde(default)]
    pub not_told: Vec<String>,
}

/// When a rule holds.
#[derive(Debug, Clone, Copy)]
enum When {
    /// A flag that is not set.
    IsFalse,
    /// A word of a list that contains this; an empty text is in every word.
    WordWith(&'static str),
    /// A word of a list that does not contain this.
    WordWithout(&'static str),
    /// The number is in this range, the end not included.
    Within(f64, f64),
    /// The number is at least the one under this key.
    Reaches(&'static str),
    /// The number is at least the one under the first key and below the one under the second, where that is told.
    Between(&'static str, &'static str),
    /// The spare is at or below the threshold.
    SpareUsedUp,
    /// The spare comes near the threshold.
    SpareLow,
    /// Spare and threshold are both 0, which no drive means.
    SpareBlank,
}

/// One rule.
struct Rule {
    /// The field it looks at.
    key: &'static str,
    when: When,
    state: State,
    /// For people; `{}` is the number or the word, `{limit}` what it was compared with.
    text: &'static str,
}

/// Power-on hours for which an error that lost data tells how the drive is now: six weeks.
const RECENT_HOURS: f64 = 1000.0;

const SPARE_THRESHOLD: &str = "available_spare_threshold_percent";
const WARNING_TEMPERATURE: &str = "warning_temperature_celsius";
const CRITICAL_TEMPERATURE: &str = "critical_temperature_celsius";

/// How the lists of attributes mark those whose threshold is one of age only.
const AGED: &str = "(worn or aged)";

const fn rule(key: &'static str, when: When, state: State, text: &'static str) -> Rule {
    Rule { key, when, state, text }
}

const fn some(key: &'static str, state: State, text: &'static str) -> Rule {
    rule(key, When::Within(1.0, f64::INFINITY), state, text)
}

const RULES: &[Rule] = &[
    rule("critical_warnings", When::WordWith(""), State::Failing, "critical warning: {}"),
    rule("smart_passed", When::IsFalse, State::Failing, "the drive's own health check failed"),
    rule("available_spare_percent", When::SpareUsedUp, State::Failing, "available spare of {} % has reached its threshold of {limit} %"),
    rule("available_spare_percent", When::SpareLow, State::Worn, "available spare of {} % nears its threshold of {limit} %"),
    rule(
        "available_spare_percent",
        When::SpareBlank,
        State::Ok,
        "available spare and its threshold are both {} %, as in a log that was not filled in",
    ),
    rule(
        "percentage_used_percent",
        When::Within(100.0, f64::INFINITY),
        State::Worn,
        "the endurance that the maker estimates is used up: {} %",
    ),
    rule("percentage_used_percent", When::Within(80.0, 100.0), State::Worn, "{} % of the endurance that the maker estimates is used"),
    rule("life_left_percent", When::Within(0.0, 20.1), State::Worn, "{} % of its life is left"),
    rule("media_wearout_left_percent", When::Within(0.0, 20.1), State::Worn, "{} % of its life is left by the wear of the medium"),
    some("uncorrectable_sectors", State::Failing, "sectors that cannot be read: {}"),
    some("pending_sectors", State::Failing, "sectors that wait to be reallocated and cannot be read now: {}"),
    some("reallocated_sectors", State::Worn, "reallocated sectors: {}"),
    some("self_tests_failed", State::Failing, "self-tests that failed: {}"),
    rule(
        "uncorrectable_read_age_hours",
        When::Within(0.0, RECENT_HOURS),
        State::Failing,
        "the last read that could not be corrected was {} power-on hours ago",
    ),
    rule(
        "uncorrectable_read_age_hours",
        When::Within(RECENT_HOURS, f64::INFINITY),
        State::Worn,
        "the last read that could not be corrected was {} power-on hours ago",
    ),
    some("logged_uncorrectable_reads", State::Worn, "reads in its error log that could not be corrected: {}"),
    some("device_errors", State::Ok, "errors in its error log, over its life: {}"),
    some("media_errors", State::Worn, "media and data integrity errors: {}"),
    rule("attributes_failing", When::WordWithout(AGED), State::Failing, "at its threshold: {}"),
    rule("attributes_failing", When::WordWith(AGED), State::Worn, "at its threshold: {}"),
    rule("attributes_failed", When::WordWithout(AGED), State::Worn, "was at its threshold: {}"),
    rule("attributes_failed", When::WordWith(AGED), State::Ok, "was at its threshold: {}"),
    rule(
        "temperature_celsius",
        When::Reaches(CRITICAL_TEMPERATURE),
        State::Failing,
        "{} °C, at or above the critical temperature of {limit} °C",
    ),
    rule(
        "temperature_celsius",
        When::Between(WARNING_TEMPERATURE, CRITICAL_TEMPERATURE),
        State::Worn,
        "{} °C, at or above the warning temperature of {limit} °C; it may slow itself down",
    ),
    some("critical_temperature_minutes", State::Ok, "minutes of its life above the critical temperature: {}"),
    some("crc_errors", State::Ok, "errors on the interface, which are the cable's more often than the drive's: {}"),
];

/// Fields without which nothing is known; a temperature alone is not health.
const TELLING: [&str; 14] = [
    "uncorrectable_read_age_hours",
    "self_tests_failed",
    "logged_uncorrectable_reads",
    "critical_warnings",
    "smart_passed",
    "available_spare_percent",
    "percentage_used_percent",
    "life_left_percent",
    "media_wearout_left_percent",
    "uncorrectable_sectors",
    "pending_sectors",
    "reallocated_sectors",
    "media_errors",
    "attributes_failing",
];

/// Judges the pages of one drive. Where several pages say the same thing, each is judged and the worst counts.
#[must_use]
pub fn judge(pages: &[Page]) -> Health {
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in RULES.iter().flat_map(|rule| rule.reasons(pages)) {
        if !reasons.iter().any(|known| known.text == reason.text && known.key == reason.key) {
            reasons.push(reason);
        }
    }
    let (rests_on, not_told) = basis::told_and_missing(pages);
    let is_told = TELLING.iter().any(|key| find(pages, key).is_some());
    let has = |state: State| reasons.iter().any(|reason| reason.state == state);
    let state = match () {
        () if has(State::Failing) => State::Failing,
        () if has(State::Worn) => State::Worn,
        () if is_told && not_told.is_empty() => State::Ok,
        () if is_told => State::OkAsFarAsTold,
        () => State::Unknown,
    };
    Health { state, reasons, rests_on, not_told }
}

impl Rule {
    fn reasons(&self, pages: &[Page]) -> Vec<Reason> {
        let told = pages.iter().filter_map(|page| Some((page, page.field(self.key)?)));
        told.flat_map(|(page, field)| self.of_field(pages, page, field)).collect()
    }

    /// What the rule says of one field. A limit is looked for on the same page first.
    fn of_field(&self, pages: &[Page], page: &Page, field: &Field) -> Vec<Reason> {
        let limit = |key: &str| page.field(key).or_else(|| find(pages, key)).and_then(number);
        let one = |figure: String, limit: Option<f64>| vec![self.reason(field, &figure, limit)];
        if let (Value::Flag(false), When::IsFalse) = (&field.value, self.when) {
            return one(String::new(), None);
        }
        if let Value::List(words) = &field.value {
            let holds = |word: &&String| match self.when {
                When::WordWith(part) => word.contains(part),
                When::WordWithout(part) => !word.contains(part),
                _ => false,
            };
            return words.iter().filter(holds).map(|word| self.reason(field, word, None)).collect();
        }
        let Some(figure) = number(field) else { return Vec::new() };
        match self.when.holds(figure, limit) {
            Some(limit) => one(figure.to_string(), limit),
            None => Vec::new(),
        }
    }

    fn reason(&self, field: &Field, figure: &str, limit: Option<f64>) -> Reason {
        let limit = limit.map(|limit| limit.to_string()).unwrap_or_default();
        let text = self.text.replace("{}", figure).replace("{limit}", &limit);
        Reason { text, key: self.key.to_owned(), source: field.source.clone(), state: self.state }
    }
}

impl When {
    /// Whether it holds of a number, and the limit that it was compared with.
    fn holds(self, figure: f64, limit: impl Fn(&str) -> Option<f64>) -> Option<Option<f64>> {
        let if_so = |holds: bool, limit: f64| holds.then_some(Some(limit));
        match self {
            Self::Within(from, to) => (from..to).contains(&figure).then_some(None),
            Self::Reaches(key) => limit(key).and_then(|limit| if_so(figure >= limit, limit)),
            Self::Between(from, to) => {
                let is_below = limit(to).is_none_or(|to| figure < to);
                limit(from).and_then(|from| if_so(figure >= from && is_below, from))
            }
            Self::SpareUsedUp => limit(SPARE_THRESHOLD).and_then(|t| if_so(figure <= t && t > 0.0, t)),
            Self::SpareLow => limit(SPARE_THRESHOLD).and_then(|t| if_so(figure > t && figure < spare_low(t), t)),
            Self::SpareBlank => limit(SPARE_THRESHOLD).and_then(|t| if_so(figure == 0.0 && t == 0.0, t)),
            Self::IsFalse | Self::WordWith(_) | Self::WordWithout(_) => None,
        }
    }
}

/// Twice the threshold, and at most the middle between it and 100 %.
fn spare_low(threshold: f64) -> f64 {
    (2.0 * threshold).min((100.0 + threshold) / 2.0)
}

/// A number, whatever it is carried as; counters of 128 bits are text.
fn number(field: &Field) -> Option<f64> {
    match &field.value {
        Value::Number(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}
