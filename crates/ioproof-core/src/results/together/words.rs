//! A sentence on what is left of several targets when all are asked at once.

use super::{AtOnce, TogetherRow};
use crate::claim::Metric;
use crate::record::RunRecord;
use crate::text::too_few_turns;
use crate::units::{iops, percent, throughput};

pub(super) fn describe(row: &TogetherRow, record: &RunRecord) -> String {
    let show = show(row.metric);
    let rates = format!(
        "all {} at once give {}, each alone {} added up",
        row.members.len(),
        show(row.together.by(row.metric).median),
        show(row.apart.by(row.metric).median)
    );
    let share = share(row);
    let told = match row.answer {
        AtOnce::Less => format!("{share} of it"),
        AtOnce::AsMuch => format!("{share} of it, so that nothing they share holds them back"),
        AtOnce::CannotTell if !row.share.is_interval() => format!("{} to tell whether that is less", too_few_turns(row.share.runs)),
        AtOnce::CannotTell => format!("{share} of it: whether that is less cannot be told"),
    };
    let most = if row.answer == AtOnce::Less { loser(row, record) } else { None };
    format!("{}: {rates}; {told}{}", row.title, most.unwrap_or_default())
}

/// `61.0 % (58.2 % to 64.1 %)`.
pub(crate) fn share(row: &TogetherRow) -> String {
    format!("{} ({} to {})", percent(row.share.median), percent(row.share.low), percent(row.share.high))
}

pub(crate) fn show(metric: Metric) -> fn(f64) -> String {
    if metric == Metric::Throughput { throughput } else { iops }
}

/// The target that keeps least of its own, where its interval lies below that of the one that keeps most: who loses is told only then.
fn loser(row: &TogetherRow, record: &RunRecord) -> Option<String> {
    let by_share = |a: &&super::Member, b: &&super::Member| a.share.median.total_cmp(&b.share.median);
    let (least, most) = (row.members.iter().min_by(by_share)?, row.members.iter().max_by(by_share)?);
    let name = |target: u32| record.targets.get(target as usize).map(|target| target.facts.given.clone());
    let is_told = least.share.is_interval() && least.share.high < most.share.low;
    let told = format!(
        "; {} keeps least of its own ({}), {} most ({})",
        name(least.target)?,
        percent(least.share.median),
        name(most.target)?,
        percent(most.share.median)
    );
    is_told.then_some(told)
}
