//! Where a program prints: in a few files that make text from outside visible first, and nowhere else by a macro.
//!
//! Only in folders that have been brought to it ([`IN_FORCE`]). Code for tests is exempt, and so is xtask, which prints for whoever works on this tree.

use super::Failure;
use super::rust::line_of;
use super::tree::{File, Tree};

/// Starts of the paths of files that are held to it.
const IN_FORCE: [&str; 11] = [
    "crates/ioproof-core/",
    "crates/ioproof-target/",
    "crates/ioproof-device/",
    "crates/ioproof-engine/",
    "crates/ioproof-fio/",
    "crates/ioproof-pages/",
    "crates/ioproof-report/",
    "crates/ioproof/src/complaint.rs",
    "crates/ioproof/src/datasheets.rs",
    "crates/ioproof/src/output.rs",
    "crates/ioproof/src/verbs/",
];

/// Files that may print.
const PRINTERS: [&str; 1] = ["crates/ioproof/src/messages.rs"];

const MACROS: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];

pub fn only_where_allowed(tree: &Tree) -> Vec<Failure> {
    let held = |file: &&File| IN_FORCE.iter().any(|start| file.path.starts_with(start)) && !PRINTERS.contains(&file.path.as_str());
    tree.rust().filter(held).flat_map(printed).collect()
}

fn printed(file: &File) -> Vec<Failure> {
    let code = &file.product_code;
    let text = |name: &str| {
        format!("`{name}!` prints text as it is; hand it to {}, or write to the stream that is passed in", PRINTERS.join(" or "))
    };
    let calls = code.match_indices('!').filter_map(|(at, _)| Some((at, called(&code[..at])?)));
    calls.map(|(at, name)| Failure::new(&file.path, line_of(code, at), text(name))).collect()
}

/// The printing macro whose name ends here.
fn called(before: &str) -> Option<&'static str> {
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    MACROS.into_iter().find(|name| *name == word)
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::one_file;
    use super::*;

    fn count(path: &str, source: &str) -> usize {
        only_where_allowed(&one_file(path, source)).len()
    }

    #[test]
    fn every_macro_is_seen() {
        for name in MACROS {
            assert_eq!(count("crates/ioproof-core/src/x.rs", &format!("fn f() {{\n    {name}!(\"x\");\n}}\n")), 1, "{name}");
        }
    }

    #[test]
    fn other_macros_comments_strings_and_tests_are_free() {
        let source = "//! println!\nfn f() { writeln!(out, \"eprintln!\"); sprint!(); if !print {} }\n#[cfg(test)]\nmod tests { fn t() { dbg!(1); } }\n";
        assert_eq!(count("crates/ioproof-core/src/x.rs", source), 0);
    }

    #[test]
    fn the_files_that_may_print_are_there_and_need_it() {
        let tree = Tree::load(&crate::workspace_root()).unwrap();
        for path in PRINTERS {
            assert!(tree.file(path).is_some_and(|file| !printed(file).is_empty()), "{path}");
        }
    }

    #[test]
    fn what_is_held_to_it_is_there() {
        let tree = Tree::load(&crate::workspace_root()).unwrap();
        for start in IN_FORCE {
            assert!(tree.files.iter().any(|file| file.path.starts_with(start)), "{start}");
        }
    }
}
