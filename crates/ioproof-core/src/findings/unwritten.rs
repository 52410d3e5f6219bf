//! Blocks were read that hold nothing: holes, unwritten extents, deallocated or never written blocks. A drive or a filesystem answers for them
//! without looking, so such reads are fantasy.

use super::{Context, Rule, evidence, finding_on};
use crate::facts::TargetKind;
use crate::units::{decimal_size, percent};
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule = Rule { name: "unwritten", about: "blocks were read that were never written or are deallocated", check };

/// From this share on, the number is the fantasy's more than the drive's.
const MOST: f64 = 0.5;

fn check(context: &Context) -> Vec<Finding> {
    let content = &context.record.content;
    let span = context.record.plan.span.length_bytes;
    let unwritten = content.unwritten_bytes.map_or(0.0, |b| b as f64 / span.max(1) as f64);
    let zero = if content.sampled_blocks == 0 { 0.0 } else { content.zero_blocks as f64 / content.sampled_blocks as f64 };
    let unused = unused(context).unwrap_or(0.0);
    let share = unwritten.max(zero).max(unused);
    if share <= context.record.policy.unwritten {
        return Vec::new();
    }
    let effect = if share > MOST { Effect::Invalid } else { Effect::Easier };
    let severity = if share > MOST { Severity::Block } else { Severity::Warn };
    let title = format!("{} of what was read holds nothing: the drive need not look for such blocks", percent(share));
    let figures = vec![
        evidence("never written (FIEMAP)", content.unwritten_bytes.map_or("not known".to_owned(), decimal_size)),
        evidence("drive without data (NUSE)", unused_words(context)),
        evidence("sampled blocks that are zero", format!("{} of {}", content.zero_blocks, content.sampled_blocks)),
    ];
    let remedy = "write the target in full first: a scratch file, --overwrite FILE or --destroy SERIAL does";
    let reads = context.measured.iter().filter(|m| m.workload().read_percent > 0 && !m.rounds.is_empty());
    reads.map(|m| finding_on(m, &RULE, severity, effect, title.clone(), figures.clone(), remedy)).collect()
}

/// The share of the drive that holds no data by its own count, where the whole drive is read and this run has not written it.
fn unused(context: &Context) -> Option<f64> {
    let record = context.record;
    let drive = record.drive()?;
    let capacity = drive.capacity_bytes.value;
    let whole = record.target.kind == TargetKind::BlockDevice && record.plan.span.length_bytes as f64 > 0.95 * capacity as f64;
    let used = drive.utilized_bytes.as_ref()?.value;
    (whole && record.content.filled_bytes == 0 && capacity > 0).then(|| 1.0 - used.min(capacity) as f64 / capacity as f64)
}

fn unused_words(context: &Context) -> String {
    unused(context).map_or("not known".to_owned(), percent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Fact;
    use crate::testing::record;

    #[test]
    fn a_drive_that_counts_itself_empty() {
        let mut record = record();
        let capacity = record.drives[0].capacity_bytes.value;
        record.drives[0].utilized_bytes = Some(Fact::new(capacity, "test"));
        assert!(check(&Context::new(&record)).is_empty());
        record.drives[0].utilized_bytes = Some(Fact::new(capacity / 10, "test"));
        assert!(check(&Context::new(&record)).iter().all(|f| f.title.starts_with("90.0 %") && f.effect == Effect::Invalid));
        assert!(!check(&Context::new(&record)).is_empty());
        record.content.filled_bytes = capacity;
        assert!(check(&Context::new(&record)).is_empty(), "what was just written holds data");
    }

    #[test]
    fn holes_and_zeros_count() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty());
        record.content.sampled_blocks = 100;
        record.content.zero_blocks = 10;
        assert!(check(&Context::new(&record)).iter().all(|f| f.effect == Effect::Easier));
        record.content.unwritten_bytes = Some(record.plan.span.length_bytes);
        let found = check(&Context::new(&record));
        assert!(!found.is_empty() && found.iter().all(|f| f.effect == Effect::Invalid));
    }
}
