//! Little's law: rate x latency is the count of I/Os outstanding. Less than the depth that was set is a depth in name only.

use crate::checks::{Command, Direction, Findings, Measured, Reading, Side, show};

const NAME: &str = "littles-law";
/// Largest difference between rate x latency and the depth that is no fault, as a share of the depth.
const HOLDS: f64 = 0.08;
/// Least share of time in submission at which a worker has one I/O outstanding, whatever its depth says.
const FILLED: f64 = 0.8;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let (mut least, mut most, mut count) = (f64::INFINITY, 0.0_f64, 0);
    let mut first = 1;
    for (index, measured) in reading.measured.iter().enumerate() {
        let (Some(outstanding), Some(offered)) = (outstanding(measured), measured.load.outstanding()) else { continue };
        if is_by_the_law(reading, measured) {
            continue;
        }
        let share = outstanding / offered as f64;
        if (share - 1.0).abs() <= HOLDS {
            (least, most, count) = (least.min(share), most.max(share), count + 1);
            first = if count == 1 { measured.first } else { first };
        }
        if submission(reading, measured, share, findings) || by_shares(reading, measured, findings) {
            continue;
        }
        let is_told = matches!(measured.tool, "fio" | "spdk_nvme_perf" | "pgbench");
        let waits = measured.side(Direction::Sync).is_some();
        let place = reading.at(measured.first);
        let because = format!("{} = {outstanding:.1} outstanding, offered {offered}", product(measured));
        if is_told && share > 1.15 {
            findings.wrong(NAME, place, format!("rate x latency gives {outstanding:.1} I/Os outstanding, the load has {offered}"), because);
        } else if is_told
            && share < 0.7
            && measured.load.depth > Some(1)
            && !waits
            && !is_slowed(reading, index, measured)
            && measured.seconds.is_none_or(|seconds| seconds.value >= 1.0)
        {
            let title = format!("the depth was in name only: {outstanding:.1} of {offered} I/Os were outstanding on average");
            findings.doubt("depth-in-name", place, title, because);
        }
    }
    if count > 0 {
        let text = format!(
            "Little's law holds in {count} of the outputs: rate x latency is {:.1} to {:.1} % of the depth offered",
            least * 100.0,
            most * 100.0
        );
        findings.holds(NAME, reading.at(first), text);
    }
}

/// True where nothing told the depth but the law itself: spdk_nvme_perf prints none, and its command is missing.
fn is_by_the_law(reading: &Reading, measured: &Measured) -> bool {
    let tells = |command: &Command| command.option(&["-q", "--io-depth"]).is_some();
    measured.tool == "spdk_nvme_perf" && !reading.command_of(measured).is_some_and(tells)
}

/// True where the job was told to go slower than it could.
fn is_slowed(reading: &Reading, index: usize, measured: &Measured) -> bool {
    let slows = |key: &str| key.starts_with("rate") || key.starts_with("thinktime");
    let job = reading.job_of(index).map(|(file, job)| &reading.jobs[file].jobs[job]);
    let in_job = job.is_some_and(|job| job.globals.iter().chain(&job.typed).any(|(key, _)| slows(key)));
    let command = reading.command_of(measured);
    in_job || command.is_some_and(|command| command.arguments.iter().any(|word| slows(word.trim_start_matches('-'))))
}

/// I/Os outstanding by rate and mean latency of all directions; `None` where one of them is not told.
fn outstanding(measured: &Measured) -> Option<f64> {
    let io = measured.sides.iter().filter(|side| side.direction != Direction::Sync && side.iops.is_some());
    let terms: Option<Vec<f64>> = io.map(|side| Some(side.iops?.value * side.latency.mean?.value / 1e9)).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    let all: f64 = if measured.is_in_phases() { terms.iter().fold(0.0, |most, term| most.max(*term)) } else { terms.iter().sum() };
    (all > 0.0).then_some(all)
}

fn product(measured: &Measured) -> String {
    let term = |side: &Side| Some(format!("{}/s x {}", show::whole(side.iops?.value), show::time(side.latency.mean?.value)));
    measured.sides.iter().filter_map(term).collect::<Vec<_>>().join(" + ")
}

/// A worker whose submissions fill its time has a depth of one, whatever its engine is called.
fn submission(reading: &Reading, measured: &Measured, share: f64, findings: &mut Findings) -> bool {
    let (Some(workers), Some(depth)) =
        (measured.load.workers.filter(|workers| *workers > 0), measured.load.depth.filter(|depth| *depth > 1))
    else {
        return false;
    };
    let busy = |side: &Side| Some(side.iops?.value / workers as f64 * side.submit_mean_ns?.value / 1e9);
    let busy: f64 = measured.sides.iter().filter_map(busy).sum();
    // With many I/Os outstanding a long submission waits for a free place only.
    if busy < FILLED || share > 0.5 {
        return false;
    }
    let Some(side) = measured.sides.iter().find(|side| side.submit_mean_ns.is_some()) else { return false };
    let submit = side.submit_mean_ns.map_or(0.0, |mean| mean.value);
    let engine = measured.load.engine.as_deref().unwrap_or("the engine");
    let buffered = if measured.load.direct == Some(false) { " without O_DIRECT" } else { "" };
    let title = format!(
        "submission fills {} of the time: {engine}{buffered} does one I/O after the other, and depth {depth} is one in name",
        show::percent(busy.min(1.0))
    );
    let because = format!(
        "slat {} x {}/s of each of {workers} = {busy:.2}",
        show::time(submit),
        show::whole(side.iops.map_or(0.0, |iops| iops.value) / workers as f64)
    );
    findings.doubt("depth-in-name", reading.at(measured.first), title, because).mend("direct=1, or an engine that does not wait: io_uring");
    true
}

/// fio prints how long it was at each depth.
fn by_shares(reading: &Reading, measured: &Measured, findings: &mut Findings) -> bool {
    let Some(depth) = measured.load.depth.filter(|depth| *depth >= 4) else { return false };
    let Some((_, share)) = measured.depth_shares.iter().find(|(at, _)| *at == 1).filter(|(_, share)| *share >= 90.0) else { return false };
    let title = format!("iodepth={depth}, but {share:.1} % of the I/Os found none outstanding before them");
    findings.doubt("depth-in-name", reading.at(measured.first), title, format!("IO depths: 1={share:.1}%"));
    true
}
