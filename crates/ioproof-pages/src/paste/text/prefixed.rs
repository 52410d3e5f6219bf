//! Runs of lines behind one beginning: the prefix of a log (`12:34:56 DEBUG| [stdout] `, `name-1  | `,
//! `Mar 03 04:00:01 host CROND[7]: (root) CMDOUT (`), or the `+` and `-` of a patch.
//!
//! Beginnings are alike where their words are; the digits of a clock may differ.
//! Deliberately absent: the decision whether the rest is an output, which takes a reader.

use super::lines::{PastedLine, clean};
use std::collections::{HashMap, HashSet};

/// Least lines of a run.
const LINES_MIN: usize = 4;
/// Most lines between two of a run.
const GAP_MAX: usize = 8;
const PREFIX_BYTES_MAX: usize = 120;
const PREFIX_WORDS_MAX: usize = 9;
/// Beginnings that are tried, the most frequent first.
const SHAPES_MAX: usize = 400;

const LEVELS: [&str; 10] = ["DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERR", "ERROR", "TRACE", "CRITICAL", "FATAL"];
/// Lines of others that are looked at, since a text that somebody made up may have any number of beginnings.
const LOOKED_AT_MAX: usize = 200_000;

/// Lines of a text, by their indices, and what stands behind their beginnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrefixedRun {
    pub at: Vec<usize>,
    pub plain: Vec<PastedLine>,
    /// True where the beginning is no more than a quotation mark, as in lists of JSON.
    pub is_quoted: bool,
}

/// Gives the runs in the order in which they are worth a try, until `goes_on` is false. A line may be in several.
pub(crate) fn each_run(lines: &[PastedLine], is_free: impl Fn(usize) -> bool, mut goes_on: impl FnMut(PrefixedRun) -> bool) {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    let free: Vec<usize> = (0..lines.len()).filter(|at| is_free(*at)).collect();
    for at in &free {
        cuts(&lines[*at].text).iter().for_each(|cut| *counts.entry(cut.shape).or_default() += 1);
    }
    let mut shapes: Vec<(u64, usize)> = counts.into_iter().filter(|(_, count)| *count >= LINES_MIN).collect();
    shapes.sort_unstable_by_key(|(shape, count)| (std::cmp::Reverse(*count), *shape));
    shapes.truncate(SHAPES_MAX);
    let order: HashMap<u64, usize> = shapes.iter().enumerate().map(|(at, (shape, _))| (*shape, at)).collect();
    let mut members: Vec<Vec<(usize, Cut)>> = vec![Vec::new(); shapes.len()];
    for at in &free {
        for cut in cuts(&lines[*at].text) {
            order.get(&cut.shape).into_iter().for_each(|shape| members[*shape].push((*at, cut)));
        }
    }
    let runs = members.iter().flat_map(|members| members.chunk_by(|one, next| next.0 - one.0 <= GAP_MAX));
    let mut looked_at = 0;
    let prefixed = runs.filter_map(|run| one(lines, run, &mut looked_at));
    let _ = signed(lines, &is_free).into_iter().chain(prefixed).all(&mut goes_on);
}

/// The run of these lines, where most lines there have the beginning.
///
/// No beginning may come again after another, as those of two programs at once do.
fn one(lines: &[PastedLine], run: &[(usize, Cut)], looked_at: &mut usize) -> Option<PrefixedRun> {
    if run.len() < LINES_MIN || !is_most(lines, run, looked_at) {
        return None;
    }
    // Alike beginnings differ in digits and in levels.
    let digits = |(at, cut): &(usize, Cut)| lines[*at].text[..cut.start].chars().filter(char::is_ascii_digit).collect::<String>();
    let mut seen: HashSet<String> = HashSet::new();
    let mut before = String::new();
    for own in run.iter().map(digits) {
        if own != before && !seen.insert(own.clone()) {
            return None;
        }
        before = own;
    }
    let is_quoted = run[0].1.start == 1 && run[0].1.closing.is_some();
    let plain = run.iter().map(|(at, cut)| cut.rest(&lines[*at])).collect();
    Some(PrefixedRun { at: run.iter().map(|(at, _)| *at).collect(), plain, is_quoted })
}

