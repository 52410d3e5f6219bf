//! Where the time of an I/O is spent: at the drive, in a layer on the way, or above all devices that count.
//!
//! The kernel counts for every block device how long its requests took (`read_ticks`, `write_ticks`, Documentation/block/stat.rst). A device's requests take
//! what those of the devices below take and what it adds itself, so the largest step from one to the next names the place.

use crate::finding::{Evidence, Unit};
use crate::limited_by::Place;
use crate::measured::{Context, Measured};
use crate::record::{DeviceCounters, Part};
use crate::units::latency;
use std::collections::BTreeMap;

/// Least share of the latency that names a place.
const MOST_OF_IT: f64 = 0.5;
/// Longest latency at which a clock of milliseconds, by which the kernel counts, is too coarse. Nanoseconds.
const TOO_SHORT_NS: f64 = 20_000.0;
/// Share of the latency by which the devices may have counted more than it: their counters run on through ramp and drain.
const BEYOND: f64 = 0.1;

/// A device with the time that a request spends there and in all that lies below.
#[derive(Debug, Clone, PartialEq)]
struct At {
    name: String,
    is_drive: bool,
    wait_ns: f64,
}

/// A part of the time of an I/O, and where it passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spent {
    pub(crate) place: Place,
    /// The device, or the first one that is yet to come.
    device: String,
    /// Requests that the queue there takes, where it is shorter than the load's.
    short_queue: Option<u32>,
    /// The part. Nanoseconds.
    pub(crate) ns: f64,
}

impl Spent {
    pub(crate) fn evidence(&self) -> Evidence {
        let before = matches!(self.place, Place::Path | Place::RequestQueue);
        let name = format!("time of an I/O {} {}", if before { "before" } else { "at" }, self.device);
        figure(&name, self.ns)
    }
}

/// A time that is a difference of counters, and no figure where none is left: nothing takes 0 ns.
pub(crate) fn figure(name: &str, ns: f64) -> Evidence {
    if ns > 0.0 { Evidence::number(name, ns, Unit::Nanoseconds) } else { Evidence::text(name, "too little for the kernel's counters") }
}

/// The time of an I/O by where it passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeAt {
    mean_ns: f64,
    parts: Vec<Spent>,
    /// True where the devices counted no less than all of the latency.
    is_exceeded: bool,
}

impl TimeAt {
    /// The parts of a job's mean latency; none where counters do not tell: several jobs at a time, no devices, times too short for their clock, or others' I/O
    /// among the job's, so that a request took longer than an I/O.
    pub(crate) fn of(context: &Context, measured: &Measured) -> Option<Self> {
        let mean_ns = measured.merged_latency().mean_ns().filter(|mean| *mean >= TOO_SHORT_NS)?;
        let mut places = waits(measured)?;
        places.sort_by(|a, b| a.wait_ns.total_cmp(&b.wait_ns));
        let below = std::iter::once(0.0).chain(places.iter().map(|at| at.wait_ns));
        let steps = places.iter().zip(below).map(|(at, below)| Spent {
            place: if at.is_drive { Place::Drive } else { Place::Layer },
            device: at.name.clone(),
            short_queue: None,
            ns: at.wait_ns.min(mean_ns) - below.min(mean_ns),
        });
        let last = places.last().filter(|last| last.wait_ns <= (1.0 + BEYOND) * mean_ns)?;
        let is_exceeded = last.wait_ns >= mean_ns;
        let above = above(context, measured, &last.name, (mean_ns - last.wait_ns).max(0.0));
        Some(Self { mean_ns, parts: steps.chain([above]).collect(), is_exceeded })
    }

    /// The parts: the devices from the bottom up, and what passes before all of them.
    pub(crate) fn parts(&self) -> &[Spent] {
        &self.parts
    }

    /// Mean latency of an I/O. Nanoseconds.
    pub(crate) fn mean_ns(&self) -> f64 {
        self.mean_ns
    }

    /// True where the devices counted no less than all of the latency, so that nothing is known of what passes before them but that it is little.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// The part that is most of it; none where no part is.
    pub(crate) fn most(&self) -> Option<&Spent> {
        self.parts.iter().max_by(|a, b| a.ns.total_cmp(&b.ns)).filter(|most| most.ns >= MOST_OF_IT * self.mean_ns)
    }

    pub(crate) fn evidence(&self) -> impl Iterator<Item = Evidence> {
        self.parts.iter().map(Spent::evidence)
    }

    /// The part that is most of it, in words.
    pub(crate) fn describe(&self) -> Option<String> {
        let Spent { place, device, short_queue, ns } = self.most()?;
        let share = format!("{} of the {} of an I/O", latency(*ns), latency(self.mean_ns));
        Some(match (place, short_queue) {
            (Place::Drive, _) => format!("{device} itself: it takes {share}"),
            (Place::Layer, _) => format!("{device}, a layer above the drive: it adds {share}"),
            (_, Some(requests)) => {
                format!("the request queue of {device}: it takes {requests} (nr_requests), and {share} pass before it")
            }
            _ => format!("the way to {device} (filesystem, kernel, limits of control groups): {share} pass before it"),
        })
    }
}

