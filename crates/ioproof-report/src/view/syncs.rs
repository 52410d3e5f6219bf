//! Durable writes: their table, the raw figures, and limits with their answers.

use ioproof_core::judgement::Judgement;
use ioproof_core::results::ResultTable;
use ioproof_core::syncs::{GoalResult, Syncs, Way};
use ioproof_core::text::visible;

/// Everything about durable writes.
#[derive(Debug, Clone)]
pub(crate) struct SyncView {
    pub table: ResultTable,
    /// The raw figures.
    pub ways: Vec<Way>,
    pub judged: Vec<GoalView>,
}

/// A limit and its answer, as a table has them.
#[derive(Debug, Clone)]
pub(crate) struct GoalView {
    pub result: GoalResult,
    /// Position of the job that stands for it.
    pub job: Option<u32>,
    pub reasons: String,
    /// The answer in a sentence that names the rules that bear on it, where their findings stand below.
    pub brief: String,
}

/// The ways of a run; none of other verbs.
pub(super) fn syncs(judgement: &Judgement) -> Option<SyncView> {
    let syncs = judgement.syncs.as_ref()?;
    let Syncs { ways, goals, .. } = syncs;
    Some(SyncView { table: syncs.table(), ways: ways.clone(), judged: goals.iter().map(|goal| limit(goal, ways)).collect() })
}

fn limit(result: &GoalResult, ways: &[Way]) -> GoalView {
    let job = ways.iter().find(|way| way.workload == result.goal.workload).map(|way| way.job);
    GoalView { result: result.clone(), job, reasons: visible(&result.bearing()), brief: visible(&result.brief()) }
}
