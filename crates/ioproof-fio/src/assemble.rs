//! From what each clone measured to what fio's report shows: one line a clone or a group, and the totals of groups.

use super::results::{DirectionResult, GroupResult, GroupSide, JobResult, PriorityResult, Samples};
use super::samples::{SampleTimes, SliceAmount, rates};
use ioproof_core::record::{Direction, Interval, Round};
use ioproof_core::workload::Durability;

pub fn measured(frame: JobResult, round: &Round, durability: Durability, times: SampleTimes) -> JobResult {
    let runtime_ms = round.elapsed_ns.div_ceil(1_000_000);
    let wall_ns = round.workers.iter().map(|w| w.wall_ns).sum::<u64>().max(1) as f64;
    let share = |ns: u64| ns as f64 * 100.0 / wall_ns;
    let sum = |of: fn(&ioproof_core::record::WorkerUsage) -> u64| round.workers.iter().map(of).sum::<u64>();
    JobResult {
        error: round.errors.first.as_ref().map_or(0, |e| e.errno),
        errors_total: round.errors.total(),
        different_ios: round.check.as_ref().map_or(0, |check| check.bad_ios),
        runtime_ms,
        bandwidth: samples(round, times.bandwidth_ns, |i| i.read_bytes.saturating_add(i.write_bytes).saturating_add(i.trim_bytes)),
        iops: samples(round, times.ios_ns, |i| i.read_ios.saturating_add(i.write_ios).saturating_add(i.trim_ios)),
        read: side(&round.read, runtime_ms, (round, times), (|i| i.read_bytes, |i| i.read_ios)),
        write: side(&round.write, runtime_ms, (round, times), (|i| i.write_bytes, |i| i.write_ios)),
        trim: side(&round.trim, runtime_ms, (round, times), (|i| i.trim_bytes, |i| i.trim_ios)),
        sync: counted_syncs(round, durability),
        cpu_user_percent: share(sum(|w| w.cpu_user_ns)),
        cpu_system_percent: share(sum(|w| w.cpu_system_ns)),
        context_switches: sum(|w| w.voluntary_switches.saturating_add(w.involuntary_switches)),
        major_faults: sum(|w| w.major_faults),
        minor_faults: sum(|w| w.minor_faults),
        queue: round.queue.clone(),
        check: round.check.clone(),
        ..frame
    }
}

/// fio counts the syncs between writes, not the one at the end (`end_fsync`, `fsync_on_close`).
fn counted_syncs(round: &Round, durability: Durability) -> Direction {
    use Durability::{Dsync, None, Sync};
    match durability {
        None | Sync | Dsync => Direction::default(),
        _ => round.sync.clone(),
    }
}

type Amounts = (fn(&Interval) -> u64, fn(&Interval) -> u64);

fn side(io: &Direction, runtime_ms: u64, (round, times): (&Round, SampleTimes), (bytes, ios): Amounts) -> DirectionResult {
    if io.is_empty() {
        return DirectionResult::default();
    }
    DirectionResult {
        io: io.clone(),
        runtime_ms,
        bandwidth: samples(round, times.bandwidth_ns, bytes),
        iops: samples(round, times.ios_ns, ios),
        ..DirectionResult::default()
    }
}

fn samples(round: &Round, sample_ns: u64, amount: SliceAmount) -> Samples {
    Samples::from_rates(&rates(&round.intervals, sample_ns, amount))
}

/// One line for all clones of a group (`group_reporting`); the first gives name and options. `None` for no clone.
pub fn together(clones: &[JobResult]) -> Option<JobResult> {
    let (first, others) = clones.split_first()?;
    Some(others.iter().fold(first.clone(), beside))
}

