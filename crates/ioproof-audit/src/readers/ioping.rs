//! ioping: one request at a time, with pauses. Its units are binary, whatever it calls them.

use super::{
    Comma, Context, Direction, Latency, Load, Measured, Number, Order, Output, Side, between, binary, leading, thousands, time_unit,
};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    let is_request = |text: &str| text.contains("request=") && text.contains("time=");
    let is_head = first.starts_with("--- ") && first.contains("ioping statistics ---");
    if !(is_request(first) || is_head) {
        return None;
    }
    let mut out = Measured { tool: "ioping", first: context.line().number, ..Measured::default() };
    let (mut side, mut end) = (Side::default(), context.at);
    for (at, line) in context.block(200_000) {
        let text = line.text.trim();
        if is_request(text) {
            out.load.block_bytes = binary(text).map(Number::whole);
        } else if let Some(target) = between(text, "--- ", " ioping statistics ---") {
            target.split(' ').next().unwrap_or_default().clone_into(&mut out.target);
        } else if text.contains("requests completed in") {
            completed(line.number, text, &mut side);
        } else if text.starts_with("min/avg/max/mdev") {
            side.latency = latency(line.number, text);
            end = at + 1;
            out.last = line.number;
            break;
        } else if !(text.is_empty() || text.starts_with("generated ") || text == "^C") {
            break;
        }
        end = at + 1;
        out.last = line.number;
    }
    if end == context.at {
        return None;
    }
    if side.line == 0 && side.latency.mean.is_none() {
        return Some(Output { end, ..Output::default() });
    }
    out.load = Load { word: side.direction.word().into(), order: Some(Order::Random), depth: Some(1), workers: Some(1), ..out.load };
    let flag = |letter: char| context.command_of("ioping").map(|command| command.arguments.iter().any(|word| is_flag(word, letter)));
    out.load.direct = flag('D');
    if flag('L') == Some(true) {
        out.load.order = Some(Order::Sequential);
    }
    out.sides.push(side);
    Some(Output { measured: vec![out], end, ..Output::default() })
}

/// True where a word of options has this letter: `-RL`.
fn is_flag(word: &str, letter: char) -> bool {
    word.strip_prefix('-')
        .is_some_and(|letters| letters.len() <= 6 && letters.starts_with(|c: char| c.is_ascii_uppercase()) && letters.contains(letter))
}

fn completed(line: u32, text: &str, side: &mut Side) {
    side.line = line;
    side.direction = if text.contains("written") { Direction::Write } else { Direction::Read };
    side.ios = leading(text, Comma::Groups).map(|(number, rest)| (number.value * thousands(rest.trim_start())) as u64);
    // The rate counts the time of the requests alone, without the pauses between them.
    side.iops = text.split(", ").find_map(|part| {
        let (number, rest) = leading(part, Comma::Groups)?;
        let rest = rest.trim_start();
        rest.ends_with("iops").then(|| number.times(thousands(rest)))
    });
    side.bytes_per_s = text.rsplit(", ").next().and_then(|rate| {
        let (number, unit) = leading(rate, Comma::Groups)?;
        let unit = unit.trim_start().strip_suffix("/s")?;
        Some(number.times(crate::number::bytes_unit(unit, 1024.0)?))
    });
}

fn latency(line: u32, text: &str) -> Latency {
    let values = text.split_once('=').map_or("", |(_, values)| values);
    // Versions before 0.9 print the unit once: `0.2/2.8/12.7/5.0 ms`.
    let unit = values.split_whitespace().last().unwrap_or_default();
    let values: Vec<Number> = values.split('/').filter_map(|value| time(value, unit)).collect();
    let at = |index: usize| values.get(index).copied();
    Latency { line, min: at(0), mean: at(1), max: at(2), percentiles: Vec::new() }
}

fn time(text: &str, last_unit: &str) -> Option<Number> {
    let (number, unit) = leading(text, Comma::Groups)?;
    let unit = if unit.trim().is_empty() { last_unit } else { unit };
    Some(number.times(time_unit(unit)?))
}
