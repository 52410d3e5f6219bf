//! Random I/O of several sizes, of which every block comes once a pass: that takes a map of what was visited.

use crate::settings::{Generator, JobSettings};
use crate::values::Distribution;
use ioproof_core::shape::{Order, SizeRange, SizeShare, VisitMap};
use ioproof_core::workload::{Pattern, Workload};

/// Gives a job the map that it needs. With fio's lfsr generator there is none, and blocks come with repetition; so it is where the smallest reads and writes
/// differ, of which one map cannot know.
pub(super) fn ask(settings: &JobSettings, workload: &mut Workload, notes: &mut Vec<String>) {
    let random = &settings.random;
    let one_size = workload.smallest_block_bytes() == workload.largest_block_bytes();
    let is_even = random.distribution.read == Distribution::Random && !random.repeats;
    if workload.pattern != Pattern::Random || one_size || !is_even {
        return;
    }
    let has_one_least = has_one_least(workload);
    let map = match random.map_optional {
        _ if !has_one_least || random.generator == Generator::Lfsr => VisitMap::None,
        true => VisitMap::Optional,
        false => VisitMap::Needed,
    };
    match &mut workload.shape.order {
        Order::Runs { map: wanted, .. } | Order::PartlyRandom { map: wanted, .. } => *wanted = map,
        plain @ Order::Plain if map == VisitMap::None => *plain = Order::Free,
        plain @ Order::Plain => *plain = Order::Mapped { optional: map == VisitMap::Optional },
        _ => return,
    }
    if !has_one_least {
        notes.push("the smallest read and the smallest write differ, so blocks come with repetition, as with norandommap".into());
    }
}

fn has_one_least(workload: &Workload) -> bool {
    let shape = &workload.shape;
    let least = |sizes: &[SizeShare], range: Option<SizeRange>| {
        let of_list = sizes.iter().map(|share| share.bytes).min();
        range.map(|range| range.least_bytes).or(of_list).unwrap_or(workload.block_bytes)
    };
    let (reads, writes) = (least(&shape.read_sizes, shape.read_range), least(&shape.write_sizes, shape.write_range));
    workload.read_percent == 0 || workload.read_percent == 100 || reads == writes
}
