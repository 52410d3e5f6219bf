//! Findings: the one form in which any rule says that something explains, invalidates or endangers a number.
//!
//! Rules over a record (`findings`), over a load before it runs (`method`), over the host (doctor), over a drive's own health and over a target's content all
//! give this. Evidence is data, so that a program can compare it; `describe` makes the words of it.

use crate::metric::Metric;
use crate::units::{binary_size, decimal_size, duration, iops, latency, percent, throughput};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It invalidates a number, or data is in danger.
    Block,
    /// It explains a number or casts doubt on it.
    Warn,
    /// Good to know.
    Info,
}

/// The bearing of a finding, or of a difference between the claim's conditions and the run's, on a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The run had it easier than the claim: missing is a verdict, meeting is not.
    Easier,
    /// The run had it harder than the claim: meeting is a verdict, missing is not.
    Harder,
    /// A limit of this process's own held the run back: meeting is a verdict, missing cannot be told.
    HeldBack,
    /// It makes the two incomparable.
    Incomparable,
    /// The number is not the drive's, or none: no verdict.
    Invalid,
    /// The number changes from run to run: meeting is not proven.
    Unsteady,
    /// It explains and changes nothing.
    None,
}

/// The thing that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The whole run.
    #[default]
    Run,
    /// A job, by its position in the run's list.
    Job(u32),
    /// A job that is not yet part of a run, by name.
    Named(String),
    /// A drive, by its kernel name.
    Drive(String),
    /// A target, by the path that was given.
    Target(String),
    /// The machine.
    Host,
}

impl Subject {
    /// True where it says something of this job: the job itself, the run, or what all jobs share.
    pub fn concerns(&self, job: u32) -> bool {
        match self {
            Self::Run | Self::Host => true,
            Self::Job(of) => *of == job,
            Self::Named(_) | Self::Drive(_) | Self::Target(_) => false,
        }
    }

    /// The job it is about, where it is about one.
    pub fn job(&self) -> Option<u32> {
        match self {
            Self::Job(job) => Some(*job),
            _ => None,
        }
    }
}

/// The unit of a number in evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes of memory, of a block or a buffer, shown in binary units.
    BinaryBytes,
    /// Bytes per second.
    BytesPerSecond,
    /// I/Os per second.
    IosPerSecond,
    /// Nanoseconds of latency.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// A share, 1 is all of it.
    Share,
    /// A count of anything.
    Count,
    /// I/Os outstanding, or another average of a count.
    Average,
    /// CPUs kept busy.
    Cpus,
    /// Degrees Celsius.
    Celsius,
    /// Transfers per second of a lane of a link.
    TransfersPerSecond,
}

impl Unit {
    /// That of a metric's stored values.
    pub(crate) fn of(metric: Metric) -> Self {
        match metric {
            Metric::Iops => Self::IosPerSecond,
            Metric::Throughput => Self::BytesPerSecond,
            Metric::Latency => Self::Nanoseconds,
        }
    }

    pub fn show(self, number: f64) -> String {
        match self {
            Self::Bytes => decimal_size(number.max(0.0) as u64),
            Self::BinaryBytes => binary_size(number.max(0.0) as u64),
            Self::BytesPerSecond => throughput(number),
            Self::IosPerSecond => iops(number),
            Self::Nanoseconds => latency(number),
            Self::Seconds => duration(Duration::try_from_secs_f64(number.max(0.0)).unwrap_or_default()),
            Self::Share => percent(number),
            Self::Count => format!("{number:.0}"),
            Self::Average => format!("{number:.2}"),
            Self::Cpus => format!("{number:.2} CPUs"),
            Self::Celsius => format!("{number:.0} °C"),
            Self::TransfersPerSecond => format!("{:.1} GT/s", number / 1e9),
        }
    }
}

/// A figure or a fact in evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number {
        /// The number.
        number: f64,
        /// Its unit.
        unit: Unit,
        /// The number from which on, or below which, the rule fires.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
    },
    /// A fact that is no number: the first error, a name.
    Text {
        /// The fact.
        text: String,
    },
}

