//! A stored run of the fixtures with changed facts, to be judged again: for drives and links that no host has.

use super::cause::Edit;
use crate::command::tool;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

const RUN: &str = "fixtures/runs/20261203-101500-7b21";

pub fn make(folder: &Path, edits: &[Edit]) -> Result<PathBuf> {
    let run = folder.join("20261203-101500-7b21");
    tool("cp", &["-r", &crate::workspace_root().join(RUN).display().to_string(), &run.display().to_string()])?;
    edits.iter().try_for_each(|edit| change(&run.join(edit.file), edit))?;
    Ok(run)
}

fn change(file: &Path, edit: &Edit) -> Result<()> {
    let mut record: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let (parent, name) = edit.at.rsplit_once('/').context("an edit needs a place")?;
    let parent = record.pointer_mut(parent).and_then(Value::as_object_mut).with_context(|| format!("there is no {}", edit.at))?;
    parent.insert(name.to_owned(), serde_json::from_str(edit.value)?);
    Ok(std::fs::write(file, record.to_string())?)
}
