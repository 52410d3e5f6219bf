//! Finds out once what files of one filesystem have in common: the mount, the drives below it, and what is to be said about them. Thousands of files
//! would otherwise ask the kernel for the same tables thousands of times.

use crate::bound::is_drive_name;
use crate::error::TargetError;
use crate::resolve::identity;
use crate::resolve::target::{Target, What};
use crate::resolve::{direct, resolve_any};
use crate::system::System;
use crate::system::filesystem;
use crate::system::pin::Pin;
use ioproof_core::facts::{TargetFacts, TargetKind};
use rustix::fs::FileType;
use std::collections::HashMap;
use std::path::Path;

/// Facts by the number of the filesystem and the id of the mount.
#[derive(Debug, Default)]
pub(super) struct MountCache {
    known: HashMap<(u64, u64), TargetFacts>,
}

impl MountCache {
    /// As [`resolve_any`].
    pub(super) fn resolve(&mut self, system: &System, path: &Path) -> Result<Target, TargetError> {
        if is_drive_name(path) {
            return resolve_any(system, path);
        }
        let pin = Pin::new(path)?;
        let key = filesystem::mount_id(&pin).map(|mount| (pin.stat.st_dev, mount));
        if let Some(facts) = key.and_then(|key| self.known.get(&key))
            && let Some(target) = like(system, facts, path, &pin)
        {
            return Ok(target);
        }
        let target = resolve_any(system, path)?;
        if let Some(key) = key.filter(|_| target.facts.kind == TargetKind::File) {
            self.known.insert(key, target.facts.clone());
        }
        Ok(target)
    }
}

/// A regular file beside one that is known. `None` where it differs from that in more than its name, its size and its alignment.
fn like(system: &System, facts: &TargetFacts, path: &Path, pin: &Pin) -> Option<Target> {
    if FileType::from_raw_mode(pin.stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let resolved = std::fs::canonicalize(path).ok()?;
    let (direct, alignment_bytes) = direct(system, pin, facts.stack.as_ref()).ok()?;
    if direct != facts.direct {
        return None;
    }
    let size_bytes = u64::try_from(pin.stat.st_size).unwrap_or(0);
    let identity = Some(identity::beside(system, facts, pin));
    let (given, text) = (path.display().to_string(), resolved.display().to_string());
    let facts = TargetFacts { given, resolved: text, size_bytes, direct, alignment_bytes, identity, ..facts.clone() };
    Some(Target { facts, path: resolved, what: What::File { id: pin.id() }, character: None })
}
