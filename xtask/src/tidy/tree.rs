//! The tree that the checks look at: every text file, and the packages as cargo sees them.

use super::rust;
use crate::command::{self, list};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const TEXT_BYTES_MAX: u64 = 2 << 20;

#[derive(Debug, Default)]
pub struct Tree {
    pub files: Vec<File>,
    pub packages: Vec<Package>,
}

/// One package of this workspace. Paths are relative to its root.
#[derive(Debug, Default)]
pub struct Package {
    pub name: String,
    pub manifest: String,
    pub roots: Vec<String>,
    pub dependencies: Vec<Dependency>,
}

/// Name, and true under `[dev-dependencies]`.
pub type Dependency = (String, bool);

fn packages() -> Result<Vec<Package>> {
    let json = command::output(command::cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let told: Value = serde_json::from_slice(&json).context("cargo metadata did not write JSON")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let root = text(&told["workspace_root"]) + "/";
    let path = |value: &Value| text(value).trim_start_matches(&root).to_owned();
    let is_root = |target: &&Value| target["kind"][0] == "lib" || target["kind"][0] == "bin";
    let package = |package: &Value| Package {
        name: text(&package["name"]),
        manifest: path(&package["manifest_path"]),
        roots: list(&package["targets"]).filter(|target| is_root(target)).map(|target| path(&target["src_path"])).collect(),
        dependencies: list(&package["dependencies"]).map(|one| (text(&one["name"]), one["kind"] == "dev")).collect(),
    };
    Ok(list(&told["packages"]).map(package).collect())
}

#[derive(Debug, Default)]
pub struct File {
    pub path: String,
    pub text: String,
    /// For Rust: the text with comments, strings and character literals blanked; line for line the same.
    pub code: String,
    /// For Rust: `code` with everything for tests blanked as well.
    pub product_code: String,
}

impl Tree {
    /// All that git knows or would take, but for what is large or no text.
    pub fn load(root: &Path) -> Result<Self> {
        let mut tree = Self { files: Vec::new(), packages: packages()? };
        let mut git = Command::new("git");
        let listed = command::output(git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
        for path in String::from_utf8_lossy(&listed).split('\0') {
            let is_small = root.join(path).metadata().is_ok_and(|about| about.is_file() && about.len() <= TEXT_BYTES_MAX);
            if let Some(text) = is_small.then(|| fs::read_to_string(root.join(path)).ok()).flatten() {
                tree.add(path, &text);
            }
        }
        Ok(tree)
    }

    pub fn add(&mut self, path: &str, text: &str) {
        self.files.retain(|f| f.path != path);
        let code = if path.ends_with(".rs") { rust::blank_text(text) } else { String::new() };
        let product_code = if is_no_product(path) { String::new() } else { rust::blank_tests(&code) };
        self.files.push(File { path: path.to_owned(), text: text.to_owned(), code, product_code });
    }

    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|f| f.path.ends_with(".rs"))
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|f| f.path == path)
    }
}

impl File {
    /// The crate that the file belongs to: the folder below `crates/`, or the first folder.
    pub fn crate_name(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or(path)
    }
}

/// True for a file that no user runs, by its place: it is compiled for tests only, or is a build script.
fn is_no_product(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| matches!(part, "tests" | "benches" | "tests.rs" | "testing.rs" | "build.rs"))
}

#[cfg(test)]
pub mod testing {
    use super::*;

    pub fn with_file(mut tree: Tree, path: &str, text: &str) -> Tree {
        tree.add(path, text);
        tree
    }

    pub fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            roots: vec![format!("crates/{name}/src/lib.rs")],
            dependencies: dependencies.iter().map(|d| ((*d).to_owned(), false)).collect(),
        }
    }
}
