//! One command line by fio and by ioproof, in folders that look alike, and all that can be seen of it afterwards.

use crate::common::{ProgramOutput, Sandbox, said};
use ioproof_fio::iolog::{IoLog, parse};
use serde_json::Value;
use std::process::Command;

/// A run by one of the programs.
pub struct Ran {
    pub sandbox: Sandbox,
    pub output: ProgramOutput,
    /// Standard output of both formats: JSON, and the text that follows it.
    pub json: Value,
    pub report: String,
}

/// Direction (0 read, 1 write, 2 trim), offset and size.
pub type Io = (u64, u64, u64);

impl Ran {
    pub fn job(&self, at: usize) -> &Value {
        &self.json["jobs"][at]
    }

    /// I/Os and bytes of reads and writes, and syncs, of each job.
    pub fn totals(&self) -> Vec<[u64; 5]> {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let of = |job: &Value| {
            let (read, write) = (&job["read"], &job["write"]);
            [&read["total_ios"], &read["io_bytes"], &write["total_ios"], &write["io_bytes"], &job["sync"]["total_ios"]].map(number)
        };
        self.json["jobs"].as_array().into_iter().flatten().map(of).collect()
    }

    /// The I/Os of a clone, from 1, in the order of their ends.
    pub fn ios(&self, clone: u32) -> Vec<Io> {
        let text = self.text(&format!("lat_lat.{clone}.log"));
        let numbers = |line: &str| line.split(',').map(|word| word.trim().parse().unwrap_or(0)).collect::<Vec<u64>>();
        text.lines().map(numbers).map(|line| (line[2], line[4], line[3])).collect()
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.sandbox.work().join(name)).unwrap_or_default()
    }

    pub fn log(&self, name: &str) -> IoLog {
        parse(self.text(name).as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{}", self.text(name)))
    }

    pub fn has(&self, name: &str) -> bool {
        self.sandbox.work().join(name).exists()
    }
}

/// Runs a job by `program` in a folder with these files of text.
pub fn run(program: impl Fn(&Sandbox) -> Command, files: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let sandbox = Sandbox::new();
    for (name, text) in files {
        std::fs::write(sandbox.work().join(name), text).unwrap();
    }
    let report = sandbox.state().with_file_name("report");
    let mut command = program(&sandbox);
    command.args(["--name=job", "--output-format=json,normal"]).arg(format!("--output={}", report.display())).args(arguments);
    let output = said(command.output().unwrap_or_else(|e| panic!("fio is needed: {e}")));
    let text = std::fs::read_to_string(report).unwrap_or_default();
    let json = text.find("{\n").and_then(|at| serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok());
    Ran { sandbox, output, json: json.unwrap_or(Value::Null), report: text }
}

pub fn fio(sandbox: &Sandbox) -> Command {
    let mut command = Command::new("fio");
    sandbox.prepare(&mut command);
    command
}

pub fn ours(sandbox: &Sandbox) -> Command {
    sandbox.command(&["run"])
}

/// Both programs with the same files and arguments.
pub fn both(files: &[(&str, &str)], arguments: &[&str]) -> [Ran; 2] {
    [run(fio, files, arguments), run(ours, files, arguments)]
}
