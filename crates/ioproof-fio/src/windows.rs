//! Averages over the windows of a log (`log_avg_msec`), put together from the slices of a run.

use ioproof_core::record::{Interval, SliceLatency};

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Window {
    /// End of the window since the measurement began. Milliseconds.
    pub end_ms: u64,
    pub length_ns: u64,
    pub ios: u64,
    pub bytes: u64,
    pub latency_mean_ns: u64,
    pub latency_max_ns: u64,
    /// Mean time until the kernel had accepted the I/O; 0 where that was not timed. Nanoseconds.
    pub submission_mean_ns: u64,
}

pub type SlicePart = fn(&Interval) -> (u64, u64, Option<&SliceLatency>);

pub fn reads(slice: &Interval) -> (u64, u64, Option<&SliceLatency>) {
    (slice.read_ios, slice.read_bytes, slice.read_latency.as_ref())
}

pub fn writes(slice: &Interval) -> (u64, u64, Option<&SliceLatency>) {
    (slice.write_ios, slice.write_bytes, slice.write_latency.as_ref())
}

pub fn trims(slice: &Interval) -> (u64, u64, Option<&SliceLatency>) {
    (slice.trim_ios, slice.trim_bytes, slice.trim_latency.as_ref())
}

/// Share of a window that is a line of its own at the end; less of it belongs to the window before.
const LEAST_PART: u64 = 10;

/// The windows of one direction. They end with the slices next to the multiples of `window_ns`, so that late slices do not add up; those without I/O are left
/// out.
pub fn windows(slices: &[Interval], window_ns: u64, part: SlicePart) -> Vec<Window> {
    let window_ns = window_ns.max(1);
    let mut closed: Vec<OpenWindow> = Vec::new();
    let mut open = OpenWindow::default();
    let mut due_ns = window_ns;
    for slice in slices {
        open.join(&OpenWindow::from_slice(slice, part(slice)));
        let reached_ns = slice.end_ns.saturating_add(slice.length_ns.min(window_ns) / 2);
        if reached_ns >= due_ns {
            closed.push(std::mem::take(&mut open));
            due_ns = (reached_ns / window_ns).saturating_add(1).saturating_mul(window_ns);
        }
    }
    match closed.last_mut() {
        Some(last) if open.length_ns < window_ns / LEAST_PART => last.join(&open),
        _ => closed.push(open),
    }
    closed.into_iter().filter_map(OpenWindow::close).collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct OpenWindow {
    end_ns: u64,
    length_ns: u64,
    ios: u64,
    bytes: u64,
    latency_sum: u128,
    submission_sum: u128,
    max_ns: u64,
}

impl OpenWindow {
    fn from_slice(slice: &Interval, (ios, bytes, latency): (u64, u64, Option<&SliceLatency>)) -> Self {
        let none = SliceLatency::default();
        let latency = latency.unwrap_or(&none);
        let sum = |mean: u64| u128::from(mean) * u128::from(ios);
        Self {
            end_ns: slice.end_ns,
            length_ns: slice.length_ns,
            ios,
            bytes,
            latency_sum: sum(latency.mean_ns),
            submission_sum: sum(latency.submission_mean_ns.unwrap_or(0)),
            max_ns: latency.max_ns.unwrap_or(latency.mean_ns),
        }
    }

    fn join(&mut self, next: &Self) {
        self.end_ns = self.end_ns.max(next.end_ns);
        self.length_ns = self.length_ns.saturating_add(next.length_ns);
        self.ios = self.ios.saturating_add(next.ios);
        self.bytes = self.bytes.saturating_add(next.bytes);
        self.latency_sum = self.latency_sum.saturating_add(next.latency_sum);
        self.submission_sum = self.submission_sum.saturating_add(next.submission_sum);
        self.max_ns = self.max_ns.max(next.max_ns);
    }

    fn close(self) -> Option<Window> {
        let Self { end_ns, length_ns, ios, bytes, latency_sum, submission_sum, max_ns } = self;
        let mean = |sum: u128| u64::try_from(sum / u128::from(ios.max(1))).unwrap_or(u64::MAX);
        (ios > 0).then(|| Window {
            end_ms: end_ns / 1_000_000,
            length_ns,
            ios,
            bytes,
            latency_mean_ns: mean(latency_sum),
            latency_max_ns: max_ns,
            submission_mean_ns: mean(submission_sum),
        })
    }
}

impl Window {
    pub fn iops(&self) -> u64 {
        per_second(self.ios, self.length_ns)
    }

    pub fn kib_per_s(&self) -> u64 {
        per_second(self.bytes, self.length_ns) / 1024
    }
}

fn per_second(amount: u64, length_ns: u64) -> u64 {
    u64::try_from(u128::from(amount) * 1_000_000_000 / u128::from(length_ns.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(n: u64, ios: u64, mean_ns: u64) -> Interval {
        let latency =
            SliceLatency { mean_ns, submission_mean_ns: Some(mean_ns / 10), max_ns: Some(mean_ns * 2), ..SliceLatency::default() };
        let length_ns = 100_000_000;
        Interval {
            end_ns: (n + 1) * length_ns,
            length_ns,
            read_ios: ios,
            read_bytes: ios * 4096,
            read_latency: Some(latency),
            ..Interval::default()
        }
    }

    #[test]
    fn slices_are_weighed_by_their_ios() {
        let slices = [slice(0, 10, 1000), slice(1, 30, 2000), slice(2, 0, 0), slice(3, 5, 400)];
        let all = windows(&slices, 200_000_000, reads);
        assert_eq!(all.len(), 2);
        let Window { end_ms, ios, latency_mean_ns, latency_max_ns, submission_mean_ns, .. } = all[0];
        assert_eq!((end_ms, ios, latency_mean_ns, latency_max_ns, submission_mean_ns), (200, 40, 1750, 4000, 175));
        assert_eq!((all[0].iops(), all[0].kib_per_s(), all[1].ios), (200, 800, 5));
        assert!(windows(&slices, 200_000_000, writes).is_empty());
    }

    #[test]
    fn a_late_slice_does_not_move_the_windows_after_it() {
        let late =
            |end_ms: u64, length_ms: u64| Interval { end_ns: end_ms * 1_000_000, length_ns: length_ms * 1_000_000, ..slice(0, 10, 1000) };
        let ends = |slices: &[Interval]| windows(slices, 200_000_000, reads).iter().map(|window| window.end_ms).collect::<Vec<_>>();
        let slices = [late(100, 100), late(240, 140), late(300, 60), late(390, 90), late(500, 110), late(600, 100), late(640, 40)];
        assert_eq!(ends(&slices), [240, 390, 600, 640]);
        assert_eq!(ends(&[&slices[..6], &[late(615, 15)]].concat()), [240, 390, 615], "too little for a line of its own");
        assert_eq!(ends(&[late(15, 15)]), [15]);
    }
}
