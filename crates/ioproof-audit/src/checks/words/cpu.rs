//! A CPU load that is called negligible by the figures of one worker.

use crate::checks::{Findings, Reading};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    const MUCH: f64 = 0.8;
    for paragraph in &reading.prose.paragraphs {
        let text = paragraph.text.to_lowercase();
        let is_low = ["neglig", "negliab", "very low", "is low", "minimal"].iter().any(|word| text.contains(word));
        let Some(at) = text.find("cpu").filter(|_| is_low) else { continue };
        let sentence = paragraph.sentence(at.min(paragraph.text.len())).to_lowercase();
        if !["neglig", "negliab", "very low", "is low", "minimal"].iter().any(|word| sentence.contains(word)) {
            continue;
        }
        let Some(before) = reading.measured.iter().rev().find(|measured| measured.last < paragraph.line && measured.cpu_percent.is_some())
        else {
            continue;
        };
        let (Some((user, system)), workers) = (before.cpu_percent, before.load.workers.unwrap_or(1)) else { continue };
        let cpus = (user + system) / 100.0 * workers as f64;
        let sum = format!("({user} % + {system} %) x {workers} = {:.0} % of one CPU (line {})", cpus * 100.0, before.first);
        let place = (reading.file(), paragraph.line_at(at.min(paragraph.text.len())));
        if cpus >= MUCH {
            findings.wrong(
                "cpu-load",
                place,
                format!(
                    "the CPU load is not small: fio's {:.2} % are of each of {workers} workers, {:.0} % in all",
                    user + system,
                    cpus * 100.0
                ),
                sum,
            );
        } else {
            findings.holds("cpu-load", place, format!("the CPU load is small: {sum}"));
        }
    }
}
