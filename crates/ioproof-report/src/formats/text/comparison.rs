//! A comparison as plain text, as the terminal shows it and as a file.

use crate::layout::{Align, Cell, Column, Table, Tone, clip, labelled};
use crate::summary::{Style, results};
use ioproof_core::compare::words::{AgainstFirst, ComparedLine as Line, ComparisonWords};
use ioproof_core::compare::{Answer, Comparison};
use ioproof_core::results::{Part, ResultTable};

/// Columns of a file.
const WIDTH: usize = 100;
/// Lines that a value or a remark takes at most.
const MOST_LINES: usize = 4;

/// A comparison for people; its text may change between versions.
#[must_use]
pub fn comparison_text(comparison: &Comparison, style: Style) -> String {
    of_view(&ComparisonWords::new(comparison), style.on_screen())
}

pub(crate) fn of_file(words: &ComparisonWords) -> String {
    of_view(words, Style::of_file(WIDTH))
}

fn of_view(view: &ComparisonWords, style: Style) -> String {
    // The conclusion first.
    let mut lines: Vec<String> = view.blocks.iter().map(|block| Tone::Bold.paint(&block.heading, style.color)).collect();
    lines.push(String::new());
    for run in &view.runs {
        lines.extend(labelled(&format!("{}  ", run.letter), &format!("{}  {}", run.id, run.about), style.width, MOST_LINES));
    }
    for (title, facts) in [
        ("Other conditions, of which a difference may come that is no sign of a better or worse drive:", &view.conditions),
        ("Differs:", &view.facts),
    ] {
        if !facts.is_empty() {
            lines.push(String::new());
            lines.extend(labelled("", title, style.width, 2));
            lines.extend(facts.iter().flat_map(|one| labelled(&format!("  {}: ", one.name), &one.words(), style.width, MOST_LINES)));
        }
    }
    lines.extend(view.blocks.iter().flat_map(|block| block_lines(view, block, style)));
    if !view.alone.is_empty() {
        lines.push(String::new());
        lines.extend(view.alone.iter().flat_map(|text| labelled("", text, style.width, 2)));
    }
    lines.push(String::new());
    lines.extend(view.legend().into_iter().flat_map(|text| labelled("", text, style.width, MOST_LINES)));
    lines.join("\n") + "\n"
}

fn block_lines(view: &ComparisonWords, block: &AgainstFirst, style: Style) -> Vec<String> {
    // Of two runs it stands at the top.
    let heading = (view.blocks.len() > 1).then(|| Tone::Bold.paint(&block.heading, style.color));
    let mut lines: Vec<String> = [String::new()].into_iter().chain(heading).collect();
    lines.extend(block.mark.iter().flat_map(|mark| labelled("  ", mark, style.width, 2)));
    if block.groups.is_empty() {
        lines.push("  no figure in common".into());
        return lines;
    }
    lines.extend(block.says.iter().flat_map(|said| labelled("  ", said, style.width, MOST_SAID_LINES)));
    lines.extend(block.beside.iter().flat_map(|beside| side_by_side(beside, style)));
    let mut table = table(block, view, true);
    // What stands behind the change matters less than the answer.
    if table.width() > style.width {
        table = self::table(block, view, false);
    }
    let shared = shared_remark(block);
    lines.extend(shared.iter().flat_map(|shared| labelled("  ", &format!("of all figures: {shared}"), style.width, 2)));
    let mut printed = table.lines(style.color).into_iter();
    lines.extend(printed.next());
    for group in &block.groups {
        lines.push(clip(&group.title, style.width));
        for (line, text) in group.lines.iter().zip(printed.by_ref()) {
            lines.push(text);
            // What is said of all figures is not said of each.
            let doubts = doubts(line).filter(|_| shared.is_none());
            let words: Vec<String> = line.flushes.iter().cloned().chain(doubts).collect();
            if !words.is_empty() {
                lines.extend(labelled("    ", &words.join("; "), style.width, 2));
            }
        }
    }
    lines
}

/// Lines that a sentence on a run takes at most.
const MOST_SAID_LINES: usize = 12;

/// Durable writes or layers side by side.
fn side_by_side(beside: &ResultTable, style: Style) -> Vec<String> {
    let of = |part: &Part| {
        let caption = labelled("", &part.caption, style.width, MOST_LINES);
        [caption, results::table(beside, part, style), vec![String::new()]].concat()
    };
    beside.parts.iter().flat_map(of).collect()
}

/// The figures of a block, with their intervals where there is room.
fn table(block: &AgainstFirst, view: &ComparisonWords, with_interval: bool) -> Table {
    use Align::{Left, Right};
    let lines: Vec<&Line> = block.groups.iter().flat_map(|group| &group.lines).collect();
    let interval = |line: &&Line| line.interval.as_ref().map_or_else(String::new, |interval| format!("({interval})"));
    let columns: [Column<&Line>; 7] = [
        ("  figure", Left, true, &|line| format!("  {}", line.figure).into()),
        (&view.runs[0].letter, Right, true, &|line| line.first.as_str().into()),
        (&block.letter, Right, true, &|line| line.this.as_str().into()),
        ("change", Right, true, &|line| line.change.as_str().into()),
        ("(interval)", Left, with_interval, &|line| interval(line).into()),
        ("answer", Left, true, &|line| Cell::new(line.answer.title(), tone(line))),
        ("runs", Right, lines.iter().any(|line| line.needed.is_some()), &|line| line.needed.clone().unwrap_or_default().into()),
    ];
    Table::of(2, &columns, &lines)
}

fn tone(line: &Line) -> Tone {
    match line.answer {
        _ if line.doubts.is_some() => Tone::Doubt,
        Answer::Better => Tone::Good,
        Answer::Worse => Tone::Bad,
        Answer::CannotTell => Tone::Plain,
    }
}

/// The reason for which a figure cannot be told where that is not the usual one, and who doubts it.
fn doubts(line: &Line) -> Option<String> {
    use ioproof_core::compare::Why::Small;
    let why = line.why().filter(|_| line.against.why != Some(Small));
    let words: Vec<String> = why.into_iter().chain(line.doubted()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The doubts of a block where all of its figures have the same.
fn shared_remark(block: &AgainstFirst) -> Option<String> {
    let mut lines = block.groups.iter().flat_map(|group| &group.lines);
    let first = doubts(lines.next()?)?;
    (lines.clone().count() > 0 && lines.all(|line| doubts(line).as_ref() == Some(&first))).then_some(first)
}