/// The time before any device: a queue that is shorter than the load's, or the filesystem and the kernel.
fn above(context: &Context, measured: &Measured, first: &str, ns: f64) -> Spent {
    let outstanding = measured.workload().outstanding();
    let short = context.record.drives_of(measured.job).into_iter().find_map(|drive| {
        let requests = drive.nr_requests.as_ref()?.value;
        (requests < outstanding).then(|| (drive.name.clone(), requests))
    });
    match short {
        Some((device, requests)) => Spent { place: Place::RequestQueue, device, short_queue: Some(requests), ns },
        None => Spent { place: Place::Path, device: first.to_owned(), short_queue: None, ns },
    }
}

/// Mean time of the requests of each device in the direction of the job, over stages in which it was alone: the writes of a journal are none of its reads.
fn waits(measured: &Measured) -> Option<Vec<At>> {
    let mut sums: BTreeMap<&str, DeviceCounters> = BTreeMap::new();
    for device in measured.rounds.iter().filter(|part| part.stage.rounds.len() == 1).flat_map(devices) {
        sums.entry(&device.name).or_insert_with(|| DeviceCounters { is_drive: device.is_drive, ..DeviceCounters::default() }).add(device);
    }
    let reads = measured.rounds.iter().any(|part| part.read.ios > 0);
    let writes = !reads || measured.rounds.iter().any(|part| part.write.ios > 0);
    let counted = |is_own: bool, n: u64| if is_own { n } else { 0 };
    let at = |(name, sum): (&str, DeviceCounters)| {
        let ios = counted(reads, sum.read_ios).saturating_add(counted(writes, sum.write_ios));
        let waited_ns = counted(reads, sum.read_wait_ns).saturating_add(counted(writes, sum.write_wait_ns));
        let wait_ns = waited_ns as f64 / ios.max(1) as f64;
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
    use crate::testing::record;

    /// Reads at random of 1.28 ms, beside which the devices counted this.
    fn said_of(counters: impl Fn(u64) -> Vec<DeviceCounters>, nr_requests: Option<u32>) -> Option<String> {
        let mut record = record();
        record.targets[0].drives[0].nr_requests = nr_requests.map(|n| Fact::new(n, "test"));
        record.stages.iter_mut().for_each(|stage| stage.devices = Some(counters(stage.rounds[0].read.ios)));
        let context = Context::new(&record);
        TimeAt::of(&context, &context.measured[record.job_of("rand-read-4k-4x32")])?.describe()
    }

    fn counted(name: &str, ios: u64, us: u64) -> DeviceCounters {
        let is_drive = name == "nvme0n1";
        DeviceCounters { name: name.into(), is_drive, read_ios: ios, read_wait_ns: ios * us * 1000, ..DeviceCounters::default() }
    }

    /// The same, where each device has its requests for so long.
    fn said(waits_us: &[(&str, u64)], nr_requests: Option<u32>) -> Option<String> {
        said_of(|ios| waits_us.iter().map(|(name, us)| counted(name, ios, *us)).collect(), nr_requests)
    }

    #[test]
    fn the_largest_step_names_the_place() {
        assert_eq!(said(&[("nvme0n1", 1200)], None).unwrap(), "nvme0n1 itself: it takes 1.2 ms of the 1.28 ms of an I/O");
        let layered = said(&[("nvme0n1", 100), ("dm-0", 1200)], None).unwrap();
        assert!(layered.starts_with("dm-0, a layer above the drive: it adds 1.1 ms of the 1.28 ms"), "{layered}");
        assert!(said(&[("nvme0n1", 100), ("dm-0", 120)], None).unwrap().starts_with("the way to dm-0 (filesystem"));
        assert!(said(&[("nvme0n1", 30)], Some(4)).unwrap().starts_with("the request queue of nvme0n1: it takes 4 (nr_requests)"));
    }

    #[test]
    fn where_no_place_holds_most_or_nobody_counts_nothing_is_said() {
        assert_eq!(said(&[("nvme0n1", 400), ("dm-0", 800)], None), None);
        assert_eq!(said(&[], None), None);
        assert_eq!(said(&[("nvme0n1", 0)], None), None, "a kernel that does not keep times");
        assert_eq!(said(&[("nvme0n1", 1500)], None), None, "a request that takes longer than an I/O is somebody else's");
    }

    #[test]
    fn nothing_takes_no_time() {
        assert_eq!(figure("time before", 1.0).describe(), "1 ns");
        assert!(figure("time before", 0.0).describe().ends_with("too little for the kernel's counters"));
        assert!(said(&[("nvme0n1", 1290)], None).unwrap().starts_with("nvme0n1 itself"));
    }

    #[test]
    fn the_writes_of_a_journal_are_no_part_of_a_read() {
        let with_journal = |ios| vec![DeviceCounters { write_ios: ios, write_wait_ns: ios * 9_000_000, ..counted("nvme0n1", ios, 1200) }];
        assert_eq!(said_of(with_journal, None).unwrap(), "nvme0n1 itself: it takes 1.2 ms of the 1.28 ms of an I/O");
    }
}
