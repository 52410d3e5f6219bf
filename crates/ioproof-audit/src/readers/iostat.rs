//! `iostat -x`: what the kernel counted for each device. Its kB and MB are binary, its sectors have 512 bytes.

use super::{Comma, Context, Direction, Latency, Load, Measured, Number, Output, Side, Statement, leading};

/// Most lines of a table.
const LINES_MAX: usize = 10_000;
/// Lines that mail wraps one of a table into.
const WRAPPED_MAX: usize = 4;

pub(super) fn read(context: &Context) -> Option<Output> {
    let is_table = context.line().text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("device"));
    if !is_table {
        return None;
    }
    let (names, mut at) = wrapped(context, context.at, header)?;
    let mut measured = Vec::new();
    let (mut end, mut unknown) = (at, Vec::new());
    let lines = context.document.lines.len().min(context.at + LINES_MAX);
    while at < lines && !context.is_end(at) {
        let line = &context.document.lines[at];
        let first = line.text.split_whitespace().next().unwrap_or_default();
        if first.is_empty() || first.starts_with("avg-cpu") {
            break;
        }
        match wrapped(context, at, |text| values(&names, &text.split_whitespace().collect::<Vec<_>>())) {
            Some((values, next)) => {
                measured.push(device(line.number, first, &names, &values));
                at = next;
            }
            None if line.text.trim() == "..." => at += 1,
            None if line.is_code => {
                unknown.push(at);
                at += 1;
            }
            None => break,
        }
        end = at;
    }
    (!measured.is_empty()).then_some(Output { measured, end, unknown, ..Output::default() })
}

/// The line, together with as many of the next ones as it takes to be read, and the position after them.
fn wrapped<T>(context: &Context, at: usize, read: impl Fn(&str) -> Option<T>) -> Option<(T, usize)> {
    let lines = &context.document.lines;
    let mut text = lines.get(at)?.text.clone();
    for taken in 1..=WRAPPED_MAX {
        if let Some(found) = read(&text) {
            return Some((found, at + taken));
        }
        let next = lines.get(at + taken).filter(|next| !next.text.trim().is_empty())?;
        text.push(' ');
        text.push_str(next.text.trim());
        // Only a table goes on so.
        if !text.trim_start().starts_with("Device") && text.split_whitespace().skip(1).any(|word| leading(word, Comma::Decimal).is_none()) {
            return None;
        }
    }
    None
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
    let name = name.trim_end_matches(':');
    let load = Load { word: "all".into(), ..Load::default() };
    Measured { target: format!("/dev/{name}"), sides, statements, ..Measured::row("iostat", line, name, load, Side::default()) }
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
