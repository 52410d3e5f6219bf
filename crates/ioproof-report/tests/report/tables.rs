//! Tables: read back as a program reads them.

use crate::stored::{job_file, of_job_file, repository};
use crate::swept;
use ioproof_core::finding::Effect;
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Reason;
use ioproof_report::{Format, Table, render, render_table};
use parquet::file::reader::SerializedFileReader;
use parquet::record::Field;
use std::collections::HashMap;
use std::fs::File;

/// A row: cells that are not empty, by the names of their columns.
pub type Row = HashMap<String, String>;

/// A table as CSV.
pub fn rendered(table: Table, record: &RunRecord, judgement: &Judgement) -> String {
    let mut out = Vec::new();
    render_table(Format::Csv, table, record, judgement, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Reads RFC 4180: records of fields.
pub fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field).trim_end_matches('\r').to_owned());
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    assert!(!quoted && field.is_empty(), "the last line is not ended");
    records
}

/// The rows of a table.
pub fn rows(table: Table, record: &RunRecord, judgement: &Judgement) -> Vec<Row> {
    let lines = read_csv(&rendered(table, record, judgement));
    let (head, lines) = lines.split_first().unwrap();
    let row = |line: &Vec<String>| {
        assert_eq!(line.len(), head.len());
        head.iter().cloned().zip(line.iter().cloned()).filter(|(_, cell)| !cell.is_empty()).collect()
    };
    lines.iter().map(row).collect()
}

/// True where the row has all of these cells.
pub fn has(row: &Row, cells: &[(&str, &str)]) -> bool {
    cells.iter().all(|(column, cell)| row.get(*column).is_some_and(|found| found == cell))
}

/// Checks tables of text from outside: every line has all cells, and what is a number can be read as one.
pub fn check_odd(record: &RunRecord, judgement: &Judgement) {
    for table in Table::ALL {
        for row in rows(table, record, judgement) {
            let numbers = ["value", "low", "high", "block_size_bytes", "queue_depth_total", "round", "claimed", "match"];
            assert!(numbers.iter().filter_map(|column| row.get(*column)).all(|cell| cell.parse::<f64>().is_ok()), "{row:?}");
        }
    }
}

#[test]
fn a_figure_has_its_conditions_drive_and_unit() {
    let record = job_file();
    let judgement = judge(&record);
    for table in [Table::Results, Table::Latency] {
        let rows = rows(table, &record, &judgement);
        assert!(!rows.is_empty());
        for row in rows {
            let needed =
                ["run_id", "host", "job", "targets", "workload", "op", "pattern", "block_size_bytes", "metric", "statistic", "unit"];
            assert!(needed.iter().all(|column| row.contains_key(*column)), "{row:?}");
            let depth = |column: &str| row[column].parse::<u64>().unwrap();
            assert_eq!(depth("workers") * depth("queue_depth_per_worker"), depth("queue_depth_total"));
        }
    }
}

#[test]
fn no_two_figures_have_the_same_name_and_conditions() {
    let record = job_file();
    let (swept, of_sweep) = swept::run();
    for (record, judgement) in [(&record, &judge(&record)), (&swept, &of_sweep)] {
        let rows = rows(Table::Results, record, judgement);
        let key =
            |row: &Row| ["job", "targets", "workload", "special", "metric", "statistic", "claim"].map(|column| row.get(column).cloned());
        let mut keys: Vec<_> = rows.iter().map(key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), rows.len());
    }
}

#[test]
fn each_cell_of_a_sweep_has_all_of_its_figures() {
    let (record, judgement) = swept::run();
    let rows = rows(Table::Results, &record, &judgement);
    let cell = |metric: &str, unit: &str| {
        let cells = [("queue_depth_total", "256"), ("workers", "1"), ("metric", metric), ("unit", unit)];
        rows.iter().find(|row| has(row, &cells)).map(|row| row["value"].clone())
    };
    assert_eq!(cell("iops", "IOPS").as_deref(), Some("633949.05"));
    assert_eq!(cell("latency", "ns").as_deref(), Some("403660"));
    assert!(cell("throughput", "B/s").is_some() && cell("cpu_time_per_io", "ns").is_some());
    assert!(rows.iter().any(|row| row.get("curve").is_some_and(|words| words.contains("knee"))));
}

#[test]
fn what_takes_weight_from_all_figures_stands_in_every_row() {
    let mut record = job_file();
    record.config.faults = Some("errors=0.1".into());
    let rows = rows(Table::Results, &record, &judge(&record));
    assert!(!rows.is_empty() && rows.iter().all(|row| row["warnings"].contains("Faults were injected (errors=0.1)")));
}

#[test]
fn what_takes_weight_from_one_figure_of_a_cell_takes_it_from_all() {
    let (record, mut judgement) = swept::run();
    let reason = |effect| Reason { about: "b".into(), effect, text: "c".into() };
    judgement.rows.iter_mut().for_each(|row| {
        row.reasons = if row.job == Some(0) { vec![reason(Effect::Unsteady), reason(Effect::Harder)] } else { Vec::new() };
        (row.claim, row.claimed) = (None, None);
    });
    let rows = rows(Table::Results, &record, &judgement);
    let of_cells: Vec<&Row> = rows.iter().filter(|row| has(row, &[("op", "write"), ("pattern", "sequential"), ("workers", "1")])).collect();
    assert!(of_cells.len() > 30 && of_cells.iter().any(|row| row["metric"] == "cpu_time_per_io"), "{}", of_cells.len());
    // Without a claim nothing is harder than it.
    assert!(of_cells.iter().all(|row| has(row, &[("doubt", "not steady; made harder by this")])), "{:?}", of_cells[0]);
}

