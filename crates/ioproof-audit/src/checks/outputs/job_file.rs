//! An output against the job file above it: one that was made with other settings, or on another day, is of another run.

use crate::checks::{Findings, Measured, Number, Reading, binary_size, show};
use ioproof_fio::jobs::FioJob;
use ioproof_fio::values::{Amount, RW_WORDS};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let mut held = 0;
    for (index, measured) in reading.measured.iter().enumerate() {
        let Some((file, job)) = reading.job_of(index) else { continue };
        let job_file = &reading.jobs[file];
        if job_file.is_output {
            continue;
        }
        let job = &job_file.jobs[job];
        let (load, others) = differences(measured, job, &job_file.jobs);
        if load.is_empty() && others.is_empty() || fits_another(reading, index, job_file.first) {
            held += 1;
            continue;
        }
        let place = reading.at(measured.first);
        let all: Vec<String> = load.iter().chain(&others).cloned().collect();
        let because = format!("{}; job file at lines {} to {}", all.join("; "), job_file.first, job_file.last);
        let figure = show::quoted(measured).map_or(String::new(), |(_, figure)| format!(": {figure} are of another run"));
        match earlier(reading, index).filter(|_| !load.is_empty()) {
            Some(earlier) => {
                let title = format!("stale output: it was not made by the job file above it{figure}");
                findings.wrong("stale-output", place, title, format!("{because}; {earlier}"));
            }
            None if !load.is_empty() => {
                findings.wrong("not-this-job-file", place, format!("this output is not of the job file above it{figure}"), because);
            }
            None => {
                let title = "this output was made with other settings than the job file above it shows".to_owned();
                findings.doubt("not-this-job-file", place, title, because).mend("show the file that was run");
            }
        }
    }
    if held > 0 {
        let line = reading.measured.first().map_or(1, |measured| measured.first);
        findings.holds("not-this-job-file", reading.at(line), format!("{held} outputs fit a job file that the text shows above them"));
    }
}

/// True where an earlier job file of the document has the settings of the output: "the same control file as above". One that had its own outputs before the file
/// above was shown is over, where the output is older than those.
fn fits_another(reading: &Reading, index: usize, own_file: u32) -> bool {
    const FILES_MAX: usize = 200;
    let measured = &reading.measured[index];
    let is_over = |last: u32| {
        let between = reading.measured[..index].iter().any(|other| other.first > last && other.last < own_file);
        between && earlier(reading, index).is_some()
    };
    let before = reading.jobs.iter().filter(|file| file.last < measured.first && !is_over(file.last)).take(FILES_MAX);
    let named = before.flat_map(|file| file.jobs.iter().map(|job| (job, &file.jobs))).filter(|(job, _)| job.name == measured.name);
    named.into_iter().any(|(job, jobs)| {
        let (load, others) = differences(measured, job, jobs);
        load.is_empty() && others.is_empty()
    })
}

/// Differences of the load itself, and of who issues it.
fn differences(measured: &Measured, job: &FioJob, jobs: &[FioJob]) -> (Vec<String>, Vec<String>) {
    let (mut load, mut others) = (Vec::new(), Vec::new());
    let set = &job.settings;
    let rw = set.access.rw;
    let word = RW_WORDS.into_iter().find(|(_, mode, random)| (*mode, *random) == (rw.mode, rw.random)).map_or("", |(word, ..)| word);
    let same = |a: &str, b: &str| a == b || [a, b].iter().all(|word| matches!(*word, "rw" | "readwrite"));
    if !measured.load.word.is_empty() && !same(&measured.load.word, word) {
        load.push(format!("output rw={}, job file rw={word}", measured.load.word));
    }
    if let (Some(printed), Some(size)) = (measured.load.block_bytes, set.blocks.one_size())
        && printed != size
    {
        load.push(format!("output bs={printed}, job file bs={size}"));
    }
    load.extend(too_much(measured, job, jobs));
    let engine = set.engine.name.word();
    if let Some(printed) = measured.load.engine.as_deref().filter(|printed| *printed != engine && !engine.is_empty()) {
        others.push(format!("output ioengine={printed}, job file ioengine={engine}"));
    }
    let depth = u64::from(set.submission.depth);
    let differs = |printed: &u64| *printed != depth && (!set.engine.name.is_synchronous() || *printed > 1);
    if let Some(printed) = measured.load.depth.filter(differs) {
        others.push(format!("output iodepth={printed}, job file iodepth={depth}"));
    }
    let clones = u64::from(set.start.clones);
    // A group that is reported as one has the name of its first job.
    let count = |is: &dyn Fn(&&FioJob) -> bool| jobs.iter().filter(is).map(|job| u64::from(job.settings.start.clones)).sum::<u64>();
    let known = [clones, count(&|_| true), count(&|other| other.name == job.name)];
    if let Some(printed) = measured.load.workers.filter(|printed| !known.contains(printed) && *printed > 1) {
        others.push(format!("output {printed} jobs, job file numjobs={clones}"));
    }
    (load, others)
}

