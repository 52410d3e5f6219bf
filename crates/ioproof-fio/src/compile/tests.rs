//! Settings of some jobs and what the engine is told.

use super::*;
use crate::settings::{EngineSettings, Generator, LogName, RateProcess, Sequencer, Zones};
use crate::values::{Amount, BlockSplit, Distribution, DistributionZone, PerDirection, Rw, Suffix};
use ioproof_core::shape::{Order, Pace, SizeShare, Think, VisitMap, Zone};

const MIB: u64 = 1 << 20;

fn compiled(change: impl FnOnce(&mut JobSettings)) -> Result<Compiled, String> {
    let mut settings = JobSettings::default();
    settings.region.size = Some(Amount::Bytes(MIB));
    change(&mut settings);
    compile(&settings, 0, 1, &[Existing::default()], 7)
}

fn order_of(change: impl FnOnce(&mut JobSettings)) -> Result<Order, String> {
    compiled(change).map(|compiled| compiled.spec.workload.shape.order)
}

fn workload(change: impl FnOnce(&mut JobSettings)) -> Workload {
    compiled(change).unwrap().spec.workload
}

fn random(mode: Mode, change: fn(&mut JobSettings)) -> Result<Order, String> {
    order_of(|s| {
        s.access.rw = rw(mode, true, Suffix::None);
        change(s);
    })
}

fn rw(mode: Mode, random: bool, suffix: Suffix) -> Rw {
    Rw { mode, random, suffix }
}

#[test]
fn the_plainest_job() {
    let compiled = compiled(|_| ()).unwrap();
    let Compiled { spec, engine, needs_bytes, notes, .. } = compiled;
    assert_eq!((spec.workload.id().as_str(), spec.until, spec.at_most_ns), ("seq-read-4k-1x1", Until::Bytes(MIB), None));
    assert_eq!((engine, needs_bytes, notes.len(), spec.error_limit), (EngineName::Psync, vec![MIB], 0, 1));
    assert!(spec.recording.latency && !spec.recording.split && spec.recording.noted_ios == 0);
}

#[test]
fn submission_is_timed_where_it_or_completion_alone_is_told() {
    let split = |name, no_slat, no_clat| {
        compiled(|s| (s.engine, s.report.no_slat, s.report.no_clat) = (EngineSettings { name, ..s.engine.clone() }, no_slat, no_clat))
            .unwrap()
            .spec
            .recording
            .split
    };
    let libaio = |no_slat, no_clat| split(EngineName::Libaio, no_slat, no_clat);
    assert!(libaio(false, false) && libaio(true, false) && libaio(false, true) && !libaio(true, true));
    assert!(!split(EngineName::Psync, false, false));
}

#[test]
fn depth_is_for_engines_that_have_a_queue() {
    let depth = |name| compiled(|s| (s.engine, s.submission.depth) = (EngineSettings::named(name), 32)).unwrap().spec.workload.depth;
    assert_eq!([EngineName::Libaio, EngineName::Psync, EngineName::Mmap, EngineName::IoUring].map(depth), [32, 1, 1, 32]);
    assert_eq!([EngineName::IoUringCmd, EngineName::Spdk].map(depth), [32, 32]);
}

#[test]
fn time_bounds_what_is_counted_or_is_all_that_counts() {
    let until = |time_based, runtime_ns| {
        let spec = compiled(|s| (s.time.time_based, s.time.runtime_ns) = (time_based, runtime_ns)).unwrap().spec;
        (spec.until, spec.at_most_ns)
    };
    assert_eq!(until(false, 5), (Until::Bytes(MIB), Some(5)));
    assert_eq!(until(true, 5), (Until::ElapsedNs(5), None));
    assert_eq!(until(true, 0), (Until::Bytes(MIB), None), "fio too needs a runtime for that");
    assert_eq!(compiled(|s| s.region.ios = Some(10)).unwrap().spec.until, Until::Ios(10));
    assert_eq!(compiled(|s| s.region.ios = Some(1000)).unwrap().spec.until, Until::Ios(256));
    let of_little = |io_size| compiled(|s| (s.region.ios, s.region.io_size) = (Some(10), Some(Amount::Bytes(io_size)))).unwrap().spec.until;
    assert_eq!([1, 4096, 4097].map(of_little), [Until::Ios(1), Until::Ios(1), Until::Ios(2)], "as in fio 3.33, to the end of a block");
    let in_passes = |ios, loops| compiled(|s| (s.region.ios, s.time.loops) = (Some(ios), loops)).unwrap().spec.until;
    assert_eq!([(100, 3), (300, 2)].map(|(ios, loops)| in_passes(ios, loops)), [Until::Ios(300), Until::Ios(512)], "as many in each pass");
}

