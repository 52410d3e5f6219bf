//! What the kernel counted for disks.

use super::value::Object;
use crate::print::disk::{below, flat};
use crate::results::DiskUse;

/// One entry a disk; those below another follow it.
pub(super) fn disks(disks: &[DiskUse]) -> Vec<Object> {
    disks.iter().flat_map(flat).map(disk).collect()
}

fn disk(disk: &DiskUse) -> Object {
    let mut object = Object::default()
        .with("name", disk.name.as_str())
        .with("read_ios", disk.ios.0)
        .with("write_ios", disk.ios.1)
        .with("read_merges", disk.merges.0)
        .with("write_merges", disk.merges.1)
        .with("read_ticks", disk.ticks_ms.0)
        .with("write_ticks", disk.ticks_ms.1)
        .with("in_queue", disk.in_queue_ms)
        .with("util", disk.busy_percent);
    if let Some(below) = below(disk) {
        object.add("aggr_read_ios", below.ios.0);
        object.add("aggr_write_ios", below.ios.1);
        object.add("aggr_read_merges", below.merges.0);
        object.add("aggr_write_merge", below.merges.1);
        object.add("aggr_read_ticks", below.ticks_ms.0);
        object.add("aggr_write_ticks", below.ticks_ms.1);
        object.add("aggr_in_queue", below.in_queue_ms);
        object.add("aggr_util", below.busy_percent);
    }
    object
}
