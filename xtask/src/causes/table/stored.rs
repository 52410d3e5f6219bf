//! Causes that no test host has: heat, links, wear. Facts of a stored run are changed, and it is judged again.

use crate::causes::cause::*;

const AGAIN: &str = "report TARGET --rejudge --json";

/// A fact of the first stage, which the job `oltp` ran in.
const fn stage(at: &'static str, value: &'static str) -> Edit {
    Edit { file: "stages/0000.json", at, value }
}

/// The drives as they were before the first stage and after the last.
const fn health(value: &'static str) -> Edit {
    Edit { file: "run.json", at: "/health", value }
}

const fn link(value: &'static str) -> Edit {
    Edit { file: "run.json", at: "/targets/0/drives/0/link/limit_bytes_per_s", value }
}

pub const CAUSES: &[Cause] = &[
    cause("heat", "stored run: the drive slowed itself down six times, at 81 °C")
        .at(Place::Stored(&[health(
            r#"[{"name": "nvme0n1", "before": {"present": true, "throttles": 3}, "after": {"present": true, "throttles": 9, "temperature_celsius": 81.0}}]"#,
        )]))
        .call(AGAIN)
        .answer(&[&[Rule("thermal-throttle")]], &[], &[]),
    cause("media-errors", "stored run: the drive counted four errors of its medium meanwhile")
        .at(Place::Stored(&[health(
            r#"[{"name": "nvme0n1", "before": {"present": true, "media_errors": 0}, "after": {"present": true, "media_errors": 4}}]"#,
        )]))
        .call(AGAIN)
        .answer(&[&[Rule("new-media-errors")]], &[], &[]),
    cause("link-trained-down", "stored run: the drive's link carries 0.7 of its 3.55 GB/s, and 662 MB/s were read")
        .at(Place::Stored(&[link("700000000.0")]))
        .call(AGAIN)
        .answer(&[&[Limit("link")]], &[], &[]),
    cause("above-link", "stored run: the drive's link carries 0.2 GB/s, and 662 MB/s were read")
        .at(Place::Stored(&[link("200000000.0")]))
        .call(AGAIN)
        .answer(&[&[Rule("above-link")]], &[], &[]),
    cause("steal", "stored run: a hypervisor took 40 % of the CPU time")
        .at(Place::Stored(&[stage("/host/cpu_steal", "0.4")]))
        .call(AGAIN)
        .answer(&[&[Rule("stolen-cpu")]], &[], &[]),
    cause("read-modify-write", "stored run: the drive's physical blocks are of 16 KiB, and 4 KiB are written at random")
        .at(Place::Stored(&[Edit {
            file: "run.json",
            at: "/targets/0/drives/0/physical_block_bytes",
            value: r#"{"value": 16384, "source": "/sys/block/nvme0n1/queue/physical_block_size"}"#,
        }]))
        .call(AGAIN)
        .answer(&[&[Rule("read-modify-write")]], &[], &[]),
    cause("endurance", "stored run: 40 TB were written to fill a drive that is rated for 20 TB a day")
        .at(Place::Stored(&[Edit { file: "run.json", at: "/targets/0/content/filled_bytes", value: "40000000000000" }]))
        .call(AGAIN)
        .answer(&[&[Rule("endurance")]], &[], &[]),
    cause("hot-cpu", "stored run: a CPU was slowed down 50 times because it was hot")
        .at(Place::Stored(&[stage("/host/cpu_throttles", "50")]))
        .call(AGAIN)
        .answer(&[&[Title("slowed"), Title("throttl"), Title("hot"), Limit("hot")]], &[], &[]),
];
