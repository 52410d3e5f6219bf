//! Drives behind a switch that give less at once, with what is known of their way.

use super::*;
use crate::together::tests::measured;

records! {
    // Two drives that share a port which carries 630 MB/s, of which 614 MB/s are moved at once.
    fires: behind_a_port(&[75e3, 75e3], Some(630e6)),
    silent: behind_a_port(&[100e3, 100e3], Some(630e6)),
}

/// Two drives of 100 kIOPS each alone on one port, with these rates at once and this limit of its link.
fn behind_a_port(together: &[f64], limit_bytes_per_s: Option<f64>) -> RunRecord {
    let mut record = measured(&[100e3, 100e3], together, 6);
    for (at, target) in record.targets.iter_mut().enumerate() {
        let own = upstream(UpstreamKind::PciController, &format!("0000:0{}:00.0", at + 4), Some(1e9));
        let ports = ["0000:02:00.0", "0000:00:03.0"].map(|name| upstream(UpstreamKind::PciBridge, name, limit_bytes_per_s));
        target.drives[0].upstream = [own].into_iter().chain(ports).collect();
    }
    record
}

fn upstream(kind: UpstreamKind, name: &str, limit_bytes_per_s: Option<f64>) -> Upstream {
    Upstream { kind, name: name.into(), limit_bytes_per_s, source: format!("/sys/devices/pci0000:00/{name}") }
}
/// The words behind the share.
fn why(record: &RunRecord) -> String {
    RULE.titles(record).remove(0).split_once("added up: ").unwrap().1.to_owned()
}

/// Two drives that give half of it at once, and have nothing in common.
fn unexplained() -> RunRecord {
    measured(&[100e3, 100e3], &[50e3, 50e3], 6)
}

#[test]
fn a_full_link_is_named_once_though_both_of_its_ends_tell() {
    assert_eq!(why(&fires()), "all of them share the link at the PCIe port 0000:02:00.0, which is full: 614 MB/s of at most 630 MB/s");
}

#[test]
fn full_cpus_are_told_before_anything_else() {
    let mut record = fires();
    record.host.cpus_usable = 2;
    for stage in record.stages.iter_mut().filter(|stage| stage.rounds.len() > 1) {
        stage.host = Some(HostLoad { cpu_busy: Some(0.99), ..HostLoad::default() });
    }
    let why = why(&record);
    assert!(why.starts_with("the CPUs of this machine are 99") && why.contains("; all of them share the link"), "{why}");
}

#[test]
fn cpus_that_are_free_are_a_figure_and_no_cause() {
    let record = unexplained().with_host(HostLoad { cpu_busy: Some(0.5), ..HostLoad::default() });
    assert_eq!(why(&record), "nothing was found that they share");
    let found = RULE.found(&record).remove(0);
    assert!(found.evidence.iter().any(|figure| figure.describe().starts_with("50.0 %")), "{:?}", found.evidence);
}

#[test]
fn a_link_with_room_is_no_cause_and_one_that_does_not_tell_stays_open() {
    let room = "what they share, the PCIe port 0000:02:00.0 and 1 more, has room left; nothing else was found";
    assert_eq!(why(&behind_a_port(&[75e3, 75e3], Some(5e9))), room);
    let why = why(&behind_a_port(&[75e3, 75e3], None));
    assert!(why.starts_with("all of them share the PCIe port 0000:02:00.0, and what it carries is not known"), "{why}");
}

#[test]
fn one_drive_under_both_is_named_and_nothing_above_it() {
    let mut record = behind_a_port(&[50e3, 50e3], Some(1e9));
    record.targets[1].drives = record.targets[0].drives.clone();
    assert_eq!(why(&record), "all of them lie on the drive nvme0n1");
}

#[test]
fn nothing_shared_is_no_cause_made_up() {
    assert_eq!(why(&unexplained()), "nothing was found that they share");
}

#[test]
fn a_limit_of_a_control_group_holds_them_together() {
    let mut record = unexplained().with_limit(LimitedResource::ReadIops, Some("8:0"), 100e3);
    record.targets.iter_mut().for_each(|target| target.facts.stack = Some(node("nvme0n1", 0)));
    assert!(why(&record).starts_with("a control group's limit holds all of them back together: 100"), "{}", why(&record));
}

#[test]
fn of_three_the_two_that_share_are_named() {
    let mut record = measured(&[100e3, 100e3, 100e3], &[75e3, 75e3, 100e3], 6);
    for target in &mut record.targets[..2] {
        target.drives[0].upstream = vec![upstream(UpstreamKind::ScsiHost, "host3", None)];
    }
    assert_eq!(why(&record), "/dev/nvme0n1 and /dev/nvme1n1 share the SCSI host host3, and what it carries is not known");
}

#[test]
fn workloads_that_lose_for_one_reason_are_told_once() {
    let mut record = unexplained();
    let mut other = measured(&[100e3, 100e3], &[75e3, 75e3], 6);
    other.jobs.iter_mut().for_each(|job| job.workload.depth = 8);
    other.rounds_mut().for_each(|round| round.job += 2);
    record.jobs.extend(other.jobs);
    record.stages.extend(other.stages);
    let found = RULE.found(&record);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].title.contains(" and 1 more: all 2 at once give 50.0 % to 75.0 % of what"), "{}", found[0].title);
}
