//! Units that a tool prints and does not mean: MiB as "MB", KiB as "KB", blocks as bytes.

use crate::checks::{Comma, Findings, Measured, Reading, leading, show};

const NAME: &str = "tool-units";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    perftest(reading, findings);
    old_fio(reading, findings);
    kdiskmark(reading, findings);
    blocks(reading, findings);
}

fn first(reading: &Reading, is: impl Fn(&Measured) -> bool) -> Option<(&Measured, f64)> {
    // The largest rate shows the difference best.
    let rated = reading
        .measured
        .iter()
        .filter(|measured| is(measured))
        .filter_map(|measured| Some((measured, measured.sides.first()?.bytes_per_s?.value)));
    rated.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn perftest(reading: &Reading, findings: &mut Findings) {
    let Some((measured, printed)) = first(reading, |measured| measured.tool == "nvmecontrol perftest") else { return };
    let (Some(iops), Some(block)) = (measured.total().0, measured.load.block_bytes) else { return };
    let real = iops * block as f64;
    let title =
        format!("nvmecontrol's \"MB/s\" are MiB/s, cut to whole ones: {} is printed as {:.0}", show::rate(real), printed / 1_048_576.0);
    findings.note(NAME, reading.at(measured.first), title, format!("{} x {block} = {}", show::whole(iops), show::rate(real)));
}

fn old_fio(reading: &Reading, findings: &mut Findings) {
    let is_old =
        |measured: &Measured| measured.tool == "fio" && measured.version.as_deref().is_some_and(|version| version.starts_with(['1', '2']));
    let Some((measured, rate)) = first(reading, is_old) else { return };
    let line = measured.sides.first().map_or(measured.first, |side| side.line);
    let title = format!(
        "fio {}'s \"KB/s\" are KiB/s: {:.0} KB/s is {}",
        measured.version.as_deref().unwrap_or("2"),
        rate / 1024.0,
        show::rate(rate)
    );
    findings.note(NAME, reading.at(line), title, format!("{:.0} x 1024 = {:.0} bytes/s; datasheets count in 1000", rate / 1024.0, rate));
}

fn kdiskmark(reading: &Reading, findings: &mut Findings) {
    let Some((measured, rate)) = first(reading, |measured| measured.tool == "KDiskMark") else { return };
    let title = format!("KDiskMark's \"MB/s\" are KiB/s over 1000: {:.1} is {}", rate / 1.024e6, show::rate(rate));
    findings.note(NAME, reading.at(measured.first), title, "1 KiB/s / 1000 = 1.024 of its unit, 2.4 % more than it says");
}

/// `Size (in LBAs): 3907029168 (3726M)`: mega of blocks, not of bytes.
fn blocks(reading: &Reading, findings: &mut Findings) {
    for line in reading.document.lines.iter().filter(|line| line.text.contains("(in LBAs)")) {
        let Some((_, value)) = line.text.split_once(':') else { continue };
        let Some((count, rest)) = leading(value, Comma::Groups) else { continue };
        let Some((mega, unit)) = rest.trim_start().strip_prefix('(').and_then(|text| leading(text, Comma::Groups)) else { continue };
        let computed = (count.value / 1_048_576.0).floor();
        if unit.starts_with("M)") && (computed - mega.value).abs() <= 1.0 {
            let title = format!("({:.0}M) counts blocks in 2^20, not megabytes", mega.value);
            findings.note(
                NAME,
                reading.at(line.number),
                title,
                format!("{:.0} / 2^20 = {computed:.0}; of 512 bytes each it is {:.0} MiB", count.value, count.value * 512.0 / 1_048_576.0),
            );
            return;
        }
    }
}
