//! bonnie++ 1.x and 2.x as text, and its rows of CSV. K/sec is KiB/s; a field of plus signs was too short to be measured.

use super::{Comma, Context, Direction, Line, Load, Measured, Number, Order, Output, Side, leading, thousands};

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim();
    if is_head(first) {
        return table(context);
    }
    let lines = &context.document.lines[context.at..];
    let (measured, count) = csv(lines).or_else(|| lone_row(context))?;
    Some(Output { measured, end: context.at + count, ..Output::default() })
}

fn is_head(text: &str) -> bool {
    text.contains("--Sequential Output--") && text.contains("--Sequential Input-")
}

fn table(context: &Context) -> Option<Output> {
    let (mut measured, mut end) = (Vec::new(), context.at + 1);
    let mut in_rows = false;
    for (at, line) in context.block(16).skip(1) {
        let text = line.text.trim();
        if text.starts_with("Machine") || text.contains("K/sec %CP") || text.contains("/sec %CP") {
            in_rows = true;
        } else if in_rows && measured.is_empty() {
            let (row, count) = wrapped_row(&context.document.lines[at..])?;
            measured = row;
            end = at + count;
        } else if at >= end && !is_more(text) {
            break;
        }
        if !text.is_empty() {
            end = end.max(at + 1);
        }
    }
    end = after_own_csv(context, end);
    (!measured.is_empty()).then_some(Output { measured, end, ..Output::default() })
}

/// Lines of the head and below the row, and pieces of the head that a mailer put on lines of their own.
fn is_more(text: &str) -> bool {
    const STARTS: [&str; 5] = ["Latency", "Concurrency", "--Random-", "--Seeks--", "--Block--"];
    text.is_empty() || text.contains("-Per Chr-") || STARTS.iter().any(|start| text.starts_with(start))
}

/// The row of CSV below a table says the same again, behind the rows of files that were created.
fn after_own_csv(context: &Context, end: usize) -> usize {
    const REACH: usize = 14;
    const WORDS: [&str; 5] = ["Create--", "-Create-", "-Delete-", "/sec %CP", "Latency"];
    let lines = &context.document.lines;
    let is_between = |text: &str| {
        let is_numbers = text.split_whitespace().all(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '+'));
        is_numbers || !is_head(text) && WORDS.iter().any(|word| text.contains(word))
    };
    for at in end..lines.len().min(end + REACH) {
        if let Some((_, count)) = csv(&lines[at..]) {
            return at + count;
        }
        if !is_between(lines[at].text.trim()) {
            break;
        }
    }
    end
}

/// The columns of rates: name, order, direction.
const COLUMNS: [(&str, Order, Direction); 5] = [
    ("output per char", Order::Sequential, Direction::Write),
    ("output block", Order::Sequential, Direction::Write),
    ("rewrite", Order::Sequential, Direction::All),
    ("input per char", Order::Sequential, Direction::Read),
    ("input block", Order::Sequential, Direction::Read),
];
/// Figures of a row: a rate and a share of a CPU for each column, and for the seeks.
const VALUES: usize = 12;
/// Figures of a row whose columns per character were left out by `-f`.
const FAST_VALUES: usize = 8;

fn is_size(word: &str) -> bool {
    let size = word.split(':').next().unwrap_or_default();
    size.len() > 1 && size.ends_with(['G', 'M', 'k', 'g', 'm']) && size[..size.len() - 1].bytes().all(|c| c.is_ascii_digit())
}

/// A figure of a row, or the plus signs in its place.
fn is_value(word: &str) -> bool {
    let is_plus = word.len() >= 3 && word.bytes().all(|c| c == b'+');
    is_plus || leading(word, Comma::Groups).is_some_and(|(_, rest)| matches!(rest, "" | "k" | "m" | "g" | "K" | "M" | "G"))
}

/// The row that begins here, with the lines that a mailer made of it; figures, count of lines.
fn wrapped_row(lines: &[Line]) -> Option<(Vec<Measured>, usize)> {
    let mut words: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let size = words.iter().position(|word| is_size(word))?;
    let mut count = 1;
    while words.len() - size - 1 < VALUES && count < 3 {
        let Some(next) = lines.get(count).map(|line| line.text.split_whitespace().collect::<Vec<_>>()) else { break };
        if next.is_empty() || words.len() - size - 1 + next.len() > VALUES || !next.iter().all(|word| is_value(word)) {
            break;
        }
        words.extend(next);
        count += 1;
    }
    Some((figures(lines[0].number, &words[size + 1..])?, count))
}

