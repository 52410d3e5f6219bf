//! The usual sweep: one worker, more and more outstanding.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "depth",
    about: "one worker, queue depth 1 to 256, random reads of 4 KiB",
    flags: "--rw randread --bs 4KiB --workers 1 --depth 1,2,4,8,16,32,64,128,256",
};
