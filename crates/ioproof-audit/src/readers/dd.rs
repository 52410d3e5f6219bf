//! dd of GNU, BSD and macOS, in any language: bytes, seconds, and a rate in decimal units.

use super::{Comma, Command, Context, Direction, Load, Measured, Number, Order, Output, Side, Statement, bytes, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let mut distance = 0;
    // Counts of records come before, in the words of any language: `1024+0 records in`.
    while distance < 3 && context.text(distance).is_some_and(is_records) {
        distance += 1;
    }
    let text = context.text(distance)?.trim();
    // Chinese and Japanese have signs of their own.
    let plain = text.replace('（', "(").replace('）', ")").replace(['，', '、'], ", ");
    let line = context.number(context.at + distance);
    let (moved, seconds, rate) = gnu(&plain).or_else(|| bsd(text))?;
    // What `status=progress` shows on the way is no run of its own.
    let is_end = |at: usize| context.text(at).is_some_and(|text| gnu(text.trim()).is_some());
    if distance == 0 && (1..3).all(|at| context.text(at).is_some_and(is_records)) && is_end(3) {
        return Some(Output { end: context.at + 1, ..Output::default() });
    }
    let command = context.command_of("dd");
    let mut measured = Measured { tool: "dd", first: context.line().number, last: line, seconds: Some(seconds), ..Measured::default() };
    measured.load = command.map(load).unwrap_or_default();
    measured.target = command.map(|command| target(command).to_owned()).unwrap_or_default();
    let direction = direction(command);
    if let Some(printed) = rate.filter(|_| seconds.value > 0.0 && moved.value > 0.0) {
        let computed = moved.value / seconds.value;
        let slack = seconds.step / seconds.value + printed.step / printed.value.max(1.0) + 0.001;
        let words = format!("{:.0} bytes / {} s", moved.value, seconds.value);
        measured.statements.push(Statement { line, words, printed, computed, slack });
    }
    measured.sides.push(Side { direction, line, bytes_per_s: rate, bytes: Some(moved), ..Side::default() });
    Some(Output { measured: vec![measured], end: context.at + distance + 1, ..Output::default() })
}

fn is_records(text: &str) -> bool {
    let text = text.trim();
    let Some((whole, rest)) = text.split_once('+') else { return false };
    let (part, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_count = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    // `记录了1024+0 的读入`
    let whole = whole.trim_start_matches(|c: char| !c.is_ascii());
    is_count(whole) && is_count(part) && !words.is_empty() && words.len() < 60
}

/// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.6 s, 233 MB/s`
fn gnu(text: &str) -> Option<(Number, Number, Option<Number>)> {
    let (moved, rest) = leading(text, Comma::Decimal)?;
    if let Some(after) = rest.strip_prefix(" bytes copied") {
        return tail(moved, after);
    }
    let (before, after) = rest.split_once(')').or_else(|| rest.split_once(" copied").map(|_| ("(", rest)))?;
    if !before.contains('(') || before.trim_start().starts_with('(') || before.len() > 60 {
        return None;
    }
    tail(moved, after)
}

/// ` copied, 4.6 s, 233 MB/s`
fn tail(moved: Number, after: &str) -> Option<(Number, Number, Option<Number>)> {
    let mut parts = after.split(", ").skip(1);
    let (seconds, unit) = leading(parts.next()?, Comma::Decimal)?;
    if !unit.trim_start().starts_with(['s', 'с', '秒']) {
        return None;
    }
    let rate = parts.next().and_then(rate_of);
    Some((moved, seconds, rate))
}

fn rate_of(text: &str) -> Option<Number> {
    let (number, unit) = leading(text, Comma::Decimal)?;
    let unit = unit.trim_start();
    let letters = unit.split('/').next()?.trim();
    let of = |letters: &str| bytes(&format!("1 {letters}"), 1000.0, Comma::Decimal).map(|(unit, _)| unit.value);
    // Other languages write B as о, Б or o.
    let unit =
        of(letters).or_else(|| of(&letters.replace(['o', 'о', 'Б'], "B").replace('М', "M").replace('Г', "G").replace(['к', 'К'], "k")))?;
    Some(number.times(unit))
}

/// `1073741824 bytes transferred in 4.6 secs (233422135 bytes/sec)`
fn bsd(text: &str) -> Option<(Number, Number, Option<Number>)> {
    let (moved, rest) = leading(text, Comma::Decimal)?;
    let rest = rest.trim_start().strip_prefix("bytes transferred")?;
    let (seconds, rest) = leading(rest.split(" in ").nth(1)?, Comma::Decimal)?;
    let rate = rest.split('(').nth(1).and_then(|rate| leading(rate, Comma::Decimal)).map(|(rate, _)| rate);
    rest.trim_start().starts_with("sec").then_some((moved, seconds, rate))
}

fn load(command: &Command) -> Load {
    let flags: Vec<&str> = ["iflag", "oflag"].iter().filter_map(|name| command.option(&[name])).collect();
    let block = command.option(&["bs"]).or_else(|| command.option(&["ibs"]));
    Load {
        word: if writes(command) { "write" } else { "read" }.into(),
        order: Some(Order::Sequential),
        block_bytes: block.map_or(Some(512), size),
        depth: Some(1),
        workers: Some(1),
        direct: Some(flags.iter().any(|flags| flags.contains("direct"))),
        ..Load::default()
    }
}

fn size(text: &str) -> Option<u64> {
    let (number, rest) = leading(text, Comma::Decimal)?;
    let unit = match rest {
        "" | "c" => 1.0,
        "b" => 512.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        rest => crate::number::bytes_unit(rest, 1024.0)?,
    };
    Some((number.value * unit) as u64)
}

fn writes(command: &Command) -> bool {
    command.option(&["of"]).is_some_and(|path| path != "/dev/null")
}

fn target(command: &Command) -> &str {
    command.option(&[if writes(command) { "of" } else { "if" }]).unwrap_or_default()
}

fn direction(command: Option<&Command>) -> Direction {
    match command {
        Some(command) if writes(command) => Direction::Write,
        Some(_) => Direction::Read,
        None => Direction::All,
    }
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    #[test]
    fn progress_is_no_run() {
        let text = "$ dd if=/dev/zero of=t status=progress\n13708288 bytes (14 MB, 13 MiB) copied, 3 s, 4.6 MB/s\n33379+0 records in\n\
                    33379+0 records out\n17090048 bytes (17 MB, 16 MiB) copied, 3.69606 s, 4.6 MB/s\n";
        let lines: Vec<u32> = Reading::new("a", text.as_bytes()).measured.iter().map(|measured| measured.last).collect();
        assert_eq!(lines, [5]);
    }
}