fn beside(mut sum: JobResult, other: &JobResult) -> JobResult {
    let weighted = |a: f64, b: f64| {
        let (of_a, of_b) = (sum.runtime_ms as f64, other.runtime_ms as f64);
        if of_a + of_b > 0.0 { (a * of_a + b * of_b) / (of_a + of_b) } else { 0.0 }
    };
    sum.cpu_user_percent = weighted(sum.cpu_user_percent, other.cpu_user_percent);
    sum.cpu_system_percent = weighted(sum.cpu_system_percent, other.cpu_system_percent);
    for (mine, theirs) in [(&mut sum.read, &other.read), (&mut sum.write, &other.write), (&mut sum.trim, &other.trim)] {
        add_side(mine, theirs);
    }
    (sum.bandwidth, sum.iops) = (sum.bandwidth.beside(other.bandwidth), sum.iops.beside(other.iops));
    sum.clones = sum.clones.max(1).saturating_add(other.clones.max(1));
    sum.error = if sum.error == 0 { other.error } else { sum.error };
    sum.errors_total = sum.errors_total.saturating_add(other.errors_total);
    sum.different_ios = sum.different_ios.saturating_add(other.different_ios);
    sum.started_ms = sum.started_ms.min(other.started_ms);
    sum.runtime_ms = sum.runtime_ms.saturating_add(other.runtime_ms);
    sum.elapsed_s = sum.elapsed_s.max(other.elapsed_s);
    sum.sync.merge(&other.sync);
    sum.context_switches = sum.context_switches.saturating_add(other.context_switches);
    sum.major_faults = sum.major_faults.saturating_add(other.major_faults);
    sum.minor_faults = sum.minor_faults.saturating_add(other.minor_faults);
    sum.queue.merge(&other.queue);
    if let Some(theirs) = &other.check {
        sum.check.get_or_insert_default().merge(theirs);
    }
    sum
}

fn add_side(mine: &mut DirectionResult, theirs: &DirectionResult) {
    mine.io.merge(&theirs.io);
    PriorityResult::merge(&mut mine.priorities, &theirs.priorities);
    mine.runtime_ms = mine.runtime_ms.max(theirs.runtime_ms);
    mine.short_ios = mine.short_ios.saturating_add(theirs.short_ios);
    mine.dropped_ios = mine.dropped_ios.saturating_add(theirs.dropped_ios);
    mine.bandwidth = mine.bandwidth.beside(theirs.bandwidth);
    mine.iops = mine.iops.beside(theirs.iops);
}

/// The totals of each group over its lines, which are clones or all clones of a group, in order of the groups' numbers; and each line's share of its group's
/// throughput is filled in.
pub fn groups(lines: &mut [JobResult]) -> Vec<GroupResult> {
    let mut numbers: Vec<u32> = lines.iter().map(|line| line.group).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let totals: Vec<GroupResult> = numbers.into_iter().map(|group| total(group, lines)).collect();
    for line in lines {
        let Some(total) = totals.iter().find(|total| total.group == line.group) else { continue };
        for (side, total) in [&mut line.read, &mut line.write, &mut line.trim].into_iter().zip(&total.sides) {
            let of_all = total.map_or(0.0, |total| total.total_bytes_per_s);
            side.bandwidth_share_percent = if of_all > 0.0 { (side.bandwidth.mean * 100.0 / of_all).min(100.0) } else { 0.0 };
        }
    }
    totals
}

fn total(group: u32, lines: &[JobResult]) -> GroupResult {
    let of = |side: fn(&JobResult) -> &DirectionResult| {
        let sides = lines.iter().filter(|line| line.group == group).map(side).filter(|side| !side.io.is_empty());
        sides.fold(None, |sum: Option<GroupSide>, side| Some(sum.map_or_else(|| alone(side), |sum| sum.and(alone(side)))))
    };
    GroupResult { group, sides: [of(|c| &c.read), of(|c| &c.write), of(|c| &c.trim)].map(|side| side.map(GroupSide::with_rate)) }
}

fn alone(side: &DirectionResult) -> GroupSide {
    let rate = per_second(side.io.bytes, side.runtime_ms);
    GroupSide {
        bytes: side.io.bytes,
        total_bytes_per_s: rate,
        min_bytes_per_s: rate,
        max_bytes_per_s: rate,
        min_runtime_ms: side.runtime_ms,
        max_runtime_ms: side.runtime_ms,
    }
}

