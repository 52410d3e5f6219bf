//! The limit of one workload as records change: what is named, ruled out, left, and told by a further run.

use crate::facts::{Fact, LimitedResource, OwnLimit};
use crate::judge::judge;
use crate::limited_by::{LimitConfidence, LimitedBy, Place};
use crate::record::{DeviceCounters, HostLoad, RunRecord, Stage};
use crate::testing::{node, record};

/// The queued reads at random, 1.28 ms each, of which the drive has so much.
fn limit_of(record: &RunRecord) -> LimitedBy {
    let job = record.jobs.iter().position(|job| job.workload.id() == "rand-read-4k-4x32").unwrap() as u32;
    judge(record).rows.into_iter().find(|row| row.job == Some(job)).unwrap().limit.unwrap()
}

/// A record on a known stack, with a host that was counted and has nothing to do, on a virtual drive that has its requests for so long.
fn counted(drive_us: u64) -> RunRecord {
    let mut record = record();
    record.config.command = ["ioproof", "verify", "/dev/nvme0n1"].map(str::to_owned).to_vec();
    record.targets[0].facts.stack = Some(node("nvme0n1", 0));
    record.targets[0].drives[0].kind = crate::facts::DriveKind::Virtio;
    record.targets[0].drives[0].nr_requests = Some(Fact::new(256, "test"));
    let host = HostLoad { cpus: Some(64), cpu_busy: Some(0.1), cpu_steal: Some(0.0), own_cpu_ns: Some(1), ..HostLoad::default() };
    for stage in &mut record.stages {
        let ios = stage.rounds[0].read.ios;
        stage.host = Some(host.clone());
        let drive: &mut DeviceCounters = &mut stage.devices.as_mut().unwrap()[0];
        (drive.read_ios, drive.read_wait_ns) = (ios, ios * drive_us * 1000);
    }
    record
}

fn is_ruled_out(limit: &LimitedBy, place: Place) -> bool {
    limit.ruled_out.iter().any(|out| out.place == place)
}

#[test]
fn what_figures_rule_out_is_said_with_the_figure_and_what_none_does_is_left() {
    let known = limit_of(&counted(1200));
    let places = [Place::Memory, Place::IoLimit, Place::CpuLimit, Place::Cpu, Place::Hypervisor, Place::OtherUsers];
    assert!(places.into_iter().all(|place| is_ruled_out(&known, place)), "{:?}", known.ruled_out);
    assert!([Place::RequestQueue, Place::Concurrency, Place::Path].into_iter().all(|place| is_ruled_out(&known, place)));
    let steal = known.ruled_out.iter().find(|out| out.place == Place::Hypervisor).unwrap();
    assert_eq!((steal.by.name.as_str(), steal.by.describe().as_str()), ("steal", "0.0 % (limit 5.0 %)"));
    let unknown = limit_of(&record());
    let left = [Place::IoLimit, Place::OthersOnCpu, Place::Hypervisor, Place::Link, Place::Path, Place::Drive];
    assert!(left.into_iter().all(|place| unknown.left.contains(&place) && !is_ruled_out(&unknown, place)), "{:?}", unknown.left);
}

#[test]
fn a_record_in_which_nobody_looked_for_limits_does_not_rule_them_out() {
    let mut old = counted(1200);
    (old.host.nice, old.host.limits) = (None, Vec::new());
    let limit = limit_of(&old);
    assert!(limit.left.contains(&Place::IoLimit) && limit.left.contains(&Place::CpuLimit), "{:?}", limit.left);
}

