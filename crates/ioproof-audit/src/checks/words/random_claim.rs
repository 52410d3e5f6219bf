//! Words that call a figure random while the output that prints it is sequential.

use super::bind::{cells, outputs, paragraphs};
use crate::checks::{Figure, Findings, Measured, Order, Reading, show};

const NAME: &str = "random-claim";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for paragraph in paragraphs(reading) {
        for figure in &paragraph.figures {
            hold(reading, figure, paragraph.sentence(figure.at), findings);
        }
    }
    for (words, figure) in cells(reading) {
        hold(reading, figure, &words, findings);
    }
}

fn hold(reading: &Reading, figure: &Figure, words: &str, findings: &mut Findings) {
    let text = words.to_lowercase();
    if !text.contains("random") || text.contains("sequential") {
        return;
    }
    let all = outputs(reading, figure);
    let Some(first) =
        all.first().filter(|_| all.iter().all(|measured| matches!(measured.load.order, Some(Order::Sequential | Order::OneBlock))))
    else {
        return;
    };
    let order = first.load.order.map_or("", Order::word);
    let title = format!("{} is called random, and its output is {order}", figure.text);
    let others = alike(reading, first);
    let because = format!("line {}: rw={}, {}{others}", first.first, first.load.word, first.words());
    findings.wrong(NAME, reading.at(figure.line), title, because);
}

/// Random outputs of the same target.
fn alike(reading: &Reading, first: &Measured) -> String {
    let random = reading.measured.iter().filter(|measured| {
        measured.target == first.target && measured.load.order == Some(Order::Random) && measured.load.block_bytes == first.load.block_bytes
    });
    let reads = random.filter(|measured| measured.load.word.contains("read") == first.load.word.contains("read"));
    let list: Vec<String> =
        reads.filter_map(|measured| Some(format!("{} (line {})", show::quoted(measured)?.1, measured.first))).take(4).collect();
    if list.is_empty() { String::new() } else { format!("; random on {}: {}", first.target, list.join(", ")) }
}
