//! Every rule on its own two records.

use super::*;
use crate::rule_pages;
use crate::testing::whole_percents;

#[test]
fn every_rule_fires_on_its_record_and_is_silent_on_the_other() {
    for rule in RULES {
        let (fires, silent) = ((rule.fires)(), (rule.silent)());
        let found = (rule.check)(&Context::new(&fires));
        assert!(!found.is_empty() && found.iter().all(|finding| finding.rule == rule.name), "{}: {found:?}", rule.name);
        let found = (rule.check)(&Context::new(&silent));
        assert!(found.is_empty(), "{}: {found:?}", rule.name);
    }
}

#[test]
fn findings_rest_on_figures_and_their_titles_are_of_one_line() {
    for finding in RULES.iter().flat_map(|rule| (rule.check)(&Context::new(&(rule.fires)()))) {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        assert!(!finding.title.is_empty() && !finding.title.contains('\n') && !finding.title.ends_with('.'), "{finding:?}");
    }
}

#[test]
fn pages_show_what_the_rules_say_of_their_records() {
    let title = |rule: &Rule| (rule.check)(&Context::new(&(rule.fires)())).remove(0).title;
    rule_pages::hold(RULES.iter().map(|rule| (rule.name, title(rule))));
}

#[test]
fn pages_name_the_shares_from_which_on_a_rule_speaks() {
    let shares = |rule: &Rule| whole_percents(&(rule.check)(&Context::new(&(rule.fires)()))[0]);
    let all: Vec<(&str, String)> = RULES.iter().flat_map(|rule| shares(rule).into_iter().map(|share| (rule.name, share))).collect();
    assert!(all.contains(&("page-cache", "95 %".into())), "{all:?}");
    rule_pages::say(all.iter().map(|(name, share)| (*name, share.as_str())));
}

#[test]
fn pages_name_the_effect_of_their_rule() {
    let word = |rule: &Rule| match (rule.check)(&Context::new(&(rule.fires)()))[0].effect {
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
