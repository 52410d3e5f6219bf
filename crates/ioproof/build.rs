//! Makes the table of the rules' pages, which are part of the program: every page of `docs/rules/`, by the name of its rule.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
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
