//! `cargo xtask tidy`: the habits of this tree that a program can check.
//!
//! A check is a function from the tree in memory to failures, so that the tests can show it a bad tree.

mod arrows;
mod edges;
mod files;
mod reach;
mod rust;
mod tree;

use crate::Verb;
use anyhow::{Result, ensure};
use std::process::ExitCode;
use tree::Tree;

pub const VERB: Verb = Verb {
    name: "tidy",
    usage: "",
    about: "which crate uses which, and habits that a program can check",
    help: "
Checks the arrows between the crates and between the modules of a crate, the outside crates that each may use, what a crate may reach (files, network, clocks),
where unsafe code may stand, what may print and what begins threads, the length of files, the number of files in a folder, opening comments and first words of comments,
READMEs of folders with a table, the changelog, the length of sentences in README, guide and ARCHITECTURE, and words that must not be in the tree. Each failure names a file, a line and what to do. Writes nothing.
",
    run: main,
};

#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    pub path: String,
    pub line: usize,
    pub text: String,
}

impl Failure {
    fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

type Check = (&'static str, fn(&Tree) -> Vec<Failure>);

const CHECKS: &[Check] = &[
    ("edges", edges::check),
    ("unused rights", edges::grants_no_more_than_is_used),
    ("module arrows", arrows::check),
    ("reach", reach::check),
    ("unsafe", reach::unsafe_only_where_allowed),
    ("forbid", reach::forbidden_where_it_has_no_business),
    ("opening", files::opens_with_a_comment),
    ("first words", files::begins_with_no_question),
    ("printing", reach::prints_by_no_macro),
    ("threads", reach::begins_threads_by_one_function),
    ("file length", files::is_not_too_long),
    ("folder size", files::folder_is_not_too_full),
    ("ignored tests", files::ignores_no_test),
    ("sentences", files::has_short_sentences),
    ("words", files::has_no_forbidden_word),
    ("folder readme", files::folders_with_a_table_explain_it),
    ("changelog", files::changelog_has_an_unreleased_section),
];

fn main(args: &[String]) -> Result<ExitCode> {
    ensure!(args.is_empty(), "usage: cargo xtask tidy");
    check_workspace()?;
    Ok(ExitCode::SUCCESS)
}

pub fn check_workspace() -> Result<()> {
    let tree = Tree::load(&crate::workspace_root())?;
    let mut count = 0;
    for (name, check) in CHECKS {
        let failures = check(&tree);
        failures.iter().for_each(|failure| println!("{}:{}: {} [{name}]", failure.path, failure.line, failure.text));
        count += failures.len();
    }
    ensure!(count == 0, "tidy: {count} to mend");
    println!("tidy: {} checks over {} files, nothing to mend", CHECKS.len(), tree.files.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree::testing::{package, with_file};

    const GOOD_LIB: &str = "//! A crate.\n\n#![forbid(unsafe_code)]\n";

    fn good() -> Tree {
        let mut tree = Tree::default();
        tree.packages.push(package("ioproof-core", &["schemars", "serde", "serde_json", "thiserror", "toml"]));
        tree.add("crates/ioproof-core/src/lib.rs", GOOD_LIB);
        for folder in files::TABLE_FOLDERS.split_whitespace() {
            tree.add(&format!("{folder}/one.rs"), "//! One.\n");
            tree.add(&format!("{folder}/README.md"), "# How to add one\n");
        }
        tree.add("CHANGELOG.md", "# Changelog\n\n## Unreleased\n");
        tree
    }

    fn changed(change: impl Fn(&mut Tree)) -> Tree {
        let mut tree = good();
        change(&mut tree);
        tree
    }

    fn bad(name: &str) -> Tree {
        let core = "crates/ioproof-core/src/x.rs";
        match name {
            "edges" => changed(|tree| tree.packages[0].dependencies.push(("tokio".into(), false))),
            "unused rights" => changed(|tree| tree.packages[0].dependencies.retain(|(name, _)| name != "toml")),
            "reach" => with_file(good(), core, "//! X.\nfn f() { std::fs::read(\"x\"); }\n"),
            "unsafe" => with_file(good(), core, "//! X.\nfn f() { unsafe { g() } }\n"),
            "forbid" => with_file(good(), "crates/ioproof-core/src/lib.rs", "//! A crate.\n"),
            "opening" => with_file(good(), core, "fn f() {}\n"),
            "first words" => with_file(good(), "xtask/src/x.rs", "//! X.\n/// What it does.\nfn f() {}\n"),
            "printing" => with_file(good(), core, "//! X.\nfn f() { println!(); }\n"),
            "threads" => with_file(good(), "crates/ioproof-engine/src/x.rs", "//! X.\nfn f() { std::thread::Builder::new(); }\n"),
            "module arrows" => {
                let tree = with_file(good(), core, "//! X.\nuse crate::y::A;\n");
                let tree = with_file(tree, "crates/ioproof-core/src/y.rs", "//! Y.\nuse crate::x::B;\n");
                with_file(tree, "crates/ioproof-core/src/y/z.rs", "//! Z.\n")
            }
            "folder size" => (0..21).fold(good(), |tree, at| with_file(tree, &format!("crates/ioproof-core/src/f/{at}.rs"), "//! X.\n")),
            "file length" => with_file(good(), core, &format!("//! X.\n{}", "// x\n".repeat(801))),
            "ignored tests" => with_file(good(), core, concat!("//! X.\n#[ign", "ore]\nfn f() {}\n")),
            "words" => with_file(good(), "docs/x.md", concat!("see /wo", "rk/notes\n")),
            "folder readme" => changed(|tree| tree.files.retain(|f| f.path != "crates/ioproof-engine/src/backend/README.md")),
            "sentences" => with_file(good(), "README.md", &"word ".repeat(60)),
            "changelog" => with_file(good(), "CHANGELOG.md", "# Changelog\n"),
            _ => panic!("the check `{name}` has no bad tree here"),
        }
    }

    fn failures(tree: &Tree) -> Vec<Failure> {
        CHECKS.iter().flat_map(|(_, check)| check(tree)).collect()
    }

    #[test]
    fn every_check_passes_a_good_tree() {
        assert_eq!(failures(&good()), []);
    }

    #[test]
    fn a_bad_tree_fails_its_own_check_and_no_other() {
        for (name, check) in CHECKS {
            let tree = bad(name);
            assert_eq!((check(&tree).len(), failures(&tree).len()), (1, 1), "{name}");
        }
    }
}
