//! The kernel's counts of disks.

use super::formatter::Decimal;
use crate::print::disk::{Below, below, flat};
use crate::results::DiskUse;
use serde::Serialize;

/// One disk. Ticks and the time in the queue are milliseconds.
#[derive(Serialize)]
pub(super) struct Disk<'a> {
    name: &'a str,
    read_ios: u64,
    write_ios: u64,
    read_merges: u64,
    write_merges: u64,
    read_ticks: u64,
    write_ticks: u64,
    in_queue: u64,
    util: Decimal,
    #[serde(flatten)]
    below: Option<Aggregate>,
}

/// The disks below it together.
#[derive(Serialize)]
struct Aggregate {
    aggr_read_ios: u64,
    aggr_write_ios: u64,
    aggr_read_merges: u64,
    aggr_write_merge: u64,
    aggr_read_ticks: u64,
    aggr_write_ticks: u64,
    aggr_in_queue: u64,
    aggr_util: Decimal,
}

/// One entry a disk; those below another follow it.
pub(super) fn disks(disks: &[DiskUse]) -> Vec<Disk<'_>> {
    disks.iter().flat_map(flat).map(disk).collect()
}

fn disk(disk: &DiskUse) -> Disk<'_> {
    Disk {
        name: &disk.name,
        read_ios: disk.ios.0,
        write_ios: disk.ios.1,
        read_merges: disk.merges.0,
        write_merges: disk.merges.1,
        read_ticks: disk.ticks_ms.0,
        write_ticks: disk.ticks_ms.1,
        in_queue: disk.in_queue_ms,
        util: Decimal(disk.busy_percent),
        below: below(disk).as_ref().map(aggregate),
    }
}

fn aggregate(below: &Below) -> Aggregate {
    Aggregate {
        aggr_read_ios: below.ios.0,
        aggr_write_ios: below.ios.1,
        aggr_read_merges: below.merges.0,
        aggr_write_merge: below.merges.1,
        aggr_read_ticks: below.ticks_ms.0,
        aggr_write_ticks: below.ticks_ms.1,
        aggr_in_queue: below.in_queue_ms,
        aggr_util: Decimal(below.busy_percent),
    }
}
