//! Reach of each crate: the pure ones use nothing of the system, the engine opens no path.
//!
//! Code for tests is exempt: a test of the engine may make the file that it hands over.

use super::Failure;
use super::rust::{find_word, is_ident, line_of};
use super::tree::{File, Tree};

/// Crates whose every result must follow from their arguments.
const PURE: [&str; 4] = ["ioproof-core", "ioproof-pages", "ioproof-fio", "ioproof-report"];

/// Modules of std that a pure crate must not name; of `time` only `Duration` is a value.
const SYSTEM_MODULES: [&str; 6] = ["fs", "net", "process", "thread", "time", "env"];

/// Ways to open something by its path, which only ioproof-target may.
const OPENERS: [&str; 7] = ["File::open", "File::create", "File::options", "OpenOptions", "fs::open", "fs::openat", "libc::open"];

pub fn check(tree: &Tree) -> Vec<Failure> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Failure> {
    match file.crate_name() {
        name if PURE.contains(&name) => impurities(file),
        "ioproof-engine" => openings(file),
        _ => Vec::new(),
    }
}

fn impurities(file: &File) -> Vec<Failure> {
    let named = std_paths(&file.product_code).into_iter();
    let wrong = named.filter(|(_, path)| is_system(path));
    let text = |path: &str| format!("{} is pure and may not use std::{path}; let the caller pass the value in", file.crate_name());
    wrong.map(|(at, path)| Failure::new(&file.path, line_of(&file.product_code, at), text(&path))).collect()
}

fn is_system(path: &str) -> bool {
    let module = path.split("::").next().unwrap_or(path);
    SYSTEM_MODULES.contains(&module) && path != "time::Duration"
}

fn openings(file: &File) -> Vec<Failure> {
    let code = &file.product_code;
    let mut found: Vec<(usize, String)> = std_paths(code).into_iter().filter(|(_, path)| path.starts_with("fs")).collect();
    found.extend(OPENERS.iter().flat_map(|word| find_word(code, word).map(|at| (at, (*word).to_owned()))));
    found.sort();
    found.dedup_by_key(|(at, _)| line_of(code, *at));
    let text = |path: &str| format!("the engine opens nothing by path, but names {path}; take a handle or an opener from ioproof-target");
    found.iter().map(|(at, path)| Failure::new(&file.path, line_of(code, *at), text(path))).collect()
}

/// Every path below `std::` with its offset, groups taken apart: `std::{fs, time::Duration}` gives `fs` and `time::Duration`.
fn std_paths(code: &str) -> Vec<(usize, String)> {
    let starts = find_prefix(code, "std::");
    starts.flat_map(|at| expand(code, at, "")).collect()
}

/// The offsets after each `std::` that begins a path.
fn find_prefix<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = usize> + 'a {
    let begins = move |at: &usize| at.checked_sub(1).is_none_or(|i| !is_ident(code.as_bytes()[i]));
    code.match_indices(prefix).map(|(at, _)| at).filter(begins).map(move |at| at + prefix.len())
}

/// The paths of a use tree or an expression that continue at `at`, each up to its first type.
fn expand(code: &str, at: usize, parent: &str) -> Vec<(usize, String)> {
    let rest = &code[at..];
    if let Some(group) = rest.strip_prefix('{') {
        let length = group_length(group);
        return members(&group[..length]).flat_map(|(offset, _)| expand(code, at + 1 + offset, parent)).collect();
    }
    let name = &rest[..rest.bytes().take_while(|b| is_ident(*b)).count()];
    let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}::{name}") };
    let is_module = name.starts_with(|c: char| c.is_ascii_lowercase());
    if is_module && rest[name.len()..].starts_with("::") {
        return expand(code, at + name.len() + 2, &path);
    }
    vec![(at, path)]
}

/// The length up to the brace that closes a group whose opening brace has been read.
fn group_length(group: &str) -> usize {
    let mut depth = 1_usize;
    for (offset, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return offset;
        }
    }
    group.len()
}

/// The members of a group, divided at the commas of its own level, with their offsets.
fn members(group: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut depth = 0_i32;
    let mut offset = 0;
    let parts = group.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter_map(move |part| {
        let start = offset + part.len() - part.trim_start().len();
        offset += part.len() + 1;
        (!part.trim().is_empty()).then_some((start, part.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::one_file;
    use super::*;

    fn complaints(path: &str, code: &str) -> Vec<String> {
        check(&one_file(path, code)).iter().map(ToString::to_string).collect()
    }

    fn paths(code: &str) -> Vec<String> {
        std_paths(code).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        assert_eq!(paths("use std::{fs, time::{Duration, Instant}, fmt::Write};"), ["fs", "time::Duration", "time::Instant", "fmt::Write"]);
        assert_eq!(paths("let x = std::fs::read(p)?; mystd::fs"), ["fs::read"]);
        assert_eq!(paths("use std::{\n    fs,\n};"), ["fs"]);
    }

    #[test]
    fn pure_crates_reach_no_system() {
        for line in ["use std::fs;", "std::net::TcpStream", "std::process::id()", "std::thread::sleep(d)", "use std::{env, fmt};"] {
            for package in PURE {
                assert_eq!(complaints(&format!("crates/{package}/src/x.rs"), line).len(), 1, "{package}: {line}");
            }
            assert_eq!(complaints("crates/ioproof/src/x.rs", line).len(), 0, "{line}");
        }
    }

    #[test]
    fn a_duration_is_a_value_and_a_clock_is_not() {
        assert!(complaints("crates/ioproof-core/src/x.rs", "use std::time::Duration;").is_empty());
        assert!(complaints("crates/ioproof-core/src/x.rs", "std::time::Duration::from_secs(1)").is_empty());
        assert_eq!(complaints("crates/ioproof-core/src/x.rs", "use std::time::Instant;").len(), 1);
        assert_eq!(complaints("crates/ioproof-core/src/x.rs", "use std::time;").len(), 1);
    }

    #[test]
    fn the_engine_opens_nothing() {
        for line in ["File::open(p)", "use std::fs;", "OpenOptions::new()", "rustix::fs::open(p, f, m)", "rustix::fs::openat(d, p, f, m)"] {
            assert_eq!(complaints("crates/ioproof-engine/src/x.rs", line).len(), 1, "{line}");
        }
        assert!(complaints("crates/ioproof-engine/src/x.rs", "use std::time::Instant; rustix::io::pread(f, b, 0)").is_empty());
    }

    #[test]
    fn tests_are_exempt() {
        assert!(complaints("crates/ioproof-engine/tests/x.rs", "use std::fs;").is_empty());
        assert!(complaints("crates/ioproof-core/src/x.rs", "#[cfg(test)]\nmod tests { use std::fs; }").is_empty());
    }

    #[test]
    fn the_line_is_named_and_the_remedy_too() {
        let found = complaints("crates/ioproof-core/src/x.rs", "fn a() {}\nuse std::{\n    fmt,\n    fs,\n};");
        assert!(found[0].starts_with("crates/ioproof-core/src/x.rs:4: ") && found[0].contains("pass the value in"), "{found:?}");
    }

    #[test]
    fn broken_groups_do_not_panic() {
        for code in ["use std::{", "use std::", "std::{{}", "std::{,,}", "std::fs::"] {
            std_paths(code);
        }
    }
}
