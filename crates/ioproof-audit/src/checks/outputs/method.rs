//! Rules of method on outputs whose job the text does not show: the load that an output prints is judged as any load.

use super::few::FEW_SECONDS;
use crate::checks::{Direction, Findings, Measured, Order, Reading, Weight, rule_name};
use ioproof_core::finding::{Finding, Severity};
use ioproof_core::method::{self, BackendTraits, Load, LoadTarget, LoadTime, MediumKind, Percentiles, Setting, Words};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_fio::audit::FioWords;
use std::collections::HashMap;

/// Tools whose outputs tell a load; the others have one load each, whatever they are called with.
const TOOLS: [&str; 5] = ["fio", "spdk_nvme_perf", "nvmecontrol perftest", "sysbench", "elbencho"];
/// Percentiles above this one nobody needs of an output that prints them unasked.
const HIGHEST_PERCENT: f64 = 99.5;

/// Options as most tools call them.
struct ToolWords;

impl Words for ToolWords {
    fn setting(&self, setting: Setting) -> &'static str {
        match setting {
            Setting::Pattern => "order",
            Setting::Block => "block size",
            Setting::Depth => "depth",
            Setting::Workers => "threads",
            Setting::Backend => "engine",
            Setting::Runtime => "a time of",
        }
    }
}

/// A rule that speaks, with its first output and the lines of the others.
struct Spoken {
    finding: Finding,
    line: u32,
    load: String,
    others: Vec<u32>,
}

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let mut repeats: HashMap<(&str, &str, String), u32> = HashMap::new();
    for measured in &reading.measured {
        *repeats.entry((measured.tool, &measured.target, measured.words())).or_default() += 1;
    }
    let mut all: Vec<Spoken> = Vec::new();
    for (index, measured) in reading.measured.iter().enumerate() {
        // A job of the text is judged by itself, with more than an output prints of it.
        if !TOOLS.contains(&measured.tool) || reading.job_of(index).is_some() {
            continue;
        }
        let count = repeats.get(&(measured.tool, measured.target.as_str(), measured.words())).copied();
        let Some(load) = load(measured, count) else { continue };
        for finding in judged(&load, measured) {
            match all.iter_mut().find(|known| known.finding.rule == finding.rule) {
                Some(known) => known.others.push(measured.first),
                None => all.push(Spoken { finding, line: measured.first, load: measured.words(), others: Vec::new() }),
            }
        }
    }
    all.into_iter().for_each(|spoken| tell(reading.file(), spoken, findings));
}

fn tell(file: &str, spoken: Spoken, findings: &mut Findings) {
    const SHOWN: usize = 6;
    let Spoken { finding, line, load, others } = spoken;
    let shown: Vec<String> = others.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if others.len() > SHOWN { ", ..." } else { "" };
    let also = if others.is_empty() { String::new() } else { format!("; also the outputs at lines {}{more}", shown.join(", ")) };
    let weight = if finding.severity == Severity::Info { Weight::Note } else { Weight::Doubt };
    findings.add(rule_name(&finding.rule), weight, (file, line), finding.title, format!("{load}{also}")).mend(&finding.remedy);
}

/// Applies the rules to a load by its time and by the I/Os that were counted; names against the order and very short runs have checks of their own.
fn judged(load: &Load, measured: &Measured) -> Vec<Finding> {
    let words: &dyn Words = if measured.tool == "fio" { &FioWords } else { &ToolWords };
    let by_count = method::check(&[counted(load, measured)], words);
    let samples: Vec<Finding> = by_count.into_iter().filter(|finding| finding.rule == "tail-samples").collect();
    let is_too_short = measured.seconds.is_some_and(|seconds| seconds.value < FEW_SECONDS);
    let is_said = |rule: &str| match rule {
        "name-against-order" => true,
        "short-run" => is_too_short || !samples.is_empty(),
        _ => false,
    };
    let by_time = method::check(std::slice::from_ref(load), words).into_iter().filter(|finding| !is_said(&finding.rule));
    by_time.chain(samples.iter().cloned()).collect()
}

/// The load of an output; `None` where it does not print directions, order, size and depth.
fn load(measured: &Measured, repeats: Option<u32>) -> Option<Load> {
    let own = &measured.load;
    let pattern = match own.order? {
        Order::Sequential => Pattern::Sequential,
        Order::Random => Pattern::Random,
        Order::OneBlock => return None,
    };
    let small = |number: u64| u32::try_from(number).ok().filter(|number| *number > 0);
    let (block, workers, depth) = (small(own.block_bytes?)?, small(own.workers?)?, small(own.depth?)?);
    let name = if measured.tool == "fio" { measured.name.as_str() } else { "" };
    let engine = own.engine.clone().filter(|_| measured.tool == "fio");
    let synchronous = own.is_synchronous();
    Some(Load {
        depth_asked: own.depth_asked.or(own.depth).and_then(small),
        backend: engine.map(|name| BackendTraits { mapped: name == "mmap", name, synchronous, ..BackendTraits::default() }),
        // Without the command nothing tells how often sysbench syncs what it writes.
        direct: own.direct.filter(|_| measured.tool != "sysbench"),
        targets: target(measured).into_iter().collect(),
        time: LoadTime {
            runtime_ns: measured.seconds.map(|seconds| (seconds.value * 1e9) as u64),
            fills_runtime: true,
            repeats,
            ..LoadTime::default()
        },
        ..Load::new(name, Workload::plain(pattern, read_percent(measured)?, block, workers, depth))
    })
}

