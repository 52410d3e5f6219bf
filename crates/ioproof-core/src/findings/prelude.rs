//! All that the file of a rule speaks of.

pub(super) use super::limit::{LimitCheck, LimitRank, RuleLimit};
#[cfg(test)]
pub(super) use super::rule::records;
pub(super) use super::rule::{Check, finding, finding_on, rule};
pub(super) use crate::claim::{Claim, Metric};
pub(super) use crate::facts::*;
pub(super) use crate::finding::{Effect, Evidence, Finding, Severity, Subject, Unit};
pub(super) use crate::histogram::Histogram;
#[cfg(test)]
pub(super) use crate::layers::tests::layered;
pub(super) use crate::limited_by::{LimitConfidence, Place};
pub(super) use crate::measured::{Context, Measured};
pub(super) use crate::record::*;
pub(super) use crate::shape::Pace;
pub(super) use crate::stats::median;
#[cfg(test)]
pub(super) use crate::testing::*;
pub(super) use crate::units::*;
pub(super) use crate::workload::{Durability, Pattern, Workload};
