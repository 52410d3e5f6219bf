//! No block device is known below the target: a filesystem in user space, a network's, or layers of directories.
//!
//! What all disks of this machine moved together is then the most that any drive of it can have moved for the run.

use crate::findings::prelude::*;
use crate::measured::ByteAccount;

rule! {
    name: "unseen-drive",
    about: "the filesystem of a target does not tell on which drive it lies",
    check: Check::EachCounted(of_job),
    limit: RuleLimit::not_the_drive(Place::Memory, |_, _| ELSEWHERE.into()).with(LimitConfidence::NotTold),
}

const ELSEWHERE: &str = "memory, another machine or a drive: nothing tells which";

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let mut targets = context.record.targets_of(measured.job);
    let filesystem =
        targets.find_map(|target| target.facts.filesystem.as_ref().filter(|_| target.facts.stack.is_none() && target.drives.is_empty()))?;
    let fs_type = &filesystem.fs_type;
    let least = context.record.policy.device_bytes;
    let accounts = [("read", account(measured, |bytes| bytes.0)), ("wrote", account(measured, |bytes| bytes.1))];
    let short = accounts.iter().filter_map(|(done, account)| Some((done, account.as_ref().filter(|a| share(a) < least)?))).next();
    let title = match short {
        Some((done, account)) => format!(
            "{fs_type} does not tell its drive, and all disks of this machine together {done} only {} of these bytes: memory or another machine answered",
            percent(share(account))
        ),
        None => format!("{fs_type} does not tell its drive, so that nothing shows which of these bytes reached one"),
    };
    let mut figures = vec![Evidence::text("filesystem", format!("{fs_type} of {} at {}", filesystem.source, filesystem.mount_point))];
    figures.extend(short.into_iter().flat_map(|(_, account)| {
        [
            Evidence::number("bytes of the run", account.moved as f64, Unit::Bytes),
            Evidence::number("bytes of all disks", account.at_drives as f64, Unit::Bytes),
            Evidence::number("share", share(account), Unit::Share).against(least),
        ]
    }));
    let remedy = "measure the drive itself, or a filesystem that lies directly on it";
    let (severity, effect) = if short.is_some() { (Severity::Block, Effect::Invalid) } else { (Severity::Warn, Effect::Incomparable) };
    Some(finding_on(measured, &RULE, severity, effect, title, figures, remedy))
}

fn share(account: &ByteAccount) -> f64 {
    account.at_drives as f64 / account.moved as f64
}

/// Bytes of one direction in the stages of a job, against those that all disks moved meanwhile; none where it moved nothing, or where nobody counted.
fn account(measured: &Measured, direction: fn((u64, u64)) -> u64) -> Option<ByteAccount> {
    let mut sum = ByteAccount::default();
    for part in &measured.rounds {
        let moved = part.stage.rounds.iter().map(|round| direction(round.total_bytes)).fold(0, u64::saturating_add);
        sum.moved = sum.moved.saturating_add(moved);
        sum.at_drives = sum.at_drives.saturating_add(direction(part.stage.host.as_ref()?.all_disks_bytes?));
    }
    (sum.moved > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: on_fuse(0.12),
        silent: fires().with(|record| record.targets[0].facts.stack = Some(node("nvme0n1", 0))),
    }

    /// All disks moved this share of what the run did.
    fn on_fuse(share: f64) -> RunRecord {
        let mut record = record();
        let target = &mut record.targets[0];
        (target.facts.stack, target.drives) = (None, Vec::new());
        let (fs_type, source, mount_point) = ("fuse.bindfs".into(), "/data".into(), "/mnt".into());
        target.facts.filesystem = Some(FilesystemFacts { fs_type, source, mount_point, ..FilesystemFacts::default() });
        for stage in &mut record.stages {
            let moved = stage.rounds.iter().map(|round| round.total_bytes).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let at_disks = |bytes: u64| (bytes as f64 * share) as u64;
            stage.host.get_or_insert_default().all_disks_bytes = Some((at_disks(moved.0), at_disks(moved.1)));
        }
        record
    }

    #[test]
    fn where_disks_moved_as_much_it_is_not_told_whose_bytes_they_were() {
        let whole = on_fuse(1.5);
        RULE.says(&whole, Effect::Incomparable, |title| title.ends_with("nothing shows which of these bytes reached one"));
        let uncounted = fires().with(|record| record.stages.iter_mut().for_each(|stage| stage.host = None));
        assert_eq!(RULE.found(&uncounted).len(), RULE.found(&whole).len());
    }
}
