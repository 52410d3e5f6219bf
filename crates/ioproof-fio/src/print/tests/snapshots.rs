//! Every output of made-up results against golden files. `UPDATE_GOLDEN=1 cargo test -p ioproof-fio` writes them anew.

use super::made_up;
use crate::print::{TerseVersion, json, terse, text};

const VERSIONS: [TerseVersion; 4] = [TerseVersion::V2, TerseVersion::V3, TerseVersion::V4, TerseVersion::V5];

fn compare(name: &str, format: &str, printed: &str) -> Option<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/print/golden/{format}/{name}.{format}"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, printed).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let line = golden.lines().zip(printed.lines()).find(|(golden, printed)| golden != printed);
    (golden != printed).then(|| format!("{name}.{format}: {line:?}"))
}

#[test]
fn outputs_are_as_they_were() {
    let mut differences = Vec::new();
    for (name, results) in made_up::all() {
        differences.extend(compare(name, "txt", &text(&results)));
        differences.extend(compare(name, "json", &json(&results, name == "mixed")));
        differences.extend(compare(name, "terse", &VERSIONS.map(|version| terse(&results, version)).concat()));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Numbers of fields that fio 3.33 printed for jobs without description and disks.
#[test]
fn terse_versions_have_fios_number_of_fields() {
    let results = made_up::groups();
    let fields = |version| terse(&results, version).lines().next().unwrap().split(';').count();
    assert_eq!(VERSIONS.map(fields), [161, 121, 162, 180]);
    assert_eq!([2, 3, 4, 5].map(TerseVersion::from_number), VERSIONS.map(Some));
    assert_eq!([1, 6].map(TerseVersion::from_number), [None, None]);
}

#[test]
fn json_plus_adds_bins_and_nothing_else() {
    let results = made_up::one_job();
    let parse = |bins| -> serde_json::Value { serde_json::from_str(&json(&results, bins)).unwrap() };
    let (mut plus, plain) = (parse(true), parse(false));
    let clat = plus["jobs"][0]["read"]["clat_ns"].as_object_mut().unwrap();
    let bins = clat.remove("bins").unwrap();
    let sum: u64 = bins.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(sum, 5000);
    let percentile = clat["percentile"]["99.000000"].to_string();
    assert!(bins.get(&percentile).is_some(), "a percentile is the name of a bin");
    assert_eq!(plus, plain);
}
