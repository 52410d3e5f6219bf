//! In which order blocks are visited.

use super::zbd;
use crate::region::gaps;
use crate::settings::{Generator, JobSettings, Sequencer, Zones};
use crate::values::{Distribution, DistributionZone, Mode, Suffix, ZoneAbs};
use ioproof_core::shape::{Order, SizeRange, SizeShare, VisitMap, Zone};
use ioproof_core::workload::{Pattern, Workload};

pub(super) fn order(settings: &JobSettings, notes: &mut Vec<String>) -> Result<Order, String> {
    let rw = &settings.access.rw;
    let order = if rw.random { random(settings, notes)? } else { sequential(settings) };
    let zones = settings.region.zones;
    if settings.region.zbd.is_set {
        return zbd::order(settings, order);
    }
    match (zones.strided, zones.io_bytes) {
        (true, 0) => Err("zonemode=strided needs zonesize=: how much I/O there is in a zone".into()),
        (true, _) => in_zones(settings, &order, notes),
        (false, 1..) => Err("zonesize is for zonemode=strided or zbd, and zonemode is none: give both, or leave out zonesize".into()),
        (false, 0) => Ok(order),
    }
}

fn in_zones(settings: &JobSettings, within: &Order, notes: &mut Vec<String>) -> Result<Order, String> {
    if !matches!(within, Order::Plain | Order::Free) {
        return Err(
            "within the zones of zonemode=strided I/O is sequential or random, without a number after rw, a distribution or blockalign"
                .into(),
        );
    }
    if settings.access.rw.mode == Mode::ReadWrite {
        notes.push("reads and writes each go through the zones by themselves".into());
    }
    let Zones { io_bytes, range_bytes, skip_bytes, .. } = settings.region.zones;
    let range_bytes = if range_bytes == 0 { io_bytes } else { range_bytes };
    if range_bytes < settings.blocks.least_bytes() {
        return Err(format!("a zone of {range_bytes} bytes has no room for one block: make zonerange (or zonesize) larger"));
    }
    Ok(Order::InZones { range_bytes, io_bytes, skip_bytes })
}

fn sequential(settings: &JobSettings) -> Order {
    gaps::passes(settings).map_or(Order::Plain, |(skip_bytes, passes)| Order::Skipping { skip_bytes, passes, wraps: true })
}

fn random(settings: &JobSettings, notes: &mut Vec<String>) -> Result<Order, String> {
    let random = &settings.random;
    if let Suffix::Every(ios @ 2..) = settings.access.rw.suffix {
        return Ok(match settings.access.sequencer {
            Sequencer::Identical => Order::Repeated { ios, free: random.repeats },
            Sequencer::Sequential => Order::Runs { ios, map: VisitMap::None },
        });
    }
    let percent = random.random_percent.read;
    if percent < 100 {
        if random.random_percent.write != percent {
            notes.push(format!("percentage_random of reads, {percent} %, holds for all directions"));
        }
        return Ok(Order::PartlyRandom { random_percent: percent, map: VisitMap::None });
    }
    if let (Some(bytes), Distribution::Random) = (aligned(settings), &random.distribution.read) {
        return match bytes.is_multiple_of(512) {
            true => Ok(Order::Aligned { bytes }),
            false => Err(format!("blockalign={bytes} is no multiple of 512")),
        };
    }
    Ok(match &random.distribution.read {
        Distribution::Random if random.repeats => Order::Free,
        Distribution::Random => Order::Plain,
        Distribution::Zipf { theta, center } => Order::Zipf { theta_milli: milli(*theta)?, center_ppm: ppm(*center) },
        Distribution::Pareto { power, center } => Order::Pareto { h_milli: milli(*power)?, center_ppm: ppm(*center) },
        Distribution::Normal { deviation, center } => {
            Order::Normal { deviation_milli: milli(deviation / 100.0)?, center_ppm: ppm(*center) }
        }
        Distribution::Zoned(zones) => Order::Zoned { zones: zoned(zones)? },
        Distribution::ZonedAbs(zones) => Order::Zoned { zones: zoned_abs(zones)? },
    })
}

