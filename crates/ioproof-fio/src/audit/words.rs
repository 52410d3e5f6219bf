//! Words of job files for the rules of method: options by fio's names, sizes as job files have them.

use ioproof_core::method::{Content, Setting, Words};
use ioproof_core::units::decimal_size;

#[derive(Debug, Clone, Copy, Default)]
pub struct FioWords;

impl Words for FioWords {
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

    fn load(&self) -> &'static str {
        "job"
    }

    fn worker(&self) -> &'static str {
        "clone"
    }

    fn direct(&self) -> &'static str {
        "set direct=1"
    }

    fn is_direct(&self) -> &'static str {
        "direct=1"
    }

    fn fills_cache(&self) -> &'static str {
        "pre_read=1"
    }

    fn keeps_cache(&self) -> &'static str {
        "invalidate=0"
    }

    fn own_parts(&self, workers: u64) -> String {
        let such_as = match workers {
            1..=100 => format!(", such as size={0}% and offset_increment={0}%", 100 / workers),
            _ => String::new(),
        };
        format!("set offset_increment to the size of each clone's part{such_as}")
    }

    fn wider_parts(&self) -> &'static str {
        "make offset_increment at least as large as size"
    }

    fn whole_target(&self) -> &'static str {
        "size=100%"
    }

    fn fresh_data(&self, instead_of: Content) -> &'static str {
        match instead_of {
            Content::Zeros => "leave out zero_buffers and set refill_buffers=1",
            Content::Pattern => "leave out buffer_pattern and set refill_buffers=1",
            Content::Buffers => "set refill_buffers=1",
        }
    }

    fn incompressible(&self) -> &'static str {
        "set buffer_compress_percentage=0"
    }

    fn no_duplicates(&self) -> &'static str {
        "leave out dedupe_percentage"
    }

    fn buffers_reused(&self, changed: bool) -> &'static str {
        if changed { "and only a few bytes of it are changed (scramble_buffers)" } else { "unchanged (scramble_buffers=0)" }
    }

    fn same_offsets(&self) -> &'static str {
        "randrepeat=1"
    }

    fn other_offsets(&self) -> &'static str {
        "set randrepeat=0"
    }

    fn end_sync(&self) -> &'static str {
        "set end_fsync=1"
    }

    fn sync_every(&self, fdatasync: bool, every: u32) -> String {
        format!("{}={every}", if fdatasync { "fdatasync" } else { "fsync" })
    }

    fn fills_runtime(&self) -> &'static str {
        "time_based"
    }

    fn fill_runtime(&self) -> &'static str {
        "set time_based"
    }

    fn more_io(&self) -> &'static str {
        "time_based with a runtime, loops= or a larger size"
    }

    fn averaged_logs(&self) -> &'static str {
        "set log_avg_msec=1000, and write_hist_log= with log_hist_msec= for percentiles"
    }

    fn no_ramp(&self) -> &'static str {
        " (ramp_time=0)"
    }

    fn ramp(&self) -> &'static str {
        "set ramp_time=, or steadystate="
    }

    fn pause(&self, us: u64) -> String {
        format!("thinktime={us} µs")
    }

    fn pause_or_rate(&self) -> &'static str {
        "keep one of the two, or set rate_ignore_thinktime=1"
    }

    fn repeating_blocks(&self) -> &'static str {
        "norandommap"
    }

    fn alone(&self, name: &str) -> String {
        format!("put stonewall into {name} and every job after it")
    }

    fn write_first(&self) -> &'static str {
        "remove the file, so that it is laid out in full, or write all of it first (a job with rw=write)"
    }

    fn write_between(&self) -> &'static str {
        "write the blocks between the two, with a job that has rw=write, a large bs and no runtime"
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
