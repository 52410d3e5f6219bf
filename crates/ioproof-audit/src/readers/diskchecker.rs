//! diskchecker.pl: the count of writes that a drive acknowledged and lost.

use super::{Context, Direction, Kind, Measured, Number, Output, Quotable, Side, after, figure, label};

pub(super) fn read(context: &Context) -> Option<Output> {
    let text = context.line().text.trim();
    if !(text.starts_with("diskchecker: running") || text.starts_with("verifying: ") && text.contains('%')) {
        return None;
    }
    let mut out = Measured { tool: "diskchecker.pl", first: context.line().number, ..Measured::default() };
    let mut end = context.at;
    let mut has_errors = false;
    for (at, line) in context.block(100_000) {
        let text = line.text.trim();
        if text.starts_with("diskchecker: running") {
            let seconds = figure(label(text, "diskchecker: running").unwrap_or_default());
            let rate = text.rsplit(';').next().and_then(figure);
            let ios = after(text, "MB (").map(Number::whole);
            out.seconds = seconds.or(out.seconds);
            out.sides = vec![Side { direction: Direction::Sync, line: line.number, iops: rate, ios, ..Side::default() }];
        } else if let Some(errors) = label(text, "Total errors:").and_then(figure) {
            out.quotable.push(Quotable { line: line.number, kind: Kind::Plain, number: Number::exact(errors.value) });
            out.name = "verify".into();
            has_errors = true;
        } else if !is_words(text) {
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

fn is_words(text: &str) -> bool {
    const STARTS: [&str; 4] = ["verifying", "Error at", "read of", "Histogram"];
    text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) || STARTS.iter().any(|start| text.starts_with(start))
}
