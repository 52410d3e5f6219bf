//! The table as a whole, and every rule on its own two pictures.

mod examples;

use super::testing::{self, picture, text};
use super::*;
use crate::rule_pages;
use examples::{Example, examples};

#[test]
fn nothing_known_is_nothing_said() {
    assert!(examine(&HostPicture::default()).is_empty());
    assert!(examine(&picture(&[], &[])).is_empty(), "also of a drive");
}

#[test]
fn names_are_there_once() {
    let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
}

#[test]
fn the_gravest_comes_first_and_each_drive_is_named() {
    let mut picture = picture(&[("hypervisor", text("KVM")), ("governors", testing::list(&["powersave"]))], &[("scheduler", text("bfq"))]);
    picture.drives.push(DriveWay { name: "sdb".into(), ..picture.drives[0].clone() });
    let advice = examine(&picture);
    let told: Vec<(&str, &Subject)> = advice.iter().map(|a| (a.rule.as_str(), &a.subject)).collect();
    let drive = |name: &str| Subject::Drive(name.into());
    assert_eq!(
        told,
        [("governor", &Subject::Host), ("scheduler", &drive("nvme0n1")), ("scheduler", &drive("sdb")), ("virtual-machine", &Subject::Host)]
    );
    assert!(distorts(&advice) && !distorts(&advice[3..]));
}

fn told(rule: &DoctorRule, picture: &HostPicture) -> Vec<Finding> {
    examine(picture).into_iter().filter(|finding| finding.rule == rule.name).collect()
}

fn rules_and_examples() -> Vec<(&'static DoctorRule, Example)> {
    RULES.iter().zip(examples()).collect()
}

#[test]
fn every_rule_has_its_example_in_the_order_of_the_table() {
    let names: Vec<&str> = examples().iter().map(|example| example.rule).collect();
    assert_eq!(names, RULES.map(|rule| rule.name));
}

#[test]
fn every_rule_fires_on_its_picture_and_is_silent_on_the_other() {
    for (rule, Example { fires, silent, .. }) in rules_and_examples() {
        assert!(!told(rule, &fires).is_empty(), "{} is silent on {fires:?}", rule.name);
        assert!(told(rule, &silent).is_empty(), "{} speaks about {silent:?}", rule.name);
    }
}

#[test]
fn pages_say_how_grave_a_finding_is() {
    let word = |rule: &DoctorRule, example: &Example| match told(rule, &example.fires)[0].severity {
        Severity::Block => "*block*",
        Severity::Warn => "*warn*",
        Severity::Info => "*info*",
    };
    rule_pages::say(rules_and_examples().iter().map(|(rule, example)| (rule.name, word(rule, example))));
}

#[test]
fn pages_show_what_the_rules_say_of_their_pictures() {
    let title = |rule: &DoctorRule, example: &Example| told(rule, &example.fires).remove(0).title;
    rule_pages::hold(rules_and_examples().iter().map(|(rule, example)| (rule.name, title(rule, example))));
}
