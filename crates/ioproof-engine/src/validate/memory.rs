//! Refusal of jobs whose memory would not leave enough to everybody else; the kernel would rather kill than refuse.

use crate::offsets::map_bytes;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::VisitMap;
use ioproof_core::workload::Workload;

/// Of the host's memory, so large a part is left to everybody else.
const LEFT_SHARE: u64 = 8;

/// The reason why buffers and maps of visited blocks are too much for a host with `there_bytes`, if they are.
pub(super) fn refusal(spec: &JobSpec, there_bytes: u64) -> Option<String> {
    let buffers = buffer_bytes(&spec.workload);
    let maps = if is_optional(spec) { 0 } else { map_bytes(spec) };
    if buffers.saturating_add(maps) <= there_bytes - there_bytes / LEFT_SHARE {
        return None;
    }
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let (takes, there) = (gib(buffers.saturating_add(maps)), gib(there_bytes));
    Some(match maps > buffers {
        true => format!(
            "a map of which blocks were visited takes {takes:.1} GiB with the buffers, and this host has {there:.1}: let blocks come with repetition \
             (norandommap=1, or softrandommap=1), or make the smallest block larger"
        ),
        false => format!("its buffers take {takes:.1} GiB, and this host has {there:.1}: fewer workers, less depth or smaller blocks"),
    })
}

/// The job as it goes on without a map that is too much for a host with `there_bytes`, where it is optional, and the bytes that the map would have taken.
pub(crate) fn without_map(spec: &JobSpec, there_bytes: u64) -> Option<(JobSpec, u64)> {
    let maps = map_bytes(spec);
    if !is_optional(spec) || fits(buffer_bytes(&spec.workload).saturating_add(maps), there_bytes) {
        return None;
    }
    let mut free = spec.clone();
    free.workload.shape.order = spec.workload.shape.order.without_map();
    Some((free, maps))
}

/// Memory of this host. Bytes.
pub(crate) fn there_bytes() -> u64 {
    let system = rustix::system::sysinfo();
    (system.totalram as u64).saturating_mul(system.mem_unit.into())
}

/// True where memory for something that can be done without is worth taking.
fn fits(needed_bytes: u64, there_bytes: u64) -> bool {
    needed_bytes <= there_bytes / 2
}

fn is_optional(spec: &JobSpec) -> bool {
    spec.workload.shape.order.map() == VisitMap::Optional
}

/// Memory that a job takes before its first I/O: its buffers, and the map of visited blocks where it cannot do without. Bytes.
#[must_use]
pub fn job_memory_bytes(spec: &JobSpec) -> u64 {
    buffer_bytes(&spec.workload).saturating_add(if is_optional(spec) { 0 } else { map_bytes(spec) })
}

/// Buffers of all workers.
fn buffer_bytes(w: &Workload) -> u64 {
    let parts = if w.read_percent > 0 && w.writes() { 2 } else { 1 };
    let each = u64::from(w.largest_block_bytes()).next_multiple_of(4096);
    [u64::from(w.workers), u64::from(w.depth), parts].into_iter().fold(each, u64::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offsets::spec_of;
    use ioproof_core::shape::{Order, SizeRange};
    use ioproof_core::workload::Pattern;

    const MIB: u64 = 1 << 20;

    /// A tebibyte in blocks of 4 KiB, whose map takes a little more than 32 MiB.
    fn job(order: Order) -> JobSpec {
        let mut spec = spec_of(Pattern::Random, order, 1 << 28, 1);
        spec.workload.shape.read_range = Some(SizeRange { least_bytes: 4096, most_bytes: 65536 });
        spec
    }

    #[test]
    fn a_map_that_is_too_much_is_refused_with_a_way_out() {
        let words = |order, there| refusal(&job(order), there).unwrap_or_default();
        let mapped = || Order::Mapped { optional: false };
        assert_eq!(words(mapped(), 80 * MIB), "");
        assert_eq!(words(mapped(), 40 * MIB), "", "what fits is not refused");
        assert!(words(mapped(), 36 * MIB).contains("softrandommap=1"));
        assert_eq!((words(Order::Free, 60 * MIB), words(Order::Mapped { optional: true }, 60 * MIB)), Default::default());
        assert!(words(mapped(), MIB / 16).contains("map") && words(Order::Free, MIB / 16).contains("its buffers"));
    }

    #[test]
    fn an_optional_map_is_left_out_where_it_is_too_much() {
        let without = |optional, there| without_map(&job(Order::Mapped { optional }), there);
        assert_eq!((without(true, 80 * MIB), without(false, 60 * MIB)), (None, None));
        let (spec, bytes) = without(true, 60 * MIB).unwrap();
        assert_eq!((spec.workload.shape.order, bytes.div_ceil(MIB)), (Order::Free, 33));
    }

    #[test]
    fn one_size_takes_no_map() {
        let spec = spec_of(Pattern::Random, Order::Mapped { optional: false }, 1 << 28, 1);
        assert_eq!((map_bytes(&spec), refusal(&spec, MIB)), (0, None));
    }
}
