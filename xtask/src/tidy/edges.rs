//! The arrows between the crates, and which outside crates each may use.
//!
//! The table is the rule, so that adding a dependency shows in a change. Only direct dependencies count.

use super::Failure;
use super::tree::{Dependency, Package, Tree};

struct Rule {
    package: &'static str,
    /// Crates of ours, without what their names have in common.
    ours: &'static [&'static str],
    outside: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule { package: "ioproof-nvme", ours: &[], outside: &["libc", "rustix"] },
    // schemars: for the published schema, which tests make of the stored types; no build of the program has it.
    Rule { package: "ioproof-core", ours: &[], outside: &["schemars", "serde", "serde_json", "thiserror", "toml"] },
    Rule { package: "ioproof-pages", ours: &["core"], outside: &["serde", "serde_json", "thiserror"] },
    Rule { package: "ioproof-fio", ours: &["core"], outside: &["serde"] },
    Rule { package: "ioproof-audit", ours: &["core", "fio", "pages"], outside: &["serde", "serde_json"] },
    // signal-hook: a handler that looks at the clock takes code that is not safe, which is here and not in the program.
    // crc32c: a changed byte in an output of ours shows, whatever its times say.
    Rule { package: "ioproof-target", ours: &["core", "nvme"], outside: &["crc32c", "libc", "rustix", "signal-hook", "thiserror"] },
    Rule { package: "ioproof-device", ours: &["core", "pages", "target"], outside: &["rustix"] },
    // zerocopy: zeroed memory of atomics that is taken only where it is written.
    Rule { package: "ioproof-engine", ours: &["core", "nvme", "target"], outside: &["crc32c", "libc", "rustix", "thiserror", "zerocopy"] },
    Rule { package: "ioproof-runner", ours: &["core", "device", "engine", "target"], outside: &["jiff", "rustix", "thiserror"] },
    Rule { package: "ioproof-powercut", ours: &["core", "target"], outside: &["crc32c", "rustix", "serde"] },
    // hmac: by it witness and writer know each other.
    Rule { package: "ioproof-witness", ours: &["target"], outside: &["crc32c", "hmac", "rustix", "sha2", "thiserror"] },
    // rusqlite: SQLite itself is what is measured; nobody else has a use for it.
    Rule { package: "ioproof-database", ours: &["core", "target"], outside: &["rusqlite", "rustix", "thiserror"] },
    Rule {
        package: "ioproof-report",
        ours: &["core"],
        outside: &["parquet", "rust_xlsxwriter", "serde", "serde_json", "thiserror", "unicode-width"],
    },
    Rule {
        package: "ioproof-process",
        ours: &["core", "device", "engine", "runner", "target"],
        outside: &["anyhow", "jiff", "rustix", "serde", "serde_json", "sha2", "signal-hook"],
    },
    Rule {
        package: "ioproof-store",
        ours: &["core", "process", "runner", "target"],
        outside: &["anyhow", "jiff", "rustix", "serde", "serde_json"],
    },
    // toml: the plan of a fleet is written by hand.
    Rule {
        package: "ioproof-fleet",
        ours: &["core", "process", "store", "target"],
        outside: &["anyhow", "jiff", "rustix", "serde", "serde_json", "toml"],
    },
    Rule {
        package: "ioproof-inventory",
        ours: &["core", "device", "pages", "process", "target"],
        // tempfile: a capture is copied before it is read, so that nobody changes it meanwhile.
        outside: &["anyhow", "rustix", "serde", "serde_json", "tempfile"],
    },
    Rule {
        package: "ioproof-session",
        ours: &["audit", "core", "database", "device", "engine", "inventory", "pages", "process", "runner", "store", "target"],
        outside: &["anyhow", "jiff", "rustix", "serde", "serde_json"],
    },
    Rule {
        package: "ioproof-jobs",
        ours: &["core", "device", "engine", "fio", "process", "report", "runner", "session", "store", "target"],
        outside: &["anyhow", "jiff", "rustix"],
    },
    Rule {
        package: "ioproof",
        ours: &[
            "jobs",
            "session",
            "inventory",
            "fleet",
            "process",
            "store",
            "core",
            "pages",
            "audit",
            "fio",
            "target",
            "device",
            "engine",
            "runner",
            "report",
            "powercut",
            "database",
            "witness",
        ],
        outside: &[
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "jiff",
            "ratatui-core",
            "rustix",
            "serde",
            "serde_json",
            "sha2",
            "tempfile",
        ],
    },
    Rule { package: "xtask", ours: &[], outside: &["anyhow", "rustix", "serde_json"] },
];

/// Crates that any crate may use for its tests, beyond its own rule.
const FOR_TESTS: [&str; 10] = ["calamine", "proptest", "quick-xml", "schemars", "serde", "serde_json", "statrs", "tempfile", "toml", "zip"];

pub fn check(tree: &Tree) -> Vec<Failure> {
    tree.packages.iter().flat_map(|package| check_package(tree, package)).collect()
}

/// Rights that no dependency makes use of: a right that outlives its need lets the dependency come back unseen.
pub fn grants_no_more_than_is_used(tree: &Tree) -> Vec<Failure> {
    let rules = RULES.iter().filter_map(|rule| Some((rule, tree.packages.iter().find(|p| p.name == rule.package)?)));
    rules.flat_map(|(rule, package)| unused(rule, package)).collect()
}

fn unused(rule: &Rule, package: &Package) -> Vec<Failure> {
    let depends_on = |name: &str| package.dependencies.iter().any(|(other, is_dev)| !is_dev && other == name);
    let text = |name: &str| format!("{} does not depend on {name}; take it out of RULES in xtask/src/tidy/edges.rs", package.name);
    let ours = rule.ours.iter().map(|name| format!("ioproof-{name}"));
    let rights = ours.chain(rule.outside.iter().map(ToString::to_string)).filter(|name| !depends_on(name));
    rights.map(|name| Failure::new(&package.manifest, 1, text(&name))).collect()
}

fn check_package(tree: &Tree, package: &Package) -> Vec<Failure> {
    let Some(rule) = RULES.iter().find(|r| r.package == package.name) else {
        let text = format!("the crate {} has no rule; add one to RULES in xtask/src/tidy/edges.rs", package.name);
        return vec![Failure::new(&package.manifest, 1, text)];
    };
    let wrong = package.dependencies.iter().filter(|d| !may_use(rule, d));
    wrong.map(|d| Failure::new(&package.manifest, line_of(tree, package, d), explain(package, d))).collect()
}

impl Rule {
    /// True for one of our crates that it may use.
    fn has(&self, name: &str) -> bool {
        name.strip_prefix("ioproof-").is_some_and(|name| self.ours.contains(&name))
    }
}

fn may_use(rule: &Rule, (name, is_dev): &Dependency) -> bool {
    let name = name.as_str();
    let always = rule.has(name) || rule.outside.contains(&name);
    // A crate that depends on itself turns a feature on for its tests.
    always || (*is_dev && (FOR_TESTS.contains(&name) || name == rule.package))
}

fn explain(package: &Package, (name, _): &Dependency) -> String {
    let user = &package.name;
    match RULES.iter().any(|rule| rule.package == name) {
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
            let below: Vec<&str> = RULES[..index].iter().map(|r| r.package).collect();
            assert!(rule.ours.iter().all(|name| below.contains(&format!("ioproof-{name}").as_str())), "{}", rule.package);
        }
    }
}
