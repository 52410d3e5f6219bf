//! A rate of fio that is the one which was asked for: a limit of the job, no measure of the drive.

use crate::checks::{Direction, Findings, Measured, Reading, Side, show};
use ioproof_fio::jobs::FioJob;
use ioproof_fio::values::PerDirection;

const NAME: &str = "rate-limit";
/// Largest difference from the limit, as a share of it.
const ALIKE: f64 = 0.01;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for (index, measured) in reading.measured.iter().enumerate() {
        let Some(job) = reading.job_of(index).map(|(file, job)| &reading.jobs[file].jobs[job]) else { continue };
        let Some(clones) = clones(job, measured) else { continue };
        for side in &measured.sides {
            if let Some((figure, because)) = limited(job, side, clones) {
                let title = format!("{figure} is the limit that the job asks for: no measure of the drive");
                findings.note(NAME, reading.at(side.line), title, because).mend("run without the limit, to see what the drive gives");
            }
        }
    }
}

/// Clones of the job that the rates are of; `None` where others may be in them.
fn clones(job: &FioJob, measured: &Measured) -> Option<u64> {
    let clones = u64::from(job.settings.start.clones);
    match measured.load.workers {
        Some(1) => Some(1),
        Some(workers) => Some(workers).filter(|workers| *workers == clones),
        None => Some(clones).filter(|clones| *clones == 1),
    }
}

fn limited(job: &FioJob, side: &Side, clones: u64) -> Option<(String, String)> {
    let pace = &job.settings.pace;
    let is_alike = |measured: f64, limit: u64| (measured / (limit.saturating_mul(clones)).max(1) as f64 - 1.0).abs() <= ALIKE;
    let words = |limit: String, all: String| if clones == 1 { limit } else { format!("{clones} x {limit} = {all}") };
    if let (Some(limit), Some(iops)) = (of(&pace.ios_per_s, side.direction), side.iops)
        && is_alike(iops.value, limit)
    {
        let all = words(limit.to_string(), (limit * clones).to_string());
        return Some((show::iops(iops.value), format!("rate_iops: {all}; measured {}", show::whole(iops.value))));
    }
    let (limit, rate) = (of(&pace.bytes_per_s, side.direction)?, side.bytes_per_s?);
    let all = words(show::rate(limit as f64), show::rate((limit * clones) as f64));
    is_alike(rate.value, limit).then(|| (show::rate(rate.value), format!("rate: {all}; measured {}", show::rate(rate.value))))
}

fn of(limits: &PerDirection<Option<u64>>, direction: Direction) -> Option<u64> {
    const MOST: u64 = 1 << 40;
    let limit = match direction {
        Direction::Read => limits.read,
        Direction::Write => limits.write,
        Direction::Trim => limits.trim,
        _ => None,
    };
    limit.filter(|limit| (1..MOST).contains(limit))
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn said(options: &str, jobs: u32, iops: u32) -> usize {
        let text = format!(
            "$ fio --name=a --rw=randread --bs=4k --direct=1 --filename=/dev/sdb --runtime=60 --time_based {options}\n\
             a: (groupid=0, jobs={jobs}): err= 0: pid=1: \
             Mon Mar 30 23:42:25 2015\n  read: IOPS={iops}, BW={}KiB/s (1kB/s)(1MiB/60000msec)\n",
            iops * 4
        );
        crate::audit(&[Reading::new("a", text.as_bytes())]).found.iter().filter(|found| found.check == super::NAME).count()
    }

    #[test]
    fn a_rate_that_is_the_limit_is_named_and_one_below_it_is_not() {
        assert_eq!((said("--rate_iops=1000", 1, 1000), said("--rate_iops=1000", 1, 998), said("--rate_iops=1000", 1, 900)), (1, 1, 0));
        assert_eq!(
            (said("--rate_iops=1000 --numjobs=4 --group_reporting", 4, 4000), said("--rate_iops=1000 --numjobs=4", 1, 1000)),
            (1, 1)
        );
        assert_eq!((said("--rate=4m", 1, 1024), said("--rate=4m", 1, 700), said("", 1, 1000)), (1, 0, 0));
    }
}