/// True where no more lines than those of the run stand between them. Other lines of the log do not count.
fn is_most(lines: &[PastedLine], run: &[(usize, Cut)], looked_at: &mut usize) -> bool {
    let (first, last) = (run[0].0, run[run.len() - 1].0);
    let others = last + 1 - first - run.len();
    if others <= run.len() {
        return true;
    }
    *looked_at += others;
    let is_member = |at: &usize| run.binary_search_by_key(at, |(own, _)| *own).is_ok();
    let strangers = || (first..last).filter(|at| !is_member(at) && !is_log(&lines[*at].text, &lines[first].text)).count();
    *looked_at <= LOOKED_AT_MAX && strangers() <= run.len()
}

/// Hash of a beginning in which alike words and clocks are one (FNV-1a).
struct Shape(u64);

impl Default for Shape {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Shape {
    fn add(&mut self, c: u32) {
        self.0 = (self.0 ^ u64::from(c)).wrapping_mul(0x100_0000_01b3);
    }
}

/// A place where a beginning may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    shape: u64,
    start: usize,
    /// The sign that ends the line, where the beginning opened something.
    closing: Option<char>,
}

impl Cut {
    fn rest(&self, line: &PastedLine) -> PastedLine {
        let rest = &line.text[self.start..];
        let text = match self.closing {
            Some(')') => clean(rest.strip_suffix(')').unwrap_or(rest)),
            Some(mark) => clean(&rest[..rest.rfind(mark).unwrap_or(rest.len())].replace("\\\"", "\"")),
            None => clean(rest),
        };
        PastedLine { text, ..line.clone() }
    }
}

fn cuts(text: &str) -> Vec<Cut> {
    let mut found = Vec::new();
    let mut hasher = Shape::default();
    let mut from = 0;
    for nth in 0..PREFIX_WORDS_MAX {
        from += text[from..].len() - text[from..].trim_start().len();
        let end = text[from..].find(char::is_whitespace).map_or(text.len(), |length| from + length);
        if from == end || end > PREFIX_BYTES_MAX {
            break;
        }
        let word = &text[from..end];
        let is_clock = is_clock(word);
        let level = level_length(word);
        let mut is_digit = false;
        for (at, c) in word.char_indices() {
            let place = from + at + c.len_utf8();
            let was_digit = std::mem::replace(&mut is_digit, is_clock && c.is_ascii_digit());
            if at == 0 && level > 0 {
                hasher.add(u32::from('L'));
            } else if at >= level && !(was_digit && is_digit) {
                hasher.add(if is_digit { u32::from('0') } else { u32::from(c) });
            }
            let closing = closing(text, c).filter(|_| place < text.len());
            // `INFO:root:text`
            let is_name = nth == 0 && c == ':' && !is_clock && place < end;
            if is_name || closing.is_some() {
                found.push(Cut { shape: hasher.0, start: place, closing });
            }
        }
        let ends = word.ends_with([':', ']', '|', '>', ')', '-', '*']) || is_clock && word.contains(':');
        if ends {
            found.push(Cut { shape: hasher.0, start: end, closing: None });
        }
        hasher.add(u32::from(' '));
        from = end;
    }
    found
}

/// Bytes of the level that a word begins with. A log gives some lines of an output another level.
fn level_length(word: &str) -> usize {
    let length = word.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(word.len());
    if LEVELS.contains(&&word[..length]) { length } else { 0 }
}

/// The sign with which the line ends what this one opens.
fn closing(text: &str, opening: char) -> Option<char> {
    match opening {
        '(' => text.ends_with(')').then_some(')'),
        '"' | '\'' => text.trim_end_matches([',', ';', ')']).ends_with(opening).then_some(opening),
        _ => None,
    }
}

/// A date, a clock or a count of seconds: digits with signs between them.
fn is_clock(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '(', ')', '|', ',']);
    bare.bytes().any(|byte| byte.is_ascii_digit()) && bare.bytes().all(|byte| byte.is_ascii_digit() || b".,:-/+TZ".contains(&byte))
}