fn target(measured: &Measured) -> Option<LoadTarget> {
    let path = measured.target.as_str();
    let medium = match path {
        "" if measured.tool == "sysbench" => MediumKind::File,
        "" => return None,
        "/dev/null" | "/dev/zero" => MediumKind::Generator,
        _ if path.starts_with("/dev/shm") => MediumKind::Memory,
        _ if path.starts_with("/dev/") || measured.tool == "spdk_nvme_perf" => MediumKind::Device,
        _ => MediumKind::File,
    };
    Some(LoadTarget { path: path.to_owned(), is_named: true, medium: Some(medium), ..LoadTarget::default() })
}

/// The same load by the I/Os that its output counted.
fn counted(load: &Load, measured: &Measured) -> Load {
    let ios = measured.ios();
    let printed = measured.sides.iter().flat_map(|side| &side.latency.percentiles).map(|(share, _)| *share);
    let highest = printed.filter(|share| *share < HIGHEST_PERCENT).fold(0.0, f64::max);
    let percentiles = Percentiles { highest, asked: false, per_worker: false, per_direction: true };
    Load {
        time: LoadTime { ios_each: Some(ios.div_ceil(load.workload.workers.into())), amount_is_meant: true, ..LoadTime::default() },
        percentiles: Some(percentiles).filter(|_| highest > 50.0 && ios > 0),
        ..load.clone()
    }
}

fn read_percent(measured: &Measured) -> Option<u8> {
    let rate = |direction: Direction| {
        let side = measured.side(direction)?;
        side.ios.map(|ios| ios as f64).or(side.iops.map(|iops| iops.value)).or(side.bytes_per_s.map(|rate| rate.value))
    };
    match (rate(Direction::Read), rate(Direction::Write), rate(Direction::Trim)) {
        (Some(_), None, None) => Some(100),
        (None, Some(_), None) => Some(0),
        // A mix stays one, however rare its rarer direction is.
        (Some(reads), Some(writes), None) if reads + writes > 0.0 => {
            Some((reads / (reads + writes) * 100.0).round().clamp(1.0, 99.0) as u8)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::reading::Reading;

    fn rules(text: &str) -> Vec<&'static str> {
        let mut all: Vec<_> = crate::audit(&[Reading::new("a", text.as_bytes())]).found.iter().map(|found| found.check).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn output(engine: &str, depth: u32, ms: u32) -> String {
        format!(
            "$ fio job.fio --filename=/dev/sdb\nqd32: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine={engine}, iodepth={depth}\nfio-3.1\n\
            qd32: (groupid=0, jobs=1): err= 0: pid=1: Mon Mar 30 23:42:25 2015\n   read: IOPS=1000, BW=4000KiB/s (4096kB/s)(1MiB/{ms}msec)\n"
        )
    }

    #[test]
    fn a_load_without_its_job_file_is_judged_by_what_the_output_prints() {
        let has = |text: &str, rule: &str| rules(text).contains(&rule);
        let in_name = output("psync", 32, 60_000);
        assert!(has(&in_name, "depth-of-one") && !has(&in_name, "short-run"), "{:?}", rules(&in_name));
        assert!(has(&output("libaio", 4, 60_000), "name-against-depth") && !has(&output("libaio", 32, 60_000), "name-against-depth"));
        assert!(has(&output("libaio", 32, 20_000), "short-run"));
    }

    #[test]
    fn options_that_json_repeats_are_judged_as_a_job() {
        let text = "{\n\"fio version\" : \"fio-3.1\",\n\"jobs\" : [ {\n\"jobname\" : \"a\",\n\"job options\" : { \"filename\" : \"/dev/sdb\", \"rw\" : \"randread\",\n\
            \"ioengine\" : \"libaio\", \"iodepth\" : \"32\", \"runtime\" : \"60\", \"time_based\" : \"\", \"direct\" : \"0\" },\n\
            \"read\" : { \"io_bytes\" : 409600, \"total_ios\" : 100, \"iops\" : 1.6, \"bw\" : 6, \"runtime\" : 60000 } } ]\n}\n";
        assert!(rules(text).contains(&"buffered-depth"), "{:?}", rules(text));
        assert!(!rules(&text.replace("\"direct\" : \"0\"", "\"direct\" : \"1\"")).contains(&"buffered-depth"));
    }
}
