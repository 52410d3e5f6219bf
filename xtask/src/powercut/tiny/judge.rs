//! Judgement of an area that was read back: each acknowledged operation that was not overwritten is intact or has failed in one way.
//!
//! The group that was under way when the power failed was not acknowledged: of each of its sectors the old or the new content is right.

use super::content::{self, Sector};
use super::plan::{AREA_BYTES, BLOCK_BYTES, Deed, Durable, Group, Operation, Plan};
use crate::cached::medium::SECTOR_BYTES;
use crate::powercut::found::{Found, Kind};
use std::collections::BTreeMap;
use std::ops::Range;

/// One sector, held against the operation that it should bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Right,
    /// Nothing of this seed, where there should be something.
    Before,
    /// Content of an earlier operation.
    Earlier,
    Misplaced,
    Corrupt,
}

/// Judges the area, of which what is missing at its end is zeros. So many groups were acknowledged.
pub fn judge(seed: u64, acknowledged: u64, area: &[u8]) -> Found {
    let mut plan = Plan::new(seed);
    let groups: Vec<Group> = plan.by_ref().take(acknowledged as usize).collect();
    let pending = plan.next().map(|group| group.operations).unwrap_or_default();
    let expected = Expected::of(&groups);
    let failures = expected.failures(seed, area, &pending);
    let mut found = Found { groups: acknowledged, ..Found::default() };
    let newest_intact = expected.operations().filter(|number| !failures.contains_key(number)).max();
    for (nth, group) in groups.iter().enumerate() {
        for operation in &group.operations {
            let failure = failures.get(&operation.number);
            found.acknowledged += 1;
            if group.durable == Durable::Fua {
                found.fua = (found.fua.0 + u64::from(failure.is_some()), found.fua.1 + 1);
            }
            let Some(kind) = failure else { continue };
            *found.kinds.entry(*kind).or_default() += 1;
            found.overtaken += u64::from(newest_intact > Some(operation.number));
            found.reach = found.reach.max(Some(acknowledged - 1 - nth as u64));
        }
    }
    found
}

/// The last acknowledged operation of each sector.
struct Expected<'a>(Vec<Option<&'a Operation>>);

impl<'a> Expected<'a> {
    fn of(groups: &'a [Group]) -> Self {
        let mut sectors = vec![None; AREA_BYTES / SECTOR_BYTES];
        for operation in groups.iter().flat_map(|group| &group.operations) {
            sectors[sectors_of(&operation.place)].fill(Some(operation));
        }
        Self(sectors)
    }

    /// Numbers of those that were not overwritten.
    fn operations(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flatten().map(|operation| operation.number)
    }

    fn failures(&self, seed: u64, area: &[u8], pending: &[Operation]) -> BTreeMap<u64, Kind> {
        let mut states: BTreeMap<u64, (Deed, Vec<(usize, State)>)> = BTreeMap::new();
        for (index, operation) in self.0.iter().enumerate() {
            let Some(operation) = operation else { continue };
            let pending = pending.iter().find(|pending| sectors_of(&pending.place).contains(&index));
            let bytes = area.get(index * SECTOR_BYTES..(index + 1) * SECTOR_BYTES).unwrap_or(&[0; SECTOR_BYTES]);
            let state = state(seed, index as u64, content::read(bytes), operation, pending);
            states.entry(operation.number).or_insert((operation.deed, Vec::new())).1.push((index, state));
        }
        states.into_iter().filter_map(|(number, (deed, sectors))| Some((number, kind(deed, &sectors)?))).collect()
    }
}

fn sectors_of(place: &Range<usize>) -> Range<usize> {
    place.start / SECTOR_BYTES..place.end / SECTOR_BYTES
}

fn state(seed: u64, index: u64, sector: Sector, expected: &Operation, pending: Option<&Operation>) -> State {
    let is_of = |operation: &Operation| match operation.deed {
        Deed::Trim => sector == Sector::Zeros,
        Deed::Write => sector == Sector::Written { seed, operation: operation.number, index },
    };
    if is_of(expected) || pending.is_some_and(is_of) {
        return State::Right;
    }
    match sector {
        Sector::Corrupt => State::Corrupt,
        Sector::Written { index: other, .. } if other != index => State::Misplaced,
        Sector::Written { seed: of, operation, .. } if of == seed && operation < expected.number => State::Earlier,
        Sector::Written { seed: of, .. } if of == seed => State::Corrupt,
        Sector::Zeros | Sector::Written { .. } => State::Before,
    }
}

