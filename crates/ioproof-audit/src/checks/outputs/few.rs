//! Runs that are too short, or have too few I/Os for what they say.

use crate::checks::{Findings, Measured, Reading, decimal_size, show};

const NAME: &str = "too-few";
/// Runs shorter than this tell no rate of a drive. Seconds.
pub(super) const FEW_SECONDS: f64 = 5.0;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for measured in &reading.measured {
        let ios = measured.ios();
        match measured.tool {
            "fio" | "spdk_nvme_perf" | "sysbench" | "nvmecontrol perftest" | "pgbench" => short(reading, measured, ios, findings),
            "dd" | "hdparm" => short_dd(reading, measured, findings),
            "ioping" if ios > 0 && ios < 100 => {
                let title = format!("{ios} requests: their mean and largest are of chance");
                let because = format!("of {ios} values one in {ios} is the largest; p99 needs 100 at least");
                findings.note(NAME, reading.at(measured.last), title, because);
            }
            _ => {}
        }
        tail(reading, measured, findings);
    }
}

fn short(reading: &Reading, measured: &Measured, ios: u64, findings: &mut Findings) {
    let Some(seconds) = measured.seconds.filter(|seconds| seconds.value > 0.0 && seconds.value < FEW_SECONDS) else { return };
    let count = if ios > 0 { format!(" and {} I/Os", show::whole(ios as f64)) } else { String::new() };
    let figure = show::quoted(measured).map_or(String::new(), |(_, figure)| format!("{figure}: "));
    let title = format!("{} s{count} are too few for a rate of a drive", short_time(seconds.value));
    let because = format!("{figure}{:.3} s measured", seconds.value);
    findings.doubt(NAME, reading.at(measured.first), title, because);
}

fn short_time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{seconds:.3}") } else { format!("{seconds:.1}") }
}

fn short_dd(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    let (Some(seconds), Some(bytes)) =
        (measured.seconds.filter(|seconds| seconds.value < 1.0), measured.sides.first().and_then(|side| side.bytes))
    else {
        return;
    };
    let title = format!("{} s are too few for a rate of a drive", seconds.value);
    findings.note(NAME, reading.at(measured.last), title, format!("{} in {} s", decimal_size(bytes.value as u64), seconds.value));
}

/// A percentile with less than one value beyond it is the largest value under another name.
fn tail(reading: &Reading, measured: &Measured, findings: &mut Findings) {
    for side in &measured.sides {
        let Some(ios) = side.ios.filter(|ios| *ios > 0) else { continue };
        let beyond = |share: f64| ios as f64 * (1.0 - share / 100.0);
        let Some((share, _)) = side.latency.percentiles.iter().find(|(share, _)| *share >= 99.0 && *share < 100.0 && beyond(*share) < 1.0)
        else {
            continue;
        };
        let title = format!("p{share} of {} {}s is their largest under another name", show::whole(ios as f64), side.direction.word());
        let because = format!("{ios} x (1 - {:.6}) = {:.2} I/Os beyond it", share / 100.0, beyond(*share));
        findings.note(NAME, reading.at(side.latency.line.max(side.line)), title, because);
    }
}
