//! Figures of a cache: reads of memory, writes that nobody waited for.

use crate::checks::{Command, Direction, Findings, Measured, Reading, decimal_size, show};
use ioproof_core::facts::DeviceFacts;
use std::cell::OnceCell;

const NAME: &str = "cache-figure";
/// Data that a page cache may hold in full.
const CACHE_BYTES: f64 = 8e9;

/// Facts of the whole text, looked up once.
#[derive(Default)]
struct Told {
    platters: OnceCell<Option<u32>>,
    memory: OnceCell<bool>,
}

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let told = Told::default();
    for measured in &reading.measured {
        match measured.tool {
            "hdparm" if measured.name.contains("cache") => cached_reads(reading, measured, findings),
            "dd" => dd(reading, measured, findings),
            "ioping" => cached_pings(reading, measured, findings),
            "fio" => fast_reads(reading, measured, &told, findings),
            _ => {}
        }
    }
}

fn cached_reads(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let rate = measured.total().1.unwrap_or(0.0);
    let title = format!("{} of cached reads are the host's memory, not a drive", show::rate(rate));
    let because = "hdparm -T reads the page cache without touching the drive";
    findings.note(NAME, reading.at(measured.first), title, because);
}

/// A write that ends when the page cache has it.
fn dd(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let Some(command) = reading.command_of(measured) else { return };
    let waits = |command: &Command| {
        ["oflag", "conv"]
            .iter()
            .filter_map(|name| command.option(&[name]))
            .any(|value| ["direct", "sync"].iter().any(|word| value.contains(word)))
    };
    let Some(side) = measured.sides.first() else { return };
    let target = &measured.target;
    let is_memory = ["/dev/null", "/dev/zero", "/dev/shm", "/tmp/ramdisk"].iter().any(|path| target.starts_with(path));
    if side.direction == Direction::Read {
        return again(reading, measured, findings);
    }
    // A rate that another drive limits is not of the cache.
    let makes = command.option(&["if"]).is_none_or(|source| ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&source));
    if side.direction != Direction::Write || !makes || waits(command) || is_memory || target.is_empty() || command.text.contains("sync") {
        return;
    }
    let (Some(bytes), Some(seconds), Some(rate)) = (side.bytes, measured.seconds, side.bytes_per_s) else { return };
    // More than most hosts keep had to be written meanwhile.
    if bytes.value > CACHE_BYTES {
        return;
    }
    let title = format!(
        "dd without oflag=direct or conv=fdatasync ends when the page cache has the data: {} is no rate of a drive",
        show::rate(rate.value)
    );
    let because = format!("{} in {} s, nothing waited for the drive", decimal_size(bytes.value as u64), seconds.value);
    findings.doubt(NAME, reading.at(measured.last), title, because).mend("conv=fdatasync counts the drive's time in");
}

/// A file that was moved before and is now read several times as fast.
fn again(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    const TIMES: f64 = 3.0;
    let rate = |measured: &Measured| Some(measured.sides.first()?.bytes_per_s?.value);
    let is_same = |other: &&Measured| other.tool == "dd" && other.target == measured.target && other.last < measured.first;
    let Some(earlier) = reading.measured.iter().rev().find(is_same) else { return };
    let since = earlier.last..measured.first;
    let drops = |text: &str| ["drop_caches", "mount ", "reboot"].iter().any(|word| text.contains(word));
    let is_dropped = reading.document.lines.iter().any(|line| since.contains(&line.number) && drops(&line.text));
    let (Some(now), Some(before)) = (rate(measured), rate(earlier)) else { return };
    if is_dropped || measured.load.direct != Some(false) || measured.target.starts_with("/dev/") || now < TIMES * before {
        return;
    }
    let title = format!("{} of a file that line {} moved at {}: the page cache had it", show::rate(now), earlier.last, show::rate(before));
    let because = format!("{:.1} times as fast, without O_DIRECT, and nothing dropped the cache in between", now / before);
    findings.doubt(NAME, reading.at(measured.last), title, because).mend("iflag=direct, or echo 3 > /proc/sys/vm/drop_caches before");
}

fn cached_pings(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let Some(mean) = measured.sides.first().and_then(|side| side.latency.mean) else { return };
    if mean.value < 5e3 && measured.load.direct != Some(true) {
        let title = format!("a mean of {} is memory's: the page cache answered", show::time(mean.value));
        findings.doubt(NAME, reading.at(measured.last), title, "no flash drive answers a read within 5 µs").mend("ioping -D");
    }
}

