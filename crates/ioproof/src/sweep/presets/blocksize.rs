//! From many small I/Os to few large ones.

use super::Preset;

pub const PRESET: Preset = Preset {
    name: "blocksize",
    about: "blocks of 4 KiB to 4 MiB, sequential reads, one worker, queue depth 32",
    flags: "--rw read --bs 4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB --workers 1 --depth 32",
};
