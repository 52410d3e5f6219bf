//! `nvmecontrol perftest` of FreeBSD, a line a run. Its "MB/s" is MiB/s, cut to a whole number.

use super::{Context, Direction, Load, Measured, Number, Order, Output, Side, after};

pub(super) fn read(context: &Context) -> Option<Output> {
    let text = context.line().text.trim();
    if !text.starts_with("Threads:") || !text.contains("IO/s:") {
        return None;
    }
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
        workers: after(text, "Threads:").map(Number::whole),
        direct: Some(true),
        ..Load::default()
    };
    let side = Side { direction, iops: after(text, "IO/s:"), bytes_per_s: rate, ..Side::default() };
    let target = command.and_then(|command| command.arguments.last().cloned()).unwrap_or_default();
    let row = Measured::row("nvmecontrol perftest", context.line().number, "", load, side);
    let measured = vec![Measured { target, seconds: after(text, "Time:"), ..row }];
    Some(Output { measured, end: context.at + 1, ..Output::default() })
}
