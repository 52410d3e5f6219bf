//! Zones that are written from their start on: a write goes to the write pointer of the zone that it was drawn for, and a full zone begins again.
//!
//! The zones are those of the sequence alone, on a file or a drive without any; nothing is asked of the drive.

use super::part::Part;
use super::{Offsets, sizes_differ};
use crate::random::Draws;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::WrittenZones;
use std::collections::TryReserveError;

/// Most zones of a worker: 8 MiB of write pointers.
pub(super) const MOST_ZONES: u64 = 1 << 20;

const MILLION: u128 = 1_000_000;

/// The sequence of offsets of I/O in such zones.
#[derive(Debug, Clone)]
pub(crate) struct WritePointers {
    part: Part,
    zones: WrittenZones,
    /// Draws the zones; `None` where they follow each other.
    places: Option<Offsets>,
    /// Offset that comes next where they follow each other.
    next: u64,
    /// Bytes from the start of each zone to its write pointer.
    written: Vec<u64>,
    /// Zones that were begun and are not full, where they are limited.
    open: Vec<u32>,
    /// Bytes behind all write pointers, and those above which zones are reset.
    data: u64,
    most_data: u64,
    writes: u64,
}

impl WritePointers {
    /// Zones of `part`, all of them empty.
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub(super) fn new(part: Part, zones: WrittenZones, places: Option<Offsets>, largest_bytes: u32) -> Result<Self, TryReserveError> {
        let count = zone_count(part, zones.zone_bytes, largest_bytes);
        let mut written = Vec::new();
        written.try_reserve_exact(count as usize)?;
        written.resize(count as usize, 0);
        let all = u128::from(part.units) * u128::from(part.unit);
        let most_data = (all * u128::from(zones.reset_above_ppm) / MILLION) as u64;
        Ok(Self { part, zones, places, next: part.start, written, open: Vec::new(), data: 0, most_data, writes: 0 })
    }

    /// Offset and bytes of an I/O. A write is cut to what is left of its zone, where a smaller one fits. A read goes where something was written, and anywhere
    /// until then.
    pub(super) fn place(&mut self, bytes: u32, is_read: bool) -> Option<(u64, u32)> {
        let drawn = match &mut self.places {
            Some(places) => places.next(bytes)?,
            None => self.next,
        };
        Some(if is_read { (self.read(drawn, bytes.into()), bytes) } else { self.write(self.zone_of(drawn), bytes) })
    }

    fn write(&mut self, drawn: usize, bytes: u32) -> (u64, u32) {
        let zone = self.may_open(drawn);
        self.writes += 1;
        let every = u64::from(self.zones.reset_every);
        let is_due = every > 0 && self.writes.is_multiple_of(every) && self.data >= self.most_data;
        let mut fits = self.fitting(zone, bytes);
        if is_due || fits == 0 {
            self.data -= std::mem::take(&mut self.written[zone]);
            fits = self.fitting(zone, bytes);
        }
        let offset = self.start(zone) + self.written[zone];
        self.written[zone] += u64::from(fits);
        self.data += u64::from(fits);
        let is_full = self.left(zone) == 0;
        self.note_open(zone, is_full);
        let behind = if is_full { self.start(zone) + self.zones.zone_bytes + self.zones.skip_bytes } else { offset + u64::from(fits) };
        self.next = if behind < self.part.end() { behind } else { self.part.start };
        (offset, fits)
    }

    /// The zone that was drawn, or one that is open where no other may be.
    fn may_open(&self, drawn: usize) -> usize {
        let open = self.open.len();
        match self.zones.most_open as usize {
            most if most == 0 || open < most || self.open.contains(&(drawn as u32)) => drawn,
            _ => self.open[drawn * open / self.written.len()] as usize,
        }
    }

    fn note_open(&mut self, zone: usize, is_full: bool) {
        if self.zones.most_open == 0 {
            return;
        }
        let known = self.open.iter().position(|open| *open as usize == zone);
        match (known, is_full) {
            (Some(at), true) => drop(self.open.swap_remove(at)),
            (None, false) => self.open.push(zone as u32),
            _ => {}
        }
    }

    fn read(&self, drawn: u64, bytes: u64) -> u64 {
        let zone = self.zone_of(drawn);
        let inside = drawn - self.start(zone);
        if inside + bytes <= self.written[zone] {
            return drawn;
        }
        let count = self.written.len();
        let with_data = (zone..count).chain(0..zone).find(|zone| self.written[*zone] >= bytes);
        with_data.map_or(drawn, |zone| {
            let places = (self.written[zone] - bytes) / self.part.unit + 1;
            self.start(zone) + inside / self.part.unit % places * self.part.unit
        })
    }

    /// Bytes of a write of `bytes` that fit behind the write pointer; 0 where not even the smallest does.
    fn fitting(&self, zone: usize, bytes: u32) -> u32 {
        let left = self.left(zone);
        if left >= u64::from(bytes) { bytes } else { (left / self.part.unit * self.part.unit) as u32 }
    }

    fn left(&self, zone: usize) -> u64 {
        self.zones.capacity_bytes.min(self.part.end() - self.start(zone)) - self.written[zone]
    }

    fn start(&self, zone: usize) -> u64 {
        self.part.start + zone as u64 * self.zones.zone_bytes
    }

    fn zone_of(&self, offset: u64) -> usize {
        let zone = (offset - self.part.start) / self.zones.zone_bytes;
        (zone as usize).min(self.written.len() - 1)
    }
}

