//! The rules of health: a row for each thing that a drive may say against itself.
//!
//! A row has a field, a condition, a severity and a sentence, and beside them fields for which it fires and fields close to these for which it is silent. To add
//! one, add a row; where the field is health by itself, name it in `TELLING` of the module above. `Block` makes a drive *failing*, `Warn` *worn*, `Info` is a note.

#[cfg(test)]
use Given::{Flag, Number, Words};
use ioproof_core::finding::Severity;

#[derive(Debug, Clone, Copy)]
pub(super) enum When {
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

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    pub(super) when: When,
    pub(super) severity: Severity,
    /// For people; `{}` is the number or the word, `{limit}` the limit that it was held against.
    pub(super) title: &'static str,
    pub(super) remedy: &'static str,
    #[cfg(test)]
    pub(super) fires: &'static [(&'static str, Given)],
    #[cfg(test)]
    pub(super) silent: &'static [(&'static str, Given)],
}

#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) enum Given {
    Number(u64),
    Flag(bool),
    Words(&'static [&'static str]),
}

const SPARE_THRESHOLD: &str = "available_spare_threshold_percent";
const WARNING_TEMPERATURE: &str = "warning_temperature_celsius";
const CRITICAL_TEMPERATURE: &str = "critical_temperature_celsius";

const AGED: &str = "(worn or aged)";

/// Power-on hours for which an error that lost data tells how the drive is now: six weeks.
const RECENT_HOURS: f64 = 1000.0;

const SOME: When = When::Within(1.0, f64::INFINITY);