#[test]
fn orders() {
    let sequential = |suffix| order_of(|s| s.access.rw = rw(Mode::Read, false, suffix));
    assert_eq!(sequential(Suffix::Skip(4096)), Ok(Order::Skipping { skip_bytes: 4096, passes: 1, wraps: true }));
    assert_eq!(sequential(Suffix::Skip(-8192)), Ok(Order::Skipping { skip_bytes: -8192, passes: 1, wraps: true }));
    assert_eq!(sequential(Suffix::Skip(0)), Ok(Order::Plain));
    let passes = |change: fn(&mut JobSettings)| {
        order_of(|s| {
            s.access.rw = rw(Mode::Read, false, Suffix::Skip(4096));
            change(s);
        })
    };
    let skipping = |passes| Ok(Order::Skipping { skip_bytes: 4096, passes, wraps: true });
    assert_eq!(passes(|s| s.time.loops = 3), skipping(3));
    assert_eq!(passes(|s| (s.time.time_based, s.time.runtime_ns) = (true, 5)), skipping(0));
    assert_eq!(passes(|s| s.region.io_size = Some(Amount::Bytes(MIB))), skipping(0));
    let part = passes(|s| s.region.offset = Amount::Bytes(4096));
    assert_eq!(part, Ok(Order::Skipping { skip_bytes: 4096, passes: 1, wraps: false }));
    let random = |change| random(Mode::Read, change);
    assert_eq!(random(|_| ()), Ok(Order::Plain));
    assert_eq!(random(|s| s.random.repeats = true), Ok(Order::Free));
    assert_eq!(random(|s| s.access.rw.suffix = Suffix::Every(8)), Ok(Order::Runs { ios: 8, map: VisitMap::None }));
    assert_eq!(
        random(|s| s.random.random_percent = PerDirection::all(30)),
        Ok(Order::PartlyRandom { random_percent: 30, map: VisitMap::None })
    );
    let zipf = |s: &mut JobSettings| s.random.distribution.read = Distribution::Zipf { theta: 1.2, center: None };
    assert_eq!(random(zipf), Ok(Order::Zipf { theta_milli: 1200, center_ppm: None }));
    let zoned = |s: &mut JobSettings| {
        s.random.distribution.read = Distribution::Zoned(vec![DistributionZone { access_percent: 100.0, size_percent: 40.0 }]);
    };
    let expected = vec![Zone { access_percent: 100, span_percent: 40 }, Zone { access_percent: 0, span_percent: 60 }];
    assert_eq!(random(zoned), Ok(Order::Zoned { zones: expected }));
}

#[test]
fn pauses_come_after_so_many_ios_or_so_much_time() {
    let think = |change: fn(&mut JobSettings)| {
        workload(|s| {
            s.think.ns = 5;
            change(s);
        })
        .shape
        .think
    };
    assert_eq!(think(|_| ()), Some(Think { ns: 5, every: 1, every_ns: 0 }));
    assert_eq!(think(|s| s.think.every = 8), Some(Think { ns: 5, every: 8, every_ns: 0 }));
    assert_eq!(think(|s| s.think.every_ns = 70), Some(Think { ns: 5, every: 0, every_ns: 70 }));
    assert_eq!(think(|s| (s.think.every, s.think.every_ns) = (1, 70)), Some(Think { ns: 5, every: 1, every_ns: 70 }));
    assert_eq!(think(|s| s.think.ns = 0), None);
}

