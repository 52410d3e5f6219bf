//! No printing by a macro: those panic where a standard stream is closed or full, wait where nobody reads, and print text from outside as it is.
//!
//! Code for tests is exempt, and so is xtask, which prints for whoever works on this tree.

use super::Failure;
use super::rust::line_of;
use super::tree::{File, Tree};

/// Start of the paths of files that are held to it.
const IN_FORCE: &str = "crates/";

const MACROS: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];

pub fn by_no_macro(tree: &Tree) -> Vec<Failure> {
    tree.rust().filter(|file| file.path.starts_with(IN_FORCE)).flat_map(printed).collect()
}

fn printed(file: &File) -> Vec<Failure> {
    let code = &file.product_code;
    let text = |name: &str| {
        format!("`{name}!` panics where the stream is closed; talk goes through the program's messages.rs, results through its output.rs")
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
        by_no_macro(&one_file(path, source)).len()
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
    fn every_crate_is_held_to_it_and_xtask_is_not() {
        let source = "fn f() { println!(); }\n";
        let tree = Tree::load(&crate::workspace_root()).unwrap();
        let crates: Vec<&str> = tree
            .rust()
            .filter(|file| file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs"))
            .map(|file| file.path.as_str())
            .collect();
        assert!(
            crates.len() > 5 && crates.iter().filter(|path| !path.starts_with("xtask/")).all(|path| count(path, source) == 1),
            "{crates:?}"
        );
        assert_eq!(count("xtask/src/x.rs", source), 0);
    }
}
