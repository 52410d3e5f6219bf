//! The rules of health: a row for each thing that a drive may say against itself.
//!
//! To add one, add a row, and to the examples of the tests fields for which it fires and fields close to these for which it is silent (ranges of numbers have
//! theirs by themselves); where the field is health by itself, name it in `TELLING` of the module above. `Block` makes a drive *failing*, `Warn` *worn*, `Info` is a note.

use super::HealthState;
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
    /// State of the drive by it; `None` for a note.
    pub(super) state: Option<HealthState>,
    /// Reason for which it is so, and who says it.
    pub(super) why: &'static str,
    pub(super) source: &'static str,
}

const fn rule(severity: Severity, name: &'static str, key: &'static str, when: HealthCondition) -> HealthRule {
    let state = match severity {
        Severity::Block => Some(HealthState::Failing),
        Severity::Warn => Some(HealthState::Worn),
        Severity::Info => None,
    };
    HealthRule { name, key, when, severity, title: "", remedy: "", state, why: "", source: "" }
}

impl HealthRule {
    const fn says(self, title: &'static str, remedy: &'static str) -> Self {
        Self { title, remedy, ..self }
    }

    const fn because(self, why: &'static str, source: &'static str) -> Self {
        Self { why, source, ..self }
    }

    const fn watch(self) -> Self {
        Self { state: Some(HealthState::Watch), ..self }
    }
}

const SPARE_THRESHOLD: &str = "available_spare_threshold_percent";
const WARNING_TEMPERATURE: &str = "warning_temperature_celsius";
const CRITICAL_TEMPERATURE: &str = "critical_temperature_celsius";

const AGED: &str = "(worn or aged)";

/// Power-on hours for which an error that lost data tells how the drive is now: six weeks.
const RECENT_HOURS: f64 = 1000.0;

/// Errors by which more than an accident is told.
const MANY_ERRORS: f64 = 4.0;

/// Errors of the interface of which a cable that was plugged in badly once has fewer.
const MANY_CRC_ERRORS: f64 = 1000.0;

/// Reallocated sectors of which a drive has more than any new one.
const MANY_SECTORS: f64 = 10.0;

const NVME: &str = "NVM Express Base Specification 2.0c, clause 5.16.1.3";
const NVME_LIMITS: &str = "NVM Express Base Specification 2.0c, figure 275, WCTEMP and CCTEMP";
const VERDICT: &str = "ACS-3, SMART RETURN STATUS; SPC-4, informational exceptions";
const ERROR_LOG: &str = "ACS-3, clause A.11, Extended Comprehensive SMART Error log";
const THRESHOLDS: &str = "SFF-8035i 2.0, attribute thresholds";
const POPULATION: &str = "Pinheiro, Weber and Barroso, Failure Trends in a Large Disk Drive Population, FAST 2007";
const COUNTED_LOSS: &str = "ACS-3, clause A.5.5.6; SPC-4, total uncorrected errors; NVM Express 2.0c, Media and Data Integrity Errors";
const CONTROLLER: &str = "Broadcom, 12Gb/s MegaRAID SAS Software User Guide, physical drive states";
const HOST_TOOL: &str = "the tool that is named";
const OURS: &str = "a limit of ioproof";

const SOME: HealthCondition = Within(1.0, f64::INFINITY);

const REPLACE: &str = "copy its data to another drive and replace it";
const PLAN: &str = "plan its replacement; its figures may not be those of a new drive";
const WATCH: &str = "keep a copy of its data, and look again whether the number grows";
const COOL: &str = "cool it, and measure again";

