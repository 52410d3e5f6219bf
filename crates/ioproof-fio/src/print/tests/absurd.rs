//! Results that make no sense are printed all the same: valid JSON, terse lines of the usual number of fields, no panic.

use super::made_up::PERCENTILES;
use crate::print::{TerseVersion, json, terse, text};
use crate::results::{DirectionResult, DiskUse, GroupResult, GroupSide, JobResult, Results, Samples, SteadyStateResult, Unified};
use ioproof_core::record::QueueUse;
use proptest::prelude::*;

fn odd_float() -> BoxedStrategy<f64> {
    prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(0.0), Just(-1.0), Just(f64::MAX)].boxed()
}

fn odd_whole() -> BoxedStrategy<u64> {
    prop_oneof![any::<u64>(), Just(0), Just(1), Just(u64::MAX), 0u64..10_000].boxed()
}

prop_compose! {
    fn samples()(count in odd_whole(), f in prop::array::uniform4(odd_float())) -> Samples {
        Samples { count, min: f[0], max: f[1], mean: f[2], deviation: f[3] }
    }
}

prop_compose! {
    fn side()(n in prop::array::uniform5(odd_whole()), latencies in prop::collection::vec(odd_whole(), 0..20), split: bool,
        bandwidth in samples().boxed(), iops in samples().boxed(), bandwidth_share_percent in odd_float()) -> DirectionResult {
        let [ios, bytes, runtime_ms, short_ios, dropped_ios] = n;
        let mut side = DirectionResult { runtime_ms, short_ios, dropped_ios, bandwidth, iops, bandwidth_share_percent, ..DirectionResult::default() };
        (side.io.ios, side.io.bytes) = (ios, bytes);
        latencies.iter().for_each(|ns| side.io.latency.record(*ns));
        side.io.completion = split.then(|| side.io.latency.clone());
        side.io.response = split.then(|| side.io.latency.clone());
        side
    }
}

prop_compose! {
    fn job()(name in any::<String>(), description in any::<Option<String>>(), error: i32, f in prop::array::uniform4(odd_float()),
        n in prop::array::uniform4(odd_whole()), sides in prop::array::uniform3(side().boxed()), queue in prop::collection::vec(odd_whole(), 0..70),
        own in prop::collection::vec(odd_float(), 0..25), unified in 0..3u8, depth: u32, flag: bool) -> JobResult {
        let [read, write, trim] = sides;
        let steady = SteadyStateResult { criterion: name.clone(), value: f[2], limit: f[3], iops: own.clone(), bytes_per_s: own.clone(), ..SteadyStateResult::default() };
        let mut job = JobResult { name, description, error, read, write, trim, depth, continue_on_error: flag, ..JobResult::default() };
        (job.runtime_ms, job.context_switches, job.errors_total, job.elapsed_s) = (n[0], n[1], n[2], n[3]);
        (job.cpu_user_percent, job.cpu_system_percent, job.latency_target.percentile) = (f[0], f[1], f[2]);
        job.queue = QueueUse { depths: queue.clone(), submitted: queue.clone(), reaped: queue, after_pause: None };
        job.percentiles = if flag { PERCENTILES.into() } else { own };
        job.reported.lat_percentiles = flag;
        job.steady_state = flag.then_some(steady);
        job.unified = [Unified::Separate, Unified::Mixed, Unified::Both][usize::from(unified)];
        job.options = vec![(job.name.clone(), job.name.clone()), ("bs".into(), "4k".into()), ("bs".into(), "8k".into())];
        job
    }
}

prop_compose! {
    fn results()(jobs in prop::collection::vec(job().boxed(), 0..3), f in odd_float(), n in odd_whole(), time in any::<String>()) -> Results {
        let below = DiskUse { name: time.clone(), ios: (n, n), in_queue_ms: n, busy_percent: f, ..DiskUse::default() };
        let disk = DiskUse { below: vec![below.clone(), below.clone()], ..below };
        let side = GroupSide { bytes: n, total_bytes_per_s: f, min_bytes_per_s: f, max_bytes_per_s: f, min_runtime_ms: n, max_runtime_ms: n };
        let groups = vec![GroupResult { group: 0, sides: [Some(side), None, Some(side)] }];
        Results { timestamp_ms: n, notes: vec![time.clone()], time, jobs, groups, disks: vec![disk], ..Results::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn anything_is_printed(results in results()) {
        let document: serde_json::Value = serde_json::from_str(&json(&results, true)).unwrap();
        prop_assert_eq!(document["jobs"].as_array().unwrap().len(), results.jobs.len());
        prop_assert!(!text(&results).contains("NaN") || results.jobs.iter().any(|job| job.name.contains("NaN")));
        for version in [TerseVersion::V2, TerseVersion::V3, TerseVersion::V4, TerseVersion::V5] {
            let lines = terse(&results, version).lines().filter(|line| !line.starts_with(';')).count();
            prop_assert_eq!(lines, results.jobs.len());
        }
    }
}