#[test]
fn steal_is_the_limit_only_where_it_explains_most_of_an_io() {
    let stolen = |cpu_share: f64, stretch: f64| {
        let mut record = counted(1250);
        for stage in &mut record.stages {
            let own_cpu_ns = Some((stage.elapsed_ns as f64 * cpu_share) as u64);
            stage.rounds[0].workers.iter_mut().for_each(|worker| (worker.cpu_user_ns, worker.cpu_system_ns) = (0, 0));
            stage.host.as_mut().unwrap().own_cpu_ns = own_cpu_ns;
            (stage.host.as_mut().unwrap().cpu_busy, stage.host.as_mut().unwrap().cpu_steal) = (Some(0.3), Some(0.3 * stretch));
        }
        record
    };
    let little = limit_of(&stolen(0.05, 1.0));
    assert!(little.place == Place::Drive && is_ruled_out(&little, Place::Hypervisor), "{little:?}");
    let much = limit_of(&stolen(0.4, 2.0));
    assert_eq!(much.place, Place::Hypervisor, "0.4 used and 0.8 waited for each second");
    let polling = limit_of(&stolen(0.85, 0.2));
    assert_ne!(polling.place, Place::Hypervisor, "a worker that polls uses its CPU all the time");
}

#[test]
fn others_on_the_cpus_do_not_limit_what_a_busy_drive_does() {
    let busy = |drive_us| {
        let mut record = counted(drive_us);
        record.stages.iter_mut().for_each(|stage| stage.host.as_mut().unwrap().cpu_busy = Some(0.99));
        record
    };
    let of_drive = limit_of(&busy(1250));
    assert_eq!(of_drive.place, Place::Drive);
    let out = of_drive.ruled_out.iter().find(|out| out.place == Place::OthersOnCpu).unwrap();
    assert_eq!(out.by.describe(), "30 µs (limit 128 µs)");
    assert_eq!(limit_of(&busy(1000)).place, Place::OthersOnCpu, "a fifth of the time passes elsewhere");
    let mut of_cpus = busy(1250);
    of_cpus.targets[0].drives[0].kind = crate::facts::DriveKind::Loop;
    let limit = limit_of(&of_cpus);
    assert_eq!((limit.place, limit.confidence), (Place::OthersOnCpu, LimitConfidence::NotTold), "the CPUs make that drive");
    let words = &judge(&of_cpus).rows[0].limited_by;
    assert!(
        words.starts_with("the host's CPU: others use ") && words.contains(", or ") && words.contains(" itself: it takes 1.25 ms"),
        "{words}"
    );
    let mut uncounted = busy(1250);
    uncounted = uncounted.uncounted();
    assert_eq!(limit_of(&uncounted).confidence, LimitConfidence::NotTold);
    assert!(judge(&uncounted).rows[0].limited_by.ends_with(", or the drive or its path (no counters tell)"));
    let mut shared = busy(1250);
    shared.stages.iter_mut().for_each(|stage| stage.devices.as_mut().unwrap()[0].read_bytes *= 2);
    assert_eq!(limit_of(&shared).place, Place::OthersOnCpu, "others' I/O counts for the drive's time too");
    let mut empty = busy(1250);
    empty.rounds_mut().for_each(|round| round.elapsed_ns = round.elapsed_ns * 3 / 2);
    assert_eq!(limit_of(&empty).place, Place::OthersOnCpu, "the queue is not kept full");
}

#[test]
fn it_is_certain_only_where_nothing_else_is_left() {
    let alone = limit_of(&counted(1200));
    assert_eq!((alone.place, alone.confidence, alone.left.as_slice()), (Place::Drive, LimitConfidence::Certain, [].as_slice()));
    assert!(alone.telling_run.is_none(), "there is nothing left to tell");
    let beside = limit_of(&counted(1000));
    assert_eq!(
        (beside.place, beside.confidence, beside.left.as_slice()),
        (Place::Drive, LimitConfidence::Likely, [Place::Path].as_slice())
    );
    let exceeded = limit_of(&counted(1300));
    assert_eq!((exceeded.place, exceeded.confidence), (Place::Drive, LimitConfidence::Likely), "nothing passes elsewhere in 0 ns");
    assert!(exceeded.evidence.iter().all(|figure| figure.describe() != "0 ns"), "{:?}", exceeded.evidence);
    let untold = limit_of(&record());
    assert_eq!((untold.place, untold.confidence), (Place::NotTold, LimitConfidence::NotTold));
}

