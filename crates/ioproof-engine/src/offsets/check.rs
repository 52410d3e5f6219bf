//! Conditions that a job must fulfil for its sequence of offsets to keep its promise.

use super::part::{Part, has_one_writer_a_block};
use super::{sizes_differ, write_pointers, zoned};
use crate::sizes;
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::shape::{Order, WrittenZones, Zone};
use ioproof_core::workload::{Pattern, Workload};

/// Says in plain words what does not fit in the job's order, sizes and parts.
pub(crate) fn check(spec: &JobSpec) -> Result<(), String> {
    sizes::check(spec)?;
    check_pattern(spec)?;
    check_order(spec)?;
    check_coverage(spec)?;
    check_room(spec)?;
    check_writers(spec)
}

fn check_pattern(spec: &JobSpec) -> Result<(), String> {
    match (spec.workload.pattern, &spec.workload.shape.order) {
        (_, Order::Plain | Order::InZones { .. } | Order::WritePointers(_))
        | (Pattern::Sequential, Order::Strided { .. } | Order::Skipping { .. }) => Ok(()),
        (Pattern::Random, Order::Strided { .. } | Order::Skipping { .. }) => {
            Err("a stride goes with sequential I/O, not with random".into())
        }
        (Pattern::Sequential, _) => Err("a distribution goes with random I/O, not with sequential".into()),
        (Pattern::Random, _) => Ok(()),
    }
}

fn check_order(spec: &JobSpec) -> Result<(), String> {
    match &spec.workload.shape.order {
        Order::Plain | Order::Free | Order::Recorded | Order::Mapped { .. } => Ok(()),
        Order::Strided { stride_bytes } => check_stride(spec, *stride_bytes),
        Order::Skipping { skip_bytes, .. } => check_skip(spec, *skip_bytes),
        Order::Runs { ios: 0, .. } => Err("runs of no I/O".into()),
        Order::PartlyRandom { random_percent: 101.., .. } => Err("more than 100 % of the I/Os cannot be random".into()),
        Order::Runs { .. } | Order::PartlyRandom { .. } => Ok(()),
        Order::Zipf { center_ppm: Some(1_000_001..), .. }
        | Order::Pareto { center_ppm: Some(1_000_001..), .. }
        | Order::Normal { center_ppm: Some(1_000_001..), .. } => Err("the centre lies outside the span".into()),
        Order::Repeated { ios: 0, .. } => Err("places with no I/O".into()),
        Order::Repeated { .. } => Ok(()),
        Order::Aligned { bytes: 0 } => Err("the distance of offsets is nothing".into()),
        Order::Aligned { bytes } => in_sectors("the distance of offsets", *bytes),
        Order::InZones { range_bytes, io_bytes, skip_bytes } => check_strided(spec, *range_bytes, *io_bytes, *skip_bytes),
        Order::WritePointers(zones) => check_written_zones(spec, zones),
        Order::Zipf { theta_milli: 1000, .. } => Err("the theta of zipf must not be 1; 0.999 and 1.001 are close to it".into()),
        Order::Zipf { theta_milli, .. } => within("the theta of zipf", *theta_milli, 9999, "0.001 to 9.999"),
        Order::Pareto { h_milli, .. } => within("the h of pareto", *h_milli, 999, "0.001 to 0.999"),
        Order::Normal { deviation_milli, .. } => within("the deviation of normal", *deviation_milli, 1000, "0.001 to 1 of the span"),
        Order::Zoned { zones } => check_zones(zones),
    }
}

fn within(what: &str, milli: u32, most: u32, range: &str) -> Result<(), String> {
    if (1..=most).contains(&milli) { Ok(()) } else { Err(format!("{what} is outside {range}")) }
}

fn check_stride(spec: &JobSpec, stride_bytes: u64) -> Result<(), String> {
    let smallest = spec.workload.smallest_block_bytes();
    match () {
        () if stride_bytes < spec.workload.largest_block_bytes().into() => Err("the stride is shorter than a block".into()),
        () if !stride_bytes.is_multiple_of(smallest.into()) => {
            Err(format!("the stride is no multiple of the smallest block, {smallest} B"))
        }
        () => Ok(()),
    }
}

