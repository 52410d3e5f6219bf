//! Zones of a part, each with its share of the I/Os; within a zone every place is alike.

use super::part::Part;
use crate::random::Draws;
use ioproof_core::shape::Zone;

/// The zones and how often each is used.
#[derive(Debug, Clone)]
pub(crate) struct Zoned {
    zones: Box<[Zoning]>,
    /// For each hundredth of the I/Os, its zone.
    by_percent: [u8; 100],
}

/// The bounds of a zone.
#[derive(Debug, Clone, Copy)]
struct Zoning {
    /// Units before it.
    first: u64,
    part: Part,
}

impl Zoned {
    /// The zones of `part`, from its start. Shares of each kind must add up to 100, so that there are at most 100 zones.
    pub(super) fn new(part: Part, zones: &[Zone]) -> Self {
        let mut by_percent = [0; 100];
        let mut hundredths = by_percent.iter_mut();
        for (number, zone) in zones.iter().enumerate() {
            hundredths.by_ref().take(zone.access_percent.into()).for_each(|of| *of = number as u8);
        }
        Self { zones: places(part, zones), by_percent }
    }

    /// Draws the unit at which an I/O of `bytes` begins. It stays in its zone, unless it is larger than that.
    #[inline]
    pub(super) fn index(&self, random: &mut Draws, bytes: u32) -> u64 {
        let zone = self.zones[usize::from(self.by_percent[random.below(100) as usize])];
        zone.first + random.below(zone.part.places(bytes))
    }
}

fn places(part: Part, zones: &[Zone]) -> Box<[Zoning]> {
    let edges = zones.iter().scan(0, |percent, zone| {
        let first = *percent;
        *percent += u64::from(zone.span_percent);
        Some((edge(part, first), edge(part, *percent)))
    });
    edges.map(|(first, end)| Zoning { first, part: Part { units: end - first, ..part } }).collect()
}

/// The unit at which a share of the part ends. By way of 128 bits, which no number of units overflows.
fn edge(part: Part, percent: u64) -> u64 {
    (u128::from(part.units) * u128::from(percent) / 100) as u64
}

/// Units of each zone that is used.
pub(super) fn used_units(part: Part, zones: &[Zone]) -> impl Iterator<Item = u64> {
    let used: Vec<bool> = zones.iter().map(|zone| zone.access_percent > 0).collect();
    places(part, zones).into_iter().zip(used).filter_map(|(place, used)| used.then_some(place.part.units))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: Part = Part { start: 0, unit: 4096, units: 1000 };
    const DRAWS: usize = 100_000;

    fn zones(shares: &[(u8, u8)]) -> Vec<Zone> {
        shares.iter().map(|(access_percent, span_percent)| Zone { access_percent: *access_percent, span_percent: *span_percent }).collect()
    }

    fn draws(shares: &[(u8, u8)], bytes: u32) -> Vec<u64> {
        let (zoned, mut random) = (Zoned::new(PART, &zones(shares)), Draws::new(13));
        (0..DRAWS).map(|_| zoned.index(&mut random, bytes)).collect()
    }

    fn share(draws: &[u64], range: std::ops::Range<u64>) -> f64 {
        draws.iter().filter(|i| range.contains(i)).count() as f64 / DRAWS as f64
    }

    #[test]
    fn each_zone_has_its_share() {
        let draws = draws(&[(60, 10), (30, 20), (8, 30), (2, 40)], 4096);
        for (range, expected) in [(0..100, 0.6), (100..300, 0.3), (300..600, 0.08), (600..1000, 0.02)] {
            // Four deviations of 100000 draws are at most 0.0062.
            assert!((share(&draws, range.clone()) - expected).abs() < 0.0062, "{range:?}");
        }
        // Within the first, both halves are alike.
        assert!((share(&draws, 0..50) - 0.3).abs() < 0.0058 && draws.contains(&99) && draws.contains(&999));
    }

    #[test]
    fn a_zone_without_access_is_never_visited() {
        let draws = draws(&[(50, 25), (0, 50), (50, 25)], 4096);
        assert_eq!(share(&draws, 250..750), 0.0);
    }

    #[test]
    fn larger_io_stays_in_its_zone() {
        let draws = draws(&[(60, 10), (40, 90)], 40960);
        assert_eq!(share(&draws, 91..100), 0.0);
        assert!((share(&draws, 0..91) - 0.6).abs() < 0.0062 && draws.contains(&90) && draws.contains(&990));
    }

    #[test]
    fn zones_meet_and_fill_the_part() {
        for units in [7, 1000, u64::MAX / 4096] {
            let places = places(Part { units, ..PART }, &zones(&[(1, 33), (98, 1), (1, 66)]));
            let ends: Vec<u64> = places.iter().map(|z| z.first + z.part.units).collect();
            assert_eq!((places[0].first, places[1].first, places[2].first, units), (0, ends[0], ends[1], ends[2]));
        }
    }
}
