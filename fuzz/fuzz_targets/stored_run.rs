//! A stored run that was changed field by field: whatever is still a record is judged, compared with itself and printed in every format and at every width.

#![no_main]

#[path = "stored_run/change.rs"]
mod change;
#[path = "stored_run/graft.rs"]
mod graft;
#[path = "stored_run/odd.rs"]
mod odd;
#[path = "stored_run/random.rs"]
mod random;
#[path = "stored_run/tree.rs"]
mod tree;

use ioproof_core::compare::compare;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_report::{Format, Style, Table};
use libfuzzer_sys::{Corpus, fuzz_crossover, fuzz_mutator, fuzz_target};
use std::io::sink;

/// Columns of a narrow terminal, the usual one and a wide one.
const WIDTHS: [usize; 3] = [40, 80, 140];

/// One in so many records is written as a workbook too: that takes longer than all others together.
const WORKBOOK_EVERY: usize = 8;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(record) = serde_json::from_slice::<RunRecord>(bytes) else { return Corpus::Reject };
    let with_workbook = bytes.len() % WORKBOOK_EVERY == 0;
    let judgement = judge(&record);
    print_run(&record, &judgement, with_workbook);
    // A stored judgement is printed as it is read.
    if let Some(judgement) = change::alike(&judgement, bytes.len() as u32) {
        print_run(&record, &judgement, with_workbook);
    }
    print_comparison(&record, with_workbook);
    Corpus::Keep
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { change::mutate(data, size, max_size, seed) });

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| { graft::cross_over(one, other, out, seed) });

fn print_run(record: &RunRecord, judgement: &Judgement, with_workbook: bool) {
    for format in Format::ALL.into_iter().filter(|format| format.is_built() && (with_workbook || *format != Format::Xlsx)) {
        ioproof_report::render(format, record, judgement, &mut sink()).expect("a sink takes everything");
        ioproof_report::render_in_full(format, record, judgement, &mut sink()).expect("a sink takes everything");
    }
    for table in Table::ALL {
        ioproof_report::render_table(Format::Csv, table, record, judgement, &mut sink()).expect("a sink takes everything");
    }
    for width in WIDTHS {
        let [text, unstored] = [ioproof_report::text, ioproof_report::text_of_unstored].map(|print| print(record, judgement, Some(width)));
        let summary = ioproof_report::summary(record, judgement, Style { color: false, width });
        let summary_of_unstored = ioproof_report::summary_of_unstored(record, judgement, Style { color: true, width });
        assert_plain(&[&text, &unstored, &summary]);
        assert!(!summary_of_unstored.is_empty());
    }
}

fn print_comparison(record: &RunRecord, with_workbook: bool) {
    let comparison = compare(&[record, record]);
    for format in Format::ALL.into_iter().filter(|format| format.has_comparisons() && (with_workbook || *format != Format::Xlsx)) {
        ioproof_report::render_comparison(format, &comparison, &mut sink()).expect("a sink takes everything");
    }
    for width in WIDTHS {
        assert_plain(&[&ioproof_report::comparison_text(&comparison, Style { color: false, width })]);
    }
}

/// A string of a record must not move the cursor or end a line of its own.
fn assert_plain(texts: &[&str]) {
    for text in texts {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert!(control.is_none(), "{control:?} reaches the terminal");
    }
}
