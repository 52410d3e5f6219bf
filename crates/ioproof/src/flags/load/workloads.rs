//! From flags to workloads: every combination of the lists, each with the conditions that it can have.
//!
//! A condition that only writes can have stays off the reads of the same list, so that a plain read stays one.

use super::{BlockSizes, LoadFlags, MixFlag};
use anyhow::Result;
use ioproof_core::shape::{Data, Growth, Limits, Order, Pace, Shape};
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_target::System;

/// Queue depth and workers where none are named.
const DEPTH: u32 = 32;
const WORKERS: u32 = 4;

impl LoadFlags {
    /// Every combination of the lists; none without `--rw`.
    pub fn workloads(&self) -> Vec<Workload> {
        let mut workloads = Vec::new();
        for mix in &self.rw {
            for blocks in self.blocks_of(mix) {
                for depth in or(&self.depth, DEPTH) {
                    for workers in or(&self.workers, WORKERS) {
                        let ways = self.ways_of(mix).map(|way| self.workload(mix, &blocks, (workers, depth), way));
                        workloads.extend(ways.flat_map(|workload| self.by_each_backend(&workload)));
                    }
                }
            }
        }
        workloads
    }

    /// Ways of writing; a mix that does not write has none of its own.
    fn ways_of(&self, mix: &MixFlag) -> impl Iterator<Item = (Growth, Durability)> {
        let (growths, syncs) = match mix.writes() {
            true => (or(&self.write_to, Growth::default()), or(&self.sync, Durability::None)),
            false => (vec![Growth::default()], vec![Durability::None]),
        };
        growths.into_iter().flat_map(move |growth| syncs.clone().into_iter().map(move |sync| (growth, sync)))
    }

    /// The workload by each backend, named where there are several.
    fn by_each_backend(&self, workload: &Workload) -> Vec<Workload> {
        match self.backends().as_slice() {
            [] | [_] => vec![workload.clone()],
            several => several.iter().map(|choice| Workload { backend: Some(choice.name().to_owned()), ..workload.clone() }).collect(),
        }
    }

    fn blocks_of(&self, mix: &MixFlag) -> Vec<BlockSizes> {
        match (self.bs.is_empty(), mix.pattern) {
            (false, _) => self.bs.clone(),
            (true, Pattern::Random) => vec![BlockSizes::one(4 << 10)],
            (true, Pattern::Sequential) => vec![BlockSizes::one(128 << 10)],
        }
    }

    fn workload(
        &self,
        mix: &MixFlag,
        blocks: &BlockSizes,
        (workers, depth): (u32, u32),
        (growth, durability): (Growth, Durability),
    ) -> Workload {
        Workload {
            durability,
            shape: Shape { growth, ..self.shape(mix, blocks) },
            ..Workload::plain(mix.pattern, mix.read_percent, blocks.smallest_bytes(), workers, depth)
        }
    }

    fn shape(&self, mix: &MixFlag, blocks: &BlockSizes) -> Shape {
        let order = match mix.pattern {
            Pattern::Random => &self.distribution,
            Pattern::Sequential => &self.stride,
        };
        Shape {
            order: order.clone().unwrap_or(Order::Plain),
            trim_percent: mix.trim_percent,
            read_sizes: if mix.reads() { blocks.split() } else { Vec::new() },
            write_sizes: if mix.read_percent < 100 { blocks.split() } else { Vec::new() },
            pace: self.pace(),
            limits: self.limits(mix),
            think: self.think,
            data: if mix.writes() { self.written() } else { Data::default() },
            buffered: self.buffered,
            more_files: self.files.unwrap_or(1) - 1,
            ..Shape::PLAIN
        }
    }

    fn pace(&self) -> Pace {
        match (self.rate, self.poisson) {
            (Some(ios_per_s), _) => Pace::Fixed { ios_per_s },
            (None, Some(ios_per_s)) => Pace::Poisson { ios_per_s },
            (None, None) => Pace::Closed,
        }
    }

    fn limits(&self, mix: &MixFlag) -> Limits {
        let (reads, changes) = (mix.reads(), mix.read_percent < 100);
        Limits {
            read_ios_per_s: self.max_read_iops.filter(|_| reads),
            write_ios_per_s: self.max_write_iops.filter(|_| changes),
            read_bytes_per_s: self.max_read_rate.filter(|_| reads),
            write_bytes_per_s: self.max_write_rate.filter(|_| changes),
            catches_up: false,
        }
    }

