//! Zones of a part, one after the other: some bytes of I/O in each, then the next, and after the last the first again.

use super::part::Part;
use crate::random::Draws;

/// The sequence of offsets of I/O in zones.
#[derive(Debug, Clone)]
pub(crate) struct InZones {
    whole: Part,
    /// The zone at hand; the last one may be cut off by the end of the part.
    zone: Part,
    /// From the start of a zone to that of the next. Bytes.
    step: u64,
    range: u64,
    /// Bytes of I/O before the next zone, and of those in this one so far.
    io_bytes: u64,
    done: u64,
    /// Offset of the next sequential I/O.
    next: u64,
    /// Draws the places within a zone, where they do not follow each other.
    random: Option<Draws>,
}

impl InZones {
    /// Zones of `range` bytes with `skip` bytes between them.
    pub(super) fn new(whole: Part, (range, skip): (u64, u64), io_bytes: u64, random: Option<Draws>) -> Self {
        let zone = Part { units: whole.units.min(range / whole.unit), ..whole };
        let step = range.saturating_add(skip).max(whole.unit);
        Self { whole, zone, step, range, io_bytes, done: 0, next: whole.start, random }
    }

    /// An I/O never crosses the end of its zone: sequential ones go on at its start, but from the end of the part in the first zone.
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        if self.done >= self.io_bytes || self.is_cut_off() && self.next + u64::from(bytes) > self.zone.end() {
            self.advance();
        }
        if self.is_cut_off() && (self.random.is_some() || self.zone.places(bytes) == 0) {
            // Random I/O passes over a zone that is not whole.
            self.advance();
        }
        let offset = match &mut self.random {
            Some(random) => self.zone.at(random.below(self.zone.places(bytes)), bytes)?,
            None if self.next + u64::from(bytes) <= self.zone.end() => self.next,
            None => self.zone.at(0, bytes)?,
        };
        self.next = offset + u64::from(bytes);
        self.done += u64::from(bytes);
        Some(offset)
    }

    /// True in the last zone, where the part ends within it.
    fn is_cut_off(&self) -> bool {
        self.zone.start > self.whole.start && self.zone.units < self.range / self.whole.unit
    }

    fn advance(&mut self) {
        let end = self.whole.end();
        let start = Some(self.zone.start.saturating_add(self.step)).filter(|start| *start < end).unwrap_or(self.whole.start);
        self.zone = Part { start, units: (end - start).min(self.range) / self.whole.unit, ..self.whole };
        (self.done, self.next) = (0, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    /// Blocks of 4 KiB that are visited; all figures in KiB.
    fn take(whole: u64, range: u64, io: u64, skip: u64, n: usize) -> Vec<f64> {
        let part = Part { start: 8192, unit: 4096, units: whole / 4 };
        let mut zones = InZones::new(part, (range * KIB, skip * KIB), io * KIB, None);
        (0..n).map_while(|_| zones.next(4096)).map(|offset| (offset - 8192) as f64 / 4096.0).collect()
    }

    // What fio 3.33 logged for rw=read with zonemode=strided.
    #[test]
    fn sequential_zones_as_fio_does_them() {
        assert_eq!(take(256, 32, 16, 32, 10), [0.0, 1.0, 2.0, 3.0, 16.0, 17.0, 18.0, 19.0, 32.0, 33.0]);
        assert_eq!(take(72, 32, 16, 32, 8), [0.0, 1.0, 2.0, 3.0, 16.0, 17.0, 0.0, 1.0], "the last zone is cut off");
        assert_eq!(take(256, 32, 40, 32, 12), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 16.0, 17.0]);
        assert_eq!(take(256, 32, 10, 32, 5), [0.0, 1.0, 2.0, 16.0, 17.0], "what is begun is done");
        assert_eq!(take(64, 128, 16, 0, 6), [0.0, 1.0, 2.0, 3.0, 0.0, 1.0], "one zone, larger than the part");
        assert_eq!(take(128, 32, 16, 1, 6), [0.0, 1.0, 2.0, 3.0, 8.25, 9.25]);
    }

    #[test]
    fn random_places_stay_in_their_zones() {
        let part = Part { start: 8192, unit: 4096, units: 64 };
        let mut zones = InZones::new(part, (32 * KIB, 32 * KIB), 16 * KIB, Some(Draws::new(5)));
        let blocks: Vec<u64> = (0..800).map_while(|_| zones.next(4096)).map(|offset| offset / 4096 - 2).collect();
        assert_eq!(blocks.len(), 800);
        for (visit, four) in blocks.chunks(4).enumerate() {
            let first = visit as u64 % 4 * 16;
            assert!(four.iter().all(|block| (first..first + 8).contains(block)), "{visit}: {four:?}");
        }
        assert!((0..8).all(|block| blocks.contains(&block)));
        let mut cut = InZones::new(Part { units: 18, ..part }, (32 * KIB, 32 * KIB), 16 * KIB, Some(Draws::new(5)));
        assert!((0..100).all(|_| cut.next(4096).is_some_and(|offset| offset < 8192 + 32 * KIB)));
    }

    #[test]
    fn what_fits_nowhere_is_not_placed() {
        let part = Part { start: 0, unit: 4096, units: 64 };
        assert_eq!(InZones::new(part, (8192, 0), 8192, None).next(16384), None);
        assert_eq!(InZones::new(part, (8192, 0), 8192, Some(Draws::new(1))).next(16384), None);
    }
}