/// Lines that all begin with `+` or `-`. Where both signs stand before one label, the lines are two versions of a text,
/// and none is taken.
fn signed(lines: &[PastedLine], is_free: &impl Fn(usize) -> bool) -> Vec<PrefixedRun> {
    let is_signed = |at: &usize| lines[*at].text.starts_with(['+', '-']) && is_free(*at);
    let signed: Vec<usize> = (0..lines.len()).filter(is_signed).collect();
    let labels = |sign: char| -> HashSet<String> {
        signed.iter().filter(|at| lines[**at].text.starts_with(sign)).map(|at| label(&lines[*at].text[1..])).collect()
    };
    let (added, removed) = (labels('+'), labels('-'));
    let versions: HashSet<&String> = added.intersection(&removed).filter(|label| !label.is_empty()).collect();
    let is_version = |at: &usize| versions.contains(&label(&lines[*at].text[1..]));
    let runs = signed.chunk_by(|one, next| one + 1 == *next).filter(|run| run.len() >= LINES_MIN && !run.iter().any(is_version));
    let rest = |at: &usize| PastedLine { text: clean(&lines[*at].text[1..]), ..lines[*at].clone() };
    runs.map(|run| PrefixedRun { at: run.to_vec(), plain: run.iter().map(rest).collect(), is_quoted: false }).collect()
}

/// The words before a colon, or the first two.
fn label(text: &str) -> String {
    match text.split_once(':') {
        Some((label, _)) => label.trim().to_owned(),
        None => text.split_whitespace().take(2).collect::<Vec<_>>().join(" "),
    }
}

/// True for a line of a log that is none of the run: it begins as the run does, with a level or a clock, or names its program before a bar.
pub(crate) fn is_log(text: &str, of_run: &str) -> bool {
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let word = first(text);
    word == first(of_run) || is_clock(&word) && word.contains(':') || text.contains('|') || level_length(&word) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::text::lines::lines;

    /// The rests of each run.
    fn rests(text: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        each_run(
            &lines(text),
            |_| true,
            |run| {
                found.push(run.plain.into_iter().map(|line| line.text).collect());
                true
            },
        );
        found
    }

    #[track_caller]
    fn check(before: &str, after: &str) {
        let text: String = ["a: 1", "b", "c: 3", "d: 4"].iter().map(|rest| format!("{before}{rest}{after}\n")).collect();
        // More than half of the lines would be without their clock already.
        let text = format!("{}{text}", "x\n".repeat(5));
        assert!(rests(&text).contains(&["a: 1", "b", "c: 3", "d: 4"].map(str::to_owned).to_vec()), "{text}{:?}", rests(&text));
    }

    #[test]
    fn beginnings_of_logs() {
        check("02:59:03 DEBUG| [stdout] ", "");
        check("2026 Jul  7 20:25:49.346613 ctn101 NOTICE root: ", "");
        check("2026-01-02T03:04:05Z host prog[1]: ", "");
        check("Mar 03 04:00:01 stor07 CROND[22117]: (root) CMDOUT (", ")");
        check("[12:34:56] ", "");
        check("name-1  | ", "");
        check("INFO:root:", "");
        check("time=\"2026-01-02T03:04:05Z\" level=info msg=\"", "\"");
        check("    \"", "\",");
        check("- ", "");
        check("+", "");
    }

    #[test]
    fn the_digits_of_a_clock_may_differ_and_those_of_a_name_may_not() {
        assert_eq!(rests("INFO:root:a\nWARNING:root:b\nINFO:root:c\nERROR:root:d\n")[1], ["a", "b", "c", "d"]);
        let text = |other: &str| format!("12:00:01 n1: a\n12:00:02 n1: b\n12:00:59 {other}: c\n12:01:00 n1: d\n12:01:00 n1: e\n");
        assert!(rests(&text("n1")).contains(&["a", "b", "c", "d", "e"].map(str::to_owned).to_vec()));
        assert!(rests(&text("n2")).contains(&["a", "b", "d", "e"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn programs_that_name_themselves_are_a_run_each() {
        let text: String = (0..5).flat_map(|at| ["n-1", "n-2", "n-3"].map(|name| format!("{name}  | {at}\n"))).collect();
        assert_eq!(rests(&text), vec![["0", "1", "2", "3", "4"].map(str::to_owned).to_vec(); 3]);
    }

    #[test]
    fn two_programs_at_once_are_no_run() {
        assert_eq!(rests("[1:1] a\n[1:2] b\n[1:1] c\n[1:2] d\n[1:1] e\n"), Vec::<Vec<String>>::new());
    }

    #[test]
    fn two_versions_of_a_text_are_no_run() {
        assert_eq!(rests("+a: 1\n+b: 2\n-c: 3\n-d: 4\n").len(), 1);
        assert_eq!(rests("+a: 1\n+b: 2\n-a: 0\n-d: 4\n"), Vec::<Vec<String>>::new());
        assert_eq!(rests("+a: 1\n+b: 2\n+c: 3\n+d: 4\nx\n-a: 0\n").len(), 0);
    }
}
