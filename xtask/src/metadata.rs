//! The workspace as cargo sees it: packages, their targets and what they depend on.
//!
//! Used by `test` (which test programs are there) and by `tidy` (which crate may use which). Only the fields that they need.

use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;

/// One package of this workspace.
#[derive(Debug, Clone, Default)]
pub struct Package {
    pub name: String,
    /// Path of the manifest, relative to the root.
    pub manifest: String,
    pub targets: Vec<Target>,
    pub dependencies: Vec<Dependency>,
}

/// Something that cargo builds: a library, a program, a test program.
#[derive(Debug, Clone)]
pub struct Target {
    /// `lib`, `bin`, `test`, `bench`, `example` or `custom-build`.
    pub kind: String,
    /// Path of the source, relative to the root.
    pub source: String,
}

/// One line under a manifest's dependencies.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub name: String,
    /// Under `[dev-dependencies]`.
    pub dev: bool,
}

/// Asks cargo.
pub fn packages() -> Result<Vec<Package>> {
    let json = command::output(command::cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let root: Value = serde_json::from_slice(&json).context("cargo metadata did not write JSON")?;
    Ok(parse(&root))
}

fn parse(root: &Value) -> Vec<Package> {
    let base = text(root, "workspace_root");
    list(root, "packages").iter().map(|p| package(p, &base)).collect()
}

fn package(value: &Value, base: &str) -> Package {
    Package {
        name: text(value, "name"),
        manifest: relative(&text(value, "manifest_path"), base),
        targets: list(value, "targets").iter().map(|t| target(t, base)).collect(),
        dependencies: list(value, "dependencies").iter().map(dependency).collect(),
    }
}

fn target(value: &Value, base: &str) -> Target {
    let kind = list(value, "kind").first().and_then(Value::as_str).unwrap_or_default().to_owned();
    Target { kind, source: relative(&text(value, "src_path"), base) }
}

fn dependency(value: &Value) -> Dependency {
    Dependency { name: text(value, "name"), dev: text(value, "kind") == "dev" }
}

fn relative(path: &str, base: &str) -> String {
    path.strip_prefix(base).map_or(path, |p| p.trim_start_matches('/')).to_owned()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_kinds_are_read() {
        let json = r#"{"workspace_root": "/w", "packages": [{"name": "a", "manifest_path": "/w/crates/a/Cargo.toml",
            "targets": [{"name": "loop_x", "kind": ["test"], "src_path": "/w/crates/a/tests/loop_x.rs"}],
            "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build"}]}]}"#;
        let packages = parse(&serde_json::from_str(json).unwrap());
        assert_eq!(packages[0].manifest, "crates/a/Cargo.toml");
        assert_eq!((packages[0].targets[0].kind.as_str(), packages[0].targets[0].source.as_str()), ("test", "crates/a/tests/loop_x.rs"));
        let dev: Vec<(&str, bool)> = packages[0].dependencies.iter().map(|d| (d.name.as_str(), d.dev)).collect();
        assert_eq!(dev, [("b", false), ("c", true), ("d", false)]);
    }

    #[test]
    fn foreign_json_gives_no_packages() {
        assert!(parse(&Value::Null).is_empty());
    }

    #[test]
    fn this_workspace_has_the_program_and_this_package() {
        let names: Vec<String> = packages().unwrap().into_iter().map(|p| p.name).collect();
        assert!(names.iter().any(|n| n == "ioproof") && names.iter().any(|n| n == "xtask"), "{names:?}");
    }
}
