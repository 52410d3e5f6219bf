//! diskchecker.pl: the count of writes that a drive acknowledged and lost.

use super::{Context, Output, label};
use crate::measured::{Direction, Kind, Measured, Quotable, Side};
use crate::number::{Comma, Number, after, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(first.starts_with("diskchecker: running") || first.starts_with("verifying: ") && first.contains('%')) {
        return None;
    }
    let mut out = Measured { tool: "diskchecker.pl", first: context.line().number, ..Measured::default() };
    let mut end = context.at;
    let mut has_errors = false;
    for (at, line) in context.block(100_000) {
        let text = line.text.trim();
        if text.starts_with("diskchecker: running") {
            let seconds = leading(label(text, "diskchecker: running").unwrap_or_default(), Comma::Groups).map(|(seconds, _)| seconds);
            let rate = text.rsplit(';').next().and_then(|rate| leading(rate, Comma::Groups)).map(|(rate, _)| rate);
            let ios = after(text, "MB (").map(|ios| ios.value as u64);
            out.seconds = seconds.or(out.seconds);
            out.sides = vec![Side { direction: Direction::Sync, line: line.number, iops: rate, ios, ..Side::default() }];
        } else if let Some(errors) = label(text, "Total errors:").and_then(|rest| leading(rest, Comma::Groups)) {
            out.quotable.push(Quotable { line: line.number, kind: Kind::Plain, number: Number::exact(errors.0.value) });
            out.name = "verify".into();
            has_errors = true;
        } else if !(text.starts_with("verifying")
            || text.starts_with("Error at")
            || text.starts_with("read of")
            || text.is_empty()
            || text.starts_with("Histogram")
            || text.starts_with(|c: char| c.is_ascii_digit()))
        {
            break;
        }
        if !text.is_empty() {
            end = at + 1;
            out.last = line.number;
        }
        if has_errors && text.is_empty() {
            break;
        }
    }
    let measured = if has_errors || !out.sides.is_empty() { vec![out] } else { Vec::new() };
    (end > context.at).then_some(Output { measured, end, ..Output::default() })
}
