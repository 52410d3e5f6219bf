//! Sizes of I/Os, rates and pauses.

use crate::settings::{JobSettings, RateProcess};
use crate::values::{BlockSplit, Mode, PerDirection};
use ioproof_core::shape::{Limits, Pace, Shape, SizeRange, SizeShare, Think};

pub(super) fn shape(settings: &JobSettings) -> Result<Shape, String> {
    let blocks = &settings.blocks;
    let trims = matches!(settings.access.rw.mode, Mode::Trim | Mode::TrimWrite);
    let (write_size, write_range, write_splits) = match trims {
        true => (blocks.size.trim, blocks.range.trim, &blocks.splits.trim),
        false => (blocks.size.write, blocks.range.write, &blocks.splits.write),
    };
    let mixed = settings.access.rw.mode == Mode::ReadWrite && blocks.size.read != blocks.size.write;
    let read_range = range(blocks.range.read)?;
    let write_range = range(write_range)?;
    floors_below(settings, &self::limits(settings))?;
    let (pace, limits) = rates(settings);
    Ok(Shape {
        read_sizes: if read_range.is_some() { Vec::new() } else { sizes(&blocks.splits.read, mixed.then_some(blocks.size.read))? },
        write_sizes: if write_range.is_some() { Vec::new() } else { sizes(write_splits, mixed.then_some(write_size))? },
        read_range,
        write_range,
        pace,
        limits,
        think: pauses(settings).filter(|_| pace == Pace::Closed),
        ..Shape::PLAIN
    })
}

fn pauses(settings: &JobSettings) -> Option<Think> {
    let think = &settings.think;
    let every = if think.every_ns > 0 { think.every } else { think.every.max(1) };
    (think.ns > 0).then_some(Think { ns: think.ns, every, every_ns: think.every_ns })
}

fn bytes(size: u64) -> Result<u32, String> {
    u32::try_from(size).map_err(|_| format!("blocks of {size} bytes are too large"))
}

/// The list of `bssplit`; else the one size, where the directions differ.
fn sizes(splits: &[BlockSplit], one: Option<u64>) -> Result<Vec<SizeShare>, String> {
    let share = |size: u64, percent: u32| Ok(SizeShare { bytes: bytes(size)?, percent: percent.min(100) as u8 });
    if splits.is_empty() {
        return one.map(|size| share(size, 100)).into_iter().collect();
    }
    splits.iter().filter(|split| split.percent > 0).map(|split| share(split.bytes, split.percent)).collect()
}

fn range(range: Option<(u64, u64)>) -> Result<Option<SizeRange>, String> {
    let Some((least, most)) = range else { return Ok(None) };
    Ok(Some(SizeRange { least_bytes: bytes(least)?, most_bytes: bytes(most)? }))
}

/// Share of reads. Percent. Of two Poisson processes every arrival is by chance one of the first or the second, as often as their rates say.
pub(super) fn read_percent(settings: &JobSettings) -> u8 {
    let usual = settings.access.read_percent.min(100);
    if settings.pace.process != RateProcess::Poisson {
        return usual;
    }
    let (read, write) = by_direction(settings, limits(settings));
    let share = |(read, write): (u64, u64)| read as f64 * 100.0 / (read as f64 + write as f64);
    read.zip(write).map_or(usual, |rates| share(rates).round() as u8)
}

/// Rates are limits, below which all that was missed is made up for; arrivals at random times are an open loop over all directions.
fn rates(settings: &JobSettings) -> (Pace, Limits) {
    let limits = limits(settings);
    if settings.pace.process == RateProcess::Poisson
        && let Some(ios_per_s) = total(settings, limits)
    {
        return (Pace::Poisson { ios_per_s }, Limits::default());
    }
    (Pace::Closed, limits)
}

fn limits(settings: &JobSettings) -> Limits {
    let pace = &settings.pace;
    let trims = settings.access.rw.mode == Mode::Trim;
    let (ios, bytes) = (&pace.ios_per_s, &pace.bytes_per_s);
    let (write_ios, write_bytes) = if trims { (ios.trim, bytes.trim) } else { (ios.write, bytes.write) };
    let mode = settings.access.rw.mode;
    let (reads, writes) = (matches!(mode, Mode::Read | Mode::ReadWrite), mode != Mode::Read);
    let limits = Limits {
        read_ios_per_s: ios.read.filter(|n| reads && *n > 0),
        read_bytes_per_s: bytes.read.filter(|n| reads && *n > 0),
        write_ios_per_s: write_ios.filter(|n| writes && *n > 0),
        write_bytes_per_s: write_bytes.filter(|n| writes && *n > 0),
        catches_up: false,
    };
    let ignores_pauses = settings.think.ns > 0 && pace.ignore_think;
    Limits { catches_up: limits != Limits::default() && !ignores_pauses, ..limits }
}

/// Refuses a lowest rate above the highest, which no drive keeps; fio refuses it too.
fn floors_below(settings: &JobSettings, most: &Limits) -> Result<(), String> {
    let (bytes, ios) = (&settings.pace.min_bytes_per_s, &settings.pace.min_ios_per_s);
    let trims = settings.access.rw.mode == Mode::Trim;
    let written = |of: &PerDirection<Option<u64>>| if trims { of.trim } else { of.write };
    let pairs = [
        ("rate_min", bytes.read, "rate", most.read_bytes_per_s),
        ("rate_min", written(bytes), "rate", most.write_bytes_per_s),
        ("rate_iops_min", ios.read, "rate_iops", most.read_ios_per_s),
        ("rate_iops_min", written(ios), "rate_iops", most.write_ios_per_s),
    ];
    let broken = |(least_of, least, most_of, most): (&str, Option<u64>, &str, Option<u64>)| {
        let (least, most) = least.zip(most).filter(|(least, most)| least > most)?;
        Some(format!("{least_of}={least} is more than {most_of}={most} allows, so it cannot be met"))
    };
    pairs.into_iter().find_map(broken).map_or(Ok(()), Err)
}

/// I/Os per second over the directions that the job has; `None` where one of them has no rate.
fn total(settings: &JobSettings, limits: Limits) -> Option<u64> {
    let (read, write) = by_direction(settings, limits);
    match settings.access.rw.mode {
        Mode::Read => read,
        Mode::ReadWrite => Some(read? + write?),
        _ => write,
    }
}

fn by_direction(settings: &JobSettings, limits: Limits) -> (Option<u64>, Option<u64>) {
    // A rate in bytes is one of I/Os of their mean size.
    let size = settings.blocks.mean_bytes();
    let of = |ios: Option<u64>, bytes: Option<u64>, size: u64| ios.or(bytes.map(|bytes| (bytes / size.max(1)).max(1)));
    let read = of(limits.read_ios_per_s, limits.read_bytes_per_s, size.read);
    (read, of(limits.write_ios_per_s, limits.write_bytes_per_s, size.write))
}
