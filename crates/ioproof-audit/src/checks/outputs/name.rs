//! A job that is called random and is sequential, or the other way round.

use crate::checks::{Findings, Measured, Order, Reading, show};

const NAME: &str = "name-against-order";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let wrong: Vec<(&Measured, &str)> = reading.measured.iter().filter_map(|measured| Some((measured, contradiction(measured)?))).collect();
    let Some((first, called)) = wrong.first() else { return };
    let is = first.load.order.map_or("", Order::word);
    let figures: Vec<String> =
        wrong.iter().filter_map(|(measured, _)| Some(format!("{} (line {})", show::quoted(measured)?.1, measured.first))).collect();
    let title = format!("the job {} is called {called}, but rw={} is {is}", first.name, first.load.word);
    let because = format!("{} of the outputs: {}", is, figures.join(", "));
    findings.wrong(NAME, reading.at(first.first), title, because).mend("name the job after its rw, or run the rw that its name says");
}

fn contradiction(measured: &Measured) -> Option<&'static str> {
    let name = measured.name.to_ascii_lowercase();
    let tokens: Vec<&str> = name.split(|c: char| !c.is_ascii_alphabetic()).collect();
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(token));
    let random = has(&["random", "rand", "rnd", "randread", "randwrite"]);
    let sequential = has(&["sequential", "seq", "seqread", "seqwrite"]);
    match measured.load.order? {
        Order::Sequential if random && !sequential => Some("random"),
        Order::Random if sequential && !random => Some("sequential"),
        _ => None,
    }
}
