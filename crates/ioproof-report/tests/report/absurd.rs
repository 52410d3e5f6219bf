//! A record in which one figure is absurd is refused when it is read, or judged and printed: nothing panics.

use crate::stored::version_1;
use ioproof_core::judge::judge;
use ioproof_core::record::RunRecord;
use ioproof_report::{Format, Style, render, summary};
use serde_json::{Value, json};
use std::io::sink;

/// One in so many records is written as a workbook too; no divisor of the number of absurd values for a figure.
const WORKBOOK_EVERY: u32 = 7;

/// The paths of all numbers. Elements of a list are alike: of numbers it gives the first two, of others the first.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(items) => {
            let some = if items.iter().all(Value::is_number) { 2 } else { 1 };
            items.iter().enumerate().take(some).for_each(|(i, v)| numbers(v, &format!("{path}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, v)| numbers(v, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), found))
        }
        _ => {}
    }
}

#[test]
fn one_absurd_figure_harms_nothing() {
    let mut record = version_1().0.clone();
    record.stages.truncate(2);
    let good = serde_json::to_value(&record).unwrap();
    let mut paths = Vec::new();
    numbers(&good, "", &mut paths);
    assert!(paths.len() > 100);
    let mut judged = 0;
    for path in &paths {
        for absurd in [json!(0), json!(1e300), json!(u64::MAX), json!(255)] {
            let mut bad = good.clone();
            *bad.pointer_mut(path).unwrap() = absurd;
            let Ok(record) = serde_json::from_value::<RunRecord>(bad) else { continue };
            judged += 1;
            let judgement = judge(&record);
            let _ = summary(&record, &judgement, Style { color: false, width: 80 });
            // A workbook takes longer than all others together.
            let workbook = (judged % WORKBOOK_EVERY == 0).then_some(Format::Xlsx);
            for format in [Format::Markdown, Format::Csv, Format::Html].into_iter().chain(workbook) {
                render(format, &record, &judgement, &mut sink()).unwrap();
            }
        }
    }
    assert!(judged > 200, "only {judged} records could be read");
}