#[test]
fn where_the_place_is_not_told_the_line_says_what_it_is_not() {
    let mut halves = counted(600);
    halves.stages.iter_mut().for_each(|stage| {
        let drive = stage.devices.as_mut().unwrap()[0].clone();
        stage.devices.as_mut().unwrap().push(DeviceCounters {
            name: "dm-0".into(),
            is_drive: false,
            read_wait_ns: 2 * drive.read_wait_ns,
            ..drive
        });
    });
    let job = halves.jobs.iter().position(|job| job.workload.id() == "rand-read-4k-4x32").unwrap() as u32;
    let words = judge(&halves).rows.into_iter().find(|row| row.job == Some(job)).unwrap().limited_by;
    assert!(words.contains("; ruled out: the hypervisor, the generator's CPU, others on the host's CPU, others on the drive"), "{words}");
}

/// Nothing is known of one I/O alone, and the queue takes so many requests.
fn never_alone(nr_requests: u32) -> RunRecord {
    let mut record = counted(1250);
    record.targets[0].drives[0].nr_requests = Some(Fact::new(nr_requests, "test"));
    record.stages.retain(|stage| record.jobs[stage.rounds[0].job as usize].workload.outstanding() > 1);
    record.jobs.retain(|job| job.workload.outstanding() > 1);
    for (stage, job) in record.stages.iter_mut().zip((0..).flat_map(|job| [job; 6])) {
        stage.rounds[0].job = job;
    }
    record
}

#[test]
fn the_run_that_would_tell_whether_more_can_be_had_has_twice_the_depth() {
    let told = limit_of(&never_alone(256)).telling_run.unwrap();
    assert_eq!(told.command, "ioproof verify /dev/nvme0n1 --rw randread --bs 4KiB --depth 64 --workers 4 --time 1m");
    let places: Vec<Place> = told.outcomes.iter().map(|outcome| outcome.place).collect();
    assert_eq!(places, [Place::Concurrency, Place::Drive]);
}

/// A run near the ceiling of its workers, in which one more does so many IOPS.
fn with_one_more_worker(iops: u64) -> RunRecord {
    let mut record = counted(100);
    let self_test = crate::record::SelfTest { ceiling_ios_per_s: Some(27_000.0), loop_ns_per_io: 40.0, ..Default::default() };
    record.self_test = Some(self_test);
    record.rounds_mut().for_each(|round| round.engine.backend = "io_uring".into());
    let told = limit_of(&record).telling_run.unwrap();
    let of_it = record.jobs.iter().position(|job| job.workload.id() == "rand-read-4k-4x32").unwrap() as u32;
    let mut telling: Vec<_> = record.stages.iter().filter(|stage| stage.rounds[0].job == of_it).take(3).cloned().collect();
    for stage in &mut telling {
        stage.purpose = crate::record::Purpose::Tell;
        (stage.rounds[0].job, stage.rounds[0].read.ios) = (record.jobs.len() as u32, iops);
    }
    record.jobs.push(crate::record::JobRecord { workload: told.workload.unwrap(), ..record.jobs[of_it as usize].clone() });
    record.stages.extend(telling);
    record
}

#[test]
fn one_more_worker_tells_the_generator_from_the_drive() {
    let more = with_one_more_worker(125_000);
    assert_eq!(more.jobs.last().unwrap().workload.concurrency(), "5 x 25 = 125");
    let limit = limit_of(&more);
    assert_eq!((limit.place, limit.confidence), (Place::Generator, LimitConfidence::Certain));
    assert!(limit.evidence.iter().any(|figure| figure.name == "rate with one more worker"));
    assert_eq!(limit_of(&with_one_more_worker(100_000)).place, Place::Drive);
    let between = limit_of(&with_one_more_worker(107_000));
    assert_eq!((between.place, between.confidence), (Place::Generator, LimitConfidence::Likely));
}

#[test]
fn where_no_cpu_is_left_for_a_worker_the_generator_is_told_without_a_drive() {
    let mut record = with_one_more_worker(107_000);
    assert!(limit_of(&record).telling_run.unwrap().command.ends_with("--rw randread --bs 4KiB --depth 25 --workers 5 --time 1m"));
    record.host.cpus_usable = 4;
    assert!(limit_of(&record).telling_run.unwrap().command.ends_with("--backend null"));
}

