//! Where the time of an I/O is spent: at the drive, in a layer on the way, or above all devices that count.
//!
//! The kernel counts for every block device how long its requests took (`read_ticks`, `write_ticks`, Documentation/block/stat.rst). A device's requests take
//! what those of the devices below take and what it adds itself, so the largest step from one to the next names the place.

use super::{Context, Measured};
use crate::record::{DeviceCounters, Part};
use crate::units::latency;
use std::collections::BTreeMap;

/// Least share of the latency that names a place.
const MOST_OF_IT: f64 = 0.5;
/// Longest latency at which a clock of milliseconds, by which the kernel counts, is too coarse. Nanoseconds.
const TOO_SHORT_NS: f64 = 20_000.0;

/// A device with the time that a request spends there and in all that lies below.
#[derive(Debug, Clone, PartialEq)]
struct At {
    name: String,
    is_drive: bool,
    wait_ns: f64,
}

/// The place that holds most of the time of an I/O, in words; none where counters do not tell: several jobs at a time, no devices, or no place holds most.
pub(super) fn most_of_it(context: &Context, measured: &Measured, mean_ns: f64) -> Option<String> {
    if mean_ns < TOO_SHORT_NS {
        return None;
    }
    let mut places = waits(measured)?;
    places.sort_by(|a, b| a.wait_ns.total_cmp(&b.wait_ns));
    let below = std::iter::once(0.0).chain(places.iter().map(|at| at.wait_ns));
    let steps = places.iter().zip(below).map(|(at, below)| (at, at.wait_ns.min(mean_ns) - below.min(mean_ns)));
    let (at, added_ns) = steps.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let above_ns = mean_ns - places.last()?.wait_ns;
    let of = |ns: f64| format!("{} of the {} of an I/O", latency(ns), latency(mean_ns));
    match () {
        () if above_ns >= MOST_OF_IT * mean_ns => Some(above(context, measured, &places, &of(above_ns))),
        () if added_ns < MOST_OF_IT * mean_ns => None,
        () if at.is_drive => Some(format!("{} itself: it takes {}", at.name, of(added_ns))),
        () => Some(format!("{}, a layer above the drive: it adds {}", at.name, of(added_ns))),
    }
}

/// The time before any device: a queue that is shorter than the load's, or the filesystem and the kernel.
fn above(context: &Context, measured: &Measured, places: &[At], share: &str) -> String {
    let outstanding = u64::from(measured.workload().outstanding());
    let short = context.record.drives_of(measured.job).into_iter().find_map(|drive| {
        let requests = drive.nr_requests.as_ref()?.value;
        (u64::from(requests) < outstanding)
            .then(|| format!("the request queue of {}: it takes {requests} (nr_requests), and {share} pass before it", drive.name))
    });
    let first = places.last().map_or("the drive", |at| at.name.as_str());
    short.unwrap_or_else(|| format!("the way to {first} (filesystem, kernel, limits of control groups): {share} pass before it"))
}

/// Mean time of the requests of each device, over stages in which the job was alone.
fn waits(measured: &Measured) -> Option<Vec<At>> {
    let mut sums: BTreeMap<&str, DeviceCounters> = BTreeMap::new();
    for device in measured.rounds.iter().filter(|part| part.stage.rounds.len() == 1).flat_map(devices) {
        sums.entry(&device.name).or_insert_with(|| DeviceCounters { is_drive: device.is_drive, ..DeviceCounters::default() }).add(device);
    }
    let at = |(name, sum): (&str, DeviceCounters)| {
        let ios = sum.read_ios.saturating_add(sum.write_ios);
        let wait_ns = sum.read_wait_ns.saturating_add(sum.write_wait_ns) as f64 / ios.max(1) as f64;
        (ios > 0 && wait_ns > 0.0).then(|| At { name: name.to_owned(), is_drive: sum.is_drive, wait_ns })
    };
    Some(sums.into_iter().filter_map(at).collect::<Vec<_>>()).filter(|places| !places.is_empty())
}

fn devices<'a>(part: &Part<'a>) -> impl Iterator<Item = &'a DeviceCounters> {
    part.stage.devices.iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Fact;
    use crate::record::RunRecord;
    use crate::testing::record;

    /// Reads at random of 1.28 ms, in which each device has its requests for so long.
    fn said(waits_us: &[(&str, u64)], nr_requests: Option<u32>) -> Option<String> {
        let mut record: RunRecord = record();
        record.targets[0].drives[0].nr_requests = nr_requests.map(|n| Fact::new(n, "test"));
        for stage in &mut record.stages {
            let ios = stage.rounds[0].read.ios;
            let counted = |(name, us): &(&str, u64)| DeviceCounters {
                name: (*name).into(),
                is_drive: *name == "nvme0n1",
                read_ios: ios,
                read_wait_ns: ios * us * 1000,
                ..DeviceCounters::default()
            };
            stage.devices = Some(waits_us.iter().map(counted).collect());
        }
        let context = Context::new(&record);
        let queued = context.measured.iter().find(|m| m.workload().id() == "rand-read-4k-4x32").unwrap();
        most_of_it(&context, queued, queued.merged_latency().mean_ns().unwrap())
    }

    #[test]
    fn the_largest_step_names_the_place() {
        assert_eq!(said(&[("nvme0n1", 1200)], None).unwrap(), "nvme0n1 itself: it takes 1.2 ms of the 1.28 ms of an I/O");
        assert!(
            said(&[("nvme0n1", 100), ("dm-0", 1200)], None)
                .unwrap()
                .starts_with("dm-0, a layer above the drive: it adds 1.1 ms of the 1.28 ms")
        );
        assert!(said(&[("nvme0n1", 100), ("dm-0", 120)], None).unwrap().starts_with("the way to dm-0 (filesystem"));
        assert!(said(&[("nvme0n1", 30)], Some(4)).unwrap().starts_with("the request queue of nvme0n1: it takes 4 (nr_requests)"));
    }

    #[test]
    fn where_no_place_holds_most_or_nobody_counts_nothing_is_said() {
        assert_eq!(said(&[("nvme0n1", 400), ("dm-0", 800)], None), None);
        assert_eq!(said(&[], None), None);
        assert_eq!(said(&[("nvme0n1", 0)], None), None, "a kernel that does not keep times");
    }
}
