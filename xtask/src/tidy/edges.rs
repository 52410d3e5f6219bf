//! The arrows between the crates, and which outside crates each may use.
//!
//! The table is the rule, so that adding a dependency shows in a change. Only direct dependencies count.

use super::Failure;
use super::tree::{Dependency, Package, Tree};

/// A crate, those of ours that it may use without what their names have in common, and outside crates.
struct Rule(&'static str, &'static str, &'static str);

const RULES: &[Rule] = &[
    Rule("ioproof-nvme", "", "libc rustix"),
    // schemars: for the published schema, which tests make of the stored types; no build of the program has it.
    Rule("ioproof-core", "", "schemars serde serde_json thiserror toml"),
    Rule("ioproof-pages", "core", "serde serde_json thiserror"),
    Rule("ioproof-fio", "core", "serde"),
    Rule("ioproof-audit", "core fio pages", "serde serde_json"),
    // signal-hook: a handler that looks at the clock takes code that is not safe, which is here and not in the program.
    // crc32c: a changed byte in an output of ours shows, whatever its times say.
    Rule("ioproof-target", "core nvme", "crc32c libc rustix signal-hook thiserror"),
    Rule("ioproof-device", "core pages target", "rustix"),
    // zerocopy: zeroed memory of atomics that is taken only where it is written.
    Rule("ioproof-engine", "core nvme target", "crc32c libc rustix thiserror zerocopy"),
    Rule("ioproof-runner", "core device engine target", "jiff rustix thiserror"),
    Rule("ioproof-powercut", "core target", "crc32c rustix serde"),
    // hmac: by it witness and writer know each other.
    Rule("ioproof-witness", "target", "crc32c hmac rustix sha2 thiserror"),
    // rusqlite: SQLite itself is what is measured; nobody else has a use for it.
    Rule("ioproof-database", "core target", "rusqlite rustix thiserror"),
    Rule("ioproof-report", "core", "parquet rust_xlsxwriter serde serde_json thiserror unicode-width"),
    Rule("ioproof-process", "core device engine runner target", "anyhow jiff rustix serde serde_json sha2 signal-hook"),
    Rule("ioproof-store", "core process runner target", "anyhow jiff rustix serde serde_json"),
    // toml: the plan of a fleet is written by hand.
    Rule("ioproof-fleet", "core process store target", "anyhow jiff rustix serde serde_json toml"),
    // tempfile: a capture is copied before it is read, so that nobody changes it meanwhile.
    Rule("ioproof-inventory", "core device pages process target", "anyhow rustix serde serde_json tempfile"),
    Rule(
        "ioproof-session",
        "audit core database device engine inventory pages process runner store target",
        "anyhow jiff rustix serde serde_json",
    ),
    Rule("ioproof-jobs", "core device engine fio process report runner session store target", "anyhow jiff rustix"),
    Rule(
        "ioproof",
        "jobs session inventory fleet process store core pages audit fio target device engine runner report powercut database witness",
        "anyhow clap clap_complete clap_mangen jiff ratatui-core rustix serde serde_json sha2 tempfile",
    ),
    Rule("xtask", "", "anyhow rustix serde_json"),
];

impl Rule {
    fn names(&self) -> impl Iterator<Item = String> {
        let ours = self.1.split_whitespace().map(|name| format!("ioproof-{name}"));
        ours.chain(self.2.split_whitespace().map(str::to_owned))
    }
}

/// Crates that any crate may use for its tests, beyond its own rule.
const FOR_TESTS: [&str; 10] = ["calamine", "proptest", "quick-xml", "schemars", "serde", "serde_json", "statrs", "tempfile", "toml", "zip"];

pub fn check(tree: &Tree) -> Vec<Failure> {
    tree.packages.iter().flat_map(|package| check_package(tree, package)).collect()
}

/// Rights that no dependency makes use of: a right that outlives its need lets the dependency come back unseen.
pub fn grants_no_more_than_is_used(tree: &Tree) -> Vec<Failure> {
    let unused = |package: &Package| {
        let depends_on = |name: &str| package.dependencies.iter().any(|(other, is_dev)| !is_dev && other == name);
        let text = |name: &str| format!("{} does not depend on {name}; take it out of RULES in xtask/src/tidy/edges.rs", package.name);
        let rights = RULES.iter().filter(|rule| rule.0 == package.name).flat_map(Rule::names).filter(|name| !depends_on(name));
        rights.map(|name| Failure::new(&package.manifest, 1, text(&name))).collect::<Vec<_>>()
    };
    tree.packages.iter().flat_map(unused).collect()
}

fn check_package(tree: &Tree, package: &Package) -> Vec<Failure> {
    let Some(rule) = RULES.iter().find(|rule| rule.0 == package.name) else {
        let text = format!("the crate {} has no rule; add one to RULES in xtask/src/tidy/edges.rs", package.name);
        return vec![Failure::new(&package.manifest, 1, text)];
    };
    // A crate that depends on itself turns a feature on for its tests.
    let for_tests = |name: &str| FOR_TESTS.contains(&name) || name == rule.0;
    let may_use = |(name, is_dev): &Dependency| rule.names().any(|may| may == *name) || *is_dev && for_tests(name);
    let wrong = package.dependencies.iter().filter(|dependency| !may_use(dependency));
    wrong.map(|d| Failure::new(&package.manifest, line_of(tree, package, d), explain(package, d))).collect()
}

fn explain(package: &Package, (name, _): &Dependency) -> String {
    let user = &package.name;
    match RULES.iter().any(|rule| rule.0 == name) {
        true => format!("{user} may not use {name}: arrows only point down (ARCHITECTURE.md); move the code, or pass the value in"),
        false => {
            format!("{user} may not use the outside crate {name}; do without, or add it to RULES in xtask/src/tidy/edges.rs with a reason")
        }
    }
}

fn line_of(tree: &Tree, package: &Package, (name, _): &Dependency) -> usize {
    let manifest = tree.file(&package.manifest).map_or("", |f| f.text.as_str());
    let names = |line: &str| line.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    manifest.lines().position(names).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_lets_an_arrow_point_up() {
        for (index, rule) in RULES.iter().enumerate() {
            let is_below = |name: &str| RULES[..index].iter().any(|below| below.0.strip_prefix("ioproof-") == Some(name));
            assert!(rule.1.split_whitespace().all(is_below), "{}", rule.0);
        }
    }
}
