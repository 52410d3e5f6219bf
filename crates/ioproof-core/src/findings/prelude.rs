//! All that the file of a rule speaks of.

pub(super) use super::limit::{LimitCheck, LimitRank, RuleLimit};
#[cfg(test)]
pub(super) use super::rule::records;
pub(super) use super::rule::{Check, finding, finding_on, rule};
pub(super) use crate::finding::{Effect, Evidence, Finding, Severity, Subject, Unit};
pub(super) use crate::limited_by::{LimitConfidence, Place};
pub(super) use crate::measured::{Context, Measured};
pub(super) use crate::record::RunRecord;
