//! The same rate whatever the load: so many I/Os or bytes a second at several depths or block sizes, and hardly a difference from run to run. That is how a
//! limit looks that a provider, a controller or a throttle sets; a drive of few slots looks alike.

use crate::findings::prelude::*;

rule! {
    name: "fixed-rate",
    about: "the rate is the same at several depths or block sizes, as a limit makes it",
    check: Check::EachJob(of_job),
    limit: RuleLimit::on_the_way(LimitRank::Drive, describe),
}

/// Most that a run at the limit may stay below the fastest run of both jobs, as a share of that.
const ALIKE: f64 = 0.02;
/// Fewest runs of a job at the limit.
const FEWEST: usize = 3;
/// Least share of its runs that are.
const RUNS: f64 = 0.5;
/// Least ratio of two depths. A drive gives more with so much more outstanding, unless it is full.
const DEPTHS: f64 = 4.0;
/// The smaller of two depths is at most this: with more outstanding many a drive is full.
const SHALLOW: u32 = 8;
/// Least ratio of two block sizes.
const SIZES: f64 = 4.0;

/// A job and another one that has the same rate under another load.
struct Pair<'a> {
    metric: Metric,
    rate: f64,
    /// Largest difference between runs of both at the limit, as a share of the rate.
    spread: f64,
    /// Runs of both below it.
    below: usize,
    other: &'a Measured<'a>,
    varied: Varied,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Varied {
    Depth,
    BlockSize,
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let pair = pair(context, measured)?;
    let load = |m: &Measured| match pair.varied {
        Varied::Depth => format!("{} outstanding", m.workload().outstanding()),
        Varied::BlockSize => block_size(m.workload().block_bytes.into()),
    };
    let title = format!(
        "{} with {} as with {}, within {}: a limit of a provider, a controller or a throttle looks like that, and so does a drive that is full",
        pair.metric.show(pair.rate),
        load(measured),
        load(pair.other),
        percent(pair.spread)
    );
    let unit = if pair.metric == Metric::Iops { Unit::IosPerSecond } else { Unit::BytesPerSecond };
    let figures = vec![
        Evidence::number("rate", pair.rate, unit),
        Evidence::text("the same with", load(pair.other)),
        Evidence::number("largest difference of the runs at it", pair.spread, Unit::Share),
        Evidence::number("slower runs", pair.below as f64, Unit::Count),
    ];
    let remedy =
        "hold it against what the provider or the array promises for this volume; another size or class of volume has another limit";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, figures, remedy))
}

fn describe(context: &Context, measured: &Measured) -> String {
    let rate = pair(context, measured).map_or_else(String::new, |pair| format!(" of {}", pair.metric.show(pair.rate)));
    format!("a fixed rate{rate}: a limit of a provider, a controller or a throttle, or the drive is full")
}

/// True where a job has a fixed rate, which others on the CPUs cannot make: they change from run to run.
pub(crate) fn is_found(context: &Context, measured: &Measured) -> bool {
    pair(context, measured).is_some()
}

/// The job that shows most plainly that the rate of this one is fixed.
fn pair<'a>(context: &'a Context<'a>, measured: &Measured) -> Option<Pair<'a>> {
    if !is_comparable(context, measured) {
        return None;
    }
    let others = || context.measured.iter().filter(|other| is_alike(measured, other) && is_comparable(context, other));
    let iops = || {
        others()
            .filter_map(|other| Some((varied(measured, other)?, other)))
            .find_map(|(varied, other)| fixed(Metric::Iops, varied, measured, other))
    };
    let bytes = || {
        others()
            .filter(|other| sizes_differ(measured, other))
            .find_map(|other| fixed(Metric::Throughput, Varied::BlockSize, measured, other))
    };
    // A drive in this machine moves as many bytes a second in large blocks as its medium or its link gives.
    iops().or_else(|| bytes().filter(|_| is_out_of_sight(context, measured)))
}

