//! Findings of one check after a cut, in the answers of `ioproof powercut check` and of `ioproof sync --show-loss --after`.

use super::prover::{Target, Writer};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;

const CORRUPT: &str = "corrupt";

#[derive(Debug, Default)]
pub struct Found {
    pub acknowledged: u64,
    /// Failures of acknowledged operations, or of the place where they all were, by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Failed operations of which a later one survived: out of order.
    pub overtaken: u64,
    pub habit: Option<String>,
}

impl Found {
    pub fn all_gone(kind: &'static str) -> Self {
        Self { kinds: BTreeMap::from([(kind, 1)]), ..Self::default() }
    }

    pub fn is_clean(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// Exit status of `check` where all acknowledged writes are there, and where some are lost.
const CLEAN: i32 = 0;
const LOST: i32 = 1;
/// Exit status where nothing can be told, as where blocks hold what was never written there.
const UNTOLD: i32 = 3;

pub fn judged(writer: Writer, status: Option<i32>, out: &str, errors: &str, target: &Target) -> Result<Found> {
    match status {
        _ if writer == Writer::Shown => judged_shown(status, out, errors),
        Some(code @ (CLEAN | LOST | UNTOLD)) => {
            let document = document(out)?;
            let found = found_in(&document);
            // Here nobody else writes, so what is foreign is the doing of the drive or of what stands on it.
            ensure!(code != UNTOLD || found.kinds.contains_key(CORRUPT), "the check cannot tell: {document}");
            ensure!(found.is_clean() == (code == CLEAN), "the exit status is {code}, and the document says {found:?}");
            Ok(found)
        }
        // It is the filesystem that lost the file; the drive cannot lose itself.
        _ if !target.is_device && errors.contains("no such target") => Ok(Found::all_gone("file missing")),
        code => bail!("the check ended with {code:?}: {}", errors.trim()),
    }
}

pub fn document(text: &str) -> Result<Value> {
    serde_json::from_str(text).with_context(|| format!("no document: {text}"))
}

fn found_in(document: &Value) -> Found {
    let streams = document["streams"].as_array().cloned().unwrap_or_default();
    let sum = |name: &str| streams.iter().filter_map(|stream| stream[name].as_u64()).sum::<u64>();
    // Nobody else writes here, so what is foreign is corrupt.
    let kinds = ["lost", "stale", "torn", "misplaced", CORRUPT, "returned", "unreadable"];
    let count = |kind| sum(kind) + if kind == CORRUPT { sum("foreign") } else { 0 };
    let kinds = kinds.map(|kind| (kind, count(kind))).into_iter().filter(|(_, count)| *count > 0).collect();
    let at = document["habit"]["at_bytes"].as_u64().map_or(String::new(), |bytes| format!(" at {bytes}"));
    let habit = document["habit"]["name"].as_str().map(|name| format!("{name}{at}"));
    Found { acknowledged: document["acknowledged"].as_u64().unwrap_or(0), kinds, overtaken: sum("out_of_order"), habit }
}

/// Findings of a look that ended with this exit status and said this. That nothing is gone of what was never synced is a failure of the rig.
fn judged_shown(status: Option<i32>, out: &str, errors: &str) -> Result<Found> {
    ensure!(status.is_some_and(|status| [CLEAN, LOST, UNTOLD].contains(&status)), "the look ended with {status:?}: {}", errors.trim());
    let document = document(out)?;
    let steps = |name: &str| document[name].as_u64().with_context(|| format!("no {name} in {document}"));
    let (done, buffered, fsynced) = (steps("done")?, steps("buffered")?, steps("fsynced")?);
    ensure!(done != 0 && buffered < done, "nothing is gone that was never synced: {document}");
    let lost = done.saturating_sub(fsynced);
    let kinds = (lost > 0).then_some(("lost", lost)).into_iter().collect();
    Ok(Found { acknowledged: done, kinds, ..Found::default() })
}
