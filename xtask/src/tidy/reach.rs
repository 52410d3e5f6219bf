//! Reach of each crate: the pure ones use nothing of the system, the engine opens no path.
//!
//! Code for tests is exempt: a test of the engine may make the file that it hands over.

use super::Failure;
use super::arrows::{uses, written_paths};
use super::rust::{find_word, line_of};
use super::tree::{File, Tree};

const PURE: [&str; 5] = ["ioproof-core", "ioproof-pages", "ioproof-fio", "ioproof-audit", "ioproof-report"];

/// Modules of std that a pure crate must not name; of `time` only `Duration` is a value.
const SYSTEM_MODULES: [&str; 6] = ["fs", "net", "process", "thread", "time", "env"];

/// Ways to open something by its path, which only ioproof-target may.
const OPENERS: [&str; 7] = ["File::open", "File::create", "File::options", "OpenOptions", "fs::open", "fs::openat", "libc::open"];

pub fn check(tree: &Tree) -> Vec<Failure> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Failure> {
    match file.crate_name() {
        name if PURE.contains(&name) => {
            let text = format!("{name} is pure and may not use this of std; let the caller pass the value in");
            failures(file, &SYSTEM_MODULES, &[], &text)
        }
        "ioproof-engine" => {
            let text = "the engine opens nothing by path; take a handle or an opener from ioproof-target";
            failures(file, &["fs"], &OPENERS, text)
        }
        _ => Vec::new(),
    }
}

fn failures(file: &File, modules: &[&str], words: &[&str], text: &str) -> Vec<Failure> {
    let code = &file.product_code;
    let mut lines: Vec<usize> = words.iter().flat_map(|word| find_word(code, word)).map(|at| line_of(code, at)).collect();
    // The beginning of a `use` of several things is no path of its own.
    let written = written_paths(code).into_iter().filter(|path| path.len() > 2);
    for path in uses(code).into_iter().map(|used| used.path).chain(written) {
        let [first, module, ..] = path.as_slice() else { continue };
        let is_value = module == "time" && path.get(2).is_some_and(|name| name == "Duration");
        if first == "std" && modules.contains(&module.as_str()) && !is_value {
            let last = path.last().unwrap_or(module);
            lines.push(code.lines().position(|line| find_word(line, last).next().is_some()).map_or(1, |index| index + 1));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().map(|line| Failure::new(&file.path, line, text)).collect()
}
