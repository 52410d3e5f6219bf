//! The answer of ioproof: findings, limits, verdicts and the exit status of the stored run, and what was printed.

use super::cause::Word;
use crate::command::list;
use crate::program::{End, Ended};
use serde_json::Value;

const LIMITS_SHOWN: usize = 2;

pub struct Finding {
    pub rule: String,
    pub title: String,
    /// False where it is good to know and no more.
    pub doubts: bool,
}

#[derive(Default)]
pub struct Said {
    /// None where the program did not end by itself.
    pub exit: Option<i32>,
    /// The end that it had then: killed by which signal, or hung.
    pub killed: Option<String>,
    pub findings: Vec<Finding>,
    pub limits: Vec<String>,
    pub verdicts: Vec<String>,
    pub printed: String,
}

impl Said {
    /// From the call that measured, and the judgement that it stored; nothing was stored where the call was refused.
    pub fn read(call: &Ended, judgement: Option<&Value>) -> Self {
        let exit = if let End::Exit(status) = call.end { Some(status) } else { None };
        let judgement = judgement.unwrap_or(&Value::Null);
        let finding = |value: &Value| {
            let word = |name: &str| text(&value[name]).unwrap_or_default();
            Finding { rule: word("rule"), title: word("title"), doubts: word("severity") != "info" }
        };
        Self {
            exit,
            killed: exit.is_none().then(|| format!("{:?}", call.end)),
            findings: list(&judgement["findings"]).map(finding).collect(),
            limits: each_once(list(&judgement["rows"]).filter_map(|row| text(&row["limited_by"])).map(|limit| head(&limit))),
            verdicts: list(&judgement["rows"]).filter_map(|row| text(&row["verdict"])).collect(),
            printed: format!("{}{}", call.stdout, call.stderr),
        }
    }

    /// With a name of this call replaced, so that the same answer reads the same everywhere.
    pub fn renamed(mut self, name: &str, by: &str) -> Self {
        self.limits.iter_mut().for_each(|limit| *limit = limit.replace(name, by));
        self.printed = self.printed.replace(name, by);
        self
    }

    pub fn has(&self, word: Word) -> bool {
        let holds = |text: &str, word: &str| text.to_lowercase().contains(&word.to_lowercase());
        match word {
            Word::Rule(rule) => self.findings.iter().any(|finding| finding.rule == rule),
            Word::Title(word) => self.findings.iter().any(|finding| holds(&finding.title, word)),
            Word::Limit(word) => self.limits.iter().any(|limit| holds(limit, word)),
            Word::HostAlone => self.limits.iter().any(|limit| is_host(limit) && !limit.contains(", or ")),
            // Lines are broken where the screen ends.
            Word::Text(word) => holds(&self.printed.split_whitespace().collect::<Vec<_>>().join(" "), word),
        }
    }

    /// The host is named as what limits a number, alone or beside something else.
    pub fn blames_host(&self) -> bool {
        self.limits.iter().any(|limit| is_host(limit))
    }

    /// In one line: rules that doubt, other rules in brackets, the first limits, verdicts, exit status.
    pub fn line(&self) -> String {
        let rules = |doubts| each_once(self.findings.iter().filter(|f| f.doubts == doubts).map(|f| f.rule.clone())).join(", ");
        let killed = || format!("did not end: {}", self.killed.as_deref().unwrap_or("not told"));
        let exit = self.exit.map_or_else(killed, |status| format!("exit {status}"));
        let mut parts = vec![rules(true), format!("({})", rules(false)).replace("()", "")];
        let limits = self.limits.iter().filter(|limit| !limit.is_empty());
        parts.extend(limits.take(LIMITS_SHOWN).map(|limit| format!("limit: {limit}")));
        let refusal = self.printed.lines().find(|line| line.starts_with("error:") && self.limits.is_empty()).unwrap_or_default();
        parts.extend([each_once(self.verdicts.iter().cloned()).join(", "), refusal.to_owned(), exit]);
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}

fn is_host(limit: &str) -> bool {
    ["the host's CPU", "the hypervisor", "waiting for a CPU"].iter().any(|words| limit.starts_with(words))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A line that says what limits a number, without what it rules out.
fn head(limit: &str) -> String {
    limit.split("ruled out:").next().unwrap_or_default().trim_end_matches(|c: char| c.is_whitespace() || c == ';').to_owned()
}

fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    texts.for_each(|text| {
        if !all.contains(&text) {
            all.push(text)
        }
    });
    all
}
