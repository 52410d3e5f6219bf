//! `hdparm -tT`: reads of the page cache (-T), of the drive (-t), and with `--direct` past the cache. Its "MB" is 2^20 bytes.

use super::{Comma, Context, Direction, Load, Measured, Order, Output, Side, Statement, leading};

const MIB: f64 = (1u64 << 20) as f64;

pub(super) fn read(context: &Context) -> Option<Output> {
    let first = context.line().text.trim().trim_matches('"');
    if !first.contains("Timing ") || first.starts_with('|') {
        return None;
    }
    // A mailer breaks a line before its last word, or joins the lines of both timings.
    for count in 1..=3 {
        let lines = context.document.lines.get(context.at..context.at + count)?;
        let text = lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join(" ");
        let timings: Vec<&str> = text.match_indices("Timing ").map(|(at, _)| &text[at..]).collect();
        let mut measured: Vec<Measured> = timings.iter().filter_map(|timing| timed(context.line().number, timing)).collect();
        if measured.is_empty() || measured.len() < timings.len() {
            continue;
        }
        let device = device(&text[..text.find("Timing ")?]).or_else(|| before(context));
        measured.iter_mut().for_each(|one| {
            one.target = device.clone().unwrap_or_default();
            one.last = lines.last().map_or(one.last, |line| line.number);
        });
        return Some(Output { measured, end: context.at + count, ..Output::default() });
    }
    None
}

/// The device at the end of the words before a timing: `/dev/sda:`.
fn device(text: &str) -> Option<String> {
    let word = text.split_whitespace().next_back()?.trim_start_matches('`');
    word.strip_suffix(':').filter(|name| name.starts_with("/dev/")).map(str::to_owned)
}

/// `Timing cached reads: 2386 MB in 2.00 seconds = 1192.99 MB/sec`, and what follows.
fn timed(line: u32, text: &str) -> Option<Measured> {
    let (name, figures) = text.strip_prefix("Timing ")?.split_once(':')?;
    let (moved, tail) = leading(figures, Comma::Groups)?;
    let tail = tail.trim_start().strip_prefix("MB in")?;
    let (seconds, tail) = leading(tail, Comma::Groups)?;
    let (words, tail) = tail.split_once('=').filter(|(words, _)| words.len() < 20)?;
    let (rate, unit) = leading(tail, Comma::Groups).filter(|_| !words.contains("Timing"))?;
    let unit = unit.trim_start();
    let unit = match unit.chars().next()? {
        'k' | 'K' => 1024.0,
        'G' => MIB * 1024.0,
        'M' => MIB,
        _ => return None,
    };
    let printed = rate.times(unit);
    let slack = 0.5 / moved.value.max(1.0) + seconds.step / seconds.value.max(0.01) + 0.001;
    let words = format!("{} MiB / {} s", moved.value, seconds.value);
    let (name, direct, order) = (name.trim(), Some(name.contains("O_DIRECT")), Some(Order::Sequential));
    let load = Load { word: name.to_owned(), order, workers: Some(1), direct, ..Load::default() };
    let statement = Statement { line, words, printed, computed: moved.value * MIB / seconds.value.max(1e-9), slack };
    let side = Side { direction: Direction::Read, bytes_per_s: Some(printed), bytes: Some(moved.times(MIB)), ..Side::default() };
    Some(Measured { seconds: Some(seconds), statements: vec![statement], ..Measured::row("hdparm", line, name, load, side) })
}

/// The device in a line of its own a few lines above: `/dev/sda:`.
fn before(context: &Context) -> Option<String> {
    let lines = &context.document.lines[context.at.saturating_sub(4)..context.at];
    lines.iter().rev().find_map(|line| line.text.trim().strip_suffix(':').filter(|name| name.starts_with("/dev/")).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    /// Names, targets, and rates in MiB/s.
    fn read(text: &str) -> Vec<(String, String, f64)> {
        let measured = Reading::new("a", text.as_bytes()).measured;
        let one = |of: crate::measured::Measured| (of.name.clone(), of.target.clone(), of.total().1.unwrap_or(0.0) / super::MIB);
        measured.into_iter().map(one).collect()
    }

    #[test]
    fn timings_on_one_line_are_two() {
        let text = "/dev/sda: Timing cached reads:   2386 MB in  2.00 seconds = 1192.99 MB/sec Timing buffered disk reads: 118 MB \
        in  3.01 seconds =  39.16 MB/sec\n";
        let rows = |device: &str| {
            [("cached reads", 1192.99), ("buffered disk reads", 39.16)].map(|(name, rate)| (name.to_owned(), device.to_owned(), rate))
        };
        assert_eq!(read(text), rows("/dev/sda"));
        assert_eq!(read(&format!("# hdparm -tT /dev/sda {text}")), rows("/dev/sda"), "behind its command");
        let wrapped = "> on 2.4:\n>   Timing cached reads:   2386 MB in  2.00 seconds =  1192.99\n\
        > MB/sec Timing buffered disk reads:   118 MB in  3.01 seconds =\n> 39.16 MB/sec on 2.6:\n";
        assert_eq!(read(wrapped), rows(""));
    }

    #[test]
    fn words_about_timings_are_none() {
        assert_eq!(read("Timing is all.\nTiming cached reads: 12 MB in\nsome seconds\n"), []);
        assert_eq!(read("Timing cached reads: fast = 5 MB/sec\n"), []);
    }
}
