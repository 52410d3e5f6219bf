//! No thread but by the one function that says the size of its stack: else that is taken from `RUST_MIN_STACK`, and the program aborts where somebody set it low.
//!
//! Code for tests is exempt, and so is xtask.

use super::Failure;
use super::rust::line_of;
use super::tree::{File, Tree};

/// Start of the paths of files that are held to it.
const IN_FORCE: &str = "crates/";

/// The file of that function.
const HOME: &str = "crates/ioproof-target/src/system/threads.rs";

/// Ways to begin a thread, or to import one.
const WAYS: [&str; 4] = ["thread::spawn", "thread::Builder", ".spawn_scoped(", ".spawn("];

pub fn by_one_function(tree: &Tree) -> Vec<Failure> {
    tree.rust().filter(|file| file.path.starts_with(IN_FORCE) && file.path != HOME).flat_map(begun).collect()
}

fn begun(file: &File) -> Vec<Failure> {
    let code = &file.product_code;
    let text = "a thread without a size of its stack is ended by RUST_MIN_STACK; begin it by ioproof-target's threads.rs";
    // A process is begun by a function of the same name without arguments.
    let is_thread = |at: usize, way: &str| !(way == ".spawn(" && code[at + way.len()..].trim_start().starts_with(')'));
    let ways = WAYS.iter().flat_map(|way| code.match_indices(way)).filter(|(at, way)| is_thread(*at, way));
    ways.map(|(at, _)| Failure::new(&file.path, line_of(code, at), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::one_file;
    use super::*;

    fn count(path: &str, statement: &str) -> usize {
        by_one_function(&one_file(path, &format!("fn f() {{\n    {statement};\n}}\n"))).len()
    }

    #[test]
    fn every_way_is_seen() {
        let ways = [
            "std::thread::spawn(work)",
            "use std::thread::Builder",
            "thread.spawn_scoped(scope, work)",
            "scope.spawn(|| work())",
            "b.spawn( work )",
        ];
        for way in ways {
            assert_eq!(count("crates/ioproof-engine/src/x.rs", way), 1, "{way}");
        }
    }

    #[test]
    fn processes_tests_xtask_and_the_function_itself_are_free() {
        let free = ["command.spawn()", "command.spawn(\n)", "threads::spawn(\"x\", work)", "threads::spawn_within(scope, \"x\", work)"];
        assert_eq!(free.map(|way| count("crates/ioproof-engine/src/x.rs", way)), [0; 4]);
        assert_eq!([HOME, "xtask/src/x.rs"].map(|path| count(path, "std::thread::spawn(work)")), [0; 2]);
        let test = "#[cfg(test)]\nmod tests {\n    fn t() {\n        std::thread::spawn(work);\n    }\n}\n";
        assert_eq!(by_one_function(&one_file("crates/ioproof-engine/src/x.rs", test)), []);
    }
}
