//! CrystalDiskMark 3 to 8 and KDiskMark. KDiskMark prints KiB/s over 1000 as "MB/s", which is 2.4 % too little.

use super::{Comma, Context, Direction, Latency, Load, Measured, Number, Order, Output, Side, bytes, figure, leading};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    let is_start = first.contains("CrystalDiskMark ") && first.contains("hiyohiyo")
        || first.starts_with("KDiskMark (")
        || is_row(first) && first.contains("MB/s");
    if !is_start {
        return None;
    }
    let is_kde = first.contains("KDiskMark")
        || (0..12).filter_map(|back| context.at.checked_sub(back)).any(|at| context.document.lines[at].text.contains("KDiskMark"));
    let tool = if is_kde { "KDiskMark" } else { "CrystalDiskMark" };
    let above = context.document.lines[context.at.saturating_sub(3)..context.at].iter().rev();
    let mut direction = above.filter_map(|line| section(line.text.trim())).next();
    let mut measured = Vec::new();
    let (mut end, mut unknown) = (context.at, Vec::new());
    for (at, line) in context.block(80) {
        let text = line.text.trim();
        if text.starts_with("[Mix]") {
            direction = Some(Direction::All);
        } else if let Some(named) = section(text) {
            direction = Some(named);
        } else if is_row(text) {
            match row(text, direction, is_kde) {
                Some((load, side, name)) => measured.push(Measured::row(tool, line.number, name, load, side)),
                None => unknown.push(at),
            }
        } else if !is_words(text) {
            if !measured.is_empty() {
                break;
            }
            if at > context.at && !line.is_code && text.len() > 100 {
                break;
            }
        }
        if !text.is_empty() {
            end = at + 1;
        }
    }
    unknown.retain(|at| *at < end);
    (!measured.is_empty()).then_some(Output { measured, end, unknown, ..Output::default() })
}

const PATTERNS: [(&str, Order); 4] =
    [("SEQ", Order::Sequential), ("RND", Order::Random), ("Sequential", Order::Sequential), ("Random", Order::Random)];

fn is_row(text: &str) -> bool {
    PATTERNS.iter().any(|(word, _)| text.starts_with(word)) && text.contains("MB/s") && text.contains(':')
}

/// The direction of a section: `[Read]`.
fn section(text: &str) -> Option<Direction> {
    direction(text.strip_prefix('[')?.strip_suffix(']')?)
}

fn direction(word: &str) -> Option<Direction> {
    match word.split([' ', '&', '+']).next().unwrap_or_default() {
        "Read" if word.len() == 4 => Some(Direction::Read),
        "Write" => Some(Direction::Write),
        "Mix" | "Read" => Some(Direction::All),
        _ => None,
    }
}

fn row(text: &str, section: Option<Direction>, is_kde: bool) -> Option<(Load, Side, &str)> {
    let (label, figures) = text.rsplit_once(':')?;
    // Every figure has digits behind a point; without one the comma is it.
    let comma = if figures.contains('.') { Comma::Groups } else { Comma::Decimal };
    let (_, order) = PATTERNS.iter().find(|(word, _)| label.starts_with(word))?;
    let own = [("Read", Direction::Read), ("Write", Direction::Write)].into_iter().find(|(word, _)| label.contains(word));
    let direction = own.map(|(_, direction)| direction).or(section).unwrap_or_default();
    let of = |keys: &[&str]| keys.iter().find_map(|key| figure(label.split(key).nth(1)?)).map(Number::whole);
    let size = label.split_whitespace().collect::<Vec<_>>();
    let size = size.iter().enumerate().find_map(|(at, word)| {
        let joined = if word.bytes().all(|c| c.is_ascii_digit()) { format!("{word} {}", size.get(at + 1)?) } else { (*word).to_owned() };
        let (size, rest) = bytes(&joined, 1024.0, Comma::Groups)?;
        rest.is_empty().then_some(size.value as u64).filter(|size| *size >= 512)
    });
    let (rate, rest) = leading(figures, comma)?;
    let unit = if is_kde { 1.024e6 } else { 1e6 };
    let iops = rest.split('[').nth(1).and_then(|rest| leading(rest, comma)).map(|(iops, _)| iops);
    let mean = rest.split('<').nth(1).and_then(|rest| leading(rest, comma)).map(|(mean, _)| mean.times(1e3));
    let load = Load {
        word: if *order == Order::Random { "random".into() } else { "sequential".into() },
        order: Some(*order),
        // Of a sequential row without a size the version decides.
        block_bytes: size,
        depth: Some(of(&["Q=", "QD="]).unwrap_or(1)),
        workers: Some(of(&["T="]).unwrap_or(1)),
        direct: Some(true),
        ..Load::default()
    };
    // The mean of the newer versions counts from the issue of a command; it is shown and not held to Little's law when it is 0.
    let latency = Latency { mean: mean.filter(|mean: &Number| mean.value > 0.0), ..Latency::default() };
    Some((load, Side { direction, iops, bytes_per_s: Some(rate.times(unit)), latency, ..Side::default() }, label.trim()))
}

fn is_words(text: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: [&str; 16] = [
        "-----", "CrystalDiskMark", "KDiskMark", "Flexible I/O", "Crystal Dew", "* ", "Test:", "Test :", "Profile:", "Test ", "Mode:",
        "Date:", "Date :", "OS:", "OS :", "Comment:",
    ];
    text.is_empty() || STARTS.iter().any(|start| text.starts_with(start)) || text.starts_with("https://") || text.starts_with("http://")
}
