//! The journal of Ceph: direct writes of 4 KiB in sequence by one job, each durable before the next (O_DIRECT and O_DSYNC), by which its community tells drives
//! with protection against power loss from others. It states no limit.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "ceph-journal",
    about: "the journal of Ceph: direct writes of 4 KiB with O_DSYNC by one job",
    loads: &["--rw write --bs 4KiB --workers 1 --depth 1 --sync dsync"],
    limit: None,
};
