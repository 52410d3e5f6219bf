//! Every rule on its own two records.

use super::*;
use crate::finding::Effect;
use crate::record::RunRecord;
use crate::rule_pages;
use crate::testing::whole_percents;
use std::collections::BTreeSet;

#[test]
fn every_rule_fires_on_its_record_and_is_silent_on_the_other() {
    for rule in RULES {
        let (fires, silent) = ((rule.fires)(), (rule.silent)());
        let found = rule.found(&fires);
        assert!(!found.is_empty() && found.iter().all(|finding| finding.rule == rule.name), "{}: {found:?}", rule.name);
        let found = rule.found(&silent);
        assert!(found.is_empty(), "{}: {found:?}", rule.name);
    }
}

#[test]
fn findings_rest_on_figures_and_their_titles_are_of_one_line() {
    for finding in RULES.iter().flat_map(|rule| rule.found(&(rule.fires)())) {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        assert!(!finding.title.is_empty() && !finding.title.contains('\n') && !finding.title.ends_with('.'), "{finding:?}");
    }
}

#[test]
fn pages_show_what_the_rules_say_of_their_records() {
    let title = |rule: &FindingRule| rule.found(&(rule.fires)()).remove(0).title;
    rule_pages::hold(RULES.iter().map(|rule| (rule.name, title(rule))));
}

#[test]
fn pages_name_the_shares_from_which_on_a_rule_speaks() {
    let shares = |rule: &FindingRule| whole_percents(&rule.found(&(rule.fires)())[0]);
    let all: Vec<(&str, String)> = RULES.iter().flat_map(|rule| shares(rule).into_iter().map(|share| (rule.name, share))).collect();
    assert!(all.contains(&("page-cache", "95 %".into())), "{all:?}");
    rule_pages::say(all.iter().map(|(name, share)| (*name, share.as_str())));
}

#[test]
fn pages_name_the_effect_of_their_rule() {
    let word = |rule: &FindingRule| match rule.found(&(rule.fires)())[0].effect {
        Effect::Easier => "*easier*",
        Effect::Harder => "*harder*",
        Effect::HeldBack => "*held back*",
        Effect::Incomparable => "*incomparable*",
        Effect::Invalid => "*invalid*",
        Effect::Unsteady => "*unsteady*",
        Effect::None => "ffect none",
    };
    rule_pages::say(RULES.iter().map(|rule| (rule.name, word(rule))));
}

#[test]
fn names_are_there_once() {
    for (at, rule) in RULES.iter().enumerate() {
        assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{}", rule.name);
    }
}

/// The same with the first two stages of each job, which say as much.
fn short(mut record: RunRecord) -> RunRecord {
    record.stages.retain(|stage| stage.repetition < 2);
    record
}

/// All numbers of a record at their largest, by name: a file may say so, and a drive that counts wrongly.
#[test]
fn no_number_of_a_record_makes_its_judgement_panic() {
    use serde_json::Value;
    fn names(value: &Value, of: &str, all: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| names(value, name, all)),
            Value::Array(items) => items.iter().for_each(|item| names(item, of, all)),
            Value::Number(_) => drop(all.insert(of.to_owned())),
            _ => {}
        }
    }
    fn set(value: &mut Value, of: &str, name: &str) {
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(own, value)| set(value, own, name)),
            Value::Array(items) => items.iter_mut().for_each(|item| set(item, of, name)),
            Value::Number(number) if of == name && number.is_u64() => *value = u64::MAX.into(),
            _ => {}
        }
    }
    let shapes = ["unflushed", "large-records", "data-journal", "frequent-checkpoints"];
    let fires = RULES.iter().filter(|rule| shapes.contains(&rule.name)).map(|rule| (rule.fires)());
    let records: Vec<RunRecord> = fires.chain([crate::layers::tests::layered(crate::record::Mix::TpcbLike, 1)]).map(short).collect();
    for record in records {
        let whole = serde_json::to_value(&record).unwrap();
        let mut all = BTreeSet::new();
        names(&whole, "", &mut all);
        assert!(all.len() > 30);
        for name in all {
            let mut hostile = whole.clone();
            set(&mut hostile, "", &name);
            // Not every number has room for it.
            if let Ok(hostile) = serde_json::from_value(hostile) {
                drop(crate::judge::judge(&hostile));
            }
        }
    }
}
