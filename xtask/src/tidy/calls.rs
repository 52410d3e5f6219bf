//! Calls that the program's crates do not make: printing by a macro, and beginning a thread but by the one function for it.
//!
//! Code for tests is exempt, and so is xtask.

use super::Failure;
use super::rust::{is_ident, line_of};
use super::tree::Tree;

const MACROS: [&str; 5] = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];

const THREADS: [&str; 4] = ["thread::spawn", "thread::Builder", ".spawn_scoped(", ".spawn("];

const THREADS_HOME: &str = "crates/ioproof-target/src/system/threads.rs";

pub fn prints_by_no_macro(tree: &Tree) -> Vec<Failure> {
    let text =
        "a macro that prints panics where the stream is closed; talk goes through the program's messages.rs, results through its output.rs";
    calls(tree, &MACROS, "", text)
}

pub fn begins_threads_by_one_function(tree: &Tree) -> Vec<Failure> {
    let text = "a thread without a size of its stack is ended by RUST_MIN_STACK; begin it by ioproof-target's threads.rs";
    calls(tree, &THREADS, THREADS_HOME, text)
}

fn calls(tree: &Tree, ways: &[&str], home: &str, text: &str) -> Vec<Failure> {
    let mut failures = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("crates/") && file.path != home) {
        let code = &file.product_code;
        for (at, way) in ways.iter().flat_map(|way| code.match_indices(way)) {
            let is_of_longer_word = is_ident(way.as_bytes()[0]) && at > 0 && is_ident(code.as_bytes()[at - 1]);
            // A process is begun by a function of the same name without arguments.
            let is_process = way == ".spawn(" && code[at + way.len()..].trim_start().starts_with(')');
            if !is_of_longer_word && !is_process {
                failures.push(Failure::new(&file.path, line_of(code, at), text));
            }
        }
    }
    failures
}
