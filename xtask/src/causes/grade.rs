//! The grade of an answer: right, partly right, silent or wrong, each with its reasons. Pure.

use super::cause::{Cause, Truth, Word};
use super::said::Said;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Right,
    Partly,
    Silent,
    Wrong,
}

impl Grade {
    pub const ALL: [Self; 4] = [Self::Right, Self::Partly, Self::Silent, Self::Wrong];

    pub fn letter(self) -> char {
        match self {
            Self::Right => 'R',
            Self::Partly => 'P',
            Self::Silent => 'S',
            Self::Wrong => 'W',
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graded {
    pub grade: Grade,
    /// Omissions and wrong words, in a few words each.
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
    let missing: Vec<String> = right.iter().filter(|words| !words.iter().any(|w| said.has(*w))).map(|w| wanted(w)).collect();
    let mut wrong: Vec<String> = answer.wrong.iter().filter(|word| said.has(**word)).map(|word| format!("says {}", named(*word))).collect();
    wrong.extend(answer.healthy.into_iter().flat_map(|allowed| not_allowed(said, allowed, if loaded { &OF_LOAD } else { &[] })));
    wrong.extend(false_meets.then(|| "false meets".to_owned()));
    wrong.extend(false_misses.then(|| "false misses".to_owned()));
    wrong.extend(said.exit.is_none().then(|| "did not end".to_owned()));
    let right = right.len() - missing.len();
    let exit = wrong_exit(exits, said);
    let grade = match (false_meets || false_misses, wrong.is_empty(), missing.is_empty() && exit.is_none(), right) {
        (true, ..) | (_, false, _, 0) => Grade::Wrong,
        (_, true, true, _) => Grade::Right,
        (_, true, false, 0) => Grade::Silent,
        _ => Grade::Partly,
    };
    Graded { grade, faults: [missing, wrong, exit.into_iter().collect()].concat(), false_meets, false_misses }
}

fn not_allowed(said: &Said, allowed: &[&str], of_load: &[&str]) -> Vec<String> {
    let doubts = said.findings.iter().filter(|f| f.doubts && ![allowed, of_load].concat().contains(&f.rule.as_str()));
    doubts.map(|f| format!("{}: {}", f.rule, f.title)).collect()
}

fn wrong_exit(exits: &[i32], said: &Said) -> Option<String> {
    let status = said.exit?;
    (!exits.is_empty() && !exits.contains(&status)).then(|| format!("exit status {status}, not {exits:?}"))
}

fn wanted(words: &[Word]) -> String {
    format!("lacks {}", words.iter().map(|word| named(*word)).collect::<Vec<_>>().join(" or "))
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

#[cfg(test)]
mod tests {
    use super::super::cause::cause;
    use super::super::said::Finding;
    use super::*;

    #[test]
    fn an_answer_is_right_when_all_is_said_and_nothing_wrong() {
        let cached = cause("", "").reads(1, 1, Truth::Broken).answer(&[&[Word::Rule("page-cache")]], &[Word::Limit("itself")], &[0]);
        let letter = |cause: &Cause, rule: &str, limit: &str, verdict: &str| {
            let findings = vec![Finding { rule: rule.to_owned(), title: "t".to_owned(), doubts: true }];
            let (limits, verdicts) = (vec![limit.to_owned()], vec![verdict.to_owned()]);
            grade(cause, &Said { exit: Some(0), findings, limits, verdicts, ..Said::default() }, false).grade.letter()
        };
        assert_eq!(letter(&cached, "page-cache", "memory", "cannot_tell"), 'R');
        assert_eq!(letter(&cached, "page-cache", "vda itself", "cannot_tell"), 'P');
        assert_eq!(letter(&cached, "host-jitter", "memory", "cannot_tell"), 'S');
        assert_eq!(letter(&cached, "host-jitter", "vda itself", "cannot_tell"), 'W');
        assert_eq!(letter(&cached, "page-cache", "memory", "meets"), 'W', "a false verdict");
        let control = cause("", "").healthy(&["stalls"]);
        assert_eq!(["stalls", "cliff"].map(|rule| letter(&control, rule, "", "meets")), ['R', 'W']);
    }
}
