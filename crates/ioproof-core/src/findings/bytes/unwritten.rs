//! Blocks were read that hold nothing: holes, unwritten extents, deallocated or never written blocks. A drive or a filesystem answers for them
//! without looking, so such reads are fantasy.

use crate::findings::prelude::*;

rule! {
    name: "unwritten",
    about: "blocks were read that were never written or are deallocated",
    check: Check::Run(check),
}

/// From this share on, the number is the fantasy's more than the drive's.
const MOST: f64 = 0.5;

fn check(context: &Context) -> Vec<Finding> {
    // By a standard all is written before each test, whatever was there when the run began.
    let is_of_standard = context.record.plan.as_ref().is_some_and(|plan| plan.standard.is_some());
    let reads = context.counted().filter(|m| m.workload().read_percent > 0 && !is_of_standard);
    reads.filter_map(|m| context.record.targets_of(m.job).find_map(|target| of_target(context, m, target))).collect()
}

fn of_target(context: &Context, measured: &Measured, target: &TargetRecord) -> Option<Finding> {
    let content = &target.content;
    let span = measured.job.span.length_bytes;
    let unwritten = content.unwritten_bytes.map(|b| b as f64 / span.max(1) as f64);
    let zero = (content.sampled_blocks > 0).then(|| content.zero_blocks as f64 / content.sampled_blocks as f64);
    let unused = unused(measured, target);
    // A few blocks of real data are alike; a drive full of them was filled by a tool.
    let repeated =
        (content.sampled_blocks > 0).then(|| content.repeated_blocks as f64 / content.sampled_blocks as f64).filter(|of| *of > MOST);
    let share = [unwritten, zero, unused, repeated].into_iter().flatten().fold(0.0, f64::max);
    if share <= context.record.policy.unwritten {
        return None;
    }
    let effect = if share > MOST { Effect::Invalid } else { Effect::Easier };
    let severity = if share > MOST { Severity::Block } else { Severity::Warn };
    let title = match repeated {
        Some(of) if of >= share => {
            format!("{} of what was read is the same over and over: a drive may hold such blocks once", percent(share))
        }
        _ => format!("{} of what was read holds nothing: the drive need not look for such blocks", percent(share)),
    };
    let figures = [
        content.unwritten_bytes.map(|bytes| Evidence::number("never written (FIEMAP)", bytes as f64, Unit::Bytes)),
        unused.map(|share| Evidence::number("drive without data (NUSE)", share, Unit::Share)),
        zero.map(|_| Evidence::number("sampled blocks", content.sampled_blocks as f64, Unit::Count)),
        zero.map(|_| Evidence::number("sampled blocks of zeros or of another byte throughout", content.zero_blocks as f64, Unit::Count)),
        repeated.map(|_| Evidence::number("sampled blocks like an earlier one", content.repeated_blocks as f64, Unit::Count)),
        Some(Evidence::number("share that holds nothing", share, Unit::Share).against(context.record.policy.unwritten)),
    ];
    let remedy = "write the target in full first: a scratch file, --overwrite FILE or --destroy SERIAL does";
    Some(finding_on(measured, &RULE, severity, effect, title, figures.into_iter().flatten().collect(), remedy))
}

/// The share of the drive that holds no data by its own count, where the whole drive is read and this run has not written it.
fn unused(measured: &Measured, target: &TargetRecord) -> Option<f64> {
    let drive = target.drive()?;
    let capacity = drive.capacity_bytes.value;
    let whole = target.facts.kind == TargetKind::BlockDevice && measured.job.span.length_bytes as f64 > 0.95 * capacity as f64;
    let used = drive.utilized_bytes.as_ref()?.value;
    (whole && target.content.filled_bytes == 0 && capacity > 0).then(|| 1.0 - used.min(capacity) as f64 / capacity as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: sampled(10, 0), silent: sampled(0, 0) }

    /// Of a hundred blocks so many hold zeros, and so many are like an earlier one.
    fn sampled(zero_blocks: u64, repeated_blocks: u64) -> RunRecord {
        let mut record = record();
        let content = &mut record.targets[0].content;
        (content.sampled_blocks, content.zero_blocks, content.repeated_blocks) = (100, zero_blocks, repeated_blocks);
        record
    }

    #[test]
    fn a_drive_that_counts_itself_empty() {
        let mut record = record();
        let capacity = record.targets[0].drives[0].capacity_bytes.value;
        record.targets[0].drives[0].utilized_bytes = Some(Fact::new(capacity, "test"));
        assert!(RULE.found(&record).is_empty());
        record.targets[0].drives[0].utilized_bytes = Some(Fact::new(capacity / 10, "test"));
        RULE.says(&record, Effect::Invalid, |title| title.starts_with("90.0 %"));
        record.targets[0].content.filled_bytes = capacity;
        assert!(RULE.found(&record).is_empty(), "what was just written holds data");
    }

    #[test]
    fn a_drive_full_of_one_block_may_hold_it_once() {
        assert!(RULE.found(&sampled(0, 40)).is_empty(), "some of real data is alike");
        RULE.says(&sampled(0, 99), Effect::Invalid, |title| title.starts_with("99.0 % of what was read is the same"));
    }

    #[test]
    fn holes_and_zeros_count() {
        assert!(RULE.found(&record()).is_empty());
        RULE.says(&fires(), Effect::Easier, |_| true);
        let holes = |record: &mut RunRecord| record.targets[0].content.unwritten_bytes = Some(record.jobs[0].span.length_bytes);
        RULE.says(&fires().with(holes), Effect::Invalid, |_| true);
    }
}
