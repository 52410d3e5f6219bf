//! A target of a run with the drives under it, its content and the datasheet that it is judged by.

use super::{DriveHistory, PgTestFsync, ProgramRun};
use crate::claim::Datasheet;
use crate::facts::{ContentFacts, DeviceFacts, TargetFacts};
use serde::{Deserialize, Serialize};

/// One target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetRecord {
    /// The target as it was found.
    pub facts: TargetFacts,
    /// The drives under it, in the order of the stack.
    #[serde(default)]
    pub drives: Vec<DeviceFacts>,
    /// The datasheet it is judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datasheet: Option<DatasheetUse>,
    /// The content that reads find.
    #[serde(default)]
    pub content: ContentFacts,
    /// The first pass of writing, where ioproof filled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Other processes that had the file behind a loop device open, before the run or after it: `process 42 (dd)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened_by: Vec<String>,
    /// A run of pg_test_fsync in the directory, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pg_test_fsync: Option<PgTestFsync>,
    /// Runs of other programs on cells of a sweep, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramRun>,
    /// Position of the target whose file lies on the blocks that are used of this device; `None` of any other target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<u32>,
    /// True of a device that was measured before a filesystem was made on it, that of the target `below` names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_raw: bool,
    /// The past of the one drive under it before this run; `None` where there are several drives, or it has no serial number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<DriveHistory>,
}

impl TargetRecord {
    /// A target of which only the path is known so far.
    pub fn new(facts: TargetFacts) -> Self {
        Self {
            facts,
            drives: Vec::new(),
            datasheet: None,
            content: ContentFacts::default(),
            fill: None,
            opened_by: Vec::new(),
            pg_test_fsync: None,
            programs: Vec::new(),
            below: None,
            is_raw: false,
            history: None,
        }
    }

    /// The one drive under it; `None` where there are several or it cannot be told.
    pub fn drive(&self) -> Option<&DeviceFacts> {
        match self.drives.as_slice() {
            [drive] => Some(drive),
            _ => None,
        }
    }
}

/// The datasheet in force, embedded whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatasheetUse {
    /// Its claims and all else.
    pub datasheet: Datasheet,
    /// The reason for which it was chosen: `model "INTEL SSDPEDMD020T4" matches "INTEL SSDPED?D*"`, `--datasheet intel-dc-p3700`.
    pub chosen_by: String,
    /// Nominal capacity of the matched variant in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
}

impl DatasheetUse {
    /// Bytes that the maker rates the drive for: of this capacity, else the largest of the family.
    pub fn rated_endurance_bytes(&self) -> Option<u64> {
        let variant = self.datasheet.variants.iter().find(|variant| Some(variant.capacity_bytes) == self.capacity_bytes);
        variant.and_then(|variant| variant.endurance_bytes).or(self.datasheet.endurance_bytes)
    }

    /// Bytes that it is rated for on each day of the warranty, whose length no datasheet of ours has.
    pub fn rated_bytes_per_day(&self) -> Option<u64> {
        Some((self.datasheet.drive_writes_per_day? * self.capacity_bytes? as f64) as u64)
    }
}

/// The pass that wrote the target before anything was read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fill {
    /// Bytes written.
    pub bytes: u64,
    /// Time taken, with the final flush. Nanoseconds.
    pub elapsed_ns: u64,
}

impl Fill {
    /// This and what was written after it, as one.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(next.bytes), elapsed_ns: self.elapsed_ns.saturating_add(next.elapsed_ns) }
    }
}
