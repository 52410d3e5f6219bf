//! Words of job files for the rules of method: options by fio's names, sizes as job files have them.

use ioproof_core::method::{Content, Phrases, Setting, Words};
use ioproof_core::units::decimal_size;

#[derive(Debug, Clone, Copy, Default)]
pub struct FioWords;

const PHRASES: Phrases = Phrases {
    load: "job",
    worker: "clone",
    direct: "set direct=1",
    is_direct: "direct=1",
    fills_cache: "pre_read=1",
    keeps_cache: "invalidate=0",
    wider_parts: "make offset_increment at least as large as size",
    whole_target: "size=100%",
    incompressible: "set buffer_compress_percentage=0",
    no_duplicates: "leave out dedupe_percentage",
    same_offsets: "randrepeat=1",
    other_offsets: "set randrepeat=0",
    end_sync: "set end_fsync=1",
    fills_runtime: "time_based",
    fill_runtime: "set time_based",
    more_io: "time_based with a runtime, loops= or a larger size",
    averaged_logs: "set log_avg_msec=1000, and write_hist_log= with log_hist_msec= for percentiles",
    no_ramp: " (ramp_time=0)",
    ramp: "set ramp_time=, or steadystate=",
    pause_or_rate: "keep one of the two, or set rate_ignore_thinktime=1",
    repeating_blocks: "norandommap",
    write_first: "remove the file, so that it is laid out in full, or write all of it first (a job with rw=write)",
    write_between: "write the blocks between the two, with a job that has rw=write, a large bs and no runtime",
};

impl Words for FioWords {
    fn phrases(&self) -> &'static Phrases {
        &PHRASES
    }

    fn setting(&self, setting: Setting) -> &'static str {
        match setting {
            Setting::Pattern => "rw",
            Setting::Block => "bs",
            Setting::Depth => "iodepth",
            Setting::Workers => "numjobs",
            Setting::Backend => "ioengine",
            Setting::Runtime => "runtime",
        }
    }

    fn with(&self, setting: Setting, value: &dyn std::fmt::Display) -> String {
        format!("{}={value}", self.setting(setting))
    }

    fn size(&self, bytes: u64) -> String {
        size(bytes)
    }

    fn own_parts(&self, workers: u64) -> String {
        let such_as = match workers {
            1..=100 => format!(", such as size={0}% and offset_increment={0}%", 100 / workers),
            _ => String::new(),
        };
        format!("set offset_increment to the size of each clone's part{such_as}")
    }

    fn fresh_data(&self, instead_of: Content) -> &'static str {
        match instead_of {
            Content::Zeros => "leave out zero_buffers and set refill_buffers=1",
            Content::Pattern => "leave out buffer_pattern and set refill_buffers=1",
            Content::Buffers => "set refill_buffers=1",
        }
    }

    fn buffers_reused(&self, changed: bool) -> &'static str {
        if changed { "and only a few bytes of it are changed (scramble_buffers)" } else { "unchanged (scramble_buffers=0)" }
    }

    fn sync_every(&self, fdatasync: bool, every: u32) -> String {
        format!("{}={every}", if fdatasync { "fdatasync" } else { "fsync" })
    }

    fn pause(&self, us: u64) -> String {
        format!("thinktime={us} µs")
    }

    fn alone(&self, name: &str) -> String {
        format!("put stonewall into {name} and every job after it")
    }
}

/// Bytes as job files have them: `10g`, `1536m`, `4k`; where none of these is short, `4000 bytes` or `2 TB`.
pub(super) fn size(bytes: u64) -> String {
    const STEPS: [(u32, &str); 4] = [(40, "t"), (30, "g"), (20, "m"), (10, "k")];
    let whole = STEPS.iter().find(|(bits, _)| bytes > 0 && bytes.is_multiple_of(1 << bits));
    match whole.filter(|(bits, _)| bytes >> bits < 10_000) {
        Some((bits, unit)) => format!("{}{unit}", bytes >> bits),
        None if bytes < 10_000 => format!("{bytes} bytes"),
        None => decimal_size(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_in_job_files() {
        assert_eq!(
            [10 << 30, 3 << 19, 4096, 4000, 0, 2_000_398_934_016].map(size),
            ["10g", "1536k", "4k", "4000 bytes", "0 bytes", "2 TB"]
        );
    }

    #[test]
    fn a_hundred_clones_have_a_percent_each_and_more_have_none() {
        assert!(FioWords.own_parts(4).ends_with("size=25% and offset_increment=25%"));
        assert!(FioWords.own_parts(100).contains("size=1%") && !FioWords.own_parts(101).contains('%'));
    }
}