/// Checked writes must not overlap, and each must cover whole blocks of the record of what was written.
fn check_skip(spec: &JobSpec, skip_bytes: i64) -> Result<(), String> {
    let [smallest, largest] = [spec.workload.smallest_block_bytes(), spec.workload.largest_block_bytes()].map(i64::from);
    match () {
        () if skip_bytes % 512 != 0 => Err("the gap after an I/O is no multiple of 512 B".into()),
        () if !has_one_writer_a_block(spec) => Ok(()),
        () if skip_bytes % smallest != 0 => {
            Err(format!("data are checked, and the gap is no multiple of the smallest block, {smallest} B"))
        }
        () if skip_bytes < 0 && skip_bytes > -2 * largest => Err("data are checked, and the gap goes back into the last block".into()),
        () => Ok(()),
    }
}

fn in_sectors(what: &str, bytes: u64) -> Result<(), String> {
    if bytes.is_multiple_of(512) { Ok(()) } else { Err(format!("{what} is no multiple of 512 B")) }
}

fn check_strided(spec: &JobSpec, range_bytes: u64, io_bytes: u64, skip_bytes: u64) -> Result<(), String> {
    let largest = u64::from(spec.workload.largest_block_bytes());
    match () {
        () if range_bytes < largest => Err("a zone is smaller than one block".into()),
        () if io_bytes == 0 => Err("a zone has no I/O".into()),
        () => in_sectors("the distance of zones", range_bytes.wrapping_add(skip_bytes)),
    }
}

fn check_written_zones(spec: &JobSpec, zones: &WrittenZones) -> Result<(), String> {
    let largest = u64::from(spec.workload.largest_block_bytes());
    match () {
        () if zones.capacity_bytes < largest => Err("a zone is smaller than one block".into()),
        () if zones.capacity_bytes > zones.zone_bytes => Err("of a zone more is to be written than it has".into()),
        () if spec.workload.trims() => Err("zones are not reset by trims".into()),
        () if spec.workload.shape.data.checked => Err("data that are written to zones again and again cannot be checked".into()),
        () => in_sectors("the size of a zone", zones.zone_bytes).and(in_sectors("what is written of a zone", zones.capacity_bytes)),
    }
}

fn check_zones(zones: &[Zone]) -> Result<(), String> {
    let sum = |share: fn(&Zone) -> u8| zones.iter().map(|zone| u32::from(share(zone))).sum::<u32>();
    match () {
        () if zones.iter().any(|zone| zone.span_percent == 0) => Err("a zone has no share of the span".into()),
        () if sum(|zone| zone.span_percent) != 100 => Err("the zones' shares of the span do not add up to 100 %".into()),
        () if sum(|zone| zone.access_percent) != 100 => Err("the zones' shares of the I/Os do not add up to 100 %".into()),
        () => Ok(()),
    }
}

/// Only a sequence that never draws the same block twice can promise to come by each of them.
fn check_coverage(spec: &JobSpec) -> Result<(), String> {
    let (random, order) = (spec.workload.pattern == Pattern::Random, &spec.workload.shape.order);
    match () {
        () if spec.until != Until::SpanCovered => Ok(()),
        () if matches!(order, Order::InZones { .. } | Order::WritePointers(_)) => {
            Err("a job in zones cannot promise to cover the span".into())
        }
        () if matches!(order, Order::Skipping { .. }) => Err("a job that leaves gaps cannot promise to cover the span".into()),
        () if !random => Ok(()),
        () if matches!(order, Order::Mapped { .. }) => Ok(()),
        () if *order != Order::Plain => Err("a job that draws its blocks cannot promise to cover the span".into()),
        () if sizes_differ(spec) => Err("a random job with several sizes cannot promise to cover the span".into()),
        () => Ok(()),
    }
}

