//! The rules of health: a row for each thing that a drive may say against itself.
//!
//! To add one, add a row, and to the examples of the tests fields for which it fires and fields close to these for which it is silent (ranges of numbers have
//! theirs by themselves); where the field is health by itself, name it in `TELLING` of the module above. `Block` makes a drive *failing*, `Warn` *worn*, `Info` is a note.

use HealthCondition::{Between, IsFalse, Reaches, SpareBlank, SpareLow, SpareUsedUp, Within, WordWith, WordWithout};
use ioproof_core::finding::Severity;

#[derive(Debug, Clone, Copy)]
pub(super) enum HealthCondition {
    IsFalse,
    /// A word of a list that contains this; an empty text is in every word.
    WordWith(&'static str),
    /// A word of a list that does not contain this.
    WordWithout(&'static str),
    /// The number is in this range, the end not included.
    Within(f64, f64),
    Reaches(&'static str),
    /// The number is at least the one under the first key and below the one under the second, where that is told.
    Between(&'static str, &'static str),
    SpareUsedUp,
    SpareLow,
    /// Spare and threshold are both 0, which no drive means.
    SpareBlank,
}

pub(super) struct HealthRule {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    pub(super) when: HealthCondition,
    pub(super) severity: Severity,
    /// For people; `{}` is the number or the word, `{limit}` the limit that it was held against.
    pub(super) title: &'static str,
    pub(super) remedy: &'static str,
}

const fn rule(severity: Severity, name: &'static str, key: &'static str, when: HealthCondition) -> HealthRule {
    HealthRule { name, key, when, severity, title: "", remedy: "" }
}

impl HealthRule {
    const fn says(self, title: &'static str, remedy: &'static str) -> Self {
        Self { title, remedy, ..self }
    }
}

const SPARE_THRESHOLD: &str = "available_spare_threshold_percent";
const WARNING_TEMPERATURE: &str = "warning_temperature_celsius";
const CRITICAL_TEMPERATURE: &str = "critical_temperature_celsius";

const AGED: &str = "(worn or aged)";

/// Power-on hours for which an error that lost data tells how the drive is now: six weeks.
const RECENT_HOURS: f64 = 1000.0;

const SOME: HealthCondition = Within(1.0, f64::INFINITY);

const REPLACE: &str = "copy its data to another drive and replace it";
const PLAN: &str = "plan its replacement; its figures may not be those of a new drive";
const WATCH: &str = "keep a copy of its data, and look again whether the number grows";
const COOL: &str = "cool it, and measure again";

pub(super) const RULES: &[HealthRule] = &[
    rule(Severity::Block, "critical-warning", "critical_warnings", WordWith("")).says("critical warning: {}", REPLACE),
    rule(Severity::Block, "self-assessment-failed", "smart_passed", IsFalse).says("the drive's own health check failed", REPLACE),
    rule(Severity::Block, "spare-used-up", "available_spare_percent", SpareUsedUp)
        .says("available spare of {} % has reached its threshold of {limit} %", REPLACE),
    rule(Severity::Warn, "spare-low", "available_spare_percent", SpareLow)
        .says("available spare of {} % nears its threshold of {limit} %", PLAN),
    rule(Severity::Info, "spare-blank", "available_spare_percent", SpareBlank)
        .says("available spare and its threshold are both {} %, as in a log that was not filled in", ""),
    rule(Severity::Warn, "endurance-used-up", "percentage_used_percent", Within(100.0, f64::INFINITY))
        .says("the endurance that the maker estimates is used up: {} %", PLAN),
    rule(Severity::Warn, "endurance-low", "percentage_used_percent", Within(80.0, 100.0))
        .says("{} % of the endurance that the maker estimates is used", PLAN),
    rule(Severity::Warn, "life-low", "life_left_percent", Within(0.0, 20.1)).says("{} % of its life is left", PLAN),
    rule(Severity::Warn, "wearout-low", "media_wearout_left_percent", Within(0.0, 20.1))
        .says("{} % of its life is left by the wear of the medium", PLAN),
    rule(Severity::Block, "uncorrectable-sectors", "uncorrectable_sectors", SOME).says("sectors that cannot be read: {}", REPLACE),
    rule(Severity::Block, "pending-sectors", "pending_sectors", SOME)
        .says("sectors that wait to be reallocated and cannot be read now: {}", REPLACE),
    rule(Severity::Warn, "reallocated-sectors", "reallocated_sectors", SOME).says("reallocated sectors: {}", WATCH),
    rule(Severity::Block, "self-tests-failed", "self_tests_failed", SOME).says("self-tests that failed: {}", REPLACE),
    rule(Severity::Block, "uncorrectable-read-recent", "uncorrectable_read_age_hours", Within(0.0, RECENT_HOURS))
        .says("the last read that could not be corrected was {} power-on hours ago", REPLACE),
    rule(Severity::Warn, "uncorrectable-read-old", "uncorrectable_read_age_hours", Within(RECENT_HOURS, f64::INFINITY))
        .says("the last read that could not be corrected was {} power-on hours ago", WATCH),
    rule(Severity::Warn, "uncorrectable-reads-logged", "logged_uncorrectable_reads", SOME)
        .says("reads in its error log that could not be corrected: {}", WATCH),
    rule(Severity::Info, "errors-logged", "device_errors", SOME).says("errors in its error log, over its life: {}", ""),
    rule(Severity::Warn, "media-errors", "media_errors", SOME).says("media and data integrity errors: {}", WATCH),
    rule(Severity::Block, "attribute-failing", "attributes_failing", WordWithout(AGED)).says("at its threshold: {}", REPLACE),
    rule(Severity::Warn, "attribute-aged", "attributes_failing", WordWith(AGED)).says("at its threshold: {}", WATCH),
    rule(Severity::Warn, "attribute-failed-before", "attributes_failed", WordWithout(AGED)).says("was at its threshold: {}", WATCH),
    rule(Severity::Info, "attribute-aged-before", "attributes_failed", WordWith(AGED)).says("was at its threshold: {}", ""),
    rule(Severity::Block, "critical-temperature", "temperature_celsius", Reaches(CRITICAL_TEMPERATURE))
        .says("{} °C, at or above the critical temperature of {limit} °C", COOL),
    rule(Severity::Warn, "warning-temperature", "temperature_celsius", Between(WARNING_TEMPERATURE, CRITICAL_TEMPERATURE))
        .says("{} °C, at or above the warning temperature of {limit} °C; it may slow itself down", COOL),
    rule(Severity::Info, "critical-temperature-time", "critical_temperature_minutes", SOME)
        .says("minutes of its life above the critical temperature: {}", ""),
    rule(Severity::Info, "interface-errors", "crc_errors", SOME)
        .says("errors on the interface, which are the cable's more often than the drive's: {}", "change the cable, or plug it in again"),
];

impl HealthCondition {
    pub(super) fn holds(self, figure: f64, limit: impl Fn(&str) -> Option<f64>) -> Option<Option<f64>> {
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
