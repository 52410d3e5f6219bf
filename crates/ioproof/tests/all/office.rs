//! A spreadsheet opens the workbooks: LibreOffice turns each into pages and into a table, and finds every sheet.

use crate::common::Sandbox;
use std::path::Path;
use std::process::Command;

const RUNS: [&str; 2] = ["20261121-031500-3f9a", "20261203-101500-7b21"];
/// CSV with commas, quotes and UTF-8, of all sheets.
const TABLES: &str = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1";

fn convert(folder: &Path, to: &str) {
    let home = format!("-env:UserInstallation=file://{}/office", folder.display());
    let said = Command::new("soffice")
        .current_dir(folder)
        .args(["--headless", "--norestore", &home, "--convert-to", to, "x.xlsx"])
        .output()
        .unwrap();
    assert!(said.status.success() && !String::from_utf8_lossy(&said.stderr).contains("Error"), "{said:?}");
}

#[test]
fn a_spreadsheet_opens_every_sheet() {
    for run in RUNS {
        let sandbox = Sandbox::new();
        let stored = format!("{}/../../fixtures/runs/{run}", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(sandbox.run(&["report", &stored, "-o", "x.xlsx"]).status, 0);
        convert(&sandbox.work(), "pdf");
        assert!(std::fs::read(sandbox.work().join("x.pdf")).unwrap().starts_with(b"%PDF"));
        convert(&sandbox.work(), TABLES);
        for (sheet, words) in
            [("Summary", "Figures and verdicts"), ("Percentiles", "p99.9 (µs)"), ("Charts", "rate ("), ("Rounds", "elapsed (s)")]
        {
            let table = std::fs::read_to_string(sandbox.work().join(format!("x-{sheet}.csv"))).unwrap();
            assert!(table.contains(words), "{sheet}: {table}");
        }
    }
}