/// A row without the head, as people collect them, in a text about bonnie++: figures and shares of a CPU take turns in it.
fn lone_row(context: &Context) -> Option<(Vec<Measured>, usize)> {
    const NAME_WORDS: usize = 3;
    const ABOVE: usize = 300;
    const BELOW: usize = 50;
    let text = context.line().text.as_str();
    let words: Vec<&str> = text.split_whitespace().collect();
    let size = words.iter().take(NAME_WORDS + 1).position(|word| is_size(word))?;
    let values = &words[size + 1..];
    let is_share = |word: &&str| word.parse::<u32>().is_ok_and(|share| share < 1000) || *word == "+++";
    let alternate = values.chunks(2).all(|pair| is_value(pair[0]) && pair.get(1).is_none_or(is_share));
    let document = &context.document.lines;
    let around = context.at.saturating_sub(ABOVE)..document.len().min(context.at + BELOW);
    if values.len() < FAST_VALUES || !alternate || text.starts_with('|') || !document[around].iter().any(|line| names_bonnie(&line.text)) {
        return None;
    }
    let found = wrapped_row(&document[context.at..])?;
    // A row with fewer figures is of something else.
    let is_whole = |count: usize| count > 1 || matches!(values.len(), FAST_VALUES | VALUES);
    is_whole(found.1).then_some(found)
}

fn names_bonnie(text: &str) -> bool {
    text.contains("onnie") || text.contains("BONNIE")
}

/// A row of CSV of 1.0x or 1.9x, with the lines that a mailer made of it.
fn csv(lines: &[Line]) -> Option<(Vec<Measured>, usize)> {
    const COMMAS: usize = 6;
    let first = lines.first()?;
    if first.text.matches(',').count() < COMMAS || first.text.contains(", ") {
        return None;
    }
    let mut text = first.text.trim().to_owned();
    let mut count = 1;
    while let Some(next) = lines.get(count).map(|line| line.text.trim()).filter(|_| count < 4) {
        let is_rest = next.starts_with([',', '.', '+']) || next.starts_with(|c: char| c.is_ascii_digit());
        let is_short = fields(&text).is_none_or(|values| values.len() < VALUES);
        if !is_rest || next.contains(' ') || !next.contains(',') || !(is_short || next.starts_with(',')) {
            break;
        }
        text.push_str(next);
        count += 1;
    }
    let all = fields(&text)?;
    let values: Vec<&str> = all.into_iter().take(VALUES).collect();
    let is_known = |value: &&str| value.is_empty() || is_value(value);
    (values.len() == VALUES && values.iter().all(is_known)).then(|| Some((figures(first.number, &values)?, count)))?
}

/// The fields of a row of CSV from the first rate on. 1.9x puts its versions, the time and the chunk's size in front, 2.0 also
/// the count of seeks.
fn fields(text: &str) -> Option<Vec<&str>> {
    let all: Vec<&str> = text.split(',').collect();
    let is_new = all[0].starts_with("1.9") && all.get(5).is_some_and(|word| is_size(word));
    let (size, first) = match () {
        () if is_new && all[0] == "1.98" => (5, 9),
        () if is_new => (5, 7),
        () => (1, 2),
    };
    all.get(size).filter(|word| is_size(word))?;
    Some(all.get(first..)?.to_vec())
}