/// Reads below 5 µs never reached a drive: through the page cache, of a depth of one whatever opened the file, or on platters.
fn fast_reads(reading: &Reading, measured: &Measured, told: &Told, findings: &mut Findings) {
    let Some(side) = measured.side(Direction::Read) else { return };
    let Some(mean) = side.latency.mean.map(|mean| mean.value).filter(|mean| *mean > 0.0 && *mean < 5e3) else { return };
    let place = reading.at(side.line);
    let is_buffered = measured.load.direct == Some(false);
    let is_one = measured.load.depth == Some(1) && measured.load.direct.is_none();
    if is_buffered {
        let title = format!("reads of {} without O_DIRECT came out of the page cache", show::time(mean));
        findings.doubt(NAME, place, title, "direct=0, and no flash drive answers within 5 µs").mend("direct=1");
    } else if let Some(line) = platters(reading, measured, told) {
        let title = format!("reads of {} are memory's: platters turn no further in that time", show::time(mean));
        let because =
            format!("line {line} tells of a rotating drive; at 15 000/min a turn takes 4 ms, {} times as long", show::whole(4e6 / mean));
        findings.doubt(NAME, place, title, because).mend("direct=1, and more data than the caches hold");
    } else if is_one && !is_memory(reading, measured, told) {
        let title = format!("reads of {}, one at a time, are memory's: a cache answered", show::time(mean));
        findings.doubt(NAME, place, title, "depth 1, and no flash drive answers within 5 µs").mend("direct=1");
    }
}

/// The line that tells of a rotating drive, where the text names no other.
fn platters(reading: &Reading, measured: &Measured, told: &Told) -> Option<u32> {
    if let Some(turns) = reading.drive(&measured.target).and_then(DeviceFacts::turns) {
        return turns.then_some(measured.first);
    }
    *told.platters.get_or_init(|| {
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let lines: Vec<(u32, String)> = lower_lines(reading).collect();
        let is_flash = lines.iter().any(|(_, text)| has(text, &["ssd", "nvme", "flash", "optane", "solid state", "pmem"]));
        let turns = ["7200 rpm", "7200rpm", "5400 rpm", "5400rpm", "10k rpm", "15k rpm", "spinning disk", "rotating disk"];
        lines.iter().find(|(_, text)| !is_flash && has(text, &turns)).map(|(line, _)| *line)
    })
}

/// True where the job or the words around it tell of memory that is used as a drive.
fn is_memory(reading: &Reading, measured: &Measured, told: &Told) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 14] = [
        "pmem", "/dev/ram", "brd", "zram", "/dev/shm", "tmpfs", "nullb", "null_blk", "optane", "nvdimm", "ramdisk", "ram disk",
        "ram-backed", "dax",
    ];
    let is_named = |text: &str| WORDS.iter().any(|word| text.contains(word));
    let names = format!("{} {} {}", measured.name, measured.target, measured.load.engine.as_deref().unwrap_or_default()).to_lowercase();
    names.contains("null") || is_named(&names) || *told.memory.get_or_init(|| lower_lines(reading).any(|(_, text)| is_named(&text)))
}

fn lower_lines(reading: &Reading) -> impl Iterator<Item = (u32, String)> {
    const LINES_MAX: usize = 20_000;
    reading.document.lines.iter().take(LINES_MAX).map(|line| (line.number, line.text.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn said(before: &str, engine: &str, depth: u32, us: f64) -> Vec<String> {
        let text = format!(
            "{before}\n\na: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine={engine}, iodepth={depth}\nfio-3.28\n\
             a: (groupid=0, jobs=1): err= 0: pid=1: \
             Mon Mar 30 23:42:25 2015\n  read: IOPS=300k, BW=1172MiB/s (1229MB/s)(68.7GiB/60000msec)\n    \
             clat (nsec): min=900, max=99000, avg={:.2}, stdev=10.0\n",
            us * 1e3
        );
        let found = crate::audit(&[Reading::new("a", text.as_bytes())]).found;
        found.into_iter().filter(|found| found.check == super::NAME).map(|found| found.title).collect()
    }

    #[test]
    fn reads_below_five_microseconds_are_memory() {
        assert_eq!(said("A drive.", "psync", 1, 2.5).len(), 1);
        assert!(said("A drive.", "psync", 1, 80.0).is_empty());
        assert!(said("A drive.", "libaio", 8, 2.5).is_empty(), "nothing tells that the file was opened without O_DIRECT");
        assert!(said("The device /dev/pmem0.", "psync", 1, 2.5).is_empty());
    }

    #[test]
    fn a_rotating_drive_is_not_that_fast_at_any_depth() {
        assert!(said("A disk of 7200 rpm.", "libaio", 8, 2.5)[0].contains("platters"));
        assert!(said("A disk of 7200 rpm and an SSD.", "libaio", 8, 2.5).is_empty(), "which of both is not told");
    }
}
