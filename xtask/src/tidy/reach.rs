//! Reach of each crate: the pure ones use nothing of the system, the engine opens no path; where unsafe code may stand, and calls that no crate makes.
//!
//! Code for tests is exempt from all but unsafe: a test of the engine may make the file that it hands over.

use super::Failure;
use super::arrows::{uses, written_paths};
use super::rust::{find_word, is_ident, line_of};
use super::tree::{File, Tree};

const PURE: [&str; 5] = ["ioproof-core", "ioproof-pages", "ioproof-fio", "ioproof-audit", "ioproof-report"];

/// Modules of std that a pure crate must not name; of `time` only `Duration` is a value.
const SYSTEM_MODULES: [&str; 6] = ["fs", "net", "process", "thread", "time", "env"];

/// Ways to open something by its path, which only ioproof-target may.
const OPENERS: [&str; 7] = ["File::open", "File::create", "File::options", "OpenOptions", "fs::open", "fs::openat", "libc::open"];

pub fn check(tree: &Tree) -> Vec<Failure> {
    let check_file = |file: &File| match file.crate_name() {
        name if PURE.contains(&name) => {
            let text = format!("{name} is pure and may not use this of std; let the caller pass the value in");
            failures(file, &SYSTEM_MODULES, &[], &text)
        }
        "ioproof-engine" => {
            let text = "the engine opens nothing by path; take a handle or an opener from ioproof-target";
            failures(file, &["fs"], &OPENERS, text)
        }
        _ => Vec::new(),
    };
    tree.rust().flat_map(check_file).collect()
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

/// Printing by a macro, and beginning a thread but by the one function for it.
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

/// Crates that talk to the kernel in ways that the compiler cannot check: opening and ioctls, rings and buffers.
const UNSAFE_CRATES: [&str; 3] = ["ioproof-target", "ioproof-engine", "ioproof-nvme"];

/// Single files of other crates that do so: each sends an ioctl out of a closed list of commands that read.
const UNSAFE_FILES: [&str; 2] = ["crates/ioproof-device/src/transport/ioctl.rs", "crates/ioproof-device/src/transport/scsi/sg_io.rs"];
const FORBID: &str = "#![forbid(unsafe_code)]";

/// Attribute of a crate with such a file: the file can then expect the lint, and no other does without this check seeing it.
const DENY: &str = "#![deny(unsafe_code)]";

pub fn unsafe_only_where_allowed(tree: &Tree) -> Vec<Failure> {
    let files = tree.rust().filter(|f| !UNSAFE_CRATES.contains(&f.crate_name()) && !UNSAFE_FILES.contains(&f.path.as_str()));
    let text =
        format!("unsafe code belongs into {}; offer a safe function there", [&UNSAFE_CRATES[..], &UNSAFE_FILES].concat().join(" or "));
    files.flat_map(|f| find_word(&f.code, "unsafe").map(|at| Failure::new(&f.path, line_of(&f.code, at), &text))).collect()
}

pub fn forbidden_where_it_has_no_business(tree: &Tree) -> Vec<Failure> {
    let packages = tree.packages.iter().filter(|p| !UNSAFE_CRATES.contains(&p.name.as_str()));
    let files = packages.flat_map(|p| &p.roots).filter_map(|root| tree.file(root)).map(|f| (f, wanted(f)));
    let open = files.filter(|(f, wanted)| !f.code.contains(wanted));
    open.map(|(f, wanted)| Failure::new(&f.path, 1, format!("add {wanted} after the opening comment"))).collect()
}

fn wanted(root: &File) -> &'static str {
    let folder = format!("crates/{}/", root.crate_name());
    if UNSAFE_FILES.iter().any(|path| path.starts_with(&folder)) { DENY } else { FORBID }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributors_are_told_the_same_list() {
        let guide = std::fs::read_to_string(crate::workspace_root().join("CONTRIBUTING.md")).unwrap();
        let crates = UNSAFE_CRATES.iter().map(|name| name.trim_start_matches("ioproof-"));
        let files = UNSAFE_FILES.iter().filter_map(|path| Some(path.split_once("/src/")?.1));
        let rule = guide.split("\n- ").find(|rule| rule.contains("SAFETY")).unwrap_or_default();
        for name in crates.chain(files) {
            assert!(rule.contains(&format!("`{name}`")), "CONTRIBUTING.md does not name {name}");
        }
    }
}
