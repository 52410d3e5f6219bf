//! The same place some times, then another one.

use super::Offsets;
use super::part::Part;

/// A sequence of which every place comes several times in a row.
#[derive(Debug, Clone)]
pub(crate) struct Repeated {
    places: Offsets,
    part: Part,
    ios: u32,
    /// Number of times that the last place comes yet.
    left: u32,
    place: u64,
}

impl Repeated {
    /// Each of `places`, which lie in `part`, `ios` times.
    pub(super) fn new(places: Offsets, part: Part, ios: u32) -> Self {
        Self { places, part, ios: ios.max(1), left: 0, place: part.start }
    }

    /// An I/O that is larger than the first one at its place, and would cross the end of the part, is moved back.
    pub(super) fn next(&mut self, bytes: u32) -> Option<u64> {
        let last = self.part.end().checked_sub(bytes.into()).filter(|last| *last >= self.part.start)?;
        if self.left == 0 {
            (self.place, self.left) = (self.places.next(bytes)?, self.ios);
        }
        self.left -= 1;
        Some(self.place.min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    const PART: Part = Part { start: 8192, unit: 4096, units: 10 };

    fn take(sizes: impl IntoIterator<Item = u32>) -> Vec<u64> {
        let mut offsets = Repeated::new(Offsets::Free(PART, Draws::new(5)), PART, 4);
        sizes.into_iter().map_while(|bytes| offsets.next(bytes)).map(|o| (o - 8192) / 4096).collect()
    }

    #[test]
    fn each_place_comes_so_often() {
        let blocks = take([4096; 400]);
        assert_eq!(blocks.len(), 400);
        assert!(blocks.chunks(4).all(|four| four.iter().all(|block| *block == four[0])), "{blocks:?}");
        let places: Vec<u64> = blocks.chunks(4).map(|four| four[0]).collect();
        assert!((0..10).all(|block| places.contains(&block)));
    }

    #[test]
    fn sizes_change_at_one_place_without_crossing_the_end() {
        let blocks = take([4096, 40960, 4096, 8192].repeat(50));
        assert!(blocks.chunks(4).all(|four| four[1] == 0 && four[2] == four[0] && four[3] == four[0].min(8)), "{blocks:?}");
        assert_eq!(take([45056]), Vec::<u64>::new());
    }
}