/// One figure or fact that a finding rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Its name: `bytes at the drive`.
    pub name: String,
    /// The figure.
    #[serde(flatten)]
    pub value: Value,
    /// The place where it was read: a file of sysfs, a log page; none for a figure of the run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Evidence {
    pub fn number(name: &str, number: f64, unit: Unit) -> Self {
        Self { name: name.to_owned(), value: Value::Number { number, unit, threshold: None }, source: None }
    }

    /// A fact that is no number.
    pub fn text(name: &str, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: Value::Text { text: text.into() }, source: None }
    }

    /// The same number with the limit that it was held against.
    #[must_use]
    pub fn against(mut self, limit: f64) -> Self {
        if let Value::Number { threshold, .. } = &mut self.value {
            *threshold = Some(limit);
        }
        self
    }

    /// The same with the place where it was read.
    #[must_use]
    pub fn read_at(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The value in words, with its unit, its limit and its source.
    pub fn describe(&self) -> String {
        let value = match &self.value {
            Value::Text { text } => text.clone(),
            Value::Number { number, unit, threshold: None } => unit.show(*number),
            Value::Number { number, unit, threshold: Some(limit) } => format!("{} (limit {})", unit.show(*number), unit.show(*limit)),
        };
        self.source.as_ref().map_or(value.clone(), |source| format!("{value} ({source})"))
    }
}

/// Something that explains or invalidates a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule's stable name: `page-cache`.
    pub rule: String,
    /// Its weight.
    pub severity: Severity,
    /// The thing that it is about.
    #[serde(default)]
    pub subject: Subject,
    /// One sentence.
    pub title: String,
    /// The figures and facts that it rests on.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Its bearing on verdicts.
    pub effect: Effect,
    /// The way to mend it; empty where nothing is to be done.
    #[serde(default)]
    pub remedy: String,
}

impl Finding {
    /// The first place that its evidence was read at; empty where none is named.
    pub fn source(&self) -> &str {
        self.evidence.iter().find_map(|evidence| evidence.source.as_deref()).unwrap_or_default()
    }
}

impl Effect {
    /// The bearing on a claim; empty for none.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Easier => "easier than the claim",
            Self::Harder => "harder than the claim",
            Self::HeldBack => "held back by a limit of our own",
            Self::Incomparable => "not comparable",
            Self::Invalid => "not the drive's number",
            Self::Unsteady => "not steady",
            Self::None => "",
        }
    }

    /// The bearing where there is no claim, or none is meant.
    pub fn describe_alone(self) -> &'static str {
        match self {
            Self::Easier => "made easier by this",
            Self::Harder => "made harder by this",
            other => other.describe(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_data_and_has_words() {
        let moved = Evidence::number("bytes at the drive", 5e9, Unit::Bytes).against(6e9);
        assert_eq!(moved.describe(), "5 GB (limit 6 GB)");
        let stored = serde_json::to_string(&moved).unwrap();
        assert_eq!(stored, r#"{"name":"bytes at the drive","number":5000000000.0,"unit":"bytes","threshold":6000000000.0}"#);
        assert_eq!(serde_json::from_str::<Evidence>(&stored).unwrap(), moved);
        let locked = Evidence::number("locked memory", 8_388_608.0, Unit::BinaryBytes).read_at("/proc/self/limits");
        assert_eq!(locked.describe(), "8 MiB (/proc/self/limits)");
        assert_eq!(serde_json::from_str::<Evidence>(&serde_json::to_string(&locked).unwrap()).unwrap(), locked);
        let first = Evidence::text("first", "read at byte 0");
        assert_eq!(serde_json::from_str::<Evidence>(&serde_json::to_string(&first).unwrap()).unwrap(), first);
    }

    #[test]
    fn a_run_concerns_every_job() {
        assert!(Subject::Run.concerns(3) && Subject::Host.concerns(3) && Subject::Job(3).concerns(3));
        assert!(!Subject::Job(2).concerns(3) && !Subject::Drive("sda".into()).concerns(3));
    }
}
