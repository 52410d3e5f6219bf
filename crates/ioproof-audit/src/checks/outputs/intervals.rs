//! Intervals of one run that climb or fall all the time: its mean is of no steady state.

use crate::checks::{Findings, Reading};

const NAME: &str = "steady-trend";
/// Fewest intervals. Five in order are one of 60 orders by chance, up or down.
const FEWEST: usize = 5;
/// Least change from the first interval to the last, as a share of the larger one.
const LEAST: f64 = 0.2;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for measured in &reading.measured {
        let all = &measured.intervals;
        let (Some(first), Some(last)) = (all.first(), all.last()) else { continue };
        let climbs = all.windows(2).all(|pair| pair[1] > pair[0]);
        let falls = all.windows(2).all(|pair| pair[1] < pair[0]);
        if all.len() < FEWEST || !(climbs || falls) || (last - first).abs() < LEAST * last.max(*first) {
            continue;
        }
        let word = if climbs { "climbs" } else { "falls" };
        let title = format!("the rate {word} in each of {} intervals: its mean is of no steady state", all.len());
        let rates = all.iter().take(8).map(|rate| format!("{rate:.2}")).collect::<Vec<_>>().join(", ");
        let more = if all.len() > 8 { format!(", ... {last:.2}") } else { String::new() };
        let because = format!("{rates}{more} MiB/s; {first:.2} to {last:.2} is {:+.1} %", (last / first - 1.0) * 100.0);
        findings.doubt(NAME, reading.at(measured.first), title, because).mend("run until the intervals stay alike, and drop those before");
    }
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn is_said(rates: &[f64]) -> bool {
        let line = |rate: &f64| format!("[ 1s ] reads: {rate:.2} MiB/s writes: 0.00 MiB/s fsyncs: 0.00/s latency (ms,95%): 3.020\n");
        let lines: String = rates.iter().map(line).collect();
        let text = format!("Extra file open flags: directio\nBlock size 16KiB\n{lines}File operations:\n    reads/s:   1906.50\n");
        crate::audit(&[Reading::new("a", text.as_bytes())]).found.iter().any(|found| found.check == super::NAME)
    }

    #[test]
    fn only_a_run_that_goes_one_way_all_the_time_is_named() {
        assert!(is_said(&[100.0, 90.0, 80.0, 70.0, 60.0]));
        assert!(is_said(&[10.0, 20.0, 30.0, 40.0, 50.0, 51.0]));
        assert!(!is_said(&[100.0, 90.0, 80.0, 70.0]), "four are few");
        assert!(!is_said(&[100.0, 99.0, 98.0, 97.0, 96.0]), "4 % are little");
        assert!(!is_said(&[100.0, 90.0, 80.0, 85.0, 60.0, 50.0]));
        assert!(!is_said(&[0.0, 0.0, 0.0, 0.0, 0.0]));
    }
}
