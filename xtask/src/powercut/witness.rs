//! The witness of one campaign: `ioproof powercut witness` on this machine, with a folder of its own.

use super::prover;
use crate::command::{Background, wait_until};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

pub struct Witness {
    pub address: String,
    _process: Background,
}

impl Witness {
    pub fn start(program: &Path, folder: &Path) -> Result<Self> {
        let [opening, errors] = ["witness", "witness.err"].map(|name| folder.join(name));
        let file = |path: &Path| File::create(path).context("cannot make a file for the witness");
        let mut command = prover::witness(program, folder);
        let child = command.stdin(Stdio::null()).stdout(file(&opening)?).stderr(file(&errors)?).spawn();
        let mut process = Background(child.context("cannot start the witness")?);
        let said = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        wait_until("a witness that listens", || process.has_ended() || said(&opening).ends_with('\n'))?;
        let document: Value =
            serde_json::from_str(&said(&opening)).with_context(|| format!("the witness says `{}{}`", said(&opening), said(&errors)))?;
        let address = document["address"].as_str().with_context(|| format!("the witness says `{document}`"))?;
        Ok(Self { address: address.to_owned(), _process: process })
    }
}
