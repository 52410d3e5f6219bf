//! The grade of an answer: right, partly right, silent or wrong, each with its reasons. Pure.

use super::cause::{Cause, Truth, Word};
use super::said::Said;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    Right,
    Partly,
    Silent,
    Wrong,
}

impl Grade {
    pub const ALL: [Self; 4] = [Self::Right, Self::Partly, Self::Silent, Self::Wrong];

    pub fn letter(self) -> char {
        ['R', 'P', 'S', 'W'][self as usize]
    }
}

pub struct Graded {
    pub grade: Grade,
    pub faults: Vec<String>,
    pub false_meets: bool,
    pub false_misses: bool,
}

/// Doubts that are true beside a loaded host; that of a low priority where this program was started with one.
const OF_LOAD: [&str; 7] = ["busy-host", "cpu-pressure", "low-priority", "stolen-cpu", "not-steady", "stalls", "slow-tail"];

pub fn grade(cause: &Cause, said: &Said, loaded: bool) -> Graded {
    let (answer, truth) = (&cause.answer, cause.promise.map(|promise| promise.truth));
    let is = |verdict: &str| said.verdicts.iter().any(|v| v == verdict);
    let false_meets = is("meets") && matches!(truth, Some(Truth::Broken | Truth::Unknowable));
    let false_misses = is("misses") && matches!(truth, Some(Truth::Kept | Truth::Unknowable));
    // A healthy drive beside a loaded host need not be told what it can.
    let (right, exits) = if loaded && answer.healthy.is_some() { (&[][..], &[][..]) } else { (answer.right, answer.exits) };
    let missing = right.iter().filter(|words| !words.iter().any(|word| said.has(*word)));
    let missing: Vec<String> =
        missing.map(|words| format!("lacks {}", words.iter().map(|w| named(*w)).collect::<Vec<_>>().join(" or "))).collect();
    let mut wrong: Vec<String> = answer.wrong.iter().filter(|word| said.has(**word)).map(|word| format!("says {}", named(*word))).collect();
    if let Some(allowed) = answer.healthy {
        let is_allowed = |rule: &str| allowed.contains(&rule) || loaded && OF_LOAD.contains(&rule);
        let doubts = said.findings.iter().filter(|finding| finding.doubts && !is_allowed(&finding.rule));
        wrong.extend(doubts.map(|finding| format!("{}: {}", finding.rule, finding.title)));
    }
    let more = [(false_meets, "false meets"), (false_misses, "false misses"), (said.exit.is_none(), "did not end")];
    wrong.extend(more.iter().filter(|(is_so, _)| *is_so).map(|(_, fault)| (*fault).to_owned()));
    let right = right.len() - missing.len();
    let exit = said.exit.filter(|status| !exits.is_empty() && !exits.contains(status));
    let exit = exit.map(|status| format!("exit status {status}, not {exits:?}"));
    let grade = match (false_meets || false_misses, wrong.is_empty(), missing.is_empty() && exit.is_none(), right) {
        (true, ..) | (_, false, _, 0) => Grade::Wrong,
        (_, true, true, _) => Grade::Right,
        (_, true, false, 0) => Grade::Silent,
        _ => Grade::Partly,
    };
    Graded { grade, faults: [missing, wrong, exit.into_iter().collect()].concat(), false_meets, false_misses }
}

fn named(word: Word) -> String {
    match word {
        Word::Rule(rule) => format!("rule {rule}"),
        Word::HostAlone => "that the host alone is the limit".to_owned(),
        Word::Limit(word) => format!("limit \"{word}\""),
        Word::Title(word) => format!("title \"{word}\""),
        Word::Text(word) => format!("\"{word}\""),
    }
}