#[test]
fn where_the_queue_takes_no_more_one_alone_tells() {
    let told = limit_of(&never_alone(255)).telling_run.unwrap();
    assert_eq!(told.command, "ioproof verify /dev/nvme0n1 --rw randread --bs 4KiB --depth 1 --workers 1 --time 1m");
    let outcomes: Vec<(&str, Place)> = told.outcomes.iter().map(|outcome| (outcome.seen.as_str(), outcome.place)).collect();
    assert_eq!(outcomes, [("about 1.28 ms an I/O", Place::Concurrency), ("much less", Place::Drive)]);
}

#[test]
fn a_drive_that_is_never_idle_may_be_busy_or_could_take_more() {
    let words = |record: &RunRecord, id: &str| judge(record).rows.into_iter().find(|row| row.workload.id() == id).unwrap().limited_by;
    let mut record = never_alone(256);
    let limit = limit_of(&record);
    assert_eq!((limit.place, limit.confidence), (Place::Drive, LimitConfidence::NotTold));
    assert!(words(&record, "rand-read-4k-4x32").ends_with(" of an I/O"), "at a depth of 128 it is idle to say");
    assert!(!words(&counted(1250), "rand-read-4k-4x32").contains("too little concurrency"), "one alone was measured");
    record.jobs.iter_mut().for_each(|job| job.workload.depth = 4);
    let few = words(&record, "rand-read-4k-4x4");
    assert!(few.ends_with(" of an I/O, or too little concurrency; a run at queue depth 4 x 8 = 32 would tell"), "{few}");
}

#[test]
fn one_alone_that_was_run_only_to_tell_tells() {
    let mut record = counted(1250);
    let alone = record.jobs.iter().position(|job| job.workload.id() == "rand-read-4k-1x1").unwrap() as u32;
    let of_it = |stage: &&mut crate::record::Stage| stage.rounds[0].job == alone;
    record.stages.iter_mut().filter(of_it).for_each(|stage| stage.purpose = crate::record::Purpose::Tell);
    assert!(is_ruled_out(&limit_of(&record), Place::Concurrency), "it takes a twelfth of the time");
    record.jobs[alone as usize].workload.block_bytes = 8192;
    assert!(!is_ruled_out(&limit_of(&record), Place::Concurrency), "of another size");
}

#[test]
fn the_run_that_would_tell_a_layer_from_the_drive_reads_the_drive() {
    let mut layered = counted(100);
    layered.targets[0].facts.resolved = "/dev/dm-0".into();
    assert_eq!(limit_of(&layered).place, Place::Path);
    let told = limit_of(&layered).telling_run;
    assert!(told.is_none(), "the drive was told from it by its counters: {told:?}");
    layered = layered.uncounted();
    let told = limit_of(&layered).telling_run.unwrap();
    assert!(told.command.starts_with("ioproof verify /dev/nvme0n1 --rw randread"), "{}", told.command);
}

#[test]
fn a_limit_of_a_group_is_told_outside_of_it() {
    let mut limited = counted(1200);
    let source = "/sys/fs/cgroup/a/io.max".to_owned();
    limited.host.limits = vec![OwnLimit { resource: LimitedResource::ReadIops, device: Some("8:0".into()), value: 100_000.0, source }];
    let limit = limit_of(&limited);
    assert_eq!((limit.place, limit.confidence), (Place::IoLimit, LimitConfidence::Certain));
    assert!(limit.evidence.iter().any(|figure| figure.name == "share of the limit"));
    let command = limit.telling_run.unwrap().command;
    assert!(command.starts_with("sh -c 'echo $$ > /sys/fs/cgroup/cgroup.procs && exec ioproof verify /dev/nvme0n1 "), "{command}");
}