/// Several I/Os outstanding at a time, as fast as they go, on something that is no generator.
fn is_comparable(context: &Context, measured: &Measured) -> bool {
    let workload = measured.workload();
    let on_a_drive = context.record.targets_of(measured.job).all(|target| target.facts.kind != TargetKind::Generator);
    !workload.is_unloaded() && workload.shape.pace == Pace::default() && measured.rounds.len() >= FEWEST && on_a_drive
}

/// The same targets and the same kind of I/O.
fn is_alike(one: &Measured, other: &Measured) -> bool {
    let (a, b) = (one.workload(), other.workload());
    one.index != other.index
        && one.job.targets == other.job.targets
        && (a.pattern, a.read_percent, a.shape.trim_percent, a.durability)
            == (b.pattern, b.read_percent, b.shape.trim_percent, b.durability)
}

fn varied(one: &Measured, other: &Measured) -> Option<Varied> {
    let (a, b) = (one.workload().outstanding(), other.workload().outstanding());
    let is_deeper = a.min(b) <= SHALLOW && f64::from(a.max(b)) >= DEPTHS * f64::from(a.min(b));
    match (one.workload().block_bytes == other.workload().block_bytes, is_deeper) {
        (true, true) => Some(Varied::Depth),
        (false, _) => sizes_differ(one, other).then_some(Varied::BlockSize),
        _ => None,
    }
}

fn sizes_differ(one: &Measured, other: &Measured) -> bool {
    let (a, b) = (one.workload().block_bytes, other.workload().block_bytes);
    f64::from(a.max(b)) >= SIZES * f64::from(a.min(b))
}

/// A limit bounds a rate from above: most runs reach it, and no run exceeds it. What makes others slower is the host's.
fn fixed<'a>(metric: Metric, varied: Varied, measured: &Measured, other: &'a Measured<'a>) -> Option<Pair<'a>> {
    let of_both = [measured, other].map(|m| runs(m, metric));
    let top = of_both.iter().flatten().map(|run| run.least).reduce(f64::max).filter(|top| *top > 0.0)?;
    let at_limit = |runs: &Vec<Run>| runs.iter().filter(|run| run.most >= (1.0 - ALIKE) * top).map(|run| run.rate).collect::<Vec<f64>>();
    let reached = of_both.each_ref().map(at_limit);
    let is_most = |(reached, all): (&Vec<f64>, &Vec<Run>)| reached.len() >= FEWEST && reached.len() as f64 >= RUNS * all.len() as f64;
    if !reached.iter().zip(&of_both).all(is_most) {
        return None;
    }
    let each = || reached.iter().flatten().copied();
    let (low, high) = (each().reduce(f64::min)?, each().reduce(f64::max)?);
    let (rate, below) = (median(&reached[0])?, of_both.iter().map(Vec::len).sum::<usize>() - each().count());
    Some(Pair { metric, rate, spread: (high - low) / rate, below, other, varied })
}

/// The rate of a run, and between what it lies: one I/O more or less may fall into its time.
struct Run {
    rate: f64,
    least: f64,
    most: f64,
}

fn runs(measured: &Measured, metric: Metric) -> Vec<Run> {
    let of_run = |(rate, part): (f64, &Part)| {
        let one = rate / part.round.ios().max(1) as f64;
        Run { rate, least: rate - one, most: rate + one }
    };
    measured.values(metric, None).into_iter().zip(&measured.rounds).map(of_run).collect()
}