#[test]
fn places_that_come_again_and_distributions_with_a_centre() {
    let random = |change| random(Mode::Write, change);
    let identical = |s: &mut JobSettings| (s.access.rw.suffix, s.access.sequencer) = (Suffix::Every(4), Sequencer::Identical);
    assert_eq!(random(identical), Ok(Order::Repeated { ios: 4, free: false }));
    let zipf = |s: &mut JobSettings| s.random.distribution.read = Distribution::Zipf { theta: 1.2, center: Some(0.25) };
    assert_eq!(random(zipf), Ok(Order::Zipf { theta_milli: 1200, center_ppm: Some(250_000) }));
    let pareto = |s: &mut JobSettings| s.random.distribution.read = Distribution::Pareto { power: 0.2, center: Some(1.0) };
    assert_eq!(random(pareto), Ok(Order::Pareto { h_milli: 200, center_ppm: Some(1_000_000) }));
    let normal = |s: &mut JobSettings| s.random.distribution.read = Distribution::Normal { deviation: 10.0, center: Some(0.3) };
    assert_eq!(random(normal), Ok(Order::Normal { deviation_milli: 100, center_ppm: Some(300_000) }));
    assert_eq!(random(|s| s.blocks.align.write = Some(16384)), Ok(Order::Aligned { bytes: 16384 }));
    assert!(random(|s| s.blocks.align.write = Some(1000)).unwrap_err().contains("no multiple of 512"));
    assert_eq!(random(|s| s.blocks.align.read = Some(16384)), Ok(Order::Plain), "of another direction");
}

#[test]
fn zones() {
    let order = |change: fn(&mut JobSettings)| {
        order_of(|s| {
            s.region.zones = Zones { strided: true, io_bytes: 16384, range_bytes: 65536, skip_bytes: 512 };
            change(s);
        })
    };
    assert_eq!(order(|_| ()), Ok(Order::InZones { range_bytes: 65536, io_bytes: 16384, skip_bytes: 512 }));
    assert_eq!(order(|s| s.region.zones.range_bytes = 0), Ok(Order::InZones { range_bytes: 16384, io_bytes: 16384, skip_bytes: 512 }));
    assert!(order(|s| s.region.zones.io_bytes = 0).unwrap_err().contains("needs zonesize="));
    assert!(order(|s| s.region.zones.range_bytes = 2048).unwrap_err().contains("no room for one block"));
    assert!(order(|s| s.region.zones.strided = false).unwrap_err().contains("zonemode is none"));
    assert!(order(|s| s.access.rw.suffix = Suffix::Skip(4096)).unwrap_err().contains("without a number after rw"));
}

#[test]
fn sizes_differ_by_direction_or_by_share() {
    let mixed = |s: &mut JobSettings| {
        s.access.rw = rw(Mode::ReadWrite, true, Suffix::None);
        s.blocks.size.write = 8192;
    };
    let shape = workload(mixed).shape;
    assert_eq!((shape.read_sizes[0].bytes, shape.write_sizes[0].bytes), (4096, 8192));
    let split = |s: &mut JobSettings| {
        s.blocks.splits.read = vec![BlockSplit { bytes: 4096, percent: 60 }, BlockSplit { bytes: 65536, percent: 40 }]
    };
    let expected = vec![SizeShare { bytes: 4096, percent: 60 }, SizeShare { bytes: 65536, percent: 40 }];
    assert_eq!(workload(split).shape.read_sizes, expected);
}

#[test]
fn two_poisson_rates_divide_the_arrivals() {
    let mixed = |process, read, write| {
        workload(|s| {
            s.access.rw = rw(Mode::ReadWrite, true, Suffix::None);
            s.pace = crate::settings::PaceSettings { process, ios_per_s: PerDirection { read, write, trim: None }, ..s.pace };
        })
    };
    let poisson = mixed(RateProcess::Poisson, Some(100), Some(50));
    assert_eq!((poisson.read_percent, poisson.shape.pace), (67, Pace::Poisson { ios_per_s: 150 }));
    let one = mixed(RateProcess::Poisson, Some(100), None);
    assert_eq!((one.read_percent, one.shape.pace, one.shape.limits.read_ios_per_s), (50, Pace::Closed, Some(100)));
    assert_eq!(mixed(RateProcess::Linear, Some(100), Some(50)).read_percent, 50);
}