#[test]
fn a_set_of_cpus_and_a_low_priority_are_told_without_them() {
    let mut set = counted(1200);
    let source = "Cpus_allowed_list of /proc/self/status".to_owned();
    set.host.limits = vec![OwnLimit { resource: LimitedResource::CpuSet, device: None, value: 1.0, source }];
    set.stages.iter_mut().for_each(|stage| stage.host.as_mut().unwrap().own_cpu_ns = Some(stage.elapsed_ns));
    let limit = limit_of(&set);
    assert_eq!((limit.place, limit.confidence), (Place::CpuSet, LimitConfidence::Likely));
    assert!(limit.telling_run.unwrap().command.starts_with("taskset -c 0-63 ioproof verify"));
    let mut nice = counted(1200);
    nice.host.nice = Some(10);
    nice.stages.iter_mut().for_each(|stage| stage.host.as_mut().unwrap().cpu_busy = Some(0.99));
    let limit = limit_of(&nice);
    assert_eq!(limit.place, Place::Priority);
    assert!(limit.telling_run.unwrap().command.starts_with("sudo nice -n -10 ioproof verify"));
}

#[test]
fn a_number_that_is_not_the_drives_needs_nothing_ruled_out() {
    let mut cached = counted(1200);
    cached.stages.iter_mut().for_each(|stage| stage.devices.as_mut().unwrap()[0].read_bytes = 0);
    let limit = limit_of(&cached);
    assert_eq!((limit.place, limit.confidence, limit.ruled_out.len()), (Place::Memory, LimitConfidence::Certain, 0));
    assert!(!limit.evidence.is_empty());
}

#[test]
fn stored_names_stay_as_they_are() {
    let limit = limit_of(&counted(1200));
    let stored = serde_json::to_value(&limit).unwrap();
    assert_eq!((stored["place"].as_str(), stored["confidence"].as_str()), (Some("drive"), Some("certain")));
    assert!(stored["ruled_out"][0]["by"]["number"].is_number());
    assert_eq!(serde_json::from_value::<LimitedBy>(stored).unwrap(), limit);
}

#[test]
fn a_flush_that_takes_most_of_a_write_is_the_limit() {
    let place = |sync_us: u64| {
        let mut record = counted(1200);
        let job = record.jobs.iter().position(|job| job.workload.id() == "rand-write-fdatasync-4k-1x1").unwrap() as u32;
        let rounds = record.rounds_mut().filter(|round| round.job == job);
        for round in rounds {
            (round.durable, round.write.latency, round.sync.latency) = Default::default();
            for _ in 0..100 {
                round.write.latency.record(3_000_000);
                round.sync.latency.record(sync_us * 1000);
            }
            round.write.ios = 100;
        }
        let row = judge(&record).rows.into_iter().find(|row| row.job == Some(job)).unwrap();
        (row.limit.unwrap().place, row.limited_by)
    };
    let (slow, words) = place(20_000);
    assert_eq!(slow, Place::Flush);
    assert!(words.starts_with("the flush: it takes 20 ms of the 23 ms of a write"), "{words}");
    assert_ne!(place(1000).0, Place::Flush);
}

#[test]
fn a_place_that_two_figures_rule_out_is_said_once() {
    let out =
        |place| crate::limited_by::RuledOut { place, by: crate::finding::Evidence::number("share", 0.1, crate::finding::Unit::Share) };
    let all = [Place::OthersOnCpu, Place::Interrupts, Place::OthersOnCpu].map(out);
    assert_eq!(super::untold("not told", &all), "not told; ruled out: others on the host's CPU, interrupts on one CPU");
}

/// Latency of one I/O alone as that of many at once.
#[test]
fn a_drive_that_is_just_full_looks_like_one_that_could_take_more() {
    let mut record = counted(1250);
    let is_alone = |stage: &Stage| record.jobs[stage.rounds[0].job as usize].workload.is_unloaded();
    let alone: Vec<bool> = record.stages.iter().map(is_alone).collect();
    let loaded = alone.iter().position(|alone| !alone).unwrap();
    let latency = record.stages[loaded].rounds[0].read.latency.clone();
    for (stage, _) in record.stages.iter_mut().zip(alone).filter(|(_, alone)| *alone) {
        stage.rounds[0].read.latency = latency.clone();
    }
    let row = judge(&record).rows.into_iter().find(|row| row.workload.id() == "rand-read-4k-4x32").unwrap();
    assert_eq!(row.limit.as_ref().map(|limit| limit.place), Some(Place::Concurrency), "{}", row.limited_by);
    assert!(row.limited_by.contains("hardly more than one alone, or the drive takes no more at once; a run at "), "{}", row.limited_by);
}
