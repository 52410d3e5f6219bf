//! The tools that people have for fio's reports and logs read ours: fio-plot draws, fio's own scripts convert and sum up.
//!
//! Needs fio with its scripts, Python 3 with venv and the package index of Python, no root (`cargo xtask test` brings them in). Each tool gets what fio and
//! what ioproof made of the same job; it must do as much of either.

use crate::common::{Sandbox, said};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Named as fio-plot wants it.
const JOB: &str = "\
[global]
ioengine=libaio
direct=1
filename=data
size=2m
bs=4k
time_based
runtime=1200ms
rate_iops=400
log_avg_msec=200
log_hist_msec=200
write_bw_log
write_iops_log
write_lat_log
write_hist_log
[randread-iodepth-2-numjobs-1]
rw=randread
iodepth=2
numjobs=1
";
const REPORT: &str = "randread-2-1.json";
const LOGS: &str = "randread-iodepth-2-numjobs-1";

/// A folder with the report and the logs of the job, by one of the programs.
struct Made {
    sandbox: Sandbox,
    who: &'static str,
}

impl Made {
    fn by(who: &'static str) -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.work().join("results")).unwrap();
        std::fs::write(sandbox.work().join("results/job.fio"), JOB).unwrap();
        let mut command = if who == "fio" { Command::new("fio") } else { sandbox.command(&["run"]) };
        sandbox.prepare(&mut command);
        command.current_dir(sandbox.work().join("results")).args(["--output-format=json+", "--output", REPORT, "job.fio"]);
        let run = said(command.output().unwrap_or_else(|e| panic!("{who}: {e}")));
        assert_eq!(run.status, 0, "{who}: {run:?}");
        Self { sandbox, who }
    }

    fn both() -> [Self; 2] {
        ["fio", "ioproof"].map(Self::by)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.work().join(name)
    }

    /// Output of a tool that is run beside the folder of results; it must succeed.
    #[track_caller]
    fn tool(&self, program: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        self.sandbox.prepare(&mut command);
        // matplotlib takes long to look for fonts, and remembers them here.
        command.env("MPLCONFIGDIR", environment());
        let ran = said(command.args(arguments).output().unwrap_or_else(|e| panic!("{}: {e}", program.display())));
        assert_eq!(ran.status, 0, "{} of what {} made: {ran:?}", program.display(), self.who);
        ran.stdout
    }

    /// One of fio's scripts, of which the distribution packs most.
    #[track_caller]
    fn script(&self, name: &str, arguments: &[&str]) -> String {
        let packed = format!("/usr/share/doc/fio/{name}.gz");
        let unpacked = Command::new("gzip").args(["-dc", &packed]).output().unwrap();
        assert!(unpacked.status.success(), "{packed} comes with fio");
        std::fs::write(self.path(name), unpacked.stdout).unwrap();
        self.tool(Path::new("python3"), &[&[name], arguments].concat())
    }
}

/// Where fio-plot is, which later runs use again.
fn environment() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fio-plot-1.1.21")
}

/// Calls fio-plot with the words of each line of its arguments: its libraries take longer to be loaded than to draw.
const DRAW: &str = "
import sys, fio_plot
for line in sys.argv[1:]:
    sys.argv = ['fio-plot', *line.split()]
    try: fio_plot.main()
    except SystemExit as end: assert not end.code, line
";

/// The Python of an environment of its own that has fio-plot.
fn python() -> PathBuf {
    let environment = environment();
    if !environment.join("bin/fio-plot").exists() {
        let step = |command: &mut Command| {
            let ran = said(command.output().unwrap());
            assert_eq!(ran.status, 0, "fio-plot cannot be installed: {ran:?}");
        };
        step(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        let install = ["install", "--quiet", "--disable-pip-version-check", "--no-compile", "fio-plot==1.1.21"];
        step(Command::new(environment.join("bin/pip")).args(install));
    }
    environment.join("bin/python3")
}

#[test]
fn fio_plot_draws_every_chart() {
    let python = python();
    let charts = [
        ("bars.png", "-l -d 2"),
        ("lines.png", "-g -t iops lat -d 2 -n 1"),
        ("histogram.png", "-H -d 2 -n 1"),
        ("depths.png", "-L -t iops"),
    ];
    let calls = charts.map(|(name, kind)| format!("-i results -T title -r randread -o {name} {kind}"));
    for made in Made::both() {
        made.tool(&python, &[&["-c", DRAW][..], &calls.each_ref().map(String::as_str)].concat());
        for (name, _) in charts {
            let chart = std::fs::read(made.path(name)).unwrap();
            assert!(chart.starts_with(b"\x89PNG") && chart.len() > 10_000, "{name} of what {} made", made.who);
        }
    }
}

#[test]
fn bins_become_a_table() {
    let tables = Made::both().map(|made| {
        made.tool(Path::new("fio_jsonplus_clat2csv"), &[&format!("results/{REPORT}"), "table.csv"]);
        let report = std::fs::read_to_string(made.path(&format!("results/{REPORT}"))).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        (std::fs::read_to_string(made.path("table_job0.csv")).unwrap(), report["jobs"][0]["read"]["total_ios"].as_u64().unwrap())
    });
    let [(theirs, _), (ours, _)] = &tables;
    assert_eq!(ours.lines().next(), theirs.lines().next(), "the columns");
    for (table, ios) in &tables {
        let last: Vec<&str> = table.lines().next_back().unwrap().split(", ").collect();
        // Count, sum so far and share of the completion latency of reads.
        let (sum, share): (u64, f64) = (last[5].parse().unwrap(), last[6].parse().unwrap());
        assert_eq!((sum, share), (*ios, 1.0));
    }
}

#[test]
fn logs_are_summed_up() {
    for made in Made::both() {
        // The script knows the four columns that logs had in fio 2; it fails on fio 3's own.
        let log = std::fs::read_to_string(made.path(&format!("results/{LOGS}_iops.1.log"))).unwrap();
        let four: String = log.lines().map(|line| line.split(", ").take(4).collect::<Vec<_>>().join(", ") + "\n").collect();
        std::fs::write(made.path("four.log"), four).unwrap();
        let sums = made.script("fiologparser.py", &["-i", "400", "-s", "four.log"]);
        let values: Vec<f64> = sums.lines().map(|line| line.split(", ").nth(1).unwrap().parse().unwrap()).collect();
        assert!(values.len() >= 2, "{}: {sums}", made.who);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((200.0..=600.0).contains(&mean), "400 I/Os per second by {}: {sums}", made.who);
    }
}

#[test]
fn histograms_over_time_are_read() {
    for made in Made::both() {
        let table = made.script("fio-histo-log-pctiles.py", &[&format!("results/{LOGS}_clat_hist.1.log")]);
        let (_, rows) = table.split_once("msec-since-start").unwrap();
        let samples: f64 = rows.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().trim().parse::<f64>().unwrap()).sum();
        assert!((200.0..=490.0).contains(&samples), "{}: {table}", made.who);
    }
}
