//! A run's name, its tags and where it came from, in a file of their own beside the record, which they never change. Nothing is judged by them.

use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_target::output_file::store;
use ioproof_target::read_own;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

pub(crate) const LABELS: &str = "labels.json";

/// Version of the file. One of a later version is not understood, and not written over.
const VERSION: u32 = 1;

/// No file of labels is larger. Bytes.
const MOST_BYTES: u64 = 1 << 16;

const MOST_TAGS: usize = 32;

const MOST_CHARACTERS: usize = 40;

/// Words by which users know a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLabels {
    labels_version: u32,
    /// Its name, which no other run of the store bears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When it was imported, RFC 3339; none of a run that was measured here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_at: Option<String>,
}

impl RunLabels {
    /// Those of a run that comes from another machine.
    pub fn imported(at: String) -> Self {
        Self { labels_version: VERSION, imported_at: Some(at), ..Self::default() }
    }

    /// Those of the run in a folder; none where there is no such file.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(LABELS);
        let bytes = match read_own(&path, MOST_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            other => other.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let no_labels = || format!("{} holds no names and tags of this format", path.display());
        let labels: Self = serde_json::from_slice(&bytes).with_context(no_labels)?;
        match labels.labels_version {
            VERSION => Ok(labels),
            newer => {
                Err(complaint(format!("{} is of format {newer}, this version reads {VERSION}", path.display()), "use a newer ioproof"))
            }
        }
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        let labels = Self { labels_version: VERSION, ..self.clone() };
        Ok(store(&folder.join(LABELS), &serde_json::to_vec_pretty(&labels)?)?)
    }

    /// Adds tags and takes others away.
    ///
    /// # Errors
    /// When there would be too many.
    pub fn tag(&mut self, add: &[String], take: &[String]) -> Result<()> {
        self.tags.extend_from_slice(add);
        self.tags.retain(|tag| !take.contains(tag));
        self.tags.sort();
        self.tags.dedup();
        match self.tags.len() {
            0..=MOST_TAGS => Ok(()),
            count => Err(complaint(format!("{count} tags are too many"), format!("a run has up to {MOST_TAGS}"))),
        }
    }
}

/// Looks whether a text can be a tag.
pub fn check_tag(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match text.chars().count() {
        0 => Err("it is empty".into()),
        count if count > MOST_CHARACTERS => Err(format!("it has more than {MOST_CHARACTERS} characters")),
        _ if !text.chars().all(is_plain) => Err("letters (a to z), digits, `-`, `_` and `.` make one".into()),
        _ if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) => Err("it begins with a letter or a digit".into()),
        _ => Ok(text.to_owned()),
    }
}

/// The same of a name, which no id, path or word may be taken for.
pub fn check_name(text: &str) -> Result<String, String> {
    let is_of_ids = |c: char| matches!(c, '0'..='9' | 'a'..='f' | '-');
    let name = check_tag(text)?;
    match name.as_str() {
        "last" | "latest" => Err("it stands for the newest run".into()),
        name if name.chars().all(is_of_ids) => Err("it could be an id; take a letter beyond f into it".into()),
        name if name.ends_with(".json") => Err("it could be a file".into()),
        _ => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_for_nothing_else() {
        for name in ["baseline", "before-2", "Ä".to_lowercase().replace('ä', "x").as_str(), "7th.run", "FACE"] {
            assert_eq!(check_name(name).as_deref(), Ok(name));
        }
        for name in ["", "last", "3f9a", "2026", "face", "a/b", "..", "-x", "x y", "x\n", "größe", "run.json", &"x".repeat(41)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_tag("2026").is_ok() && check_tag("a,b").is_err());
    }

    #[test]
    fn labels_are_read_as_they_were_written_and_others_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RunLabels::read(folder.path()).unwrap(), RunLabels::default());
        let mut labels = RunLabels { name: Some("x".into()), ..RunLabels::imported("2026-11-21T03:15:00Z".into()) };
        labels.tag(&["b".into(), "a".into(), "b".into(), "c".into()], &["c".into()]).unwrap();
        labels.write(folder.path()).unwrap();
        assert_eq!(RunLabels::read(folder.path()).unwrap(), labels);
        assert_eq!(labels.tags, ["a", "b"]);
        assert!(labels.tag(&(0..33).map(|n| n.to_string()).collect::<Vec<_>>(), &[]).is_err());
        for damaged in ["", "{}", "{\"labels_version\":2}"] {
            std::fs::write(folder.path().join(LABELS), damaged).unwrap();
            assert!(RunLabels::read(folder.path()).is_err(), "{damaged}");
        }
    }
}