#[test]
fn a_lowest_rate_above_the_highest_is_refused() {
    let refused = |mode, most, least| {
        let change = |s: &mut JobSettings| {
            s.access.rw = rw(mode, false, Suffix::None);
            (s.pace.ios_per_s.write, s.pace.min_ios_per_s.write) = (most, least);
        };
        compiled(change).err().map(|error| error.to_string())
    };
    let told = refused(Mode::Write, Some(100), Some(200)).unwrap();
    assert!(told.contains("rate_iops_min=200 is more than rate_iops=100 allows"), "{told}");
    for (mode, most, least) in [
        (Mode::Read, Some(100), Some(200)),
        (Mode::Write, Some(200), Some(200)),
        (Mode::Write, Some(0), Some(200)),
        (Mode::Write, None, Some(1)),
    ] {
        assert_eq!(refused(mode, most, least), None, "{mode:?} {most:?} {least:?}");
    }
}

#[test]
fn what_was_missed_of_a_rate_is_made_up_for_but_for_pauses_that_do_not_count() {
    let catches_up = |change: fn(&mut JobSettings)| workload(change).shape.limits.catches_up;
    assert!(catches_up(|s| s.pace.ios_per_s.read = Some(100)));
    assert!(catches_up(|s| (s.pace.ios_per_s.read, s.think.ns) = (Some(100), 1000)));
    assert!(!catches_up(|s| (s.pace.ios_per_s.read, s.think.ns, s.pace.ignore_think) = (Some(100), 1000, true)));
    assert!(!catches_up(|s| s.think.ns = 1000), "there is no rate");
}

#[test]
fn rates_are_limits_and_poisson_is_an_open_loop() {
    let rate = |s: &mut JobSettings| s.pace.ios_per_s = PerDirection::all(Some(100));
    let shape = workload(rate).shape;
    assert_eq!((shape.limits.read_ios_per_s, shape.limits.write_ios_per_s, shape.pace), (Some(100), None, Pace::Closed));
    let poisson = |s: &mut JobSettings| {
        rate(s);
        s.pace.process = RateProcess::Poisson;
    };
    assert_eq!(workload(poisson).shape.pace, Pace::Poisson { ios_per_s: 100 });
    // Bytes are divided by the mean size of what is read.
    let bytes = |change: &dyn Fn(&mut JobSettings)| {
        let pace = compiled(|s| {
            (s.pace.bytes_per_s, s.pace.process) = (PerDirection::all(Some(MIB)), RateProcess::Poisson);
            change(s);
        });
        pace.unwrap().spec.workload.shape.pace
    };
    let split = |bytes, percent| BlockSplit { bytes, percent };
    assert_eq!(bytes(&|_| ()), Pace::Poisson { ios_per_s: 256 });
    assert_eq!(bytes(&|s| s.blocks.range.read = Some((4096, 28_672))), Pace::Poisson { ios_per_s: 64 });
    assert_eq!(bytes(&|s| s.blocks.splits.read = vec![split(4096, 75), split(16_384, 25)]), Pace::Poisson { ios_per_s: 146 });
}

#[test]
fn clones_and_runs_have_seeds_as_they_ask() {
    let seed = |clone, drawn, change: fn(&mut JobSettings)| {
        let mut settings = JobSettings::default();
        settings.region.size = Some(Amount::Bytes(MIB));
        change(&mut settings);
        compile(&settings, clone, clone + 1, &[Existing::default()], drawn).unwrap().spec.seed
    };
    assert_eq!(seed(0, 1, |_| ()), seed(0, 2, |_| ()));
    assert_ne!(seed(0, 1, |_| ()), seed(1, 1, |_| ()));
    assert_ne!(seed(0, 1, |s| s.random.same_offsets = false), seed(0, 2, |s| s.random.same_offsets = false));
    assert_eq!(seed(0, 1, |s| s.random.seed = Some(9)), seed(0, 2, |s| s.random.seed = Some(9)));
}

