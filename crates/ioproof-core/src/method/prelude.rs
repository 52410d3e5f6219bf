//! All that the file of a theme speaks of.

pub(super) use super::described::load::*;
pub(super) use super::described::words::{Content, Setting, Words};
pub(super) use super::rule::{MethodCheck, MethodFinding, MethodRule, found, rule};
#[cfg(test)]
pub(super) use super::testing::*;
pub(super) use super::text::{count, many, seconds};
pub(super) use crate::finding::{Evidence, Severity, Unit};
pub(super) use crate::shape::{Fill, Order};
pub(super) use crate::units::{decimal_size, percent};
pub(super) use crate::workload::Durability;