pub(super) const RULES: &[HealthRule] = &[
    rule(Severity::Block, "critical-warning", "critical_warnings", WordWith(""))
        .says("critical warning: {}", REPLACE)
        .because("the drive itself calls the condition critical", NVME),
    rule(Severity::Block, "self-assessment-failed", "smart_passed", IsFalse)
        .says("the drive's own health check failed", REPLACE)
        .because("the drive foretells its own failure", VERDICT),
    rule(Severity::Block, "spare-used-up", "available_spare_percent", SpareUsedUp)
        .says("available spare of {} % has reached its threshold of {limit} %", REPLACE)
        .because("at the threshold the drive counts as failing", NVME),
    rule(Severity::Warn, "spare-low", "available_spare_percent", SpareLow)
        .says("available spare of {} % nears its threshold of {limit} %", PLAN)
        .because("nearer to the threshold than half the way", OURS),
    rule(Severity::Info, "spare-blank", "available_spare_percent", SpareBlank)
        .says("available spare and its threshold are both {} %, as in a log that was not filled in", "")
        .because("no drive sets both to 0", NVME),
    rule(Severity::Warn, "endurance-used-up", "percentage_used_percent", Within(100.0, f64::INFINITY))
        .says("the endurance that the maker estimates is used up: {} %", PLAN)
        .because("the maker's estimate is used up; the drive may go on", NVME),
    rule(Severity::Warn, "endurance-low", "percentage_used_percent", Within(80.0, 100.0))
        .says("{} % of the endurance that the maker estimates is used", PLAN)
        .because("a fifth of the maker's estimate is left", OURS),
    rule(Severity::Warn, "life-low", "life_left_percent", Within(0.0, 20.1))
        .says("{} % of its life is left", PLAN)
        .because("a fifth of the life by the maker's own scale is left", OURS),
    rule(Severity::Warn, "wearout-low", "media_wearout_left_percent", Within(0.0, 20.1))
        .says("{} % of its life is left by the wear of the medium", PLAN)
        .because("a fifth of the life by the maker's own scale is left", OURS),
    rule(Severity::Block, "uncorrectable-sectors", "uncorrectable_sectors", SOME)
        .says("sectors that cannot be read: {}", REPLACE)
        .because("data is lost: a drive with its first such sector is 39 times as likely to fail within 60 days", POPULATION),
    rule(Severity::Block, "pending-sectors", "pending_sectors", SOME)
        .says("sectors that wait to be reallocated and cannot be read now: {}", REPLACE)
        .because("data cannot be read: a drive with its first such sector is 16 times as likely to fail within 60 days", POPULATION),
    rule(Severity::Block, "self-tests-failed", "self_tests_failed", SOME)
        .says("self-tests that failed: {}", REPLACE)
        .because("the drive could not read its own medium", ERROR_LOG),
    rule(Severity::Block, "uncorrectable-read-recent", "uncorrectable_read_age_hours", Within(0.0, RECENT_HOURS))
        .says("the last read that could not be corrected was {} power-on hours ago", REPLACE)
        .because("data was lost less than six weeks of use ago", ERROR_LOG),
    rule(Severity::Warn, "uncorrectable-read-old", "uncorrectable_read_age_hours", Within(RECENT_HOURS, f64::INFINITY))
        .says("the last read that could not be corrected was {} power-on hours ago", WATCH)
        .because("data was lost, and not again since", ERROR_LOG)
        .watch(),
    rule(Severity::Warn, "uncorrectable-reads-logged", "logged_uncorrectable_reads", SOME)
        .says("reads in its error log that could not be corrected: {}", WATCH)
        .because("data was lost; when is not told", ERROR_LOG),
    rule(Severity::Info, "errors-logged", "device_errors", SOME)
        .says("errors in its error log, over its life: {}", "")
        .because("the log counts refused commands and bad cables as well", ERROR_LOG),
    rule(Severity::Block, "attribute-failing", "attributes_failing", WordWithout(AGED))
        .says("at its threshold: {}", REPLACE)
        .because("an attribute of failure is at the maker's threshold", THRESHOLDS),
    rule(Severity::Warn, "attribute-aged", "attributes_failing", WordWith(AGED))
        .says("at its threshold: {}", WATCH)
        .because("an attribute of age is at the maker's threshold", THRESHOLDS),
    rule(Severity::Warn, "attribute-failed-before", "attributes_failed", WordWithout(AGED))
        .says("was at its threshold: {}", WATCH)
        .because("it was at the maker's threshold, and is not any more", THRESHOLDS)
        .watch(),
    rule(Severity::Info, "attribute-aged-before", "attributes_failed", WordWith(AGED))
        .says("was at its threshold: {}", "")
        .because("it was at the maker's threshold, and is not any more", THRESHOLDS),
    rule(Severity::Block, "critical-temperature", "temperature_celsius", Reaches(CRITICAL_TEMPERATURE))
        .says("{} °C, at or above the critical temperature of {limit} °C", COOL)
        .because("the drive may stop", NVME_LIMITS),
    rule(Severity::Warn, "warning-temperature", "temperature_celsius", Between(WARNING_TEMPERATURE, CRITICAL_TEMPERATURE))
        .says("{} °C, at or above the warning temperature of {limit} °C; it may slow itself down", COOL)
        .because("the drive may slow itself down", NVME_LIMITS),
    rule(Severity::Info, "critical-temperature-time", "critical_temperature_minutes", SOME)
        .says("minutes of its life above the critical temperature: {}", "")
        .because("heat in the past says nothing of now", NVME),
    rule(Severity::Warn, "interface-errors-many", "crc_errors", Within(MANY_CRC_ERRORS, f64::INFINITY))
        .says("errors on the interface: {}", "change the cable, or plug it in again, and look whether the number grows")
        .because("a cable or a plug is bad, or was: each error is data that had to be sent again", OURS)
        .watch(),
    rule(Severity::Info, "interface-errors", "crc_errors", Within(1.0, MANY_CRC_ERRORS))
        .says("errors on the interface, which are the cable's more often than the drive's: {}", "change the cable, or plug it in again")
        .because("the data was sent again", "ACS-3, clause A.5.7.3, interface CRC errors"),
    rule(Severity::Warn, "reallocated-sectors", "reallocated_sectors", Within(1.0, MANY_SECTORS))
        .says("reallocated sectors: {}", WATCH)
        .because("a drive with its first one is 14 times as likely to fail within 60 days, and most such drives go on", POPULATION)
        .watch(),
    rule(Severity::Warn, "reallocated-sectors-many", "reallocated_sectors", Within(MANY_SECTORS, f64::INFINITY))
        .says("reallocated sectors: {}", PLAN)
        .because("the medium wears out", OURS),
    rule(Severity::Warn, "media-errors", "media_errors", Within(1.0, MANY_ERRORS))
        .says("media and data integrity errors: {}", WATCH)
        .because("data was lost, once or a few times", COUNTED_LOSS),
    rule(Severity::Block, "media-errors-many", "media_errors", Within(MANY_ERRORS, f64::INFINITY))
        .says("media and data integrity errors: {}", REPLACE)
        .because("data was lost again and again", COUNTED_LOSS),
    rule(Severity::Block, "failure-predicted", "predicted_failures", SOME)
        .says("failures that the drive foretold: {}", REPLACE)
        .because("the drive foretells its own failure", VERDICT),
    rule(Severity::Warn, "end-to-end-errors", "end_to_end_errors", SOME)
        .says("data that changed on its way through the drive: {}", REPLACE)
        .because("data was wrong between the host and the medium", "SFF-8035i 2.0; the maker's attribute 184"),
    rule(Severity::Block, "scan-unreadable", "scan_unreadable_sectors", SOME)
        .says("sectors that a background scan could not read: {}", REPLACE)
        .because("they wait to be written again, and cannot be read now", "SBC-4, Background Scan Results log page"),
    rule(Severity::Block, "kernel-medium-errors", "kernel_medium_errors", SOME)
        .says("errors of the medium in the kernel's log: {}", REPLACE)
        .because("data could not be read", "SPC-4, sense key MEDIUM ERROR"),
    rule(Severity::Block, "host-says-failing", "failing_by_host", WordWith(""))
        .says("the host's own tool says: {}", REPLACE)
        .because("the tool judges by thresholds and warnings of the drive, which may not all be told here", HOST_TOOL),
    rule(Severity::Warn, "host-says-caution", "caution_by_host", WordWith(""))
        .says("the host's own tool says: {}", WATCH)
        .because("the tool found something to watch, which may not be told here", HOST_TOOL)
        .watch(),
    rule(Severity::Warn, "sectors-not-found", "logged_missing_sectors", SOME)
        .says("sectors in its error log that were not found: {}", WATCH)
        .because("the medium lost the mark of a sector, or the host asked beyond the end", ERROR_LOG)
        .watch(),
    rule(Severity::Block, "controller-gave-up", "controller_faults", WordWith("(given up)"))
        .says("state by its controller: {}", REPLACE)
        .because("the controller saw an error that it could not get over, or a prediction of one", CONTROLLER),
    rule(Severity::Warn, "controller-leaves-out", "controller_faults", WordWith("(not used)"))
        .says("state by its controller: {}", "find out why: an error, a cable or an administrator")
        .because("the controller does not use the drive", CONTROLLER),
    rule(Severity::Warn, "controller-examines", "controller_faults", WordWith("(under diagnosis)"))
        .says("state by its controller: {}", WATCH)
        .because("the controller saw an error and examines the drive", CONTROLLER)
        .watch(),
    rule(Severity::Warn, "controller-errors", "controller_errors", SOME)
        .says("reads and writes that failed, by the controller's count: {}", WATCH)
        .because("the medium, the cable or the controller may be why", OURS)
        .watch(),
    rule(Severity::Info, "health-line-unread", "health_lines_unread", WordWith(""))
        .says("could not be read, so nothing speaks for the drive: {}", "")
        .because("a line on health that is left out must not pass for a good one", OURS),
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