/// The least that a worker's part must have room for: any I/O, but one of the smallest where they are cut short. Bytes.
pub(crate) fn least_room_bytes(workload: &Workload) -> u32 {
    let is_cut = matches!(workload.shape.order, Order::Mapped { .. });
    if is_cut { workload.smallest_block_bytes() } else { workload.largest_block_bytes() }
}

fn check_room(spec: &JobSpec) -> Result<(), String> {
    let least = least_room_bytes(&spec.workload);
    let targets = spec.placement.target_spans.len().max(1);
    let mut parts = (0..spec.workload.workers).flat_map(|worker| (0..targets).map(move |target| Part::of(spec, worker, target)));
    if parts.clone().any(|part| part.places(least) == 0) {
        return Err("span is smaller than one block a worker".into());
    }
    match &spec.workload.shape.order {
        Order::Zoned { zones } if parts.any(|part| zoned::used_units(part, zones).any(|units| units == 0)) => {
            Err("a zone is smaller than one block".into())
        }
        Order::WritePointers(zones)
            if parts.any(|part| write_pointers::zone_count(part, zones.zone_bytes, least) > write_pointers::MOST_ZONES) =>
        {
            Err(format!("there are more than {} zones: make them larger, or the span smaller", write_pointers::MOST_ZONES))
        }
        // Else one block comes again and again, and nothing else of the target.
        Order::Strided { stride_bytes } if parts.any(|part| part.places(least).saturating_sub(1) * part.unit < *stride_bytes) => {
            Err("the stride leaves a worker one place: its part is no longer than the stride".into())
        }
        _ => Ok(()),
    }
}