fn figures(line: u32, values: &[&str]) -> Option<Vec<Measured>> {
    let is_fast = values.len() == FAST_VALUES;
    if values.len() < 10 && !is_fast {
        return None;
    }
    let make = |name: &str, order, side: Side| {
        // Several processes seek at once; their number is not printed.
        let workers = (order != Order::Random).then_some(1);
        let load = Load { word: name.into(), order: Some(order), depth: Some(1), workers, direct: Some(false), ..Load::default() };
        Measured::row("bonnie++", line, name, load, side)
    };
    let columns: Vec<_> = COLUMNS.iter().filter(|(name, ..)| !is_fast || !name.ends_with("per char")).collect();
    let seeks = values.get(columns.len() * 2).and_then(|value| leading(value, Comma::Groups));
    let rates = columns.iter().zip(values.chunks(2)).filter_map(|((name, order, direction), pair)| {
        let rate = rate(pair[0])?;
        Some(make(name, *order, Side { direction: *direction, bytes_per_s: Some(rate), ..Side::default() }))
    });
    let seeks = seeks.map(|(number, rest)| number.times(thousands(rest)));
    let seeks = seeks.map(|iops| make("seeks", Order::Random, Side { direction: Direction::All, iops: Some(iops), ..Side::default() }));
    let all: Vec<Measured> = rates.chain(seeks).collect();
    (!all.is_empty()).then_some(all)
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

#[cfg(test)]
mod tests {
    use crate::Reading;

    /// Rates in KiB/s, and seeks.
    fn read(text: &str) -> Vec<f64> {
        let measured = Reading::new("a", text.as_bytes()).measured;
        measured.iter().filter_map(|of| of.total().1.map(|rate| rate / 1024.0).or(of.total().0)).collect()
    }

    #[test]
    fn a_row_needs_no_head_where_the_text_names_the_tool() {
        let row = "ext3   host 2G 27330  95 62522  19 22619   6 29056  98 56311   6 159.7   0\n";
        assert_eq!(read(&format!("bonnie++ of both:\n\n{row}")), [27330.0, 62522.0, 22619.0, 29056.0, 56311.0, 159.7]);
        assert_eq!(read(row), [] as [f64; 0], "a row of another table");
        assert_eq!(read("bonnie:\nhost 4G 94422 25 41023 10 105000 11 300.5 1\n"), [94422.0, 41023.0, 105_000.0, 300.5], "-f");
        assert_eq!(read("bonnie:\nhost 4G 94422 2544 41023 1022 105000 1133 300.5 1\n"), [] as [f64; 0], "no shares of a CPU");
    }

    #[test]
    fn rows_of_csv_are_of_both_versions_and_may_be_wrapped() {
        let old = "host.example,1G,19931,99,99258,73,61688,31,23784,98,178478,41,616\n.9,2,16,1966,96,+++++,+++,+++++,+++,2043,99\n";
        assert_eq!(read(old), [19931.0, 99258.0, 61688.0, 23784.0, 178_478.0, 616.9]);
        let new = "1.97,1.97,host,1,1466783576,8196M,,446,98,113486,17,43190,5,2063,98,85495,4,1292,12,16,,,,,+++++,+++\n";
        assert_eq!(read(new), [446.0, 113_486.0, 43190.0, 2063.0, 85495.0, 1292.0]);
        let two = "1.98,2.00a,host,1,1731168315,63G,,8192,5,540,99,745124,100,980550,91,2205,99,1203968,58,+++++,+++,16\n";
        assert_eq!(read(two), [540.0, 745_124.0, 980_550.0, 2205.0, 1_203_968.0]);
        assert_eq!(read("host,300M,,,6224,75,1782,37,,,2874,26,100.4,5,16\n"), [6224.0, 1782.0, 2874.0, 100.4]);
    }

    #[test]
    fn a_table_that_a_mailer_wrapped_is_read_once_with_its_csv() {
        let text = "Version 1.03       ------Sequential Output------ --Sequential Input-\n\
        --Random-\n                    -Per Chr- --Block-- -Rewrite- \
                    -Per Chr- --Block--\n--Seeks--\nMachine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP\n/sec %CP\n\
                    host           1G 19931  99 99258  73 61688  31 23784  98 178478  41\n\
                    616.9   2\n                    ------Sequential Create------ \
                    --------Random\nCreate--------\n              files  /sec %CP  /sec %CP\n                 16  1966  96 +++++ +++\n\
                    host,1G,19931,99,99258,73,61688,31,23784,98,178478,41,616.9,2,16,1966,96,+++++,+++\n";
        assert_eq!(read(text), [19931.0, 99258.0, 61688.0, 23784.0, 178_478.0, 616.9]);
    }
}
