//! elbencho: a section for each phase. "First done" is when the first worker ended, "last done" the whole.

use super::{Context, Output};
use crate::measured::{Direction, Latency, Load, Measured, Order, Side};
use crate::number::{Comma, Number, after, leading, time_unit};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(first.starts_with("OPERATION") && first.contains("RESULT TYPE")) {
        return None;
    }
    let mut measured: Vec<Measured> = Vec::new();
    let (mut end, mut unknown) = (context.at + 1, Vec::new());
    for (at, line) in context.block(2000).skip(1) {
        let text = line.text.trim();
        let Some((left, right)) = text.split_once(" :").filter(|(left, _)| !left.is_empty()) else {
            if text.starts_with('=') || text.starts_with("---") || text.is_empty() {
                continue;
            }
            if text.starts_with("OPERATION") && !measured.is_empty() {
                end = at + 1;
                continue;
            }
            if line.is_code && !text.starts_with("OPERATION") {
                unknown.push(at);
                continue;
            }
            break;
        };
        let word = left.split_whitespace().next().unwrap_or_default();
        let is_phase = word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && left.contains("Elapsed");
        if is_phase {
            measured.push(phase(line.number, word, context));
        }
        let Some(last) = measured.last_mut() else { break };
        last.last = line.number;
        row(last, line.number, left, right);
        end = at + 1;
    }
    unknown.retain(|at| *at < end);
    measured.retain(|phase| phase.sides.iter().any(|side| side.line > 0));
    (!measured.is_empty()).then_some(Output { measured, end, unknown })
}

fn phase(line: u32, word: &str, context: &Context) -> Measured {
    let direction = match word {
        "WRITE" => Direction::Write,
        "READ" => Direction::Read,
        _ => Direction::All,
    };
    let command = context.command_of("elbencho");
    let number = |names: &[&str]| command.and_then(|command| command.option(names)).and_then(|text| text.parse().ok());
    let has = |word: &str| command.is_some_and(|command| command.has(word));
    let block =
        command.and_then(|command| command.option(&["-b", "--block"])).and_then(|text| ioproof_core::units::parse_size_bytes(text).ok());
    let load = Load {
        word: word.to_ascii_lowercase(),
        order: command.map(|_| if has("--rand") { Order::Random } else { Order::Sequential }),
        block_bytes: block,
        depth: command.map(|_| number(&["--iodepth"]).unwrap_or(1)),
        depth_asked: None,
        workers: command.map(|_| number(&["-t", "--threads"]).unwrap_or(1)),
        engine: None,
        direct: command.map(|_| has("--direct")),
    };
    Measured {
        tool: "elbencho",
        first: line,
        last: line,
        name: word.to_owned(),
        load,
        sides: vec![Side { direction, ..Side::default() }],
        ..Measured::default()
    }
}

fn row(out: &mut Measured, line: u32, left: &str, right: &str) {
    let label = left.trim();
    let values: Vec<&str> = right.split_whitespace().collect();
    let last = values.last().and_then(|value| leading(value, Comma::Groups)).map(|(number, _)| number);
    let Some(side) = out.sides.first_mut() else { return };
    if label.ends_with("Elapsed time") || label.ends_with("Elapsed ms") {
        out.seconds = values.last().and_then(|value| elapsed(value, label.ends_with("ms")));
    } else if label.starts_with("IOPS") || label.ends_with(" IOPS") {
        (side.iops, side.line) = (last, line);
    } else if label.starts_with("Throughput MiB/s") || label.starts_with("MiB/s") {
        (side.bytes_per_s, side.line) = (last.map(|rate| rate.times(1_048_576.0)), line);
    } else if label.starts_with("Total MiB") {
        side.bytes = last.map(|moved| moved.times(1_048_576.0));
    } else if label.starts_with("IO lat") && right.contains("avg=") {
        let of = |key: &str| {
            let rest = right.split(key).nth(1)?;
            let (number, unit) = leading(rest, Comma::Groups)?;
            let unit = unit.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            Some(number.times(time_unit(unit).unwrap_or(1e3)))
        };
        side.latency = Latency { line, mean: of("avg="), min: of("min="), max: of("max="), ..Latency::default() };
    }
    let _ = after;
}

/// `2.340s`, `1m2.5s`, or milliseconds without a unit.
fn elapsed(text: &str, is_ms: bool) -> Option<Number> {
    let (number, rest) = leading(text, Comma::Groups)?;
    match rest {
        "s" => Some(number),
        "ms" => Some(number.times(1e-3)),
        "" if is_ms => Some(number.times(1e-3)),
        rest => {
            let (seconds, _) = leading(rest.strip_prefix('m')?, Comma::Groups)?;
            Some(Number { value: number.value * 60.0 + seconds.value, step: seconds.step })
        }
    }
}
