//! Every rule on its own two records.

use super::*;

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
fn names_are_there_once() {
    for (at, rule) in RULES.iter().enumerate() {
        assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{}", rule.name);
    }
}
