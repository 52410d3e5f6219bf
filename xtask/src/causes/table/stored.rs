//! Causes that no test host has: heat, links, wear. Facts of a stored run are changed, and it is judged again.

use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Edit, Place, Word};

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

pub const CAUSES: [Cause; 8] = [
    Cause {
        name: "heat",
        made: "stored run: the drive slowed itself down six times, at 81 °C",
        place: Place::Stored(&[health(
            r#"[{"name": "nvme0n1", "before": {"present": true, "throttles": 3}, "after": {"present": true, "throttles": 9, "temperature_celsius": 81.0}}]"#,
        )]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("thermal-throttle")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "media-errors",
        made: "stored run: the drive counted four errors of its medium meanwhile",
        place: Place::Stored(&[health(
            r#"[{"name": "nvme0n1", "before": {"present": true, "media_errors": 0}, "after": {"present": true, "media_errors": 4}}]"#,
        )]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("new-media-errors")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "link-trained-down",
        made: "stored run: the drive's link carries 0.7 of its 3.55 GB/s, and 662 MB/s were read",
        place: Place::Stored(&[link("700000000.0")]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Limit("link")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "above-link",
        made: "stored run: the drive's link carries 0.2 GB/s, and 662 MB/s were read",
        place: Place::Stored(&[link("200000000.0")]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("above-link")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "steal",
        made: "stored run: a hypervisor took 40 % of the CPU time",
        place: Place::Stored(&[stage("/host/cpu_steal", "0.4")]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("stolen-cpu")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "read-modify-write",
        made: "stored run: the drive's physical blocks are of 16 KiB, and 4 KiB are written at random",
        place: Place::Stored(&[Edit {
            file: "run.json",
            at: "/targets/0/drives/0/physical_block_bytes",
            value: r#"{"value": 16384, "source": "/sys/block/nvme0n1/queue/physical_block_size"}"#,
        }]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("read-modify-write")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "endurance",
        made: "stored run: 40 TB were written to fill a drive that is rated for 20 TB a day",
        place: Place::Stored(&[Edit { file: "run.json", at: "/targets/0/content/filled_bytes", value: "40000000000000" }]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Rule("endurance")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "hot-cpu",
        made: "stored run: a CPU was slowed down 50 times because it was hot",
        place: Place::Stored(&[stage("/host/cpu_throttles", "50")]),
        call: AGAIN,
        answer: Answer { right: &[&[Word::Title("slowed"), Word::Title("throttl"), Word::Title("hot"), Word::Limit("hot")]], ..ANSWER },
        ..CAUSE
    },
];
