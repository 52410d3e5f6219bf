//! Syncs after which no flush reached a drive whose write cache the kernel takes for volatile: what was called durable was not. Linux sends one at the end of
//! fsync(2) (`block/blk-flush.c`) unless the filesystem was mounted to send none (`nobarrier`, `barrier=0`), or something between leaves it out, as a virtual
//! disk does whose cache mode is `unsafe`.
//!
//! An overlay that is mounted `volatile` does nothing at all where it is asked to sync (`Documentation/filesystems/overlayfs.rst`, "Volatile mount").
//!
//! O_DSYNC is left out: its writes carry FUA where the drive has that, and no flush is counted.

use crate::findings::prelude::*;

rule! {
    name: "unflushed",
    about: "no flush reached the drive though writes were synced",
    check: Check::EachCounted(|context, measured| of_volatile(context, measured).or_else(|| of_job(context, measured))),
}

/// Syncs below which a flush may have been spared by chance.
const SYNCS_MIN: u64 = 20;

fn of_volatile(context: &Context, measured: &Measured) -> Option<Finding> {
    let mut filesystems = context.record.targets_of(measured.job).filter_map(|target| target.facts.filesystem.as_ref());
    let is_volatile = |options: &str| options.split(',').any(|option| matches!(option, "volatile" | "fsync=volatile"));
    let of = filesystems.find(|of| of.fs_type == "overlay" && is_volatile(&of.options))?;
    measured.rounds.iter().any(|part| part.sync.ios > 0).then_some(())?;
    let title = format!("the overlay on {} is mounted volatile, which makes nothing durable: no sync did anything", of.mount_point);
    let evidence = vec![Evidence::text("mount option", "volatile")];
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, evidence, "mount it without volatile"))
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let volatile = |write_cache: &str| write_cache == "write back";
    let drives = context.record.drives_of(measured.job);
    let drive =
        drives.first().filter(|_| drives.iter().all(|drive| drive.write_cache.as_ref().is_some_and(|fact| volatile(&fact.value))))?;
    let syncs = measured.sum_of(|part| part.sync.ios);
    let counted = measured.rounds.iter().map(|part| part.stage.counted_drives());
    let counted: Vec<_> = counted.collect::<Option<Vec<_>>>()?.concat();
    let flushes = counted.iter().map(|drive| drive.flush_ios).fold(0, u64::saturating_add);
    let written = counted.iter().map(|drive| drive.write_bytes).fold(0, u64::saturating_add);
    let syncs_data = !matches!(measured.workload().durability, crate::workload::Durability::SyncFileRangeEvery(_));
    if syncs < SYNCS_MIN || flushes > 0 || written == 0 || !syncs_data {
        return None;
    }
    let option = without_barriers(context, measured);
    let because = option.as_ref().map_or_else(String::new, |(option, place)| format!(" ({place} is mounted {option})"));
    let title = format!("{syncs} syncs, and no flush reached {}{because}: what was synced would not survive a power cut", drive.name);
    let mut evidence = vec![
        Evidence::number("syncs", syncs as f64, Unit::Count),
        Evidence::number("flushes", 0.0, Unit::Count),
        Evidence::text("write cache", "write back"),
    ];
    evidence.extend(option.map(|(option, _)| Evidence::text("mount option", option)));
    let remedy = "mount without nobarrier and barrier=0, and take no cache mode that drops flushes (cache=unsafe); `ioproof powercut` shows whether what is synced stays";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Invalid, title, evidence, remedy))
}

/// The mount option by which a filesystem of the job sends no flush, and its mount point (ext4(5), xfs(5), btrfs(5)).
fn without_barriers<'a>(context: &'a Context, measured: &'a Measured) -> Option<(&'a str, &'a str)> {
    let mut filesystems = context.record.targets_of(measured.job).filter_map(|target| target.facts.filesystem.as_ref());
    filesystems.find_map(|of| {
        let option = of.options.split(',').find(|option| matches!(*option, "nobarrier" | "barrier=0"))?;
        Some((option, of.mount_point.as_str()))
    })
}

#[cfg(test)]
pub(in crate::findings) mod tests {
    use super::*;

    /// The usual run, whose synced writes sent so many flushes for each.
    pub(in crate::findings) fn flushed(flushes: u64, write_cache: &str) -> RunRecord {
        let mut record = record();
        record.targets[0].drives[0].write_cache = Some(Fact::new(write_cache.into(), "/sys/block/nvme0n1/queue/write_cache"));
        let synced: Vec<bool> = record.jobs.iter().map(|job| job.workload.durability == Durability::FdatasyncEach).collect();
        for stage in record.stages.iter_mut().filter(|stage| synced[stage.rounds[0].job as usize]) {
            let round = &mut stage.rounds[0];
            (round.sync.ios, round.sync.latency) = (round.write.ios, round.write.latency.clone());
            let drive = stage.devices.as_mut().unwrap().first_mut().unwrap();
            (drive.write_ios, drive.flush_ios) = (round.write.ios, round.write.ios * flushes);
        }
        record
    }

    records! { fires: flushed(0, "write back"), silent: flushed(1, "write back") }

    #[test]
    fn a_drive_without_a_volatile_cache_needs_no_flush_and_what_was_not_counted_is_not_missing() {
        assert!(!RULE.found(&fires()).is_empty());
        RULE.silent_on([flushed(0, "write through"), fires().uncounted()]);
    }

    #[test]
    fn an_overlay_that_is_volatile_makes_nothing_durable() {
        let with = |fs_type: &str, options: &str| flushed(1, "write back").mounted(fs_type, "/m", options);
        for options in ["rw,volatile,upperdir=/u", "rw,upperdir=/u,fsync=volatile"] {
            assert!(!RULE.found(&with("overlay", options)).is_empty(), "{options}");
        }
        RULE.silent_on([with("overlay", "rw,upperdir=/volatile"), with("ext4", "rw,volatile")]);
    }

    #[test]
    fn the_mount_option_is_named_and_commits_without_a_flush_have_no_rate() {
        let title = |options| RULE.titles(&fires().mounted("ext4", "/m", options)).remove(0);
        assert!(title("rw,nobarrier").contains("(/m is mounted nobarrier)"), "{}", title("rw,nobarrier"));
        assert!(!title("rw,relatime").contains("mounted"));
        let told = crate::compare::compare(&[&silent(), &fires()]);
        let synced = told.rows.iter().filter(|row| row.workload.durability == Durability::FdatasyncEach);
        let whys: Vec<_> = synced.flat_map(|row| &row.against).flatten().map(|against| against.why).collect();
        assert!(!whys.is_empty() && whys.iter().all(|why| *why == Some(crate::compare::Why::NotDurable)), "{whys:?}");
    }
}
