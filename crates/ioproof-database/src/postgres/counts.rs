//! The server's own counts of its log and its checkpoints, as its views have them (PostgreSQL's manual, "The Cumulative Statistics System"): `pg_stat_wal` since version 14; the
//! checkpoints in `pg_stat_bgwriter`, since version 17 in `pg_stat_checkpointer`.

use super::calls::Calls;
use ioproof_core::record::{CheckpointCounts, WalCounts};
use std::sync::atomic::AtomicBool;

/// The version since which the log is counted.
const WAL_SINCE: u32 = 14;
/// The version since which checkpoints have a view of their own.
const CHECKPOINTER_SINCE: u32 = 17;

/// Counts so far, or between two moments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub wal: Option<WalCounts>,
    pub checkpoints: Option<CheckpointCounts>,
}

impl Counts {
    /// Those of a server of this major version; none where it gives no answer.
    pub(super) fn ask(calls: &Calls, major: u32, stop: &AtomicBool) -> Option<Self> {
        let answer = calls.ask(&query(major), stop).ok()?;
        read(answer.trim())
    }

    /// Counts since an earlier moment. A count that went back was set to 0 meanwhile and tells nothing.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            wal: self.wal.zip(earlier.wal).and_then(|(now, before)| {
                Some(WalCounts {
                    records: now.records.checked_sub(before.records)?,
                    full_page_images: now.full_page_images.checked_sub(before.full_page_images)?,
                    bytes: now.bytes.checked_sub(before.bytes)?,
                })
            }),
            checkpoints: self.checkpoints.zip(earlier.checkpoints).and_then(|(now, before)| {
                Some(CheckpointCounts {
                    timed: now.timed.checked_sub(before.timed)?,
                    requested: now.requested.checked_sub(before.requested)?,
                })
            }),
        }
    }
}

/// A row of two counts of checkpoints, and three of the log where they are kept.
fn query(major: u32) -> String {
    let checkpoints = if major >= CHECKPOINTER_SINCE {
        "num_timed, num_requested FROM pg_stat_checkpointer"
    } else {
        "checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter"
    };
    if major < WAL_SINCE {
        return format!("SELECT {checkpoints}");
    }
    let (columns, view) = checkpoints.split_once(" FROM ").unwrap_or_default();
    format!("SELECT {columns}, wal_records, wal_fpi, wal_bytes FROM {view}, pg_stat_wal")
}

/// A row as psql prints it: `5|1|1200|80|900000`.
fn read(row: &str) -> Option<Counts> {
    let numbers: Vec<u64> = row.split('|').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let (checkpoints, wal) = numbers.split_at_checked(2)?;
    let wal = match wal {
        [] => None,
        [records, full_page_images, bytes] => Some(WalCounts { records: *records, full_page_images: *full_page_images, bytes: *bytes }),
        _ => return None,
    };
    Some(Counts { wal, checkpoints: Some(CheckpointCounts { timed: checkpoints[0], requested: checkpoints[1] }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_asked_where_it_keeps_them() {
        assert_eq!(query(13), "SELECT checkpoints_timed, checkpoints_req FROM pg_stat_bgwriter");
        assert_eq!(
            query(15),
            "SELECT checkpoints_timed, checkpoints_req, wal_records, wal_fpi, wal_bytes FROM pg_stat_bgwriter, pg_stat_wal"
        );
        assert!(query(17).contains("num_requested") && query(17).ends_with("FROM pg_stat_checkpointer, pg_stat_wal"));
    }

    #[test]
    fn a_row_is_read_and_what_is_none_is_not_made_up() {
        let (before, now) = (read("5|1|1200|80|900000").unwrap(), read("5|3|1300|90|1000000").unwrap());
        let since = now.since(before);
        assert_eq!(since.wal, Some(WalCounts { records: 100, full_page_images: 10, bytes: 100_000 }));
        assert_eq!(since.checkpoints, Some(CheckpointCounts { timed: 0, requested: 2 }));
        assert_eq!(read("5|1").unwrap().wal, None);
        assert_eq!(before.since(now), Counts::default(), "set to 0 meanwhile");
        assert_eq!(["", "5", "5|", "5|1|2", "a|b", "1|2|3|4|5|6"].map(read), [None; 6]);
    }
}
