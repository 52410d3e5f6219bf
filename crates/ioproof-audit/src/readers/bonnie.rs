//! bonnie++ 1.x and 2.x as text. K/sec is KiB/s; a field of plus signs was too short to be measured.

use super::{Context, Output};
use crate::measured::{Direction, Load, Measured, Order, Side};
use crate::number::{Comma, Number, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if !(first.contains("--Sequential Output--") && first.contains("--Sequential Input-")) {
        return None;
    }
    let (mut measured, mut end) = (Vec::new(), context.at + 1);
    let mut in_rows = false;
    for (at, line) in context.block(12).skip(1) {
        let text = line.text.trim();
        if text.starts_with("Machine") || text.contains("K/sec %CP") || text.contains("/sec %CP") {
            in_rows = true;
        } else if in_rows && measured.is_empty() {
            measured = row(line.number, text)?;
        } else if !(text.starts_with("Latency") || text.contains("-Per Chr-") || text.starts_with("Concurrency") || text.is_empty()) {
            break;
        }
        if !text.is_empty() {
            end = at + 1;
        }
    }
    (!measured.is_empty()).then_some(Output { measured, end, unknown: Vec::new() })
}

/// The columns of rates: name, order, direction.
const COLUMNS: [(&str, Order, Direction); 5] = [
    ("output per char", Order::Sequential, Direction::Write),
    ("output block", Order::Sequential, Direction::Write),
    ("rewrite", Order::Sequential, Direction::All),
    ("input per char", Order::Sequential, Direction::Read),
    ("input block", Order::Sequential, Direction::Read),
];

fn row(line: u32, text: &str) -> Option<Vec<Measured>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let size = words.iter().position(|word| {
        word.len() > 1 && word.ends_with(['G', 'M', 'k', 'g', 'm']) && word[..word.len() - 1].bytes().all(|c| c.is_ascii_digit())
    })?;
    let values: Vec<&str> = words[size + 1..].to_vec();
    if values.len() < 10 {
        return None;
    }
    let make = |name: &str, order, side: Side| Measured {
        tool: "bonnie++",
        first: line,
        last: line,
        name: name.to_owned(),
        // Several processes seek at once; their number is not printed.
        load: Load {
            word: name.to_owned(),
            order: Some(order),
            depth: Some(1),
            workers: (order != Order::Random).then_some(1),
            direct: Some(false),
            ..Load::default()
        },
        sides: vec![Side { line, ..side }],
        ..Measured::default()
    };
    let rates = COLUMNS.iter().zip(values.chunks(2)).filter_map(|((name, order, direction), pair)| {
        let rate = rate(pair[0])?;
        Some(make(name, *order, Side { direction: *direction, bytes_per_s: Some(rate), ..Side::default() }))
    });
    let seeks =
        values.get(10).and_then(|value| leading(value, Comma::Groups)).map(|(number, rest)| number.times(crate::number::thousands(rest)));
    let seeks = seeks.map(|iops| make("seeks", Order::Random, Side { direction: Direction::All, iops: Some(iops), ..Side::default() }));
    Some(rates.chain(seeks).collect())
}

fn rate(text: &str) -> Option<Number> {
    let (number, rest) = leading(text, Comma::Groups)?;
    let unit = match rest {
        "" | "k" | "K" => 1024.0,
        "m" | "M" => 1_048_576.0,
        "g" | "G" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number.times(unit))
}
