//! The bill of materials: every crate that the program is made of, with version, licence and checksum, as SPDX 2.3 in JSON
//! (spdx.github.io/spdx-spec/v2.3).

use super::source_time;
use crate::command::{self, list};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "ioproof.spdx.json";

pub(super) fn write(folder: &Path) -> Result<PathBuf> {
    let words = ["metadata", "--format-version=1", "--locked", "--features=ioproof/parquet", "--filter-platform=x86_64-unknown-linux-gnu"];
    let metadata: Value = serde_json::from_slice(&command::output(command::cargo().args(words))?).context("cannot read cargo metadata")?;
    let path = folder.join(NAME);
    fs::create_dir_all(folder)?;
    fs::write(&path, serde_json::to_string_pretty(&document(&metadata))? + "\n")?;
    Ok(path)
}

fn document(metadata: &Value) -> Value {
    let used = used(metadata);
    let packages = list(&metadata["packages"]).filter(|package| used.contains(text(&package["id"])));
    let packages: Vec<Value> = packages.map(package).collect();
    let described: Vec<&Value> = packages.iter().map(|package| &package["SPDXID"]).collect();
    let relations: Vec<Value> = described
        .iter()
        .map(|id| json!({"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": id}))
        .collect();
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("ioproof-{}", env!("CARGO_PKG_VERSION")),
        "documentNamespace": format!("https://spdx.org/spdxdocs/ioproof-{}-{}", env!("CARGO_PKG_VERSION"), source_time()),
        "creationInfo": {"created": time(source_time()), "creators": ["Tool: cargo xtask package"]},
        "packages": packages,
        "relationships": relations,
    })
}

/// Ids of the program and of all that it is built from, but for what only tests have.
fn used(metadata: &Value) -> BTreeSet<&str> {
    let nodes = || list(&metadata["resolve"]["nodes"]);
    let ids = || list(&metadata["packages"]).filter(|package| package["name"] == "ioproof");
    let mut left: Vec<&str> = ids().map(|package| text(&package["id"])).collect();
    let mut used = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !used.insert(id) {
            continue;
        }
        let arrows = nodes().filter(|node| node["id"] == id).flat_map(|node| list(&node["deps"]));
        let is_needed = |arrow: &&Value| list(&arrow["dep_kinds"]).any(|kind| kind["kind"] != "dev");
        left.extend(arrows.filter(is_needed).map(|arrow| text(&arrow["pkg"])));
    }
    used
}

fn package(package: &Value) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let is_ours = package["source"].is_null();
    let from = if is_ours { "NOASSERTION".to_owned() } else { format!("https://crates.io/crates/{name}/{version}") };
    json!({
        "SPDXID": format!("SPDXRef-{}-{}", name.replace('_', "-"), version.replace('+', "-")),
        "name": name,
        "versionInfo": version,
        "downloadLocation": from,
        "filesAnalyzed": false,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": package["license"].as_str().unwrap_or("NOASSERTION").replace('/', " OR "),
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": format!("pkg:cargo/{name}@{version}"),
        }],
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Seconds since 1970 as SPDX writes a time: `2026-11-28T18:00:00Z`.
fn time(seconds: u64) -> String {
    let made = command::text_of(std::process::Command::new("date").args(["--utc", "--date"]).arg(format!("@{seconds}")).arg("+%FT%TZ"));
    made.unwrap_or_else(|_| "1970-01-01T00:00:00Z".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_the_program_is_built_from_is_in_the_bill_and_what_only_tests_have_is_not() {
        let arrow = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let one = |name: &str, source: Value| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source});
        let metadata = json!({
            "packages": [one("ioproof", Value::Null), one("clap", json!("registry")), one("cc", json!("registry")), one("insta", json!("registry"))],
            "resolve": {"nodes": [
                {"id": "ioproof", "deps": [arrow("clap", Value::Null), arrow("insta", json!("dev"))]},
                {"id": "clap", "deps": [arrow("cc", json!("build"))]},
            ]},
        });
        let bill = document(&metadata);
        let names: Vec<&str> = bill["packages"].as_array().unwrap().iter().map(|package| text(&package["name"])).collect();
        assert_eq!(names, ["ioproof", "clap", "cc"]);
        assert_eq!(bill["packages"][1]["licenseDeclared"], "MIT OR Apache-2.0");
        assert_eq!(bill["packages"][0]["downloadLocation"], "NOASSERTION");
    }
}
