//! `ioproof powercut`: does an acknowledged write survive a power cut. `write` and `check` are made of crate ioproof-powercut, the witness of ioproof-witness.

mod campaigns;
mod check;
pub mod flags;
mod list;
mod target;
mod unreached;
mod witness;
mod write;

use crate::verbs::powercut::flags::{AtWitness, PowercutAction};
use anyhow::Result;
use ioproof_core::text::shell_word;
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_witness::{Key, KeyError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Exit status where something cannot be told: in `write`, of what the witness has not stored.
const CANNOT_TELL: u8 = 3;

/// Runs the verb.
///
/// # Errors
/// When the witness cannot listen or keep anything, or is not to be reached.
pub fn run(action: &PowercutAction) -> Result<u8> {
    match action {
        PowercutAction::Witness(args) => witness::run(args),
        PowercutAction::Write(args) => write::run(args),
        PowercutAction::Check(args) => check::run(args),
        PowercutAction::List(args) => list::run(args),
    }
}

/// Place of the key: as it was named, or in the user's configuration.
fn key_file(named: Option<&PathBuf>) -> Result<PathBuf> {
    let default = || folders::configuration().map(|folder| folder.join("witness.key"));
    let file = named.cloned().or_else(default);
    file.ok_or_else(|| complaint("there is no folder to keep a key in", "set HOME or XDG_CONFIG_HOME, or name a file with --key-file"))
}

fn key_of(at: &AtWitness) -> Result<Key> {
    let file = key_file(at.key_file.as_ref())?;
    Key::read(&file).map_err(|error| match error {
        KeyError::Io(error) if error.kind() == ErrorKind::NotFound => complaint(
            format!("there is no key of the witness at {}", file.display()),
            "copy it from the witness, which says where it is, or name its place with --key-file",
        ),
        other => key_complaint(&file, &other),
    })
}

fn key_complaint(file: &Path, error: &KeyError) -> anyhow::Error {
    let hint = match error {
        KeyError::OpenToOthers(_) => format!("chmod 600 {}", file.display()),
        KeyError::NoKey => "name another file with --key-file".to_owned(),
        KeyError::Io(_) if file.is_dir() => {
            format!("name the file in it: --key-file {}", shell_word(&file.join("witness.key").display().to_string()))
        }
        KeyError::Io(error) if error.kind() == ErrorKind::InvalidInput => "name a regular file with --key-file".to_owned(),
        KeyError::Io(_) => "see who owns the file and its folder".to_owned(),
    };
    complaint(format!("the key file {}: {error}", file.display()), hint)
}
