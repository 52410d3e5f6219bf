//! Flags of `sweep` that are not those of `verify`: its presets, each the axes that a question needs, and its help. What was typed goes before what a preset says.

use crate::flags::help::{with_default, without_refused};
use crate::flags::load::LoadFlags;
use clap::Arg;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The axes of a sweep, as one would type them.
#[derive(Debug, Clone, Copy)]
pub struct SweepPreset {
    /// Name behind `--as`.
    pub name: &'static str,
    pub about: &'static str,
    pub flags: &'static str,
}

/// The presets; the first is taken where none is named.
const TABLE: [SweepPreset; 5] = [
    // The usual sweep: one worker, more and more outstanding.
    SweepPreset {
        name: "depth",
        about: "one worker, queue depth 1 to 256, random reads of 4 KiB",
        flags: "--rw randread --bs 4KiB --workers 1 --depth 1,2,4,8,16,32,64,128,256",
    },
    // A write-ahead log: small writes in sequence by several workers, each on a CPU of its own.
    SweepPreset {
        name: "wal",
        about: "a write-ahead log: sequential writes of 4 KiB, workers 1 to 8 on CPUs of their own, queue depth 1 to 256 each",
        flags: "--rw write --bs 4KiB --workers 1,2,4,8 --depth 1,2,4,8,16,32,64,128,256 --pin own",
    },
    // More and more threads that each wait for their I/O, as programs without asynchronous I/O have it.
    SweepPreset {
        name: "threads",
        about: "1 to 128 workers with one I/O outstanding each, random reads of 4 KiB",
        flags: "--rw randread --bs 4KiB --depth 1 --workers 1,2,4,8,16,32,64,128",
    },
    // Latency where little is outstanding, in both directions.
    SweepPreset {
        name: "latency",
        about: "one worker, queue depth 1 to 8, random reads and writes of 4 KiB",
        flags: "--rw randread,randwrite --bs 4KiB --workers 1 --depth 1,2,4,8",
    },
    // From many small I/Os to few large ones.
    SweepPreset {
        name: "blocksize",
        about: "blocks of 4 KiB to 4 MiB, sequential reads, one worker, queue depth 32",
        flags: "--rw read --bs 4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB --workers 1 --depth 32",
    },
];

pub fn names() -> impl TypedValueParser<Value = SweepPreset> {
    let values = TABLE.map(|preset| PossibleValue::new(preset.name).help(preset.about));
    PossibleValuesParser::new(values).map(|name| *TABLE.iter().find(|preset| preset.name == name).unwrap_or(&USUAL))
}

/// The preset where none is named.
pub const USUAL: SweepPreset = TABLE[0];

/// Fills in the axes that were left open.
pub fn fill(load: &mut LoadFlags, preset: SweepPreset) {
    let Some(mut usual) = LoadFlags::of_flags(preset.flags) else { return };
    // The size of a block belongs to what is read or written with it.
    if !load.rw.is_empty() {
        usual.bs.clear();
    }
    load.fill_in(usual);
}

/// Puts the defaults of a sweep into the help of flags that have others under `verify`, and hides those that it refuses.
pub fn in_help(arg: Arg) -> Arg {
    let arg = without_refused(arg);
    let flag = format!("--{}", arg.get_id());
    let of_preset = || USUAL.flags.split(' ').skip_while(|word| *word != flag).nth(1).map(str::to_owned);
    let default = match arg.get_id().as_str() {
        "rw" | "depth" | "workers" => of_preset(),
        "time" => Some("5m".to_owned()),
        _ => None,
    };
    match default {
        Some(default) => with_default(arg, &default),
        None => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::load;

    #[test]
    fn every_preset_can_be_read_and_has_an_axis() {
        for preset in TABLE {
            let load = LoadFlags::of_flags(preset.flags).unwrap_or_else(|| panic!("{}", preset.name));
            let axes = [load.depth.len(), load.workers.len(), load.bs.len()];
            assert!(!load.rw.is_empty() && axes.iter().any(|axis| *axis > 2), "{}: {axes:?}", preset.name);
        }
    }

    #[test]
    fn the_help_has_the_defaults_of_a_sweep() {
        let help = |id: &'static str, text: &'static str| in_help(Arg::new(id).help(text)).get_help().unwrap().to_string();
        assert_eq!(help("depth", "Queue depths  [default: 32]"), "Queue depths  [default: 1,2,4,8,16,32,64,128,256]");
        assert_eq!(help("rw", "Run only these"), "Run only these  [default: randread]");
        assert_eq!(help("time", "Time  [default: 60s]"), "Time  [default: 5m]");
        assert_eq!(help("size", "Size  [default: 1GiB]"), "Size  [default: 1GiB]");
    }

    #[test]
    fn what_was_typed_goes_before_the_preset() {
        let mut typed = load::parsed("--rw randwrite --workers 3").unwrap();
        fill(&mut typed, TABLE[1]);
        let workloads = typed.workloads();
        assert!(workloads.iter().all(|w| (w.workers, w.read_percent, w.block_bytes) == (3, 0, 4096)));
        assert_eq!(workloads.len(), 9);
    }

    #[test]
    fn the_write_ahead_log_is_the_matrix_of_four_by_nine() {
        let mut load = load::parsed("").unwrap();
        fill(&mut load, TABLE[1]);
        assert_eq!(load.workloads().len(), 36);
    }
}