/// True in a virtual machine, and where no drive of this machine is known. A provider often limits the bytes a second there; elsewhere the medium does.
fn is_out_of_sight(context: &Context, measured: &Measured) -> bool {
    let is_real = |drive: &&DeviceFacts| matches!(drive.kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi);
    context.record.host.hypervisor.is_some() || !context.record.drives_of(measured.job).iter().any(is_real)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: at_depths(800.0, 801.0), silent: at_depths(800.0, 900.0) }

    /// The first two jobs are reads with 4 and with 32 outstanding.
    fn at_depths(shallow: f64, deep: f64) -> RunRecord {
        let mut record = record_with(|_, _| 0.0);
        record.jobs.truncate(2);
        for (job, depth) in record.jobs.iter_mut().zip([4, 32]) {
            job.workload = Workload::plain(Pattern::Random, 100, 4096, 1, depth);
        }
        record.stages.retain(|stage| stage.rounds[0].job < 2);
        record.with(|record| measured_again(record, |job, _| [shallow, deep][job]))
    }

    /// Measures each round again at the rate of its job and repetition.
    fn measured_again(record: &mut RunRecord, rate: impl Fn(usize, u32) -> f64) {
        for stage in &mut record.stages {
            let job = stage.rounds[0].job;
            stage.rounds[0] = round(job, &record.jobs[job as usize].workload, rate(job as usize, stage.repetition));
        }
    }

    #[test]
    fn a_rate_that_rises_with_the_depth_or_differs_from_run_to_run_is_no_limit() {
        assert_eq!(RULE.titles(&fires()).len(), 2);
        let unsteady = |job: usize, run| if (job, run) == (1, 5) { 860.0 } else { 800.0 + job as f64 };
        // Many a drive is full at the depths of the second.
        let deep = |record: &mut RunRecord| (record.jobs[0].workload.depth, record.jobs[1].workload.depth) = (16, 64);
        let pace = Pace::Fixed { ios_per_s: 800 };
        let paced = |record: &mut RunRecord| record.jobs.iter_mut().for_each(|job| job.workload.shape.pace = pace);
        RULE.silent_on([fires().with(|record| measured_again(record, unsteady)), fires().with(deep), fires().with(paced)]);
    }

    #[test]
    fn runs_that_others_made_slower_hide_no_limit() {
        let slower = |runs: u32| {
            let rate = |job: usize, run| if job == 1 && run < runs { 700.0 } else { 800.0 + job as f64 };
            RULE.titles(&fires().with(|record| measured_again(record, rate)))
        };
        assert!(slower(3)[0].starts_with("800 IOPS with 4 outstanding as with 32 outstanding"), "{:?}", slower(3));
        assert_eq!(slower(4), [""; 0]);
    }

    #[test]
    fn one_io_more_in_a_short_run_is_no_difference() {
        let short = |deep: u64| {
            let mut record = fires();
            record.rounds_mut().for_each(|round| round.read.ios = if round.job == 0 { 70 } else { deep });
            RULE.titles(&record).len()
        };
        assert_eq!((short(72), short(75)), (2, 0));
    }

    #[test]
    fn a_fixed_rate_is_not_the_hosts() {
        let limit = |record: RunRecord| {
            let record = record.with_host(cpu_load(0.99, 0, 2)).uncounted();
            crate::judge::judge(&record).rows[0].limited_by.clone()
        };
        assert!(limit(fires()).starts_with("a fixed rate of 800 IOPS"), "{:?}", limit(fires()));
        assert!(limit(silent()).starts_with("the host's CPU"), "{:?}", limit(silent()));
    }

    #[test]
    fn bytes_a_second_are_a_limit_only_where_the_drive_is_out_of_sight() {
        let sized = |kind: DriveKind| {
            let mut record = at_depths(0.0, 0.0);
            record.targets[0].drives[0].kind = kind;
            (record.jobs[0].workload.block_bytes, record.jobs[1].workload.block_bytes) = (65_536, 262_144);
            measured_again(&mut record, |job, _| [640.0, 160.0][job]);
            RULE.titles(&record)
        };
        let said = sized(DriveKind::Virtio);
        assert!(said.len() == 2 && said[0].starts_with("41.9 MB/s with 64 KiB as with 256 KiB, within 0.0 %"), "{said:?}");
        assert_eq!(sized(DriveKind::Nvme), [""; 0]);
    }
}
