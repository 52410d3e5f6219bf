//! The witness of one campaign: `ioproof powercut witness` on this machine, with a folder of its own.

use super::step::Talk;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::Command;

/// A witness that listens. Killed when dropped.
pub struct Witness {
    /// Host and port at which it listens.
    pub address: String,
    _talk: Talk,
}

impl Witness {
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut talk = Talk::start(command)?;
        let Some(line) = talk.hear()? else { bail!("no witness: {}", talk.complaint()) };
        let opening: Value = serde_json::from_str(&line).with_context(|| format!("the witness says `{line}`"))?;
        let address = opening["address"].as_str().with_context(|| format!("the witness says `{line}`"))?;
        Ok(Self { address: address.to_owned(), _talk: talk })
    }
}
