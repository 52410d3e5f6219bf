//! Rate and latency over the run, a stretch for each workload: neighbours that measured different things are no one curve.

use super::series::ChartSeries;

/// More stretches than this are not kept; the oldest go.
const MOST: usize = 128;

/// Columns of a stretch beside others, so that its name has room.
const LEAST: usize = 9;

/// A time in which one workload was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrackStretch {
    pub name: String,
    /// I/Os per second.
    pub iops: ChartSeries,
    /// 99th percentile of the latency; 0 where too few samples lay beyond. Nanoseconds.
    pub p99_ns: ChartSeries,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Track {
    stretches: Vec<TrackStretch>,
    /// Number of stretches that are no longer kept.
    gone: usize,
}

impl Track {
    /// Begins a stretch of this workload; one that goes on is the same stretch.
    pub fn begin(&mut self, name: &str) {
        self.stretches.retain(|stretch| !stretch.iops.is_empty());
        if self.stretches.last().is_some_and(|last| last.name == name) {
            return;
        }
        if self.stretches.len() >= MOST {
            self.stretches.remove(0);
            self.gone += 1;
        }
        self.stretches.push(TrackStretch { name: name.to_owned(), ..TrackStretch::default() });
    }

    /// Adds the figures of a moment.
    pub fn push(&mut self, iops: f64, p99_ns: Option<u64>) {
        if self.stretches.is_empty() {
            self.begin("");
        }
        let Some(last) = self.stretches.last_mut() else { return };
        last.iops.push(iops);
        last.p99_ns.push(p99_ns.map_or(0.0, |ns| ns as f64));
    }

    /// The newest stretches that have room in so many columns with one between each two, and the columns of each: all at the same pace.
    pub fn within(&self, width: usize) -> Vec<(&TrackStretch, usize)> {
        let all: Vec<&TrackStretch> = self.stretches.iter().filter(|stretch| !stretch.iops.is_empty()).collect();
        let shown = all[all.len().saturating_sub(((width + 1) / (LEAST + 1)).max(1))..].to_vec();
        let least = if shown.len() > 1 { LEAST } else { 1 };
        let room = width.saturating_sub(shown.len().saturating_sub(1)).max(1);
        let columns = |each: usize| -> Vec<usize> { shown.iter().map(|one| one.iops.moments().div_ceil(each).max(least)).collect() };
        let longest = shown.iter().map(|one| one.iops.moments()).max().unwrap_or(1).max(1);
        let each = (1..=longest).find(|each| columns(*each).iter().sum::<usize>() <= room).unwrap_or(longest);
        let columns = columns(each);
        shown.into_iter().zip(columns).collect()
    }

    /// True where some stretches have no room in so many columns.
    pub fn is_cut(&self, width: usize) -> bool {
        let all = self.stretches.iter().filter(|stretch| !stretch.iops.is_empty()).count();
        self.gone > 0 || self.within(width).len() < all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(stretches: &[(&str, usize)]) -> Track {
        let mut track = Track::default();
        for (name, moments) in stretches {
            track.begin(name);
            (0..*moments).for_each(|_| track.push(1.0, None));
        }
        track
    }

    fn columns(track: &Track, width: usize) -> Vec<(&str, usize)> {
        track.within(width).into_iter().map(|(stretch, columns)| (stretch.name.as_str(), columns)).collect()
    }

    #[test]
    fn a_workload_that_goes_on_is_one_stretch_and_one_that_measured_nothing_is_none() {
        let track = track(&[("a", 20), ("a", 20), ("b", 0), ("c", 12)]);
        assert_eq!(columns(&track, 80), [("a", 40), ("c", 12)]);
        assert!(!track.is_cut(80));
    }

    #[test]
    fn stretches_have_the_same_pace_and_room_for_their_names() {
        let track = track(&[("a", 100), ("b", 50), ("c", 1)]);
        let shown = columns(&track, 80);
        assert_eq!(shown, [("a", 34), ("b", 17), ("c", LEAST)], "three moments a column");
        assert!(shown.iter().map(|(_, columns)| columns + 1).sum::<usize>() <= 81);
    }

    #[test]
    fn where_there_is_no_room_for_all_the_newest_are_shown() {
        let names: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let all: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 4)).collect();
        let track = track(&all);
        assert_eq!(columns(&track, 30), [("297", 9), ("298", 9), ("299", 9)]);
        assert!(track.is_cut(30) && track.stretches.len() == MOST);
        assert_eq!(columns(&track, 0).len(), 1);
    }
}
