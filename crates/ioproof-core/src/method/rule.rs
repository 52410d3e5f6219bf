//! A row of the table: its name, weight, the check, and a load for which it speaks beside one for which it is silent.

use super::described::load::Load;
use super::described::words::Words;
use crate::finding::{Evidence, Severity};

#[derive(Debug, Clone, Copy)]
pub struct MethodRule {
    /// Stable name, as findings carry it.
    pub name: &'static str,
    /// *Warn* where the load measures something else than its author believes, *info* where it is only worth knowing.
    pub severity: Severity,
    /// Rules that say the same in other words, or about figures that mean nothing any more: where this one speaks about a load, they are left out.
    pub covers: &'static [&'static str],
    /// The mistake it looks for, in one sentence.
    pub about: &'static str,
    pub(super) check: MethodCheck,
    /// Loads for which it speaks.
    #[cfg(test)]
    pub(super) fires: fn() -> Vec<Load>,
    /// Loads close to these for which it is silent.
    #[cfg(test)]
    pub(super) silent: fn() -> Vec<Load>,
}

/// A row of the table; what it `covers` may be left out.
macro_rules! rule {
    (
        name: $name:expr, severity: $severity:expr, $(covers: [$($covers:expr),+ $(,)?],)? about: $about:expr,
        check: $check:expr, fires: $fires:expr, silent: $silent:expr $(,)?
    ) => {
        MethodRule {
            name: $name,
            severity: $severity,
            covers: &[$($($covers),+)?],
            about: $about,
            check: $check,
            #[cfg(test)]
            fires: || $fires,
            #[cfg(test)]
            silent: || $silent,
        }
    };
}
pub(super) use rule;

/// Looks at all loads together; gives the position of each that it speaks of.
type CheckAll = fn(&[Load], &dyn Words) -> Vec<(usize, MethodFinding)>;

#[derive(Debug, Clone, Copy)]
pub(super) enum MethodCheck {
    Each(fn(&Load, &dyn Words) -> Option<MethodFinding>),
    /// All loads together; the number is the load's position.
    All(CheckAll),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct MethodFinding {
    /// One sentence with the figures, without its full stop.
    pub(super) title: String,
    pub(super) evidence: Vec<Evidence>,
    /// The way to mend it; a sentence without its full stop.
    pub(super) remedy: String,
}

/// A mistake with its figures and the way to mend it.
pub(super) fn found(title: impl Into<String>, evidence: Vec<Evidence>, remedy: impl Into<String>) -> MethodFinding {
    MethodFinding { title: title.into(), evidence, remedy: remedy.into() }
}
