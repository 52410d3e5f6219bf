//! Addresses for the drive: above 4 GiB, so clear of the interrupts' window below it, and below what every IOMMU translates (39 bits).

use std::collections::BTreeMap;

const FIRST: u64 = 1 << 32;
const END: u64 = 1 << 39;

/// A huge page, at whose multiple each range begins, so that the IOMMU can use huge pages as well. Bytes.
const STEP: u64 = 2 << 20;

/// Ranges in use: start and length.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    taken: BTreeMap<u64, u64>,
}

impl Addresses {
    /// Takes the first gap that is large enough.
    pub(super) fn take(&mut self, bytes: u64) -> Option<u64> {
        let mut at = FIRST;
        for (start, length) in &self.taken {
            if start - at >= bytes {
                break;
            }
            at = (start + length).next_multiple_of(STEP);
        }
        let fits = at.checked_add(bytes).is_some_and(|end| end <= END);
        fits.then(|| {
            self.taken.insert(at, bytes);
            at
        })
    }

    pub(super) fn give_back(&mut self, address: u64) {
        self.taken.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_overlap_and_gaps_are_used_again() {
        let mut addresses = Addresses::default();
        let first = addresses.take(4096).unwrap();
        let second = addresses.take(5 << 20).unwrap();
        let third = addresses.take(4096).unwrap();
        assert_eq!((first, second, third), (FIRST, FIRST + STEP, FIRST + 4 * STEP));
        addresses.give_back(second);
        assert_eq!(addresses.take(7 << 20), Some(third + STEP), "the gap is too small");
        assert_eq!(addresses.take(6 << 20), Some(second));
        assert_eq!(addresses.take(END), None);
    }
}
