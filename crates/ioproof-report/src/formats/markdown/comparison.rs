//! A comparison as Markdown, to paste into an issue or a wiki.

use super::{cells, escape, items, table, table_head};
use ioproof_core::compare::Answer;
use ioproof_core::compare::words::{AgainstFirst, ComparedLine as Line, ComparisonWords, DifferingWords};
use ioproof_core::results::ResultTable;

pub(crate) fn page(view: &ComparisonWords) -> String {
    let mut page = format!("# ioproof: {}\n\n| | run | |\n| --- | --- | --- |\n", escape(&view.heading()));
    page += &view.runs.iter().map(|run| cells(&[run.letter.clone(), escape(&run.id), escape(&run.about)])).collect::<String>();
    page +=
        &differing(view, "Other conditions: a difference may come of these, and is no sign of a better or worse drive", &view.conditions);
    page += &differing(view, "What else differs", &view.facts);
    page += &view.blocks.iter().map(block).collect::<String>();
    if !view.alone.is_empty() {
        page += "\n## Not in all runs\n\n";
        page += &items(&view.alone);
    }
    page.push('\n');
    page + &view.legend().into_iter().map(|text| format!("{}\n\n", escape(text))).collect::<String>()
}

fn differing(view: &ComparisonWords, title: &str, facts: &[DifferingWords]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = [""].into_iter().chain(view.runs.iter().map(|run| run.letter.as_str())).collect();
    let line = |one: &DifferingWords| {
        let values: Vec<String> = [one.name.clone()].into_iter().chain(one.values.iter().map(|value| escape(value))).collect();
        cells(&values)
    };
    format!("\n## {title}\n\n{}{}", table_head(&names, names.len()), facts.iter().map(line).collect::<String>())
}

fn block(block: &AgainstFirst) -> String {
    let mut text = format!("\n## {}\n\n", block.heading);
    text += &block.mark.iter().map(|mark| format!("> **Warning:** {}\n\n", escape(mark))).collect::<String>();
    if block.groups.is_empty() {
        return text + "No figure in common.\n";
    }
    text += &block.says.iter().map(|said| format!("{}\n\n", escape(said))).collect::<String>();
    text += &block.beside.iter().map(beside).collect::<String>();
    text += &table_head(&["workload", "figure", "first", "this", "change (interval)", "answer", "remarks"], 2);
    let lines = block.groups.iter().flat_map(|group| group.lines.iter().map(|line| row(&group.title, line)));
    text + &lines.collect::<String>()
}

/// Durable writes or layers side by side.
fn beside(beside: &ResultTable) -> String {
    beside.parts.iter().map(|part| format!("{}:\n\n{}\n", escape(&part.caption), table(beside, part))).collect()
}

fn row(title: &str, line: &Line) -> String {
    let interval = line.interval.as_ref().map(|interval| format!(" ({interval})")).unwrap_or_default();
    let answer = match line.answer {
        Answer::CannotTell => line.answer.title().to_owned(),
        told => format!("**{}**", told.title()),
    };
    let remarks: Vec<String> = line.remarks().iter().map(|remark| escape(remark)).collect();
    let change = format!("{}{interval}", line.change);
    cells(&[escape(title), line.figure.into(), line.first.clone(), line.this.clone(), change, answer, remarks.join("; ")])
}