/// Workers on one span divide it where they must; spans of their own that overlap cannot be divided.
fn check_writers(spec: &JobSpec) -> Result<(), String> {
    if !has_one_writer_a_block(spec) || !spec.workload.writes() {
        return Ok(());
    }
    let mut used: Vec<Span> = spec.placement.spans.iter().take(spec.workload.workers as usize).copied().collect();
    used.sort_by_key(|span| span.offset_bytes);
    let overlap = used.windows(2).any(|pair| pair[0].offset_bytes.saturating_add(pair[0].length_bytes) > pair[1].offset_bytes);
    if overlap { Err("spans of workers overlap, and a block whose data is checked may have one writer only".into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::spec_of;
    use super::*;
    use ioproof_core::shape::{Shape, SizeShare};

    fn refusal(pattern: Pattern, order: Order, change: impl FnOnce(&mut JobSpec)) -> String {
        let mut spec = spec_of(pattern, order, 1000, 2);
        change(&mut spec);
        check(&spec).err().unwrap_or_default()
    }

    fn zoned(shares: &[(u8, u8)]) -> Order {
        Order::Zoned {
            zones: shares
                .iter()
                .map(|(access_percent, span_percent)| Zone { access_percent: *access_percent, span_percent: *span_percent })
                .collect(),
        }
    }

    fn in_zones(range_bytes: u64, io_bytes: u64, skip_bytes: u64) -> Order {
        Order::InZones { range_bytes, io_bytes, skip_bytes }
    }

    fn written(zone_bytes: u64, capacity_bytes: u64) -> Order {
        let (skip_bytes, free, most_open, reset_above_ppm, reset_every) = (0, false, 0, 0, 0);
        Order::WritePointers(WrittenZones { zone_bytes, capacity_bytes, skip_bytes, free, most_open, reset_above_ppm, reset_every })
    }

    #[test]
    fn zones_are_written_and_neither_trimmed_nor_checked() {
        let words = |change: fn(&mut JobSpec)| refusal(Pattern::Random, written(65536, 65536), change);
        assert_eq!(words(|_| ()), "");
        assert!(words(|spec| spec.workload.shape.trim_percent = 50).contains("not reset by trims"));
        assert!(words(|spec| spec.workload.shape.data.checked = true).contains("cannot be checked"));
        assert!(words(|spec| spec.until = Until::SpanCovered).contains("in zones"));
        let many = |spec: &mut JobSpec| (spec.span.length_bytes, spec.workload.shape.order) = (1 << 33, written(4096, 4096));
        assert!(words(many).contains("more than 1048576 zones"));
    }

    fn skipping(skip_bytes: i64) -> Order {
        Order::Skipping { skip_bytes, passes: 0, wraps: true }
    }

    #[test]
    fn checked_data_are_written_once_a_pass() {
        let words = |skip_bytes| refusal(Pattern::Sequential, skipping(skip_bytes), |spec| spec.workload.shape.data.checked = true);
        assert_eq!([words(8192), words(0), words(-8192)], [""; 3]);
        assert!(words(2048).contains("no multiple of the smallest block") && words(-4096).contains("into the last block"));
    }

    fn two_sizes() -> Vec<SizeShare> {
        vec![SizeShare { bytes: 4096, percent: 50 }, SizeShare { bytes: 8192, percent: 50 }]
    }

    #[test]
    fn what_fits_passes() {
        for order in [Order::Plain, Order::Strided { stride_bytes: 8192 }] {
            assert_eq!(refusal(Pattern::Sequential, order, |_| ()), "");
        }
        let drawn = [
            Order::Plain,
            Order::Free,
            Order::Zipf { theta_milli: 1, center_ppm: None },
            Order::Zipf { theta_milli: 9999, center_ppm: None },
            Order::Pareto { h_milli: 1, center_ppm: None },
            Order::Pareto { h_milli: 999, center_ppm: None },
            Order::Normal { deviation_milli: 1000, center_ppm: None },
            zoned(&[(100, 1), (0, 99)]),
            Order::Zipf { theta_milli: 1200, center_ppm: Some(1_000_000) },
            Order::Repeated { ios: 1, free: false },
            Order::Aligned { bytes: 512 },
            in_zones(4096, 1, 512),
        ];
        for skip_bytes in [0, 512, -4096, -(1 << 40)] {
            assert_eq!(refusal(Pattern::Sequential, Order::Skipping { skip_bytes, passes: 1, wraps: true }, |_| ()), "");
        }
        for order in drawn {
            assert_eq!(refusal(Pattern::Random, order, |_| ()), "");
        }
    }

    #[test]
    fn orders_that_do_not_fit_are_refused() {
        let refused = [
            (Pattern::Random, Order::Strided { stride_bytes: 8192 }, "a stride goes with"),
            (Pattern::Sequential, Order::Free, "a distribution goes with"),
            (Pattern::Sequential, Order::Strided { stride_bytes: 0 }, "shorter than a block"),
            (Pattern::Sequential, Order::Strided { stride_bytes: 6144 }, "no multiple of the smallest block, 4096 B"),
            (Pattern::Sequential, Order::Strided { stride_bytes: 1 << 50 }, "leaves a worker one place"),
            (Pattern::Random, skipping(8192), "a stride goes with"),
            (Pattern::Sequential, skipping(100), "no multiple of 512 B"),
            (Pattern::Random, Order::Zipf { theta_milli: 0, center_ppm: None }, "theta of zipf is outside"),
            (Pattern::Random, Order::Zipf { theta_milli: 1000, center_ppm: None }, "must not be 1"),
            (Pattern::Random, Order::Zipf { theta_milli: 10_000, center_ppm: None }, "theta of zipf is outside"),
            (Pattern::Random, Order::Pareto { h_milli: 0, center_ppm: None }, "h of pareto is outside"),
            (Pattern::Random, Order::Pareto { h_milli: 1000, center_ppm: None }, "h of pareto is outside"),
            (Pattern::Random, Order::Normal { deviation_milli: 0, center_ppm: None }, "deviation of normal is outside"),
            (Pattern::Random, Order::Normal { deviation_milli: 1001, center_ppm: None }, "deviation of normal is outside"),
            (Pattern::Random, Order::Pareto { h_milli: 200, center_ppm: Some(1_000_001) }, "centre lies outside"),
            (Pattern::Random, Order::Repeated { ios: 0, free: true }, "no I/O"),
            (Pattern::Random, Order::Aligned { bytes: 0 }, "is nothing"),
            (Pattern::Random, Order::Aligned { bytes: 1000 }, "no multiple of 512 B"),
            (Pattern::Sequential, Order::Aligned { bytes: 512 }, "a distribution goes with"),
            (Pattern::Sequential, in_zones(2048, 4096, 0), "smaller than one block"),
            (Pattern::Sequential, in_zones(4096, 0, 0), "has no I/O"),
            (Pattern::Random, in_zones(4096, 4096, 100), "no multiple of 512 B"),
            (Pattern::Random, written(2048, 2048), "smaller than one block"),
            (Pattern::Random, written(4096, 8192), "more is to be written than it has"),
            (Pattern::Sequential, written(8200, 8192), "no multiple of 512 B"),
            (Pattern::Random, zoned(&[]), "of the span do not add up"),
            (Pattern::Random, zoned(&[(50, 40), (50, 61)]), "of the span do not add up"),
            (Pattern::Random, zoned(&[(50, 40), (40, 60)]), "of the I/Os do not add up"),
            (Pattern::Random, zoned(&[(50, 100), (50, 0)]), "no share of the span"),
        ];
        for (pattern, order, text) in refused {
            let words = refusal(pattern, order.clone(), |_| ());
            assert!(words.contains(text), "{order:?}: {words:?}");
        }
    }

    #[test]
    fn coverage_is_promised_only_where_it_can_be_kept() {
        let cover = |spec: &mut JobSpec| spec.until = Until::SpanCovered;
        let cover_in_sizes = |spec: &mut JobSpec| {
            spec.until = Until::SpanCovered;
            spec.workload.shape.read_sizes = two_sizes();
        };
        assert_eq!(refusal(Pattern::Random, Order::Plain, cover), "");
        assert_eq!(refusal(Pattern::Sequential, Order::Plain, cover_in_sizes), "");
        assert!(refusal(Pattern::Sequential, in_zones(8192, 8192, 0), cover).contains("in zones"));
        assert!(refusal(Pattern::Sequential, skipping(4096), cover).contains("leaves gaps"));
        assert!(refusal(Pattern::Random, Order::Free, cover).contains("draws its blocks"));
        assert!(refusal(Pattern::Random, Order::Plain, cover_in_sizes).contains("several sizes"));
        assert_eq!(refusal(Pattern::Random, Order::Mapped { optional: false }, cover_in_sizes), "");
    }

    #[test]
    fn every_worker_and_zone_needs_room() {
        let words = refusal(Pattern::Sequential, Order::Plain, |spec| spec.workload.workers = 1001);
        assert!(words.contains("one block a worker"), "{words}");
        let words = refusal(Pattern::Random, Order::Free, |spec| spec.placement.spans = vec![Span { offset_bytes: 0, length_bytes: 4095 }]);
        assert!(words.contains("one block a worker"), "{words}");
        let small = |spec: &mut JobSpec| {
            spec.workload.shape.read_sizes = two_sizes();
            spec.span.length_bytes = 4096;
        };
        assert!(refusal(Pattern::Random, Order::Plain, small).contains("one block a worker"));
        assert_eq!(refusal(Pattern::Random, Order::Mapped { optional: false }, small), "", "what is too large is cut");
        let words = refusal(Pattern::Random, zoned(&[(50, 1), (50, 99)]), |spec| spec.span.length_bytes = 99 * 4096);
        assert!(words.contains("smaller than one block"), "{words}");
    }

    #[test]
    fn checked_writers_do_not_share_blocks() {
        let spans = |second| vec![Span { offset_bytes: 0, length_bytes: 8192 }, Span { offset_bytes: second, length_bytes: 8192 }];
        let words = |second, read_percent, checked| {
            refusal(Pattern::Random, Order::Plain, |spec| {
                spec.placement.spans = spans(second);
                spec.workload.read_percent = read_percent;
                spec.workload.shape = Shape { data: ioproof_core::shape::Data { checked, ..Default::default() }, ..Shape::PLAIN };
            })
        };
        assert!(words(4096, 50, true).contains("one writer only"));
        assert_eq!((words(4096, 50, false), words(4096, 100, true), words(8192, 50, true)), Default::default());
    }
}
