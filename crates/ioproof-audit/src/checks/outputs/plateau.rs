//! The same rate for different block sizes: commands are the limit and not bytes. And smaller blocks that are slower.

use crate::checks::{Findings, Measured, Reading, block_size, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let rated: Vec<(&Measured, f64)> =
        reading.measured.iter().filter_map(|measured| Some((measured, measured.total().0?))).take(500).collect();
    for (at, (small, small_iops)) in rated.iter().enumerate() {
        let alike = |large: &Measured| {
            let (a, b) = (&small.load, &large.load);
            (small.tool, &small.target, &a.word, a.depth, a.workers) == (large.tool, &large.target, &b.word, b.depth, b.workers)
                && small.load.engine == large.load.engine
        };
        let Some((large, iops)) = rated[at + 1..].iter().chain(&rated[..at]).find(|(large, _)| alike(large) && is_larger(small, large))
        else {
            continue;
        };
        let (Some(a), Some(b)) = (small.load.block_bytes, large.load.block_bytes) else { continue };
        let place = reading.at(large.first.max(small.first));
        let off = iops / small_iops - 1.0;
        let because = format!("{}: {}; {}: {}", block_size(a), show::iops(*small_iops), block_size(b), show::iops(*iops));
        if off.abs() <= 0.03 {
            let title =
                format!("blocks of {} and of {} give the same IOPS: commands are the limit, not bytes", block_size(a), block_size(b));
            findings
                .note("plateau", place, title, format!("{because} ({:+.1} %)", off * 100.0))
                .mend("look for what the host does for each command: interrupts, clock, IOMMU");
        } else if off > 0.05 {
            let title = format!(
                "blocks of {} are slower than those of {} by {} IOPS, which needs an explanation or a repetition",
                block_size(a),
                block_size(b),
                show::percent(1.0 - small_iops / iops)
            );
            findings.note("smaller-is-slower", place, title, because);
        }
        return;
    }
}

fn is_larger(small: &Measured, large: &Measured) -> bool {
    matches!((small.load.block_bytes, large.load.block_bytes), (Some(a), Some(b)) if b / 4 >= a)
}
