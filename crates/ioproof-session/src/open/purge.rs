//! The purge before the tests of a standard: whether the drive can be purged, and the purge of what is open.

use super::found::OpenTarget;
use crate::purge;
use crate::request::{PurgeWish, StandardRequest};
use anyhow::Result;
use ioproof_core::facts::{Layer, TargetFacts, TargetKind};
use ioproof_core::job::Span;
use ioproof_process::complaint::complaint;
use ioproof_runner::Failure;
use ioproof_target::System;
use ioproof_target::purge::{PurgeMethod, method_of};

const AS_IT_IS: &str = "--purge none tests the drive as it is";

/// Spans of whole MiB are all of a drive.
const UNIT_BYTES: u64 = 1 << 20;

/// The reason for which a target is not purged, as far as it is known before it is opened.
///
/// # Errors
/// When a purge was asked for by its method, and the target is a file.
pub fn against(wish: PurgeWish, facts: &TargetFacts, span: Span) -> Result<Option<String>> {
    let is_device = facts.layer == Layer::Block && facts.kind == TargetKind::BlockDevice;
    let is_part = span.length_bytes < facts.size_bytes / UNIT_BYTES * UNIT_BYTES;
    match wish {
        PurgeWish::Never => Ok(Some("--purge none".to_owned())),
        PurgeWish::By(method) if !is_device => {
            Err(complaint(format!("--purge {}: only whole drives are purged", method.name()), "name a drive, or leave it out"))
        }
        PurgeWish::By(_) => Ok(None),
        PurgeWish::Usual if !is_device => Ok(Some("it is a file".to_owned())),
        PurgeWish::Usual if is_part => Ok(Some("the data beyond the tested part is kept, but for --purge METHOD".to_owned())),
        PurgeWish::Usual => Ok(None),
    }
}

/// Chooses how an open target is purged before each test. If the drive has no method, the reason goes into the plan.
///
/// # Errors
/// When a method was asked for that the drive does not have.
pub fn choose(system: &System, request: Option<&StandardRequest>, target: &mut OpenTarget<'_>) -> Result<Option<PurgeMethod>> {
    let is_ruled_out = target.plan.standard.as_ref().is_none_or(|standard| standard.not_purged.is_some());
    let Some(request) = request.filter(|_| !is_ruled_out) else { return Ok(None) };
    let asked = match request.purge {
        PurgeWish::By(method) => Some(method),
        PurgeWish::Usual | PurgeWish::Never => None,
    };
    match method_of(system, target.handle(), asked) {
        Ok(method) => Ok(Some(method)),
        Err(error) if asked.is_some() => Err(complaint(error.to_string(), "leave out --purge: the strongest method that it has is taken")),
        Err(error) => {
            target.plan.standard.iter_mut().for_each(|standard| standard.not_purged = Some(error.to_string()));
            Ok(None)
        }
    }
}

/// Purges an open target, and says by what.
///
/// # Errors
/// When the drive refuses or does not end it, or has another capacity behind it.
pub fn run(system: &System, target: &OpenTarget<'_>, method: PurgeMethod) -> Result<&'static str, Failure> {
    let purged = purge::of_open(system, &target.target, target.handle(), method)
        .map_err(|error| Failure::hinted(error.to_string(), error.hint().unwrap_or_else(|| AS_IT_IS.to_owned())))?;
    match purged.notes.first() {
        Some(note) => Err(Failure::hinted(format!("after its purge {note}"), "begin a new run, which is planned for that")),
        None => Ok(purged.method),
    }
}
