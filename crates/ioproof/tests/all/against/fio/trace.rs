//! System calls of a program, as strace(1) sees them: an oracle that neither program has a say in.

use crate::common::Sandbox;
use std::collections::BTreeMap;
use std::process::Command;

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracedCall {
    Read { bytes: u64, offset: u64 },
    Write { bytes: u64, offset: u64 },
    Fdatasync,
}

impl TracedCall {
    /// Size and place of a transfer.
    pub fn transfer(self) -> Option<(u64, u64)> {
        match self {
            TracedCall::Read { bytes, offset } | TracedCall::Write { bytes, offset } => Some((bytes, offset)),
            TracedCall::Fdatasync => None,
        }
    }
}

const FILE: &str = "trace";

/// strace of this program, with all its threads.
pub fn command(sandbox: &Sandbox, program: &[&str]) -> Command {
    let mut command = Command::new("strace");
    sandbox.prepare(&mut command);
    command.args(["-f", "-qq", "--seccomp-bpf", "-s", "0", "-e", "signal=none", "-e", "trace=pread64,pwrite64,fdatasync", "-o", FILE]);
    command.args(program);
    command
}

/// The calls of the thread with the most of them: others look at the target before and fill it.
pub fn busiest_thread(sandbox: &Sandbox) -> Vec<TracedCall> {
    let text = std::fs::read_to_string(sandbox.work().join(FILE)).unwrap();
    let mut threads: BTreeMap<&str, Vec<TracedCall>> = BTreeMap::new();
    for (thread, call) in text.lines().filter_map(parse) {
        threads.entry(thread).or_default().push(call);
    }
    threads.into_values().max_by_key(Vec::len).unwrap_or_default()
}

/// A line is `27 pwrite64(5, ""..., 4096, 8192) = 4096`. Where another thread comes between, it is divided into `27 pwrite64(5, ""..., 4096, 8192
/// <unfinished ...>` and `27 <... pwrite64 resumed>) = 4096`; what the kernel fills, as a read's buffer, and all after it then stands in the second part.
fn parse(line: &str) -> Option<(&str, TracedCall)> {
    let (thread, rest) = line.split_once(' ')?;
    let (name, arguments) = split_name(rest.trim_start())?;
    if name == "fdatasync" {
        return (!rest.contains("resumed>")).then_some((thread, TracedCall::Fdatasync));
    }
    let arguments = arguments.split(") ").next()?.split(" <unfinished").next()?;
    let mut last = arguments.rsplit(", ");
    let (offset, bytes) = (last.next()?.parse().ok()?, last.next()?.parse().ok()?);
    match name {
        "pread64" => Some((thread, TracedCall::Read { bytes, offset })),
        "pwrite64" => Some((thread, TracedCall::Write { bytes, offset })),
        _ => None,
    }
}

fn split_name(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix("<... ") {
        Some(resumed) => resumed.split_once(" resumed>"),
        None => text.split_once('('),
    }
}

#[test]
fn whole_and_divided_lines_are_read() {
    let write = TracedCall::Write { bytes: 4096, offset: 8192 };
    let read = TracedCall::Read { bytes: 512, offset: 0 };
    for (line, call) in [
        (r#"27 pwrite64(5, ""..., 4096, 8192) = 4096"#, Some(write)),
        (r#"27 pwrite64(5, ""..., 4096, 8192 <unfinished ...>"#, Some(write)),
        ("27 <... pwrite64 resumed>) = 4096", None),
        ("27 pread64(5,  <unfinished ...>", None),
        (r#"27 <... pread64 resumed>""..., 512, 0) = 512"#, Some(read)),
        ("27    fdatasync(5) = 0", Some(TracedCall::Fdatasync)),
        ("27 <... fdatasync resumed>) = 0", None),
    ] {
        assert_eq!(parse(line).map(|(_, call)| call), call, "{line}");
    }
}
