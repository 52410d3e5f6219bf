//! The truth about served drives, measured by fio: what a drive was told to do beside what it does.

use super::served::behaviour::Behaviour;
use super::{scene::Scene, trial};
use crate::bench::fio;
use crate::bench::program::number;
use crate::causes::cause::{CAUSE, Cause, Place};
use crate::debian::{self, Package};
use anyhow::{Result, bail};
use std::path::Path;

const FIO: Package = Package { name: "fio", provides: "fio", why: "to measure what served drives really do" };

/// Seconds that each is measured for.
const SECONDS: u32 = 4;

/// Drives with the depth at which they are measured.
const DRIVES: [(Behaviour, u32); 6] = [
    (Behaviour::new(1, 4000), 1),
    (Behaviour::new(4, 2000), 4),
    (Behaviour::new(12, 3000), 12),
    (Behaviour::new(12, 3000), 48),
    (Behaviour::new(48, 3000), 4),
    (Behaviour { tail: Some((20, 100)), ..Behaviour::new(12, 3000) }, 12),
];

/// Prints a table, a line a drive.
pub fn print(folder: &Path) -> Result<()> {
    if !debian::ensure(&[&FIO])?.is_empty() {
        bail!("fio is not there");
    }
    println!(
        "| slots | service ms | depth | told IOPS | fio IOPS | ratio | fio mean ms |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for (number, (behaviour, depth)) in DRIVES.iter().enumerate() {
        println!("{}", line(*behaviour, *depth, &folder.join(format!("truth-{number}")))?);
    }
    Ok(())
}

fn line(behaviour: Behaviour, depth: u32, folder: &Path) -> Result<String> {
    let cause = Cause { place: Place::Served { behaviour, filled: true }, ..CAUSE };
    if let Some(reason) = trial::obstacle(&cause) {
        bail!("{reason}");
    }
    let scene = Scene::make(&cause, folder)?;
    let flags = ["--size=256m", "--direct=1", "--ioengine=io_uring", &format!("--iodepth={depth}")];
    let job = fio::job(&scene.target, "randread", SECONDS, &flags)?;
    let (iops, mean_ns) = (number(&job["read"]["iops"])?, number(&job["read"]["lat_ns"]["mean"])?);
    let told = told_iops(behaviour, depth);
    let (slots, service_ms) = (behaviour.slots, behaviour.service_us as f64 / 1000.0);
    Ok(format!("| {slots} | {service_ms} | {depth} | {told:.0} | {iops:.0} | {:.2} | {:.2} |", iops / told, mean_ns / 1e6))
}

/// Slots that are in use over the mean time in a slot.
fn told_iops(behaviour: Behaviour, depth: u32) -> f64 {
    let (of_1000, ms) = behaviour.tail.unwrap_or((0, 0));
    let share = of_1000 as f64 / 1000.0;
    let mean_s = share * ms as f64 / 1000.0 + (1.0 - share) * behaviour.service_us as f64 / 1e6;
    behaviour.slots.min(depth as usize) as f64 / mean_s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_or_depth_and_the_mean_time_say_what_is_told() {
        let told = |slots, depth| told_iops(Behaviour::new(slots, 3000), depth).round();
        assert_eq!((told(12, 48), told(48, 12)), (4000.0, 4000.0));
        assert_eq!(told_iops(Behaviour { tail: Some((20, 103)), ..Behaviour::new(10, 3000) }, 10).round(), 2000.0);
    }
}
