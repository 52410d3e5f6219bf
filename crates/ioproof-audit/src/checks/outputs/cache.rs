//! Figures of a cache: reads of memory, writes that nobody waited for.

use crate::command::Command;
use crate::finding::Findings;
use crate::measured::{Direction, Measured};
use crate::reading::Reading;
use crate::show;

const NAME: &str = "cache-figure";
/// Data that a page cache may hold in full.
const CACHE_BYTES: f64 = 8e9;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for measured in &reading.measured {
        match measured.tool {
            "hdparm" if measured.name.contains("cache") => cached_reads(reading, measured, findings),
            "dd" => dd(reading, measured, findings),
            "ioping" => cached_pings(reading, measured, findings),
            "fio" => fast_reads(reading, measured, findings),
            _ => {}
        }
    }
}

fn cached_reads(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let rate = measured.total().1.unwrap_or(0.0);
    findings.note(
        NAME,
        (reading.file(), measured.first),
        format!("{} of cached reads are the host's memory, not a drive", show::rate(rate)),
        "hdparm -T reads the page cache without touching the drive".into(),
    );
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
    let because = format!("{} in {} s, nothing waited for the drive", ioproof_core::units::decimal_size(bytes.value as u64), seconds.value);
    findings.doubt(NAME, (reading.file(), measured.last), title, because).mend("conv=fdatasync counts the drive's time in");
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
    findings.doubt(NAME, (reading.file(), measured.last), title, because).mend("iflag=direct, or echo 3 > /proc/sys/vm/drop_caches before");
}

fn cached_pings(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let Some(mean) = measured.sides.first().and_then(|side| side.latency.mean) else { return };
    if mean.value < 5e3 && measured.load.direct != Some(true) {
        let title = format!("a mean of {} is memory's: the page cache answered", show::time(mean.value));
        findings.doubt(NAME, (reading.file(), measured.last), title, "no flash drive answers a read within 5 µs".into()).mend("ioping -D");
    }
}

/// Random reads below 5 µs through the page cache never reached flash.
fn fast_reads(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let Some(side) = measured.side(Direction::Read) else { return };
    let (Some(mean), Some(false)) = (side.latency.mean, measured.load.direct) else { return };
    if mean.value < 5e3 && mean.value > 0.0 {
        let title = format!("reads of {} without O_DIRECT came out of the page cache", show::time(mean.value));
        findings
            .doubt(NAME, (reading.file(), side.line), title, "direct=0, and no flash drive answers within 5 µs".into())
            .mend("direct=1");
    }
}
