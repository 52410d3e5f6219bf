//! The lines of one output against each other: totals, rates by block size, rates by count and time.

use crate::checks::{Findings, Measured, Number, Reading, Side, block_size, show};

const NAME: &str = "own-lines";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let mut held = 0;
    for measured in &reading.measured {
        held += statements(reading, measured, findings);
        for side in &measured.sides {
            held += by_block(reading, measured, side, findings);
            held += by_count(reading, measured, side, findings);
        }
    }
    if held > 0 {
        let line = reading.measured.first().map_or(1, |measured| measured.first);
        findings.holds(NAME, reading.at(line), format!("{held} sums and rates that outputs state of themselves, recomputed"));
    }
}

fn statements(reading: &Reading, measured: &Measured, findings: &mut Findings) -> usize {
    let mut held = 0;
    for statement in &measured.statements {
        let off = (statement.printed.value - statement.computed).abs();
        if off <= statement.slack * statement.computed.abs() + statement.printed.step {
            held += 1;
        } else if statement.computed.is_finite() {
            let title = format!("the summary says {:.6}, its own lines give {:.6}", shown(statement.printed), statement.computed);
            findings.wrong(NAME, reading.at(statement.line), title, statement.words.clone());
        }
    }
    held
}

fn shown(number: Number) -> f64 {
    number.value
}

/// Rate = IOPS x block size, where all blocks have one size.
fn by_block(reading: &Reading, measured: &Measured, side: &Side, findings: &mut Findings) -> usize {
    let (Some(iops), Some(rate), Some(block)) = (side.iops, side.bytes_per_s, measured.load.block_bytes) else { return 0 };
    if iops.value <= 0.0 || matches!(measured.tool, "iostat" | "sysbench" | "ioping") {
        return 0;
    }
    let computed = iops.value * block as f64;
    // I/Os of the ramp that end after it count on one side only.
    let in_flight = measured.load.outstanding().unwrap_or(1) as f64 * block as f64;
    let seconds = measured.seconds.map_or(30.0, |seconds| seconds.value.max(0.1));
    let slack = iops.step * block as f64 + rate.step + 0.01 * computed + in_flight / seconds;
    if (computed - rate.value).abs() <= slack {
        return 1;
    }
    // A block size of the job that its output was not made with, or a mix of sizes: only far off is a contradiction.
    if measured.tool.contains("DiskMark") || measured.tool == "elbencho" {
        return 0;
    }
    let title = format!(
        "{} of {} are {}, the output says {}",
        show::iops(iops.value),
        block_size(block),
        show::rate(computed),
        show::rate(rate.value)
    );
    findings.wrong(NAME, reading.at(side.line), title, format!("{} x {block} bytes = {}", show::whole(iops.value), show::rate(computed)));
    0
}

/// IOPS = I/Os / seconds.
fn by_count(reading: &Reading, measured: &Measured, side: &Side, findings: &mut Findings) -> usize {
    let (Some(iops), Some(ios), Some(seconds)) = (side.iops, side.ios, measured.seconds) else { return 0 };
    if measured.tool != "fio" || seconds.value < 1.0 || iops.value < 1.0 || side.line == 0 {
        return 0;
    }
    let computed = ios as f64 / seconds.value;
    if (computed / iops.value - 1.0).abs() <= 0.03 + iops.step / iops.value {
        return 1;
    }
    // Jobs of a group that ended at different times have rates of their own; the sum is larger than the quotient.
    if measured.load.workers.unwrap_or(1) > 1 || side.ios == Some(0) || measured.sides.iter().filter(|side| side.ios.is_some()).count() > 1
    {
        return 0;
    }
    let title = format!(
        "{} I/Os in {:.3} s are {}, the output says {}",
        show::whole(ios as f64),
        seconds.value,
        show::iops(computed),
        show::iops(iops.value)
    );
    findings.doubt(NAME, reading.at(side.line), title, format!("{ios} / {:.3} s = {computed:.0}", seconds.value));
    0
}
