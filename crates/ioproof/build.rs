//! Makes the table of the rules' pages, which are part of the program: every page of `docs/rules/`, by the name of its rule. And says what is not linked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    pages();
    make_small();
}

/// A release ends at a panic, so nothing reads the tables that tell how to unwind a stack: an eighth of the program. A twelfth are places to be relocated, which
/// one bit each can tell as well, where the C library knows of that.
fn make_small() {
    let is = |key: &str, value: &str| std::env::var(key).is_ok_and(|found| found == value);
    // A static program has the unwinder in it, which ends the program where it does not find the tables of its own functions (RUST_BACKTRACE=1).
    let is_static = std::env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|one| one == "crt-static"));
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") || is_static {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("no_unwinding.ld");
    println!("cargo::rerun-if-changed={}", script.display());
    println!("cargo::rustc-link-arg-bins=-Wl,-T,{}", script.display());
    let is_native = std::env::var("TARGET").ok() == std::env::var("HOST").ok();
    if is_native && knows_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The C library of this machine does from 2.36 on; the program is then refused by an older one.
fn knows_packed_relocations() -> bool {
    let printed = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let printed = printed.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = printed.trim().strip_prefix("glibc ").and_then(|version| version.split_once('.'));
    let number = version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    number.is_some_and(|number: (u32, u32)| number >= (2, 36))
}

fn pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("the folder of pages").map(|entry| entry.expect("a page").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    files.retain(|path| !path.ends_with("README.md"));
    files.sort();
    let mut table = "&[\n".to_owned();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(table, "({name:?}, include_str!({path:?})),").expect("text");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("OUT_DIR")).join("rule_pages.rs");
    std::fs::write(out, table + "]\n").expect("the table of pages");
}
