//! More and more threads that each wait for their I/O, as programs without asynchronous I/O have it.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "threads",
    about: "1 to 128 workers with one I/O outstanding each, random reads of 4 KiB",
    flags: "--rw randread --bs 4KiB --depth 1 --workers 1,2,4,8,16,32,64,128",
};
