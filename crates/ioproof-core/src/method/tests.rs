//! Every rule on its own two examples, and what holds for the whole table.

use super::testing::{GIB, buffered, changed, deep, device, file, named, on_first, writing};
use super::*;
use crate::finding::{Severity, Subject};
use crate::rule_pages;
use crate::testing::whole_percents;
use crate::workload::Durability;

fn rules_of(loads: &[Load]) -> Vec<String> {
    check(loads, &Flags).into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn every_rule_fires_on_its_example_and_is_silent_on_the_other() {
    for rule in rules() {
        let (fires, silent) = ((rule.fires)(), (rule.silent)());
        assert!(!apply(rule, &fires, &Flags).is_empty(), "{} is silent on {fires:?}", rule.name);
        assert!(apply(rule, &silent, &Flags).is_empty(), "{} speaks about {silent:?}", rule.name);
        assert!(rules_of(&fires).iter().any(|name| name == rule.name), "{} is covered on its own example", rule.name);
    }
}

#[test]
fn a_load_that_is_right_is_not_spoken_of() {
    assert_eq!(rules_of(&[file()]), [""; 0]);
    assert_eq!(rules_of(&[device()]), [""; 0]);
}

#[test]
fn nothing_is_said_of_what_is_not_known() {
    let load = Load::new("", file().workload);
    assert_eq!(rules_of(&[load.clone(), load]), [""; 0]);
}

#[test]
fn names_are_unique_and_covers_are_names() {
    let names: Vec<&str> = rules().map(|rule| rule.name).collect();
    for (at, rule) in rules().enumerate() {
        assert!(!names[..at].contains(&rule.name), "{} is there twice", rule.name);
        assert!(rule.covers.iter().all(|name| names.contains(name) && *name != rule.name), "{}", rule.name);
    }
}

#[test]
fn sentences_are_of_one_line_and_every_finding_has_figures_or_facts() {
    for finding in rules().flat_map(|rule| check(&(rule.fires)(), &Flags)) {
        for text in [&finding.title, &finding.remedy] {
            assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.') && !text.contains("  "), "{finding:?}");
        }
        assert!(!finding.evidence.is_empty(), "{finding:?}");
    }
}

#[test]
fn pages_show_what_the_rules_say_of_their_loads() {
    let title = |rule: &MethodRule| check(&(rule.fires)(), &Flags).into_iter().find(|finding| finding.rule == rule.name).unwrap().title;
    rule_pages::hold(rules().map(|rule| (rule.name, title(rule))));
}

#[test]
fn pages_name_the_shares_from_which_on_a_rule_speaks() {
    let shares = |rule: &MethodRule| {
        check(&(rule.fires)(), &Flags).iter().filter(|f| f.rule == rule.name).flat_map(whole_percents).collect::<Vec<_>>()
    };
    let all: Vec<(&str, String)> = rules().flat_map(|rule| shares(rule).into_iter().map(|share| (rule.name, share))).collect();
    assert!(all.contains(&("small-share", "50 %".into())), "{all:?}");
    rule_pages::say(all.iter().map(|(name, share)| (*name, share.as_str())));
}

#[test]
fn pages_say_how_grave_a_mistake_is() {
    rule_pages::say(rules().map(|rule| (rule.name, if rule.severity == Severity::Info { "`note:`" } else { "`warning:`" })));
}

#[test]
fn findings_are_about_the_subject_of_their_load_in_the_order_of_the_loads() {
    let slow = |job| {
        changed(deep(device(), 8), |l| {
            l.workload.depth = 1;
            l.backend = Some(BackendTraits { name: "psync".into(), synchronous: true, ..BackendTraits::default() });
            l.subject = Subject::Job(job);
        })
    };
    let all = check_each(&[slow(4), device(), named(slow(2), "b")], &Flags);
    let subjects: Vec<_> = all.iter().map(|(at, finding)| (*at, finding.rule.as_str(), finding.subject.clone())).collect();
    assert_eq!(subjects, [(0, "depth-of-one", Subject::Job(4)), (2, "depth-of-one", Subject::Job(2))]);
}

#[test]
fn writes_that_are_made_durable_are_no_matter_of_memory() {
    let written = |durability, more_files| {
        let load = writing(buffered(on_first(file(), 8 * GIB)));
        let load = changed(load, |l| (l.workload.durability, l.workload.shape.more_files) = (durability, more_files));
        check(&[load], &Flags)
            .into_iter()
            .map(|finding| finding.rule)
            .filter(|rule| ["fits-in-memory", "buffered-writes"].contains(&rule.as_str()))
            .collect::<Vec<_>>()
    };
    for durability in [Durability::FdatasyncEvery(8), Durability::FsyncEvery(8), Durability::FsyncAllEvery(8), Durability::Dsync] {
        assert!(written(durability, 0).is_empty(), "{durability:?}");
    }
    assert_eq!(written(Durability::SyncFileRangeEvery(8), 0), ["fits-in-memory"]);
    // A tenth of 16 GiB are 419,430 writes of 4 KiB.
    assert!(written(Durability::FsyncEvery(400_000), 0).is_empty());
    assert_eq!(written(Durability::FsyncEvery(1_000_000), 0), ["fits-in-memory"], "a sync in 4 GiB is none");
    assert_eq!(written(Durability::FdatasyncEvery(1_000_000), 1), ["buffered-writes"]);
    assert_eq!(written(Durability::None, 0), ["fits-in-memory"]);
    assert_eq!(written(Durability::None, 1), ["buffered-writes"], "two files of 8 GiB do not fit into 16 GiB");
}
