//! In which order blocks are visited.

use crate::fio::settings::{Sequencer, Settings};
use crate::fio::values::{Distribution, Suffix, Zone as FioZone, ZoneAbs};
use crate::shape::{Order, Zone};

/// The order of a job's I/Os.
pub(super) fn order(settings: &Settings, notes: &mut Vec<String>) -> Result<Order, String> {
    let rw = &settings.access.rw;
    if rw.random { random(settings, notes) } else { sequential(settings, notes) }
}

fn sequential(settings: &Settings, notes: &mut Vec<String>) -> Result<Order, String> {
    let Suffix::Skip(skip) = settings.access.rw.suffix else { return Ok(Order::Plain) };
    let block = i64::try_from(settings.blocks.least_bytes()).map_err(|_| "the block is too large".to_owned())?;
    let step = block.saturating_add(skip);
    match step {
        0 => Err("each I/O would go to the same block".into()),
        1.. if skip == 0 => Ok(Order::Plain),
        1.. if step < block => Err("a gap that goes back into the last block is not done".into()),
        1.. => Ok(Order::Strided { stride_bytes: step.unsigned_abs() }),
        _ if step.unsigned_abs() < block.unsigned_abs() => Err("a gap that goes back into the last block is not done".into()),
        _ => {
            notes.push("going backwards begins with the last block, where fio begins with the first and goes on from the end".into());
            Ok(Order::Descending { stride_bytes: step.unsigned_abs() })
        }
    }
}

fn random(settings: &Settings, notes: &mut Vec<String>) -> Result<Order, String> {
    let random = &settings.random;
    if let Suffix::Every(ios @ 2..) = settings.access.rw.suffix {
        if settings.access.sequencer == Sequencer::Identical {
            return Err("rw_sequencer=identical is not done".into());
        }
        return Ok(Order::Runs { ios });
    }
    let percent = random.random_percent.read;
    if percent < 100 {
        if random.random_percent.write != percent {
            notes.push(format!("percentage_random of reads, {percent} %, holds for all directions"));
        }
        return Ok(Order::PartlyRandom { random_percent: percent });
    }
    Ok(match &random.distribution.read {
        Distribution::Random if random.repeats => Order::Free,
        Distribution::Random => Order::Plain,
        Distribution::Zipf { center: Some(_), .. } | Distribution::Pareto { center: Some(_), .. } => {
            return Err("a distribution with a centre is not done".into());
        }
        Distribution::Zipf { theta, .. } => Order::Zipf { theta_milli: milli(*theta)? },
        Distribution::Pareto { power, .. } => Order::Pareto { h_milli: milli(*power)? },
        Distribution::Normal { center: Some(center), .. } if (center - 0.5).abs() > 1e-9 => {
            return Err("a distribution with a centre is not done".into());
        }
        Distribution::Normal { deviation, .. } => Order::Normal { deviation_milli: milli(deviation / 100.0)? },
        Distribution::Zoned(zones) => Order::Zoned { zones: zoned(zones)? },
        Distribution::ZonedAbs(zones) => Order::Zoned { zones: zoned_abs(zones)? },
    })
}

fn milli(value: f64) -> Result<u32, String> {
    let milli = (value * 1000.0).round();
    if (1.0..=9999.0).contains(&milli) { Ok(milli as u32) } else { Err(format!("{value} is outside 0.001 to 9.999")) }
}

/// Whole percents; what fio leaves of the target beyond the last zone belongs to a zone without I/O.
fn zoned(zones: &[FioZone]) -> Result<Vec<Zone>, String> {
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

/// Sizes as shares of all zones together.
fn zoned_abs(zones: &[ZoneAbs]) -> Result<Vec<Zone>, String> {
    let all: u64 = zones.iter().map(|zone| zone.bytes).sum();
    if all == 0 {
        return Err("zones of zoned_abs need sizes".into());
    }
    let share = |zone: &ZoneAbs| FioZone { access_percent: zone.access_percent, size_percent: zone.bytes as f64 * 100.0 / all as f64 };
    zoned(&zones.iter().map(share).collect::<Vec<_>>())
}
