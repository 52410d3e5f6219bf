//! Latency where little is outstanding, in both directions.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "latency",
    about: "one worker, queue depth 1 to 8, random reads and writes of 4 KiB",
    flags: "--rw randread,randwrite --bs 4KiB --workers 1 --depth 1,2,4,8",
};
