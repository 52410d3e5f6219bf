//! Tables with rows "without X" and "with X": the effect of X that they hold, and two tables that disagree about it.

use crate::checks::{Figure, Findings, Reading, Row, Table, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let tables: Vec<(&Table, Vec<(&Figure, &Figure)>)> =
        reading.prose.tables.iter().filter_map(|table| Some((table, effect(table)?))).collect();
    for (table, columns) in &tables {
        let words = |(without, with): &(&Figure, &Figure)| {
            format!("{} -> {}: {}", without.text, with.text, show::change(without.number.value, with.number.value))
        };
        let title = format!(
            "the effect stands in the table and not in the text: {}",
            columns.iter().map(|(without, with)| show::change(without.number.value, with.number.value)).collect::<Vec<_>>().join(" and ")
        );
        findings.note("effect", reading.at(table.line), title, columns.iter().map(words).collect::<Vec<_>>().join("; "));
    }
    for pair in tables.windows(2) {
        let ratio = |columns: &[(&Figure, &Figure)]| (columns.len() == 2).then(|| columns[0].1.number.value / columns[1].1.number.value);
        let (Some(first), Some(second)) = (ratio(&pair[0].1), ratio(&pair[1].1)) else { continue };
        if first / second > 2.0 || second / first > 2.0 {
            let title = format!("two tables disagree about the same comparison: {first:.1} times and {second:.2} times");
            let because = format!(
                "line {}: {} / {} = {first:.2}; line {}: {} / {} = {second:.2}",
                pair[0].1[0].1.line,
                pair[0].1[0].1.text,
                pair[0].1[1].1.text,
                pair[1].1[0].1.line,
                pair[1].1[0].1.text,
                pair[1].1[1].1.text
            );
            findings
                .doubt("tables-disagree", reading.at(pair[1].0.line), title, because)
                .mend("find out which of the two tools did something else");
        }
    }
}

/// For each column the figures of writes without and with something.
fn effect(table: &Table) -> Option<Vec<(&Figure, &Figure)>> {
    let is_write = |row: &&Row| ["writ", "record"].iter().any(|word| row.label.to_lowercase().contains(word));
    let without = table.rows.iter().filter(is_write).find(|row| row.label.to_lowercase().contains("without "))?;
    let label = without.label.to_lowercase();
    let thing = label.split("without ").nth(1)?.split([' ', ',']).next()?;
    let with = table
        .rows
        .iter()
        .filter(is_write)
        .find(|row| row.label.to_lowercase().contains(thing) && !row.label.to_lowercase().contains("without"))?;
    let columns: Vec<(&Figure, &Figure)> =
        without.cells.iter().zip(&with.cells).filter_map(|(without, with)| without.as_ref().zip(with.as_ref())).collect();
    (!columns.is_empty()).then_some(columns)
}
