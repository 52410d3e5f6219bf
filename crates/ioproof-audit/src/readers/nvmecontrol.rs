//! `nvmecontrol perftest` of FreeBSD, a line a run. Its "MB/s" is MiB/s, cut to a whole number.

use super::{Context, Output};
use crate::measured::{Direction, Load, Measured, Order, Side};
use crate::number::{Number, after};

pub(super) fn read(context: &Context) -> Option<Output> {
    let text = context.line().text.trim();
    if !text.starts_with("Threads:") || !text.contains("IO/s:") {
        return None;
    }
    let line = context.line().number;
    let size = after(text, "Size:")?;
    let word = text.split("Size:").nth(1)?.split_whitespace().nth(1).unwrap_or_default().to_ascii_lowercase();
    let direction = if word == "write" { Direction::Write } else { Direction::Read };
    let rate = after(text, "MB/s:").map(|rate| Number { value: rate.value, step: 1.0 }.times((1u64 << 20) as f64));
    let command = context.command_of("nvmecontrol");
    let load = Load {
        word,
        order: Some(Order::OneBlock),
        block_bytes: Some(size.value as u64),
        depth: Some(1),
        depth_asked: None,
        workers: after(text, "Threads:").map(|threads| threads.value as u64),
        engine: None,
        direct: Some(true),
    };
    let measured = Measured {
        tool: "nvmecontrol perftest",
        first: line,
        last: line,
        target: command.and_then(|command| command.arguments.last().cloned()).unwrap_or_default(),
        load,
        sides: vec![Side { direction, line, iops: after(text, "IO/s:"), bytes_per_s: rate, ..Side::default() }],
        seconds: after(text, "Time:"),
        ..Measured::default()
    };
    Some(Output { measured: vec![measured], end: context.at + 1, ..Output::default() })
}