fn milli(value: f64) -> Result<u32, String> {
    let milli = (value * 1000.0).round();
    if (1.0..=9999.0).contains(&milli) { Ok(milli as u32) } else { Err(format!("{value} is outside 0.001 to 9.999")) }
}

/// `blockalign`, where it is given; as fio has it, offsets may then repeat.
fn aligned(settings: &JobSettings) -> Option<u64> {
    let align = &settings.blocks.align;
    match settings.access.rw.mode {
        Mode::Write => align.write,
        Mode::Trim => align.trim,
        _ => align.read,
    }
}

/// A share in millionths; what is read is from 0 to 1.
fn ppm(share: Option<f64>) -> Option<u32> {
    share.map(|share| (share.clamp(0.0, 1.0) * 1e6).round() as u32)
}

/// Whole percents; what fio leaves of the target beyond the last zone belongs to a zone without I/O.
fn zoned(zones: &[DistributionZone]) -> Result<Vec<Zone>, String> {
    let mut zones: Vec<Zone> = zones
        .iter()
        .map(|zone| Ok(Zone { access_percent: whole(zone.access_percent)?, span_percent: whole(zone.size_percent)? }))
        .collect::<Result<_, String>>()?;
    let covered: u32 = zones.iter().map(|zone| u32::from(zone.span_percent)).sum();
    if covered < 100 {
        zones.push(Zone { access_percent: 0, span_percent: (100 - covered) as u8 });
    }
    Ok(zones)
}

fn whole(percent: f64) -> Result<u8, String> {
    let rounded = percent.round();
    let fits = (percent - rounded).abs() < 1e-9 && (0.0..=100.0).contains(&rounded);
    if fits { Ok(rounded as u8) } else { Err(format!("zones have whole percents here, not {percent} %")) }
}

fn zoned_abs(zones: &[ZoneAbs]) -> Result<Vec<Zone>, String> {
    let all: u64 = zones.iter().map(|zone| zone.bytes).sum();
    if all == 0 {
        return Err("zones of zoned_abs need sizes".into());
    }
    let share =
        |zone: &ZoneAbs| DistributionZone { access_percent: zone.access_percent, size_percent: zone.bytes as f64 * 100.0 / all as f64 };
    zoned(&zones.iter().map(share).collect::<Vec<_>>())
}

/// Gives a job the map that it needs. With fio's lfsr generator there is none, and blocks come with repetition; so it is where the smallest reads and writes
/// differ, of which one map cannot know.
pub(super) fn ask_for_map(settings: &JobSettings, workload: &mut Workload, notes: &mut Vec<String>) {
    let random = &settings.random;
    let one_size = workload.smallest_block_bytes() == workload.largest_block_bytes();
    let is_even = random.distribution.read == Distribution::Random && !random.repeats;
    if workload.pattern != Pattern::Random || one_size || !is_even {
        return;
    }
    let has_one_least = has_one_least(workload);
    let map = match random.map_optional {
        _ if !has_one_least || random.generator == Generator::Lfsr => VisitMap::None,
        true => VisitMap::Optional,
        false => VisitMap::Needed,
    };
    match &mut workload.shape.order {
        Order::Runs { map: wanted, .. } | Order::PartlyRandom { map: wanted, .. } => *wanted = map,
        plain @ Order::Plain if map == VisitMap::None => *plain = Order::Free,
        plain @ Order::Plain => *plain = Order::Mapped { optional: map == VisitMap::Optional },
        _ => return,
    }
    if !has_one_least {
        notes.push("the smallest read and the smallest write differ, so blocks come with repetition, as with norandommap".into());
    }
}

fn has_one_least(workload: &Workload) -> bool {
    let shape = &workload.shape;
    let least = |sizes: &[SizeShare], range: Option<SizeRange>| {
        let of_list = sizes.iter().map(|share| share.bytes).min();
        range.map(|range| range.least_bytes).or(of_list).unwrap_or(workload.block_bytes)
    };
    let (reads, writes) = (least(&shape.read_sizes, shape.read_range), least(&shape.write_sizes, shape.write_range));
    workload.read_percent == 0 || workload.read_percent == 100 || reads == writes
}
