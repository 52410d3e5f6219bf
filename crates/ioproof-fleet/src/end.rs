//! The end of a node's part: `end.json`, the last file that a node writes. A folder without it is of a node that has not ended, or died.

use serde::{Deserialize, Serialize};

/// The content of `end.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NodeEnd {
    /// [`SCHEMA_VERSION`](crate::SCHEMA_VERSION) of the writer.
    pub schema_version: u32,
    /// Id of the fleet, where it is part of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<String>,
    /// The machine's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Version of ioproof there.
    pub version: String,
    /// When it began by the node's clock, RFC 3339.
    pub started_at: String,
    /// When it ended by the node's clock, RFC 3339.
    pub ended_at: String,
    /// 1 where a drive misses a claim, 2 where none was measured, 3 where one cannot be judged, else 0.
    pub exit_status: u8,
    /// True where a signal ended it before every drive was measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Clock of the node against that of the machine that runs the fleet. Added there, none where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockOffset>,
    /// When the drives of all nodes were to begin, RFC 3339, where they start together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<String>,
    /// Time between that and the first load, by the node's clock. Nanoseconds; negative where it began too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_late_ns: Option<i64>,
    /// Drives that were measured, in this order.
    pub drives: Vec<DriveEnd>,
    /// Drives that were not, with the reason.
    pub refused: Vec<RefusedDrive>,
    /// End of the drive that ended first, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_finished_at: Option<String>,
    /// End of the drive that ended last, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_finished_at: Option<String>,
}

/// A drive that was measured, by its run file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DriveEnd {
    /// Path as it was measured: `/dev/nvme0n1`.
    pub path: String,
    /// Serial number that the kernel knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Name of the run file in the same folder.
    pub file: String,
    /// SHA-256 of the whole file in hexadecimal.
    pub sha256: String,
    /// Exit status of its judgement.
    pub exit_status: u8,
    /// Reason for it, in a few words.
    pub exit_reason: String,
    /// When its run began by the node's clock, RFC 3339.
    pub started_at: String,
    /// When its run ended by the node's clock, RFC 3339.
    pub ended_at: String,
}

/// A drive that was not measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RefusedDrive {
    /// Path: `/dev/sda`.
    pub path: String,
    /// Serial number that the kernel knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Reason, in one line.
    pub reason: String,
}

/// The clock of a node against that of the machine that runs the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// Node's clock minus the other one. Nanoseconds.
    pub offset_ns: i64,
    /// The true offset is at most this far from it. Nanoseconds.
    pub error_ns: i64,
    /// Way in which it was measured, in a few words.
    pub source: String,
}
