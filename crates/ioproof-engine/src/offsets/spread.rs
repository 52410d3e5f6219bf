//! Places of the ranks of a distribution: scattered over the part, and shifted so that the first of them comes to the centre, where there is one.

use super::scatter::Scatter;
use crate::random::Draws;

/// A permutation of the places of a part.
#[derive(Debug, Clone)]
pub(crate) struct SpreadPlaces {
    scatter: Scatter,
    places: u64,
    /// Distance by which each place is moved on, beyond the end from the start again.
    shift: u64,
}

impl SpreadPlaces {
    /// Over `places` places; `center_ppm`: where rank 0 lies, as a share of the part, else anywhere.
    pub(super) fn new(places: u64, center_ppm: Option<u32>, random: &mut Draws) -> Self {
        let scatter = Scatter::new(places, random);
        let places = places.max(1);
        let shift = center_ppm.map_or(0, |ppm| (at(places, ppm) + places - scatter.of(0)) % places);
        Self { scatter, places, shift }
    }

    /// The place of a rank.
    #[inline]
    pub(super) fn of(&self, rank: u64) -> u64 {
        let (place, left) = (self.scatter.of(rank), self.places - self.shift);
        if place < left { place + self.shift } else { place - left }
    }
}

/// The place at a share of all; the end is the start again.
fn at(places: u64, ppm: u32) -> u64 {
    (u128::from(places) * u128::from(ppm) / 1_000_000 % u128::from(places)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(places: u64, center_ppm: Option<u32>) -> SpreadPlaces {
        SpreadPlaces::new(places, center_ppm, &mut Draws::new(3))
    }

    // The block that fio 3.33 visits most with zipf:1.2:0.25, :0 and :1 on 4096 blocks.
    #[test]
    fn the_first_rank_lies_at_the_centre() {
        assert_eq!([250_000, 0, 1_000_000].map(|ppm| spread(4096, Some(ppm)).of(0)), [1024, 0, 0]);
        assert_eq!(spread(1 << 62, Some(500_000)).of(0), 1 << 61);
    }

    #[test]
    fn every_place_has_one_rank_wherever_the_centre_is() {
        for (places, center) in [(1, Some(500_000)), (7, None), (1000, Some(1)), (1000, Some(999_999))] {
            let spread = spread(places, center);
            let mut all: Vec<u64> = (0..places).map(|rank| spread.of(rank)).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..places), "{places} {center:?}");
        }
    }

    #[test]
    fn without_a_centre_ranks_are_scattered_as_ever() {
        let scatter = Scatter::new(1000, &mut Draws::new(3));
        assert!((0..1000).all(|rank| spread(1000, None).of(rank) == scatter.of(rank)));
    }
}
