//! Any bytes are either a run record or an error; a record, however absurd its figures, is judged and printed without a panic.

#![no_main]

use ioproof_core::judge::judge;
use ioproof_core::record::RunRecord;
use ioproof_report::{Format, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(record) = serde_json::from_slice::<RunRecord>(bytes) else { return };
    let judgement = judge(&record);
    let _ = ioproof_report::summary(&record, &judgement, Style { color: false, width: 80 });
    for format in [Format::Json, Format::Markdown, Format::Csv, Format::Html, Format::Text] {
        let _ = ioproof_report::render(format, &record, &judgement, &mut std::io::sink());
    }
});
