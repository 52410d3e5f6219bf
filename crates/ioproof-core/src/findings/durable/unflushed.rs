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
    limit: None,
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
    use crate::facts::{Fact, FilesystemFacts};
    use crate::findings::find;
    use crate::record::DeviceCounters;
    use crate::testing::record;
    use crate::workload::Durability;

    /// The usual run, whose synced writes sent so many flushes for each.
    pub(in crate::findings) fn flushed(flushes: u64, write_cache: &str) -> RunRecord {
        let mut record = record();
        record.targets[0].drives[0].write_cache =
            Some(Fact { value: write_cache.into(), source: "/sys/block/nvme0n1/queue/write_cache".into() });
        let synced: Vec<bool> = record.jobs.iter().map(|job| job.workload.durability == Durability::FdatasyncEach).collect();
        for stage in &mut record.stages {
            let round = &mut stage.rounds[0];
            if synced[round.job as usize] {
                let (ios, latency) = (round.write.ios, round.write.latency.clone());
                (round.sync.ios, round.sync.latency) = (ios, latency);
                let written = round.write.bytes;
                let drive = DeviceCounters {
                    name: "nvme0n1".into(),
                    is_drive: true,
                    write_ios: ios,
                    write_bytes: written,
                    flush_ios: ios * flushes,
                    ..DeviceCounters::default()
                };
                stage.devices = Some(vec![drive]);
            }
        }
        record
    }

    records! { fires: flushed(0, "write back"), silent: flushed(1, "write back") }

    #[test]
    fn a_drive_without_a_volatile_cache_needs_no_flush_and_what_was_not_counted_is_not_missing() {
        let found = |record: &RunRecord| find(&Context::new(record)).iter().any(|finding| finding.rule == RULE.name);
        assert!(found(&fires()) && !found(&flushed(0, "write through")));
        let mut uncounted = fires();
        uncounted.stages.iter_mut().for_each(|stage| stage.devices = None);
        assert!(!found(&uncounted));
    }

    #[test]
    fn an_overlay_that_is_volatile_makes_nothing_durable() {
        let with = |fs_type: &str, options: &str| {
            let mut record = flushed(1, "write back");
            let filesystem = FilesystemFacts {
                fs_type: fs_type.into(),
                mount_point: "/m".into(),
                source: "o".into(),
                options: options.into(),
                free_bytes: 0,
                ..FilesystemFacts::default()
            };
            record.targets[0].facts.filesystem = Some(filesystem);
            find(&Context::new(&record)).iter().filter(|finding| finding.rule == RULE.name).count()
        };
        assert!(with("overlay", "rw,volatile,upperdir=/u") > 0 && with("overlay", "rw,upperdir=/u,fsync=volatile") > 0);
        assert_eq!([with("overlay", "rw,upperdir=/volatile"), with("ext4", "rw,volatile")], [0, 0]);
    }

    #[test]
    fn the_mount_option_is_named_and_commits_without_a_flush_have_no_rate() {
        let mut record = fires();
        let filesystem = |options: &str| FilesystemFacts {
            fs_type: "ext4".into(),
            mount_point: "/m".into(),
            options: options.into(),
            ..FilesystemFacts::default()
        };
        record.targets[0].facts.filesystem = Some(filesystem("rw,nobarrier"));
        let title = |record: &RunRecord| find(&Context::new(record)).into_iter().find(|finding| finding.rule == RULE.name).unwrap().title;
        assert!(title(&record).contains("(/m is mounted nobarrier)"), "{}", title(&record));
        record.targets[0].facts.filesystem = Some(filesystem("rw,relatime"));
        assert!(!title(&record).contains("mounted"));
        let told = crate::compare::compare(&[&silent(), &fires()]);
        let synced = told.rows.iter().filter(|row| row.workload.durability == Durability::FdatasyncEach);
        let whys: Vec<_> = synced.flat_map(|row| &row.against).flatten().map(|against| against.why).collect();
        assert!(!whys.is_empty() && whys.iter().all(|why| *why == Some(crate::compare::Why::NotDurable)), "{whys:?}");
    }
}