#[test]
fn logs_are_of_each_io_or_of_slices() {
    let recording =
        |average_ns| compiled(|s| (s.logs.latency, s.logs.average_ns) = (Some(LogName::OfJob), average_ns)).unwrap().spec.recording;
    assert_eq!(recording(0).noted_ios, 257);
    let trims = |s: &mut JobSettings| {
        (s.logs.latency, s.logs.average_ns, s.access.rw.mode) = (Some(LogName::OfJob), 0, Mode::TrimWrite);
        s.engine.name = EngineName::Falloc;
    };
    assert_eq!(compiled(trims).unwrap().spec.recording.noted_ios, 513, "a trim and a write of each block");
    assert_eq!((recording(250_000_000).noted_ios, recording(250_000_000).slice_ns), (0, 83_333_333));
    assert_eq!([50_000_000, 100_000_000, 1_000_000_000].map(|ns| recording(ns).slice_ns), [50_000_000, 100_000_000, 100_000_000]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let words = |change: fn(&mut JobSettings)| compiled(change).unwrap_err();
    assert!(words(|s| s.verify.method = Some(crate::settings::Checksum::Pattern)).contains("needs verify_pattern"));
    assert!(words(|s| s.region.size = None).contains("needs size="));
}

#[test]
fn several_sizes_take_a_map_of_what_was_visited() {
    let order = |change: fn(&mut JobSettings)| {
        order_of(|s| {
            s.access.rw = rw(Mode::ReadWrite, true, Suffix::None);
            let split = |large| vec![BlockSplit { bytes: 4096, percent: 60 }, BlockSplit { bytes: large, percent: 40 }];
            (s.blocks.splits.read, s.blocks.splits.write) = (split(8192), split(65536));
            change(s);
        })
    };
    assert_eq!(order(|_| ()), Ok(Order::Mapped { optional: false }));
    assert_eq!(order(|s| s.random.map_optional = true), Ok(Order::Mapped { optional: true }));
    assert_eq!(order(|s| s.random.repeats = true), Ok(Order::Free));
    assert_eq!(order(|s| s.random.generator = Generator::Lfsr), Ok(Order::Free));
    assert_eq!(order(|s| s.access.rw.random = false), Ok(Order::Plain));
    let part = |map| Ok(Order::PartlyRandom { random_percent: 30, map });
    assert_eq!(order(|s| s.random.random_percent = PerDirection::all(30)), part(VisitMap::Needed));
    assert_eq!(order(|s| (s.random.random_percent, s.random.repeats) = (PerDirection::all(30), true)), part(VisitMap::None));
    assert_eq!(order(|s| s.access.rw.suffix = Suffix::Every(8)), Ok(Order::Runs { ios: 8, map: VisitMap::Needed }));
    let range = |s: &mut JobSettings| (s.access.rw.mode, s.blocks.range.read) = (Mode::Read, Some((4096, 65536)));
    assert_eq!(order(range), Ok(Order::Mapped { optional: false }));
    assert_eq!(order(|s| s.blocks.splits.read.truncate(1)), Ok(Order::Mapped { optional: false }), "writes differ still");
    assert_eq!(order(|s| (s.access.rw.mode, s.blocks.splits.read) = (Mode::Read, Vec::new())), Ok(Order::Plain), "writes do not count");
}

#[test]
fn one_map_does_for_both_directions_only_where_their_smallest_are_alike() {
    let with = |write: u64| {
        compiled(|s| {
            s.access.rw = rw(Mode::ReadWrite, true, Suffix::None);
            (s.blocks.splits.read, s.blocks.size.write) =
                (vec![BlockSplit { bytes: 4096, percent: 60 }, BlockSplit { bytes: 8192, percent: 40 }], write);
        })
        .unwrap()
    };
    let said = |compiled: &Compiled| compiled.notes.iter().any(|note| note.contains("smallest write differ"));
    let (alike, unlike) = (with(4096), with(16384));
    assert_eq!((alike.spec.workload.shape.order.clone(), said(&alike)), (Order::Mapped { optional: false }, false));
    assert_eq!((unlike.spec.workload.shape.order.clone(), said(&unlike)), (Order::Free, true));
}

#[test]
fn a_number_of_ios_is_bounded_by_the_size() {
    assert_eq!(compiled(|s| s.region.ios = Some(10)).unwrap().spec.at_most_bytes, Some(MIB));
    assert_eq!(compiled(|_| ()).unwrap().spec.at_most_bytes, None);
}
