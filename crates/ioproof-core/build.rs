//! Makes the table of the datasheets that are part of the program: every TOML file of `datasheets/`, by name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasheets");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("the folder of datasheets").map(|entry| entry.expect("a datasheet").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    let mut table = "&[\n".to_owned();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(table, "({name:?}, include_str!({path:?})),").expect("text");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("OUT_DIR")).join("datasheets.rs");
    std::fs::write(out, table + "]\n").expect("the table of datasheets");
}
