//! Bytes at the device do not account for the bytes that were moved: a cache answered, most often the page cache.
//!
//! Held against each other are what the engine moved and what the kernel counted at the drives (Documentation/block/stat.rst), both over the whole job.

use crate::findings::prelude::*;
use crate::measured::{Accounts, ByteAccount};

rule! {
    name: "page-cache",
    about: "bytes at the device do not account for the bytes claimed: a cache answered",
    check: Check::EachJob(of_job),
    limit: RuleLimit::not_the_drive(Place::Memory, |_, _| "memory: a cache answered instead of the drive".into()).looked_at(look),
}

const PAST_THE_PAGE_CACHE: &str =
    "use a target that honours O_DIRECT down to the drive (direct=1 in a job file); for a loop device: losetup --direct-io=on";
/// O_DIRECT is a hint to ZFS, and older ones ignore it (zfsprops(7), `direct`).
const PAST_THE_ARC: &str =
    "zfs set primarycache=metadata on the dataset while it is measured, or use several times as much data as the ARC holds";

/// The directions in which a job moved data, each with its account.
fn used(measured: &Measured, accounts: &Accounts) -> impl Iterator<Item = (&'static str, ByteAccount)> {
    // Jobs side by side share the counters of a drive, but not the directions in which each moves data.
    let workload = measured.workload();
    // Somebody else's reads must not make up for what a cache answered.
    let read = ByteAccount { at_drives: accounts.proved_read, ..accounts.read };
    let all = [("read", read, workload.read_percent > 0), ("written", accounts.written, workload.writes())];
    // A direction that is rarely used carries no weight.
    all.into_iter().filter(|(_, account, is_used)| *is_used && account.moved > 0).map(|(direction, account, _)| (direction, account))
}

/// Share of the bytes that reached the drive.
fn share(account: &ByteAccount) -> f64 {
    account.at_drives as f64 / account.moved.max(1) as f64
}

fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let least = context.record.policy.device_bytes;
    let accounts = context.accounts(measured);
    let shares = used(measured, &accounts).map(|(_, account)| share(&account));
    let reached = shares.reduce(f64::min).filter(|share| *share >= least);
    LimitCheck::by(reached.map(|share| Evidence::number("share of the bytes that reached the drive", share, Unit::Share).against(least)))
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let least = context.record.policy.device_bytes;
    let accounts = context.accounts(measured);
    let (direction, bytes) = used(measured, &accounts).find(|(_, account)| share(account) < least)?;
    let share = share(&bytes);
    let arc = context.record.targets_of(measured.job).filter_map(|target| target.facts.filesystem.as_ref()?.cache_bytes).max();
    let title = format!(
        "only {} of the bytes {direction} reached the drive; the rest came from or went to memory{}",
        percent(share),
        arc.map_or_else(String::new, |bytes| format!(" (the ARC of ZFS, of up to {})", binary_size(bytes)))
    );
    let mut figures = vec![
        Evidence::number(&format!("bytes {direction}"), bytes.moved as f64, Unit::Bytes),
        Evidence::number("bytes at the drive", bytes.at_drives as f64, Unit::Bytes),
        Evidence::number("share that reached the drive", share, Unit::Share).against(least),
    ];
    figures.extend(shared(context, &accounts));
    figures
        .extend(arc.map(|bytes| Evidence::number("ARC", bytes as f64, Unit::BinaryBytes).read_at("/proc/spl/kstat/zfs/arcstats, c_max")));
    let remedy = if arc.is_some() { PAST_THE_ARC } else { PAST_THE_PAGE_CACHE };
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, remedy))
}

/// The jobs whose bytes are counted together with these.
pub(crate) fn shared(context: &Context, accounts: &Accounts) -> Option<Evidence> {
    let names: Vec<String> = accounts.shared_with.iter().filter_map(|job| Some(context.of(*job)?.job.title())).collect();
    (!names.is_empty()).then(|| Evidence::text("counted together with", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: cached(record(), 0.5), silent: cached(record(), 1.0) }

    /// The drive counts this share of what was read.
    fn cached(mut record: RunRecord, share: f64) -> RunRecord {
        for stage in &mut record.stages {
            let read = read_in(stage);
            stage.devices.iter_mut().flatten().for_each(|drive| drive.read_bytes = (read as f64 * share) as u64);
        }
        record
    }

    fn read_in(stage: &Stage) -> u64 {
        stage.rounds.iter().map(|round| round.total_bytes.0).sum()
    }

    #[test]
    fn reads_of_others_do_not_make_up_for_a_cache() {
        let mut record = cached(record(), 1.0);
        for stage in &mut record.stages {
            let read = read_in(stage);
            stage.host.get_or_insert_default().own_storage_bytes = Some((read / 8, 0));
        }
        RULE.says(&record, Effect::Invalid, |title| title.contains("12.5 %"));
    }

    #[test]
    fn what_ioproof_itself_looked_at_makes_up_for_nothing() {
        let mut record = cached(record(), 1.0);
        for stage in &mut record.stages {
            stage.rounds[0].looked_at_bytes = read_in(stage);
        }
        RULE.says(&record, Effect::Invalid, |title| title.contains("only 0.0 %"));
    }

    #[test]
    fn fires_when_the_drive_saw_less() {
        assert!(RULE.found(&record()).is_empty());
        let record = cached(record(), 0.5);
        RULE.says(&record, Effect::Invalid, |title| title.contains("50.0 % of the bytes read"));
        assert_eq!(RULE.found(&record).len(), record.jobs.iter().filter(|job| job.workload.read_percent > 0).count());
    }

    #[test]
    fn jobs_side_by_side_on_one_drive_are_counted_together() {
        let found = RULE.found(&cached(beside(record(), "nvme0n1"), 0.1));
        let shared = |f: &Finding| f.evidence.iter().any(|e| e.name == "counted together with");
        assert!(found.iter().filter(|f| f.subject.job().is_some_and(|job| job < 2)).all(shared) && !found.is_empty());
    }

    #[test]
    fn the_cache_of_zfs_is_named_with_what_turns_it_off() {
        let mut record = fires();
        record.targets[0].facts.filesystem = Some(FilesystemFacts { cache_bytes: Some(64 << 20), ..FilesystemFacts::default() });
        let found = RULE.found(&record);
        assert!(
            found[0].title.ends_with("(the ARC of ZFS, of up to 64 MiB)") && found[0].remedy.contains("primarycache=metadata"),
            "{found:?}"
        );
    }

    #[test]
    fn trimmed_bytes_are_not_missed_at_the_drive() {
        let mut record = record();
        record.jobs.iter_mut().for_each(|job| job.workload.shape.trim_percent = 100 - job.workload.read_percent);
        record.counters_mut().for_each(|drive| drive.write_bytes = 0);
        assert!(RULE.found(&record).is_empty());
    }

    #[test]
    fn calls_that_move_no_data_miss_none_at_the_drive() {
        let mut record = cached(record(), 0.0);
        assert!(!RULE.found(&record).is_empty());
        record.rounds_mut().for_each(|round| round.engine.backend = "filestat".into());
        assert!(RULE.found(&record).is_empty());
        let banners = crate::describe::banners(&record);
        assert!(banners.iter().any(|banner| banner.grave && banner.text.contains("the I/Os are files looked up")), "{banners:?}");
    }

    #[test]
    fn without_counters_nothing_is_said() {
        let searching = |record: &mut RunRecord| record.stages.iter_mut().for_each(|stage| stage.purpose = Purpose::Search);
        RULE.silent_on([cached(record(), 0.0).uncounted(), cached(record(), 0.0).with(searching)]);
    }
}
