//! The tests of a standard, as they were asked for.

use ioproof_core::job::Span;
use ioproof_core::record::RunRecord;
use ioproof_core::standard::{Class, Standard, Test};
use ioproof_core::workload::Workload;
use ioproof_target::purge::PurgeMethod;
use std::time::Duration;

/// Purges before the tests, as they were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeWish {
    /// By the strongest method that the drive has, where all of a drive is tested.
    Usual,
    /// By this one, or the tests are refused.
    By(PurgeMethod),
    Never,
}

/// Tests of a standard, and what may be used up for them.
#[derive(Debug, Clone)]
pub struct StandardRequest {
    pub class: Class,
    pub tests: Vec<Test>,
    /// Thread count of the IOPS test.
    pub workers: u32,
    /// OIO of each of its threads.
    pub depth: u32,
    /// Length of a cell.
    pub cell: Duration,
    /// Share of the drive's rated endurance that the tests may use, 0 to 1.
    pub endurance: f64,
    pub purge: PurgeWish,
    pub taken_up: Option<Box<RunRecord>>,
}

impl StandardRequest {
    /// The tests on a part of a target.
    pub fn on(&self, whole: Span) -> Standard {
        let Self { class, tests, workers, depth, .. } = self;
        let active_range = class.active_range(whole);
        Standard { class: *class, tests: tests.clone(), workers: *workers, depth: *depth, active_range, purge: None, not_purged: None }
    }

    /// The cells of all tests, whatever the target.
    pub fn workloads(&self) -> Vec<Workload> {
        self.on(Span { offset_bytes: 0, length_bytes: 0 }).workloads()
    }
}
