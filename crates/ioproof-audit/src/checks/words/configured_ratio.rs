//! Rows of reads and writes whose ratio is the one that was configured: both are one measurement.

use crate::checks::{Figure, Findings, Reading, Row, Table};

const NAME: &str = "configured-ratio";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for table in &reading.prose.tables {
        hold(reading, table, &configured(reading, table.line), findings);
    }
}

/// Ratios of reads to writes that commands above a line set, with their words, the nearest first.
fn configured(reading: &Reading, line: u32) -> Vec<(f64, String)> {
    let mut all: Vec<(f64, String)> = Vec::new();
    for command in reading.commands.iter().rev().filter(|command| command.line < line) {
        let mixed = |word: &str| command.option(&[word]).and_then(|value| value.parse::<f64>().ok());
        match command.tool {
            "sysbench" if command.option(&["--file-test-mode"]) == Some("rndrw") => {
                let ratio = mixed("--file-rw-ratio").unwrap_or(1.5);
                all.push((ratio, format!("sysbench's read:write ratio of {ratio}")));
            }
            "fio" => {
                let rw = command.option(&["--rw", "--readwrite"]).unwrap_or_default();
                if rw.ends_with("rw") {
                    let share = mixed("--rwmixread").unwrap_or(50.0);
                    all.push((share / (100.0 - share).max(1.0), format!("rwmixread={share}: {share}:{}", 100.0 - share)));
                }
            }
            _ => {}
        }
    }
    all
}

fn hold(reading: &Reading, table: &Table, configured: &[(f64, String)], findings: &mut Findings) {
    let is = |row: &Row, words: &[&str]| words.iter().any(|word| row.label.to_lowercase().contains(word));
    let mut pairs: Vec<(f64, &Figure, &Figure)> = Vec::new();
    for rows in table.rows.windows(2) {
        if is(&rows[0], &["read"]) && is(&rows[1], &["writ", "record"]) {
            let cells = rows[0].cells.iter().zip(&rows[1].cells);
            pairs.extend(
                cells
                    .filter_map(|(read, write)| read.as_ref().zip(write.as_ref()))
                    .filter(|(_, write)| write.number.value > 0.0)
                    .map(|(read, write)| (read.number.value / write.number.value, read, write)),
            );
        }
    }
    let Some((_, words)) =
        configured.iter().find(|(ratio, _)| pairs.len() >= 2 && pairs.iter().all(|pair| (pair.0 / ratio - 1.0).abs() < 0.015))
    else {
        return;
    };
    let title = format!(
        "{} cells are {} measurements: each pair of reads and writes has the ratio that was configured",
        pairs.len() * 2,
        pairs.len()
    );
    let list =
        pairs.iter().map(|(ratio, read, write)| format!("{} / {} = {ratio:.3}", read.text, write.text)).collect::<Vec<_>>().join(", ");
    findings.note(NAME, reading.at(table.line), title, format!("{list}; {words}"));
}
