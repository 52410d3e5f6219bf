//! elbencho: a section for each phase. "First done" is when the first worker ended, "last done" the whole.

use super::{Comma, Context, Direction, Latency, Load, Measured, Number, Order, Output, Side, figure, leading, time_unit};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    let is_head = first.starts_with("OPERATION") && first.contains("RESULT TYPE");
    if !is_head && !is_phase(first) {
        return None;
    }
    let mut measured: Vec<Measured> = Vec::new();
    let (mut end, mut unknown) = (context.at + 1, Vec::new());
    for (at, line) in context.block(2000).skip(usize::from(is_head)) {
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
        if is_phase(text) {
            measured.push(phase(line.number, left.split_whitespace().next().unwrap_or_default(), context));
        }
        let Some(last) = measured.last_mut() else { break };
        last.last = line.number;
        row(last, line.number, left, right);
        end = at + 1;
    }
    unknown.retain(|at| *at < end);
    measured.retain(|phase| phase.sides.iter().any(|side| side.line > 0));
    // Phases without a rate are taken too, so that no line is read twice.
    (!measured.is_empty() || !is_head).then_some(Output { measured, end, unknown, ..Output::default() })
}

/// The first line of a phase: `WRITE       Elapsed time     :        82ms        82ms`. People show it without the head.
fn is_phase(text: &str) -> bool {
    let Some((left, right)) = text.split_once(" :") else { return false };
    let word = left.split_whitespace().next().unwrap_or_default();
    word.len() > 2
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && left.contains("Elapsed ")
        && right.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

fn phase(line: u32, word: &str, context: &Context) -> Measured {
    let direction = direction(word);
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
        workers: command.map(|_| number(&["-t", "--threads"]).unwrap_or(1)),
        direct: command.map(|_| has("--direct")),
        ..Load::default()
    };
    // Its line is that of the rate.
    let sides = vec![Side { direction, ..Side::default() }];
    Measured { sides, ..Measured::row("elbencho", line, word, load, Side::default()) }
}

pub(super) fn direction(word: &str) -> Direction {
    match word {
        "WRITE" => Direction::Write,
        "READ" => Direction::Read,
        _ => Direction::All,
    }
}

fn row(out: &mut Measured, line: u32, left: &str, right: &str) {
    let label = left.trim();
    let values: Vec<&str> = right.split_whitespace().collect();
    let last = values.last().copied().and_then(figure);
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

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn read(text: &str) -> Vec<(String, f64, f64)> {
        let measured = Reading::new("a", text.as_bytes()).measured;
        let one = |of: &crate::measured::Measured| {
            let (iops, rate) = of.total();
            (of.name.clone(), iops.unwrap_or(0.0), rate.unwrap_or(0.0) / 1_048_576.0)
        };
        measured.iter().map(one).collect()
    }

    const LINES: [&str; 6] = [
        "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE",
        "=========== ================    ==========   =========",
        "WRITE       Elapsed time     :     30.140s     30.196s",
        "            IOPS             :         295         291",
        "            Throughput MiB/s :          37          36",
        "            Total MiB        :        1101        1101",
    ];

    #[test]
    fn lines_behind_the_stamps_of_a_log_are_read() {
        let plain = read(&LINES.join("\n"));
        assert_eq!(plain, [("WRITE".to_owned(), 291.0, 36.0)]);
        for stamp in [
            "2026-08-12T16:27:22.001Z ",
            "[2026-08-12 16:27:22] ",
            "16:27:22 - INFO     - cbt      - ",
            "Aug 12 16:27:22 h elbencho[7]: ",
            "elbencho-1  | ",
        ] {
            let text: String = LINES.map(|line| format!("{stamp}{line}\n")).concat();
            assert_eq!(read(&text), plain, "{stamp}");
        }
    }

    #[test]
    fn a_phase_needs_no_head() {
        assert_eq!(read(&LINES[2..].join("\n")).len(), 1);
        assert_eq!(read("NOTE Elapsed time : as above\n   IOPS : 12\n"), []);
    }
}