/// More bytes than the size of all clones. Fewer are a run that was stopped.
fn too_much(measured: &Measured, job: &FioJob, jobs: &[FioJob]) -> Option<String> {
    const WORDS: [&str; 7] = ["read", "write", "rw", "readwrite", "randread", "randwrite", "randrw"];
    const SLACK: f64 = 1.02;
    let set = &job.settings;
    let Some(Amount::Bytes(size)) = set.region.io_size.or(set.region.size) else { return None };
    let clones = u64::from(set.start.clones).max(measured.load.workers.unwrap_or(1));
    // A group of several jobs has the bytes of all.
    let is_group = jobs.len() > 1 && measured.load.workers.is_none_or(|workers| workers > 1);
    if set.time.time_based || is_group || size == 0 || !WORDS.contains(&measured.load.word.as_str()) {
        return None;
    }
    let moved: Vec<Number> = measured.sides.iter().filter_map(|side| side.bytes).collect();
    let step = moved.iter().map(|moved| moved.step).sum::<f64>();
    let values = moved.iter().map(|moved| moved.value);
    let all = if measured.is_in_phases() { values.fold(0.0, f64::max) } else { values.sum() };
    let asked = size.saturating_mul(clones).saturating_mul(u64::from(set.time.loops.max(1)));
    (all > asked as f64 * SLACK + step)
        .then(|| format!("output moved {}, job file size={} x {clones}", binary_size(all as u64), binary_size(size)))
}

/// The words for an output that ended more than an hour before the ones around it.
fn earlier(reading: &Reading, index: usize) -> Option<String> {
    const HOUR: i64 = 3600;
    let ended = |measured: &Measured| measured.ended.as_deref().and_then(seconds);
    let own = ended(&reading.measured[index])?;
    let before = reading.measured[..index].iter().rev().find(|measured| ended(measured).is_some())?;
    let gap = ended(before)? - own;
    let pid = reading.measured[index].pid.map_or(String::new(), |pid| format!("pid {pid}, "));
    let (own_text, text) = (reading.measured[index].ended.as_deref()?, before.ended.as_deref()?);
    (gap > HOUR).then(|| format!("{pid}ended {own_text}, which is {:.1} h before the output above it ({text})", gap as f64 / 3600.0))
}

/// Seconds of `Sun Mar 29 23:48:25 2015` since 1970, as if it were UTC.
fn seconds(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, clock, year] = words[..] else { return None };
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    let clock: Vec<i64> = clock.split(':').filter_map(|part| part.parse().ok()).collect();
    let [hours, minutes, secs] = clock[..] else { return None };
    if !(1..=31).contains(&day)
        || !(1970..=9999).contains(&year)
        || !(0..=24).contains(&hours)
        || !(0..=60).contains(&minutes)
        || !(0..=60).contains(&secs)
    {
        return None;
    }
    // Days by the civil calendar, March first.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted_year + shifted_year / 4 - shifted_year / 100 + shifted_year / 400 + (153 * shifted_month + 2) / 5 + day - 1;
    Some((days - 719_468) * 86_400 + hours * 3600 + minutes * 60 + secs)
}

/// The same output in several places.
pub(super) fn twice(readings: &[Reading], findings: &mut Findings) {
    let mut seen: Vec<(&str, &Measured)> = Vec::new();
    for reading in readings {
        for measured in reading.measured.iter().filter(|measured| measured.pid.is_some() && measured.ended.is_some()) {
            let is_same = |other: &&(&str, &Measured)| {
                (other.1.pid, &other.1.ended, &other.1.name) == (measured.pid, &measured.ended, &measured.name)
            };
            if let Some((file, other)) = seen.iter().find(is_same) {
                let title = format!("the same output stands in {file}, line {}", other.first);
                let because = format!("pid {} and {}", measured.pid.unwrap_or(0), measured.ended.as_deref().unwrap_or_default());
                findings.note("same-output-twice", reading.at(measured.first), title, because);
            }
            if seen.len() < 2000 {
                seen.push((reading.file(), measured));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(seconds("Thu Jan 1 00:00:00 1970"), Some(0));
        assert_eq!(seconds("Sun Mar 29 23:48:25 2015"), Some(1_427_672_905));
        assert_eq!(seconds("yesterday"), None);
    }

    #[test]
    fn more_bytes_than_the_size_are_of_another_run() {
        let said = |options: &str, moved: &str| {
            let text = format!(
                "$ fio --name=a --rw=read --bs=1m --direct=1 --filename=/dev/sdb {options}\n\
                 a: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, ioengine=psync, iodepth=1\nfio-3.28\n\
                 a: (groupid=0, jobs=1): err= 0: pid=1: \
                 Mon Mar 30 23:42:25 2015\n  read: IOPS=68, BW=68.3MiB/s (71.6MB/s)({moved}/60000msec)\n"
            );
            crate::audit(&[crate::Reading::new("a", text.as_bytes())]).found.iter().any(|found| found.check == "not-this-job-file")
        };
        assert!(said("--size=1G", "4096MiB"));
        assert!(!said("--size=4G", "4096MiB") && !said("--size=8G --runtime=60", "4096MiB"));
        assert!(!said("--size=1G --loops=4", "4096MiB") && !said("--size=1G --runtime=60 --time_based", "4096MiB"));
    }
}
