//! The write rule: nothing is ever written to a place that holds data. The clauses are told apart by what they need: the system's
//! tables only, an open descriptor, or content. `README.md` in this folder says how to add one.
//!
//! Nothing here opens anything; `open.rs` does, and asks.

mod claim;
mod consent;
mod content;
mod file;
mod identity;
mod naming;
mod shape;
mod subject;
#[cfg(test)]
mod testing;
mod usage;

pub(crate) use claim::Claim;
pub use consent::Consent;
pub use content::search_promise;
pub(crate) use content::{Content, Look, content};
pub(crate) use file::FileSubject;
pub(crate) use identity::identity;
pub(crate) use subject::{Ground, Subject};
pub(crate) use usage::unseen;

use crate::error::{CONSENT, ROOT_DISK, Refusal, TargetError};
use crate::system::System;

/// A reason against writing, before it is known under which clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub text: String,
    pub hint: Option<String>,
}

impl Reason {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

struct Clause<S> {
    name: &'static str,
    check: fn(&S) -> Vec<Reason>,
}

const fn clause<S>(name: &'static str, check: fn(&S) -> Vec<Reason>) -> Clause<S> {
    Clause { name, check }
}

/// The clauses that are asked of a device before anything is opened.
fn device_clauses<'a>() -> [Clause<Subject<'a>>; 17] {
    [
        clause("known", shape::known),
        clause("whole-disk", shape::whole_disk),
        clause("stacked", shape::stacked),
        clause("read-only", shape::read_only),
        clause("partitions", shape::partitions),
        clause("mounted", usage::mounted),
        clause(ROOT_DISK, usage::root_disk),
        clause("swap", usage::swap),
        clause("holders", usage::holders),
        clause("btrfs", usage::btrfs),
        clause("zfs", usage::zfs),
        clause("backs-loop", usage::backs_loop),
        clause("loop-backing", usage::loop_backing),
        clause("writers", usage::writers),
        clause("unseen-users", usage::unseen_users),
        clause("namespaces", usage::namespaces),
        clause(CONSENT, naming::consent),
    ]
}

fn file_clauses<'a>() -> [Clause<FileSubject<'a>>; 4] {
    [
        clause("overwrite", file::overwrite),
        clause("swap", file::swap),
        clause("loop-backing", file::loop_backing),
        clause("read-only", file::read_only),
    ]
}

/// Every reason against writing this device that can be seen without opening it.
pub(crate) fn device(subject: &Subject<'_>) -> Vec<Refusal> {
    asked(&device_clauses(), subject)
}

/// Every reason against writing this file that can be seen without opening it.
pub(crate) fn existing_file(subject: &FileSubject<'_>) -> Vec<Refusal> {
    asked(&file_clauses(), subject)
}

/// The tables of the system; a refusal where they cannot be read.
pub(crate) fn ground(system: &System) -> Result<Ground<'_>, TargetError> {
    Ground::new(system).map_err(|error| {
        let reason = Reason::new(format!("what is in use here cannot be told: {error}")).hint("mount /proc and /sys");
        TargetError::Refused(refusals("tables", vec![reason]))
    })
}

/// The first reason against writing a device that this process has open to be written, among those that need no look at its content.
pub(crate) fn in_use(system: &System, name: &str, consent: &Consent) -> Option<String> {
    match clauses(system, name, consent, true) {
        Ok(refusals) => refusals.into_iter().next().map(|refusal| refusal.reason),
        Err(error) => Some(error.to_string()),
    }
}

/// Every reason against writing a device that can be seen without a look at its content.
pub(crate) fn clauses(system: &System, name: &str, consent: &Consent, opened: bool) -> Result<Vec<Refusal>, TargetError> {
    let ground = ground(system)?;
    Ok(device(&Subject::new(&ground, name, consent, opened)))
}

/// Reasons as refusals under one clause.
pub(crate) fn refusals(clause: &'static str, reasons: Vec<Reason>) -> Vec<Refusal> {
    reasons.into_iter().map(|reason| Refusal { clause, reason: reason.text, hint: reason.hint }).collect()
}

fn asked<S>(clauses: &[Clause<S>], subject: &S) -> Vec<Refusal> {
    clauses.iter().flat_map(|clause| refusals(clause.name, (clause.check)(subject))).collect()
}
