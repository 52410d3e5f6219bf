//! `iostat -x`: what the kernel counted for each device. Its kB and MB are binary, its sectors have 512 bytes.

use super::{Context, Output};
use crate::measured::{Direction, Latency, Load, Measured, Side, Statement};
use crate::number::{Comma, Number, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let names = header(&context.line().text)?;
    let mut measured = Vec::new();
    let (mut end, mut unknown) = (context.at + 1, Vec::new());
    for (at, line) in context.block(10_000).skip(1) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        if words.is_empty() || words[0].starts_with("avg-cpu") {
            break;
        }
        match values(&names, &words) {
            Some(values) => measured.push(device(line.number, words[0], &names, &values)),
            None if words == ["..."] => {}
            None if line.is_code => unknown.push(at),
            None => break,
        }
        end = at + 1;
    }
    (!measured.is_empty()).then_some(Output { measured, end, unknown })
}

fn header(text: &str) -> Option<Vec<String>> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let names: Vec<String> = words.map(str::to_owned).collect();
    let has = |name: &str| names.iter().any(|known| known == name);
    (first.trim_end_matches(':').eq_ignore_ascii_case("device") && has("r/s") && has("w/s") && (has("%util") || has("%b"))).then_some(names)
}

fn values(names: &[String], words: &[&str]) -> Option<Vec<Number>> {
    let numbers: Vec<Number> = words.iter().skip(1).filter_map(|word| leading(word, Comma::Decimal)).map(|(number, _)| number).collect();
    (numbers.len() == names.len()).then_some(numbers)
}

fn device(line: u32, name: &str, names: &[String], values: &[Number]) -> Measured {
    let of = |names_: &[&str]| names.iter().position(|name| names_.contains(&name.as_str())).and_then(|at| values.get(at)).copied();
    let rate = |kilo: &str, mega: &str, sectors: &str| {
        let in_unit = |name: &str, unit: f64| of(&[name]).map(|number| number.times(unit));
        in_unit(kilo, 1024.0).or_else(|| in_unit(mega, 1_048_576.0)).or_else(|| in_unit(sectors, 512.0))
    };
    let side = |direction, iops: &str, bytes_per_s, wait: &str| {
        let mean = of(&[wait]).or_else(|| of(&["await"])).map(|mean| mean.times(1e6));
        let latency = Latency { line, mean, ..Latency::default() };
        Side { direction, line, iops: of(&[iops]), bytes_per_s, latency, ..Side::default() }
    };
    let sides = vec![
        side(Direction::Read, "r/s", rate("rkB/s", "rMB/s", "rsec/s"), "r_await"),
        side(Direction::Write, "w/s", rate("wkB/s", "wMB/s", "wsec/s"), "w_await"),
    ];
    let statements = little(line, &sides, of(&["aqu-sz", "avgqu-sz"]), of(&["f/s", "d/s"]));
    Measured {
        tool: "iostat",
        first: line,
        last: line,
        name: name.trim_end_matches(':').to_owned(),
        target: format!("/dev/{}", name.trim_end_matches(':')),
        load: Load { word: "all".into(), ..Load::default() },
        sides,
        statements,
        ..Measured::default()
    }
}

/// The queue is the sum of rate x wait, where nothing but reads and writes was waited for.
fn little(line: u32, sides: &[Side], queue: Option<Number>, others: Option<Number>) -> Vec<Statement> {
    let term = |side: &Side| Some(side.iops?.value * side.latency.mean?.value / 1e9);
    let (Some(queue), Some(read), Some(write)) = (queue, term(&sides[0]), term(&sides[1])) else { return Vec::new() };
    if others.is_some_and(|others| others.value > 0.0) || queue.value < 1.0 {
        return Vec::new();
    }
    let words = format!("rate x wait: {read:.2} of reads + {write:.2} of writes");
    vec![Statement { line, words, printed: queue, computed: read + write, slack: 0.25 + 1.0 / queue.value }]
}
