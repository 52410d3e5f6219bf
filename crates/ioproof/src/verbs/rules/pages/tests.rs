//! Every rule has a page and every page a rule, and all pages have the same form. That their firing examples are still true is tested beside the rules.

use super::super::all;
use super::*;
use std::collections::BTreeSet;

const SECTIONS: [&str; 5] = ["## Why it matters", "## How it is told", "## What it does", "## What to do", "## Examples"];

/// Widest line of a page in a terminal, but for the title of the example, which is one line.
const WIDEST: usize = 100;

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let of_rules: BTreeSet<&str> = all().map(|row| row.name).collect();
    let of_pages: BTreeSet<&str> = PAGES.iter().map(|(name, _)| *name).collect();
    let differ: Vec<&&str> = of_rules.symmetric_difference(&of_pages).collect();
    assert!(differ.is_empty(), "a rule without a page, or a page without a rule: {differ:?}");
    assert_eq!((of_rules.len(), of_pages.len()), (all().count(), PAGES.len()), "a name is there twice");
}

#[test]
fn a_page_bears_the_name_the_table_and_the_sentence_of_its_rule() {
    for row in all() {
        let page = page_of(row.name).unwrap();
        let begin = format!("# {}\n\n{}: {}.\n\n{}\n", row.name, row.looks_at, row.about, SECTIONS[0]);
        assert!(page.starts_with(&begin), "{} does not begin with:\n{begin}", row.name);
    }
}

#[test]
fn pages_have_all_sections_in_their_order_and_fit_a_screen() {
    for (name, page) in PAGES {
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, SECTIONS, "{name}");
        let is_empty = |part: &str| part.lines().skip(1).all(|line| line.trim().is_empty());
        assert!(!page.split("\n## ").skip(1).any(is_empty), "{name}: a section is empty");
        assert!((12..=30).contains(&page.lines().count()) && page.ends_with(".\n"), "{name}: {} lines", page.lines().count());
        let wide = page.lines().find(|line| !line.starts_with("  > ") && line.chars().count() > WIDEST);
        assert_eq!(wide, None, "{name}");
    }
}

#[test]
fn a_page_has_an_example_that_fires_and_one_that_is_silent() {
    for (name, page) in PAGES {
        let (_, examples) = page.split_once("\n## Examples\n").unwrap();
        let begins = |with: &str| examples.lines().filter(|line| line.starts_with(with)).count();
        assert_eq!(["- Fires: ", "  > ", "- Silent: "].map(begins), [1, 1, 1], "{name}");
        assert_eq!(page.matches("\n  > ").count(), 1, "{name}: the title of the example has to be told apart");
    }
}

#[test]
fn what_a_page_says_of_limits_is_what_the_table_says() {
    for row in all() {
        let page = page_of(row.name).unwrap().replace('\n', " ");
        assert_eq!(page.contains("can be what limits a number"), row.limits, "{}", row.name);
    }
}

#[test]
fn the_list_has_every_rule_with_its_sentence() {
    let list = include_str!("../../../../../../docs/rules/README.md");
    for row in all() {
        let line = format!("- [{0}]({0}.md): {1}", row.name, row.about);
        assert!(list.lines().any(|known| known == line), "README.md lacks: {line}");
    }
}