fn per_second(bytes: u64, ms: u64) -> f64 {
    if ms == 0 { 0.0 } else { bytes as f64 * 1000.0 / ms as f64 }
}

impl GroupSide {
    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            total_bytes_per_s: 0.0,
            min_bytes_per_s: self.min_bytes_per_s.min(other.min_bytes_per_s),
            max_bytes_per_s: self.max_bytes_per_s.max(other.max_bytes_per_s),
            min_runtime_ms: self.min_runtime_ms.min(other.min_runtime_ms),
            max_runtime_ms: self.max_runtime_ms.max(other.max_runtime_ms),
        }
    }

    /// All bytes over the time of the job that took longest, as fio has it.
    fn with_rate(self) -> Self {
        Self { total_bytes_per_s: per_second(self.bytes, self.max_runtime_ms), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clone(group: u32, ios: u64, runtime_ms: u64) -> JobResult {
        let mut io = Direction { ios, bytes: ios * 4096, ..Direction::default() };
        (0..ios).for_each(|_| io.latency.record(1000));
        let read = DirectionResult { io, runtime_ms, bandwidth: Samples::from_rates(&[ios as f64]), ..DirectionResult::default() };
        JobResult { group, clones: 1, runtime_ms, read, cpu_user_percent: ios as f64 / 10.0, ..JobResult::default() }
    }

    #[test]
    fn clones_add_up() {
        let sum = together(&[clone(0, 100, 1000), clone(0, 300, 3000), clone(0, 0, 0)]).unwrap();
        assert_eq!((sum.clones, sum.read.io.ios, sum.read.io.latency.count()), (3, 400, 400));
        assert_eq!((sum.runtime_ms, sum.read.runtime_ms), (4000, 3000));
        assert_eq!(sum.read.bandwidth.mean, 400.0);
        assert!((sum.cpu_user_percent - 25.0).abs() < 1.0, "{}", sum.cpu_user_percent);
        assert!(together(&[]).is_none());
    }

    #[test]
    fn samples_of_all_directions_are_of_their_sum() {
        let slice = |n: u64, (read_ios, write_ios): (u64, u64)| Interval {
            end_ns: (n + 1) * 500_000_000,
            length_ns: 500_000_000,
            read_ios,
            read_bytes: read_ios * 4096,
            write_ios,
            write_bytes: write_ios * 4096,
            ..Interval::default()
        };
        let intervals = vec![slice(0, (10, 90)), slice(1, (60, 40)), slice(2, (40, 60))];
        let round = Round { intervals, elapsed_ns: 1_500_000_000, ..Round::default() };
        let job = measured(JobResult::default(), &round, Durability::None, SampleTimes::default());
        assert_eq!((job.iops.count, job.iops.min, job.iops.max, job.iops.mean), (3, 200.0, 200.0, 200.0), "each half a second has 100");
        assert_eq!(job.bandwidth.mean, 200.0 * 4096.0);
        let both = together(&[job.clone(), job]).unwrap();
        assert_eq!((both.iops.mean, both.bandwidth.min), (400.0, 400.0 * 4096.0));
    }

    #[test]
    fn a_group_has_the_rate_of_its_slowest() {
        let clones = [clone(0, 100, 1000), clone(0, 300, 2000), clone(1, 50, 1000)];
        let mut lines = clones.clone();
        let groups = groups(&mut lines);
        assert_eq!(groups.len(), 2);
        let read = groups[0].sides[0].unwrap();
        assert_eq!((read.bytes, read.min_runtime_ms, read.max_runtime_ms), (400 * 4096, 1000, 2000));
        assert_eq!((read.total_bytes_per_s, read.min_bytes_per_s, read.max_bytes_per_s), (819_200.0, 409_600.0, 614_400.0));
        let merged = super::groups(&mut [together(&clones[..2]).unwrap()])[0].sides[0].unwrap();
        assert_eq!([merged.min_bytes_per_s, merged.max_bytes_per_s, merged.total_bytes_per_s], [819_200.0; 3], "one line for all clones");
        assert!(groups[0].sides[1].is_none() && lines[0].read.bandwidth_share_percent > 0.0);
    }
}
