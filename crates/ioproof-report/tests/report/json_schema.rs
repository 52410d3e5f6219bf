//! The published schema of JSON reports, made of the types that are written; `UPDATE_GOLDEN=1` rewrites docs/schema.

use crate::golden::runs;
use crate::stored::repository;
use crate::swept;
use crate::validate::validate;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_report::json_document;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// A report of ioproof as JSON: `--json`, `--format json` and `-o NAME.json`. Readers must allow for members that they do not know: later versions add some.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(title = "ioproof report")]
struct Document {
    /// Version of the format; it rises with every change that an older reader would misread.
    schema_version: u32,
    /// The run as it was recorded.
    run: RunRecord,
    /// Its judgement.
    judgement: Judgement,
    /// Digest by which a file is known for ours where the filesystem keeps no extended attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    ioproof_stamp: Option<String>,
}

fn schema() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document>().to_value()
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = repository("docs/schema/report.schema.json");
    let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == made, "{} is not what the types say; UPDATE_GOLDEN=1 rewrites it", path.display());
}

#[test]
fn every_report_fits_the_schema() {
    let schema = schema();
    let swept = swept::run();
    for (record, judgement) in runs().map(|(_, run)| run).into_iter().chain([&swept]) {
        validate(&schema, &schema, &json_document(record, judgement), "report").unwrap();
    }
}

#[test]
fn what_is_no_report_does_not_fit() {
    let schema = schema();
    let (record, judgement) = runs()[0].1;
    let whole = json_document(record, judgement);
    let changed = |pointer: &str, value: Value| {
        let mut document = whole.clone();
        *document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        validate(&schema, &schema, &document, "report")
    };
    assert_eq!(changed("/schema_version", json!(2)), Ok(()));
    for (pointer, value) in [
        ("/schema_version", json!("2")),
        ("/run", json!({})),
        ("/run/jobs/0/workload/pattern", json!("diagonal")),
        ("/run/jobs/0/workload/block_bytes", json!(-1)),
        ("/run/status/state", json!("well")),
        ("/run/stages/0/rounds/0/read/latency/bins/0", json!([1])),
        ("/judgement/rows/0/verdict", json!("perhaps")),
        ("/judgement/rows/0/measured/median", json!("fast")),
    ] {
        assert!(changed(pointer, value).is_err(), "{pointer}");
    }
}