#[test]
fn a_place_on_a_curve_says_where_else_it_may_be() {
    let (record, mut judgement) = swept::run();
    let text = |judgement: &Judgement| {
        let mut out = Vec::new();
        render(Format::Markdown, &record, judgement, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let told = text(&judgement);
    assert!(told.contains("ceiling: 634 kIOPS at 256; uncertain: by their intervals it may as well be at 64, 128"), "{told}");
    assert!(told.contains("from about 64 on more only queues: 631 kIOPS there cannot be told from the ceiling"), "{told}");
    let series = &mut judgement.results.sweep.as_mut().unwrap().series[0];
    let shape = series.shape.as_mut().unwrap();
    shape.ceiling = shape.full.unwrap();
    for estimate in series.cells.iter_mut().flat_map(|cell| [&mut cell.iops, &mut cell.latency_ns]) {
        (estimate.low, estimate.high) = (estimate.median, estimate.median);
    }
    let told = text(&judgement);
    assert!(told.contains("ceiling: 631 kIOPS at 64\n") && !told.contains("631 kIOPS there cannot be told"), "{told}");
}

#[test]
fn findings_are_notes() {
    let mut record = job_file();
    record.notes.push("look here".into());
    let judgement = judge(&record);
    let rows = rows(Table::Notes, &record, &judgement);
    assert!(rows.iter().any(|row| has(row, &[("kind", "note"), ("text", "look here")])));
    assert_eq!(rows.iter().filter(|row| has(row, &[("kind", "finding")])).count(), judgement.findings.len());
}

/// Rows of a table in Parquet, with numbers as CSV has them.
fn parquet_rows(file: File) -> Vec<Row> {
    let cell = |field: Field| match field {
        Field::Null => None,
        Field::Str(text) => Some(text),
        Field::Long(count) => Some(count.to_string()),
        Field::Double(number) => Some(number.to_string()),
        other => panic!("{other:?}"),
    };
    let rows = SerializedFileReader::new(file).unwrap().into_iter().map(|row| row.unwrap().into_columns());
    rows.map(|row| row.into_iter().filter_map(|(name, field)| Some((name, cell(field)?))).collect()).collect()
}

/// Parquet is compared byte for byte with files that DuckDB, polars and pyarrow have read.
#[test]
fn parquet_is_as_expected() {
    let (record, judgement) = of_job_file();
    for table in Table::ALL {
        let mut out = Vec::new();
        render_table(Format::Parquet, table, record, judgement, &mut out).unwrap();
        let path = repository("crates/ioproof-report/tests/report/golden/job-file").join(format!("{}.parquet", table.name()));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &out).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == out, "{} differs; UPDATE_GOLDEN=1 rewrites it", path.display());
        assert_eq!(parquet_rows(File::open(&path).unwrap()), rows(table, record, judgement));
    }
}

/// Samples in the rounds of a job are those of its latency, also where an I/O outlived the measurement or a sync did not end in it.
#[test]
fn samples_of_the_latency_are_those_of_its_rounds_and_every_job_has_some() {
    let (record, judgement) = of_job_file();
    let of = |row: &Row, name: &str| row.get(name).cloned().unwrap_or_default();
    let number = |row: &Row, name: &str| of(row, name).parse::<f64>().unwrap_or(0.0);
    let rounds = rows(Table::Rounds, record, judgement);
    let latencies = rows(Table::Latency, record, judgement);
    for (job, name) in record.jobs.iter().map(|job| (job, job.name.clone().unwrap_or_default())) {
        let of_job = |row: &&Row| of(row, "job") == name && of(row, "workload") == job.workload.id();
        let counts = rounds.iter().filter(of_job).filter(|row| of(row, "metric") == "latency" && of(row, "statistic") == "count");
        let timed: f64 = counts.filter(|row| of(row, "purpose") == "measure").map(|row| number(row, "value")).sum();
        let samples = latencies.iter().find(of_job).map(|row| number(row, "samples"));
        assert_eq!(samples, Some(timed), "{name}");
    }
}

#[test]
fn an_io_that_outlived_the_measurement_is_in_the_row_of_its_direction() {
    const LATE_NS: u64 = 7_000_000_000;
    let mut record = job_file();
    let is_mix = |job: u32| !record.jobs[job as usize].workload.read_percent.is_multiple_of(100);
    let (stage, at) = (0..record.stages.len())
        .find_map(|stage| Some((stage, record.stages[stage].rounds.iter().position(|round| is_mix(round.job) && round.ios() > 0)?)))
        .unwrap();
    record.stages[stage].rounds[at].write.late.get_or_insert_default().record(LATE_NS);
    let slowest = |row: &Row| row.get("statistic").is_some_and(|is| is == "max") && row.get("timed").is_some_and(|timed| timed == "write");
    let rows = rows(Table::Latency, &record, &judge(&record));
    let value = rows.iter().filter(|row| slowest(row)).filter_map(|row| row.get("value")?.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!(value >= LATE_NS as f64 * 0.99, "{value}");
}
