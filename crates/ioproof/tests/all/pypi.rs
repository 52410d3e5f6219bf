//! Reports as their usual readers take them: tables in DuckDB and polars, OpenMetrics in Prometheus' own parser, JSON against its schema. The readers come from
//! PyPI into a folder that is removed.

use crate::common::Sandbox;
use std::path::Path;
use std::process::Command;

const PACKAGES: [&str; 4] = ["duckdb==2.*", "polars==2.*", "prometheus_client==0.*", "jsonschema==4.*"];
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const STORED: [&str; 2] = ["20261121-031500-3f9a", "20261203-101500-7b21"];
const JOB: &str = "[global]\nsize=4m\nbs=4k\nruntime=1\ntime_based\n[seq read]\nrw=read\nfilename=a\n[mixed]\nrw=randrw\nfilename=b\n";

fn succeed(command: &mut Command) -> String {
    let said = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(said.status.success(), "{command:?}: {said:?}");
    String::from_utf8(said.stdout).unwrap()
}

/// All reports of a run, in a folder.
fn write_all(sandbox: &Sandbox, run: &str, folder: &str) -> Vec<String> {
    let file = |name: &str| format!("{folder}-{name}");
    let files = ["report.json", "report.prom", "report.xml"].map(file);
    let args: Vec<&str> = files.iter().flat_map(|name| ["-o", name]).collect();
    assert_eq!(sandbox.run(&[&["report", run], args.as_slice()].concat()).status, 0);
    let tables = TABLES.map(|format| {
        let place = format!("{folder}-{format}/");
        assert_eq!(sandbox.run(&["report", run, "-o", &place, "--format", format]).status, 0);
        ["results", "latency", "rounds", "notes"].map(|table| format!("{place}{table}.{format}"))
    });
    files.into_iter().chain(tables.concat()).collect()
}

const TABLES: [&str; 2] = ["csv", "parquet"];

#[test]
fn usual_readers_read_every_format() {
    let sandbox = Sandbox::new();
    let mut files: Vec<String> = Vec::new();
    for run in STORED {
        files.extend(write_all(&sandbox, &format!("{ROOT}/fixtures/runs/{run}"), run));
    }
    std::fs::write(sandbox.work().join("job.fio"), JOB).unwrap();
    sandbox.verify(&["--size", "16MiB"]);
    files.extend(write_all(&sandbox, "last", "verify"));
    sandbox.run(&["sweep", "--time", "2s", "--size", "16MiB"]);
    files.extend(write_all(&sandbox, "last", "sweep"));
    sandbox.run(&["run", "job.fio"]);
    files.extend(write_all(&sandbox, "last", "run"));

    let readers = sandbox.work().join("readers");
    succeed(Command::new("virtualenv").arg("--quiet").arg(&readers));
    succeed(Command::new(readers.join("bin/pip")).args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/pypi/read.py");
    let mut read = Command::new(readers.join("bin/python"));
    let said = succeed(read.current_dir(sandbox.work()).arg(script).arg(format!("{ROOT}/docs/schema/report.schema.json")).args(&files));
    assert_eq!(said, format!("{} read\n", files.len()));
}