const REPLACE: &str = "copy its data to another drive and replace it";
const PLAN: &str = "plan its replacement; its figures may not be those of a new drive";
const WATCH: &str = "keep a copy of its data, and look again whether the number grows";
const COOL: &str = "cool it, and measure again";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "critical-warning",
        key: "critical_warnings",
        when: When::WordWith(""),
        severity: Severity::Block,
        title: "critical warning: {}",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("critical_warnings", Words(&["media is read only"]))],
        #[cfg(test)]
        silent: &[("critical_warnings", Words(&[]))],
    },
    Rule {
        name: "self-assessment-failed",
        key: "smart_passed",
        when: When::IsFalse,
        severity: Severity::Block,
        title: "the drive's own health check failed",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("smart_passed", Flag(false))],
        #[cfg(test)]
        silent: &[("smart_passed", Flag(true))],
    },
    Rule {
        name: "spare-used-up",
        key: "available_spare_percent",
        when: When::SpareUsedUp,
        severity: Severity::Block,
        title: "available spare of {} % has reached its threshold of {limit} %",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("available_spare_percent", Number(10)), ("available_spare_threshold_percent", Number(10))],
        #[cfg(test)]
        silent: &[("available_spare_percent", Number(11)), ("available_spare_threshold_percent", Number(10))],
    },
    Rule {
        name: "spare-low",
        key: "available_spare_percent",
        when: When::SpareLow,
        severity: Severity::Warn,
        title: "available spare of {} % nears its threshold of {limit} %",
        remedy: PLAN,
        #[cfg(test)]
        fires: &[("available_spare_percent", Number(19)), ("available_spare_threshold_percent", Number(10))],
        #[cfg(test)]
        silent: &[("available_spare_percent", Number(20)), ("available_spare_threshold_percent", Number(10))],
    },
    Rule {
        name: "spare-blank",
        key: "available_spare_percent",
        when: When::SpareBlank,
        severity: Severity::Info,
        title: "available spare and its threshold are both {} %, as in a log that was not filled in",
        remedy: "",
        #[cfg(test)]
        fires: &[("available_spare_percent", Number(0)), ("available_spare_threshold_percent", Number(0))],
        #[cfg(test)]
        silent: &[("available_spare_percent", Number(1)), ("available_spare_threshold_percent", Number(0))],
    },
    Rule {
        name: "endurance-used-up",
        key: "percentage_used_percent",
        when: When::Within(100.0, f64::INFINITY),
        severity: Severity::Warn,
        title: "the endurance that the maker estimates is used up: {} %",
        remedy: PLAN,
        #[cfg(test)]
        fires: &[("percentage_used_percent", Number(100))],
        #[cfg(test)]
        silent: &[("percentage_used_percent", Number(99))],
    },
    Rule {
        name: "endurance-low",
        key: "percentage_used_percent",
        when: When::Within(80.0, 100.0),
        severity: Severity::Warn,
        title: "{} % of the endurance that the maker estimates is used",
        remedy: PLAN,
        #[cfg(test)]
        fires: &[("percentage_used_percent", Number(80))],
        #[cfg(test)]
        silent: &[("percentage_used_percent", Number(79))],
    },
    Rule {
        name: "life-low",
        key: "life_left_percent",
        when: When::Within(0.0, 20.1),
        severity: Severity::Warn,
        title: "{} % of its life is left",
        remedy: PLAN,
        #[cfg(test)]
        fires: &[("life_left_percent", Number(20))],
        #[cfg(test)]
        silent: &[("life_left_percent", Number(21))],
    },
    Rule {
        name: "wearout-low",
        key: "media_wearout_left_percent",
        when: When::Within(0.0, 20.1),
        severity: Severity::Warn,
        title: "{} % of its life is left by the wear of the medium",
        remedy: PLAN,
        #[cfg(test)]
        fires: &[("media_wearout_left_percent", Number(20))],
        #[cfg(test)]
        silent: &[("media_wearout_left_percent", Number(21))],
    },
    Rule {
        name: "uncorrectable-sectors",
        key: "uncorrectable_sectors",
        when: SOME,
        severity: Severity::Block,
        title: "sectors that cannot be read: {}",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("uncorrectable_sectors", Number(1))],
        #[cfg(test)]
        silent: &[("uncorrectable_sectors", Number(0))],
    },
    Rule {
        name: "pending-sectors",
        key: "pending_sectors",
        when: SOME,
        severity: Severity::Block,
        title: "sectors that wait to be reallocated and cannot be read now: {}",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("pending_sectors", Number(1))],
        #[cfg(test)]
        silent: &[("pending_sectors", Number(0))],
    },
    Rule {
        name: "reallocated-sectors",
        key: "reallocated_sectors",
        when: SOME,
        severity: Severity::Warn,
        title: "reallocated sectors: {}",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("reallocated_sectors", Number(1))],
        #[cfg(test)]
        silent: &[("reallocated_sectors", Number(0))],
    },
    Rule {
        name: "self-tests-failed",
        key: "self_tests_failed",
        when: SOME,
        severity: Severity::Block,
        title: "self-tests that failed: {}",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("self_tests_failed", Number(1))],
        #[cfg(test)]
        silent: &[("self_tests_failed", Number(0))],
    },
    Rule {
        name: "uncorrectable-read-recent",
        key: "uncorrectable_read_age_hours",
        when: When::Within(0.0, RECENT_HOURS),
        severity: Severity::Block,
        title: "the last read that could not be corrected was {} power-on hours ago",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("uncorrectable_read_age_hours", Number(999))],
        #[cfg(test)]
        silent: &[("uncorrectable_read_age_hours", Number(1000))],
    },
    Rule {
        name: "uncorrectable-read-old",
        key: "uncorrectable_read_age_hours",
        when: When::Within(RECENT_HOURS, f64::INFINITY),
        severity: Severity::Warn,
        title: "the last read that could not be corrected was {} power-on hours ago",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("uncorrectable_read_age_hours", Number(1000))],
        #[cfg(test)]
        silent: &[("uncorrectable_read_age_hours", Number(999))],
    },
    Rule {
        name: "uncorrectable-reads-logged",
        key: "logged_uncorrectable_reads",
        when: SOME,
        severity: Severity::Warn,
        title: "reads in its error log that could not be corrected: {}",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("logged_uncorrectable_reads", Number(1))],
        #[cfg(test)]
        silent: &[("logged_uncorrectable_reads", Number(0))],
    },
    Rule {
        name: "errors-logged",
        key: "device_errors",
        when: SOME,
        severity: Severity::Info,
        title: "errors in its error log, over its life: {}",
        remedy: "",
        #[cfg(test)]
        fires: &[("device_errors", Number(1))],
        #[cfg(test)]
        silent: &[("device_errors", Number(0))],
    },
    Rule {
        name: "media-errors",
        key: "media_errors",
        when: SOME,
        severity: Severity::Warn,
        title: "media and data integrity errors: {}",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("media_errors", Number(1))],
        #[cfg(test)]
        silent: &[("media_errors", Number(0))],
    },
    Rule {
        name: "attribute-failing",
        key: "attributes_failing",
        when: When::WordWithout(AGED),
        severity: Severity::Block,
        title: "at its threshold: {}",
        remedy: REPLACE,
        #[cfg(test)]
        fires: &[("attributes_failing", Words(&["attribute 5 (foretells a failure)"]))],
        #[cfg(test)]
        silent: &[("attributes_failing", Words(&["attribute 190 (worn or aged)"]))],
    },
    Rule {
        name: "attribute-aged",
        key: "attributes_failing",
        when: When::WordWith(AGED),
        severity: Severity::Warn,
        title: "at its threshold: {}",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("attributes_failing", Words(&["attribute 190 (worn or aged)"]))],
        #[cfg(test)]
        silent: &[("attributes_failing", Words(&["attribute 5 (foretells a failure)"]))],
    },
    Rule {
        name: "attribute-failed-before",
        key: "attributes_failed",
        when: When::WordWithout(AGED),
        severity: Severity::Warn,
        title: "was at its threshold: {}",
        remedy: WATCH,
        #[cfg(test)]
        fires: &[("attributes_failed", Words(&["attribute 5 (foretells a failure)"]))],
        #[cfg(test)]
        silent: &[("attributes_failed", Words(&["attribute 190 (worn or aged)"]))],
    },
    Rule {
        name: "attribute-aged-before",
        key: "attributes_failed",
        when: When::WordWith(AGED),
        severity: Severity::Info,
        title: "was at its threshold: {}",
        remedy: "",
        #[cfg(test)]
        fires: &[("attributes_failed", Words(&["attribute 190 (worn or aged)"]))],
        #[cfg(test)]
        silent: &[("attributes_failed", Words(&[]))],
    },
    Rule {
        name: "critical-temperature",
        key: "temperature_celsius",
        when: When::Reaches(CRITICAL_TEMPERATURE),
        severity: Severity::Block,
        title: "{} °C, at or above the critical temperature of {limit} °C",
        remedy: COOL,
        #[cfg(test)]
        fires: &[("temperature_celsius", Number(80)), ("critical_temperature_celsius", Number(80))],
        #[cfg(test)]
        silent: &[("temperature_celsius", Number(79)), ("critical_temperature_celsius", Number(80))],
    },
    Rule {
        name: "warning-temperature",
        key: "temperature_celsius",
        when: When::Between(WARNING_TEMPERATURE, CRITICAL_TEMPERATURE),
        severity: Severity::Warn,
        title: "{} °C, at or above the warning temperature of {limit} °C; it may slow itself down",
        remedy: COOL,
        #[cfg(test)]
        fires: &[("temperature_celsius", Number(70)), ("warning_temperature_celsius", Number(70))],
        #[cfg(test)]
        silent: &[("temperature_celsius", Number(69)), ("warning_temperature_celsius", Number(70))],
    },
    Rule {
        name: "critical-temperature-time",
        key: "critical_temperature_minutes",
        when: SOME,
        severity: Severity::Info,
        title: "minutes of its life above the critical temperature: {}",
        remedy: "",
        #[cfg(test)]
        fires: &[("critical_temperature_minutes", Number(1))],
        #[cfg(test)]
        silent: &[("critical_temperature_minutes", Number(0))],
    },
    Rule {
        name: "interface-errors",
        key: "crc_errors",
        when: SOME,
        severity: Severity::Info,
        title: "errors on the interface, which are the cable's more often than the drive's: {}",
        remedy: "change the cable, or plug it in again",
        #[cfg(test)]
        fires: &[("crc_errors", Number(1))],
        #[cfg(test)]
        silent: &[("crc_errors", Number(0))],
    },
];

impl When {
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
