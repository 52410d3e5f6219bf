//! `hdparm -tT`: reads of the page cache (-T), of the drive (-t), and with `--direct` past the cache. Its "MB" is 2^20 bytes.

use super::{Context, Output};
use crate::measured::{Direction, Load, Measured, Order, Side, Statement};
use crate::number::{Comma, leading};

const MIB: f64 = (1u64 << 20) as f64;

pub(super) fn read(context: &Context) -> Option<Output> {
    let text = context.line().text.trim().trim_matches('"');
    let rest = text.strip_prefix("Timing ")?;
    let (name, figures) = rest.split_once(':')?;
    let (moved, tail) = leading(figures, Comma::Groups)?;
    let tail = tail.trim_start().strip_prefix("MB in")?;
    let (seconds, tail) = leading(tail, Comma::Groups)?;
    let (rate, unit) = leading(tail.split_once('=')?.1, Comma::Groups)?;
    let unit = unit.trim_start();
    let unit = if unit.starts_with("kB") {
        1024.0
    } else if unit.starts_with("GB") {
        MIB * 1024.0
    } else {
        MIB
    };
    let line = context.line().number;
    let device = context.at.checked_sub(1).and_then(|_| before(context));
    let printed = rate.times(unit);
    let slack = 0.5 / moved.value.max(1.0) + seconds.step / seconds.value.max(0.01) + 0.001;
    let words = format!("{} MiB / {} s", moved.value, seconds.value);
    let load = Load {
        word: name.trim().to_owned(),
        order: Some(Order::Sequential),
        depth: None,
        workers: Some(1),
        direct: Some(name.contains("O_DIRECT")),
        ..Load::default()
    };
    let statement = Statement { line, words, printed, computed: moved.value * MIB / seconds.value.max(1e-9), slack };
    let side = Side { direction: Direction::Read, line, bytes_per_s: Some(printed), bytes: Some(moved.times(MIB)), ..Side::default() };
    let measured = Measured {
        tool: "hdparm",
        first: line,
        last: line,
        name: name.trim().to_owned(),
        target: device.unwrap_or_default(),
        load,
        sides: vec![side],
        seconds: Some(seconds),
        statements: vec![statement],
        ..Measured::default()
    };
    Some(Output { measured: vec![measured], end: context.at + 1, unknown: Vec::new() })
}

/// The device in a line of its own a few lines above: `/dev/sda:`.
fn before(context: &Context) -> Option<String> {
    let lines = &context.document.lines[context.at.saturating_sub(4)..context.at];
    lines.iter().rev().find_map(|line| line.text.trim().strip_suffix(':').filter(|name| name.starts_with("/dev/")).map(str::to_owned))
}
