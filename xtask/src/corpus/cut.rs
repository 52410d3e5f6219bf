//! A job file cut small: the shape of its load, in a few MiB of files of its own, without a limit of time.

use std::collections::HashMap;

/// Options that are kept as they stand. None of them names a file or a program, or takes time by itself.
const KEPT: &str = "
    allrandrepeat ba blockalign bs blocksize bs_is_seq_rand bs_unaligned bsrange blocksize_range bssplit buffer_compress_chunk
    buffer_compress_percentage buffered clat_percentiles clocksource continue_on_error create_fsync create_on_open create_serialize
    dedupe_percentage direct disable_bw disable_clat disable_lat disable_slat do_verify end_fsync exitall fallocate fdatasync
    file_service_type fixedbufs flow fsync fsync_on_close group_reporting gtod_reduce hipri invalidate io_submit_mode iodepth
    iodepth_batch iodepth_batch_complete iodepth_batch_complete_max iodepth_batch_complete_min iodepth_batch_submit iodepth_low ioengine
    lat_percentiles new_group norandommap nrfiles number_ios openfiles overwrite percentage_random percentile_list pre_read
    random_distribution random_generator randrepeat randseed readwrite refill_buffers registerfiles rw rw_sequencer rwmixcycle rwmixread
    rwmixwrite scramble_buffers slat_percentiles softrandommap stat_type stonewall sync thread unified_rw_reporting unlink
    userspace_reap verify verify_async verify_backlog verify_backlog_batch verify_fatal verify_interval verify_offset verify_only
    verify_pattern wait_for_previous zero_buffers";

/// Numbers of processes and of rounds that are larger are this.
const MOST_CLONES: u64 = 2;

/// A file has at least this many bytes, and this many blocks of the largest size.
const LEAST_BYTES: u64 = 1 << 20;
const LEAST_BLOCKS: u64 = 4;

/// A cut file has no file larger than this. Bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The text to run instead. Each name of a file is replaced by a relative one, the same for the same name.
pub fn small(text: &str) -> String {
    let mut names = HashMap::new();
    let mut lines = vec![format!("[global]\nsize={}", size(text))];
    for line in text.lines().map(str::trim) {
        let (option, value) = line.split_once('=').map_or((line, None), |(option, value)| (option.trim(), Some(value.trim())));
        match (option, value) {
            // A section that is called like a file or a device would be read or written.
            _ if line.starts_with('[') => lines.push(line.replace('/', "_")),
            ("filename", Some(value)) => lines.push(format!("filename={}", renamed(value, &mut names))),
            ("numjobs" | "loops", Some(value)) => lines.extend(value.parse::<u64>().map(|n| format!("{option}={}", n.min(MOST_CLONES)))),
            _ if KEPT.split_whitespace().any(|kept| kept == option) => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines.join("\n") + "\n"
}

fn renamed(value: &str, names: &mut HashMap<String, usize>) -> String {
    let mut name = |text: &str| {
        let next = names.len();
        format!("f{}", names.entry(text.to_owned()).or_insert(next))
    };
    value.split(':').map(&mut name).collect::<Vec<_>>().join(":")
}

/// Bytes of a file that has some of the largest blocks.
fn size(text: &str) -> u64 {
    let sizes = text.lines().filter_map(|line| line.split_once('=')).filter(|(option, _)| option.trim().starts_with('b'));
    let numbers = sizes.flat_map(|(_, value)| value.split([',', '-', ':', '/']).filter_map(|word| bytes(word.trim())));
    numbers.max().map_or(LEAST_BYTES, |most| most.saturating_mul(LEAST_BLOCKS).clamp(LEAST_BYTES, MOST_BYTES))
}

/// `64k`: a number and its power of 1024.
fn bytes(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = word[digits.len()..].to_ascii_lowercase();
    let shift = ["", "k", "m", "g"].iter().position(|known| unit.trim_end_matches('b').trim_end_matches('i') == *known)? * 10;
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}