/// Failure of an operation, by the sectors that are its own; none where it is intact.
fn kind(deed: Deed, sectors: &[(usize, State)]) -> Option<Kind> {
    let has = |state| sectors.iter().any(|(_, other)| *other == state);
    let is_old = has(State::Before) || has(State::Earlier);
    Some(match () {
        () if has(State::Corrupt) => Kind::Corrupt,
        () if has(State::Misplaced) => Kind::Misplaced,
        () if is_old && deed == Deed::Trim => Kind::Returned,
        () if is_old && has(State::Right) => torn(sectors),
        () if has(State::Earlier) => Kind::Stale,
        () if is_old => Kind::Lost,
        () => return None,
    })
}

/// By whole blocks, or by sectors.
fn torn(sectors: &[(usize, State)]) -> Kind {
    let block = |index: usize| index * SECTOR_BYTES / BLOCK_BYTES;
    let differs =
        |pair: &[(usize, State)]| block(pair[0].0) == block(pair[1].0) && (pair[0].1 == State::Right) != (pair[1].1 == State::Right);
    if sectors.windows(2).any(differs) { Kind::Torn512 } else { Kind::Torn4096 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area after so many groups, without any cut.
    fn area(seed: u64, groups: usize) -> Vec<u8> {
        let mut area = vec![0; AREA_BYTES];
        for operation in Plan::new(seed).take(groups).flat_map(|group| group.operations) {
            super::super::bytes(seed, &operation).into_iter().zip(&mut area[operation.place.clone()]).for_each(|(new, old)| *old = new);
        }
        area
    }

    /// A written operation that is not overwritten in the first 30 groups, of so many bytes; nothing was written there before.
    fn victim(length: usize) -> Operation {
        let all: Vec<Operation> = Plan::new(1).take(31).flat_map(|group| group.operations).collect();
        let meets = |a: &Operation, b: &Operation| a.place.start < b.place.end && b.place.start < a.place.end;
        let alone = |o: &&Operation| all.iter().all(|other| other.number == o.number || !meets(o, other));
        all.iter().filter(alone).find(|o| o.deed == Deed::Write && o.place.len() == length).unwrap().clone()
    }

    fn kinds(change: impl Fn(&mut [u8])) -> Vec<(Kind, u64)> {
        let mut area = area(1, 30);
        change(&mut area);
        judge(1, 30, &area).kinds.into_iter().collect()
    }

    #[test]
    fn nothing_has_failed_when_all_is_there_and_the_group_under_way_may_be_there_or_not() {
        for there in [30, 31] {
            let found = judge(1, 30, &area(1, there));
            assert!(found.is_clean() && found.acknowledged > 40 && found.fua.1 > 10 && found.fua.0 == 0, "{found:?}");
        }
        assert!(!judge(1, 32, &area(1, 30)).is_clean());
    }

    #[test]
    fn each_failure_has_its_kind() {
        let (small, large) = (victim(BLOCK_BYTES).place, victim(4 * BLOCK_BYTES).place);
        assert_eq!(kinds(|area| area[small.clone()].fill(0)), [(Kind::Lost, 1)]);
        assert_eq!(kinds(|area| area[small.start..small.start + 512].fill(0)), [(Kind::Torn512, 1)]);
        assert_eq!(kinds(|area| area[large.start..large.start + BLOCK_BYTES].fill(0)), [(Kind::Torn4096, 1)]);
        assert_eq!(kinds(|area| area[small.start] ^= 1), [(Kind::Corrupt, 1)]);
        assert_eq!(kinds(|area| area.copy_within(large.start..large.start + 512, small.start)), [(Kind::Misplaced, 1)]);
    }

    #[test]
    fn content_of_another_seed_was_there_before() {
        let place = victim(BLOCK_BYTES).place;
        let old = content::sector(99, 1, (place.start / SECTOR_BYTES) as u64);
        assert_eq!(kinds(|area| area[place.start..place.start + 512].copy_from_slice(&old)), [(Kind::Torn512, 1)]);
    }

    #[test]
    fn an_earlier_state_is_stale_and_a_trim_of_it_returns() {
        let found = judge(1, 30, &area(1, 15));
        assert!(found.has(Kind::Stale) && found.has(Kind::Lost) && found.reach <= Some(14), "{found:?}");
        assert!((1..60).any(|groups| judge(1, groups as u64 + 1, &area(1, groups)).has(Kind::Returned)));
    }

    #[test]
    fn a_failure_knows_how_far_back_it_is_and_that_later_ones_survived() {
        let place = victim(BLOCK_BYTES).place;
        let mut area = area(1, 30);
        area[place].fill(0);
        let found = judge(1, 30, &area);
        assert_eq!(found.overtaken, 1);
        assert!(found.reach < Some(30), "{found:?}");
    }
}