    fn written(&self) -> Data {
        Data {
            fill: self.data.clone().unwrap_or_default(),
            compressible_percent: self.compressible.unwrap_or(0),
            duplicate_percent: self.duplicates.unwrap_or(0),
            checked: self.check,
            ..Data::default()
        }
    }

    /// The CPUs that workers take in turn; empty: wherever the kernel likes.
    ///
    /// # Errors
    /// When the CPUs asked for are not there.
    pub fn cpus(&self, system: &System) -> Result<Vec<Vec<u32>>> {
        self.pin.as_ref().map_or_else(|| Ok(Vec::new()), |pin| pin.cpus(system))
    }

    pub fn most_workers(&self) -> u32 {
        self.workers.iter().copied().max().unwrap_or(WORKERS)
    }
}

fn or<T: Clone>(list: &[T], default: T) -> Vec<T> {
    if list.is_empty() { vec![default] } else { list.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::load::testing::load;
    use ioproof_core::shape::{Fill, SizeShare};

    fn ids(words: &str) -> Vec<String> {
        load(words).workloads().iter().map(Workload::id).collect()
    }

    #[test]
    fn lists_are_combined() {
        assert_eq!(
            ids("--rw randread,rw:70 --depth 1,8 --workers 2"),
            ["rand-read-4k-2x1", "rand-read-4k-2x8", "seq-mix70-128k-2x1", "seq-mix70-128k-2x8"]
        );
        assert_eq!(ids("--rw write --bs 4KiB,1MiB"), ["seq-write-4k-4x32", "seq-write-1m-4x32"]);
        assert!(load("--backend psync").workloads().is_empty());
    }

    #[test]
    fn each_of_several_backends_runs_every_workload() {
        assert_eq!(
            ids("--rw randread --depth 1,8 --workers 2 --backend io_uring,psync,io_uring"),
            ["rand-read-4k-2x1-io_uring", "rand-read-4k-2x1-psync", "rand-read-4k-2x8-io_uring", "rand-read-4k-2x8-psync"]
        );
        assert!(load("--rw randread --backend psync").workloads().iter().all(|workload| workload.backend.is_none()));
    }

    #[test]
    fn without_special_flags_a_workload_is_plain() {
        let asked = load("--rw randread --bs 4KiB --backend io_uring --polled --pin 0 --huge-pages --split-latency").workloads();
        assert_eq!(asked, [Workload::plain(Pattern::Random, 100, 4096, 4, 32)]);
    }

    #[test]
    fn reads_stay_plain_beside_special_writes() {
        let asked = load("--rw randread,randwrite --sync fsync:8 --data zero --max-write-iops 10k").workloads();
        assert!(asked[0].shape.is_plain() && asked[0].durability == Durability::None);
        assert_eq!(asked[1].durability, Durability::FsyncEvery(8));
        assert_eq!((asked[1].shape.data.fill.clone(), asked[1].shape.limits.write_ios_per_s), (Fill::Zero, Some(10_000)));
    }

    #[test]
    fn every_flag_reaches_the_workload() {
        let words = "--rw randrw:60:10 --bs 16KiB:40/4KiB:60 --distribution zipf:1.2 --poisson 5k --max-read-iops 9 --max-read-rate 1MB --max-write-rate 2MB \
                     --data fresh --compressible 30 --duplicates 20 --sync dsync";
        let asked = load(words);
        asked.check().unwrap();
        let [w] = &asked.workloads()[..] else { panic!("one workload") };
        let sizes = vec![SizeShare { bytes: 16384, percent: 40 }, SizeShare { bytes: 4096, percent: 60 }];
        assert_eq!((w.block_bytes, w.read_percent, w.shape.trim_percent), (4096, 60, 10));
        assert_eq!((&w.shape.read_sizes, &w.shape.write_sizes), (&sizes, &sizes));
        assert_eq!((w.shape.pace, w.durability), (Pace::Poisson { ios_per_s: 5000 }, Durability::Dsync));
        assert_eq!(w.shape.describe().len(), 10, "{:?}", w.shape.describe());
        let expected = Limits {
            read_ios_per_s: Some(9),
            write_ios_per_s: None,
            read_bytes_per_s: Some(1_000_000),
            write_bytes_per_s: Some(2_000_000),
            catches_up: false,
        };
        assert_eq!(w.shape.limits, expected);
    }

    #[test]
    fn pauses_and_headers_reach_the_workload_too() {
        let asked = load("--rw write --think 1ms:4 --check --rate 5");
        assert!(asked.check().is_err(), "an open loop has no pauses");
        let w = &load("--rw write --think 1ms:4 --check").workloads()[0];
        assert_eq!(w.shape.describe(), ["pauses of 1000 us after every 4 I/Os", "checked"]);
        assert_eq!(load("--rw write --rate 10k").workloads()[0].shape.pace, Pace::Fixed { ios_per_s: 10_000 });
    }

    #[test]
    fn an_order_goes_to_the_pattern_that_it_is_for() {
        let asked = load("--rw read,randread --stride 1MiB --distribution free").workloads();
        assert_eq!((&asked[0].shape.order, &asked[1].shape.order), (&Order::Strided { stride_bytes: 1 << 20 }, &Order::Free));
    }
}

#[cfg(test)]
mod claims {
    use crate::flags::load;
    use ioproof_core::datasheet::Catalogue;
    use ioproof_core::job::Span;
    use ioproof_core::plan::{Plan, Request, SkipReason};
    use ioproof_core::policy::Policy;

    /// The plan for a drive of a datasheet that promises random reads and writes of 4 KiB, with these flags.
    fn plan_with(words: &str) -> Plan {
        let catalogue = Catalogue::shipped();
        Plan::make(&Request {
            only: &load::parsed(words).unwrap().workloads(),
            datasheet: catalogue.find_by_name("intel-dc-p3700"),
            capacity_bytes: Some(2_000_000_000_000),
            drive_bytes: None,
            may_write: true,
            may_read: true,
            span: Span { offset_bytes: 0, length_bytes: 1 << 40 },
            alignment_bytes: 512,
            in_order: false,
            own_files: true,
            fill: false,
            check: false,
            time_ns: 60_000_000_000,
            time_limited: true,
            by_size: false,
            runs: None,
            policy: &Policy::default(),
        })
    }

    fn answered(words: &str) -> usize {
        plan_with(words).all().map(|p| p.claims.len()).sum()
    }

    const READ: &str = "--rw randread --bs 4KiB --depth 32 --workers 4";
    const WRITE: &str = "--rw randwrite --bs 4KiB --depth 32 --workers 4";

    #[test]
    fn a_plain_workload_answers_its_claim_however_io_is_made() {
        assert!(answered(READ) > 0 && answered(WRITE) > 0);
        for how in ["--backend psync", "--polled", "--kernel-submits", "--pin 0", "--huge-pages", "--split-latency", "--distribution once"]
        {
            assert_eq!(answered(&format!("{READ} {how}")), answered(READ), "{how}");
        }
    }

    #[test]
    fn a_special_workload_answers_no_claim() {
        let reads = [
            "--distribution free",
            "--distribution zipf:1.2",
            "--rate 10k",
            "--poisson 10k",
            "--max-read-iops 5",
            "--max-read-rate 1MB",
            "--think 1ms",
        ];
        let writes = [
            "--sync fsync",
            "--sync dsync",
            "--sync fdatasync:8",
            "--data zero",
            "--compressible 50",
            "--duplicates 5",
            "--check",
            "--rate 10k",
        ];
        for (base, special) in reads.map(|s| (READ, s)).into_iter().chain(writes.map(|s| (WRITE, s))) {
            let plan = plan_with(&format!("{base} {special}"));
            assert_eq!(plan.all().map(|p| p.claims.len()).collect::<Vec<_>>(), [0], "{special}");
            assert!(plan.skipped.iter().any(|s| s.reason == SkipReason::NotAsked), "{special}");
        }
        assert_eq!(answered("--rw randread --bs 4KiB:50/8KiB:50 --depth 32 --workers 4"), 0);
        assert_eq!(answered("--rw randrw:100 --bs 4KiB --depth 32 --workers 4"), answered(READ), "the same by another name");
        assert_eq!(answered("--rw randrw:0:10 --bs 4KiB --depth 32 --workers 4"), 0, "trims are special");
    }
}