/// Zones of a part; the last one may be cut off by its end, where an I/O of any size still fits.
pub(super) fn zone_count(part: Part, zone_bytes: u64, largest_bytes: u32) -> u64 {
    let bytes = part.units * part.unit;
    bytes / zone_bytes + u64::from(bytes % zone_bytes >= u64::from(largest_bytes))
}

/// Draws for which zones are written: every place once a pass where it can be, else each alike.
pub(super) fn places(spec: &JobSpec, part: Part, seed: u64, free: bool) -> Offsets {
    if free || sizes_differ(spec) {
        Offsets::Free(part, Draws::new(seed))
    } else {
        Offsets::Shuffled(super::Shuffle::new(part, seed, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;
    /// 256 KiB in blocks of 4 KiB.
    const PART: Part = Part { start: 8192, unit: 4096, units: 64 };
    const PLAIN: WrittenZones = WrittenZones {
        zone_bytes: 64 * KIB,
        capacity_bytes: 64 * KIB,
        skip_bytes: 0,
        free: false,
        most_open: 0,
        reset_above_ppm: 0,
        reset_every: 0,
    };

    fn made(zones: WrittenZones, places: Option<Offsets>) -> WritePointers {
        WritePointers::new(PART, zones, places, 4096).unwrap()
    }

    fn shuffled() -> Option<Offsets> {
        Some(Offsets::Shuffled(super::super::Shuffle::new(PART, 5, false)))
    }

    /// Places of writes of 4 KiB, in KiB.
    fn take(zones: &mut WritePointers, ios: usize) -> Vec<u64> {
        (0..ios).map_while(|_| zones.place(4096, false)).map(|(offset, _)| (offset - PART.start) / KIB).collect()
    }

    fn in_order(zones: WrittenZones, ios: usize) -> Vec<u64> {
        take(&mut made(zones, None), ios)
    }

    fn blocks(zones: &[u64], count: u64) -> Vec<u64> {
        zones.iter().flat_map(|zone| (0..count).map(move |block| zone * 64 + block * 4)).collect()
    }

    // What fio 3.33 logged for rw=write with zonemode=zbd and zonesize=64k on a file of 256 KiB, with zonecapacity=48k and zoneskip=64k.
    #[test]
    fn sequential_zones_as_fio_does_them() {
        assert_eq!(in_order(PLAIN, 80), blocks(&[0, 1, 2, 3, 0], 16));
        assert_eq!(in_order(WrittenZones { capacity_bytes: 48 * KIB, ..PLAIN }, 60), blocks(&[0, 1, 2, 3, 0], 12));
        assert_eq!(in_order(WrittenZones { skip_bytes: 64 * KIB, ..PLAIN }, 64), blocks(&[0, 2, 0, 2], 16));
        // zone_reset_threshold=0.5 and zone_reset_frequency=0.25: from the 36th write on every fourth begins its zone again.
        let resets = in_order(WrittenZones { reset_above_ppm: 500_000, reset_every: 4, ..PLAIN }, 44);
        assert_eq!(resets[34..], [136, 128, 132, 136, 140, 128, 132, 136, 140, 128]);
    }

    #[test]
    fn random_writes_follow_each_other_in_every_zone() {
        let writes = take(&mut made(PLAIN, shuffled()), 128);
        for pass in writes.chunks(64) {
            for zone in 0..4 {
                let own: Vec<u64> = pass.iter().copied().filter(|place| place / 64 == zone).collect();
                assert_eq!(own, blocks(&[zone], 16), "as in fio 3.33 a pass fills every zone once");
            }
        }
        assert!(writes.windows(2).filter(|pair| pair[1] != pair[0] + 4).count() > 30, "{writes:?}");
    }

    #[test]
    fn no_more_zones_are_open_than_may_be() {
        let writes = take(&mut made(WrittenZones { most_open: 2, ..PLAIN }, shuffled()), 200);
        let mut written = [0; 4];
        for place in writes {
            let zone = place as usize / 64;
            written[zone] = place % 64 + 4;
            assert!(written.iter().filter(|bytes| (1..64).contains(*bytes)).count() <= 2, "{written:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_cut_or_begins_the_zone_again() {
        let mut zones = made(PLAIN, None);
        let mut write = |kib: u32| zones.place(kib * 1024, false).map(|(offset, bytes)| ((offset - PART.start) / KIB, bytes / 1024));
        assert_eq!([40, 40, 40].map(|kib| write(kib).unwrap()), [(0, 40), (40, 24), (64, 40)]);
        // fio 3.33 with bs=12k: 0, 12, 24, 36, 48 and 0 again.
        let part = Part { start: 0, unit: 12 * KIB, units: 21 };
        let mut zones = WritePointers::new(part, PLAIN, None, 12 * 1024).unwrap();
        let starts: Vec<u64> = (0..7).map_while(|_| zones.place(12 * 1024, false)).map(|(offset, _)| offset / KIB).collect();
        assert_eq!(starts, [0, 12, 24, 36, 48, 0, 12]);
    }

    #[test]
    fn reads_go_where_something_was_written() {
        let mut zones = made(PLAIN, Some(Offsets::Free(PART, Draws::new(9))));
        assert!(zones.place(4096, true).is_some(), "anywhere before the first write");
        let mut written = Vec::new();
        for turn in 0..400 {
            let (offset, _) = zones.place(4096, turn % 3 > 0).unwrap();
            match turn % 3 {
                0 => written.push(offset),
                _ => assert!(written.contains(&offset), "{offset} in turn {turn}"),
            }
        }
    }
}
