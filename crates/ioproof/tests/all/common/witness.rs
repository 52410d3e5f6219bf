//! A witness of the real program, and writers and checks at it.

use super::{ProgramOutput, Sandbox, said, signal, wait_until};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Stdio};

/// A witness, and its address. Killed when dropped.
pub struct WitnessProgram {
    child: Child,
    pub address: String,
}

impl WitnessProgram {
    pub fn start(sandbox: &Sandbox) -> Self {
        Self::listening(sandbox, "127.0.0.1:0", &[])
    }

    pub fn listening(sandbox: &Sandbox, at: &str, more: &[&str]) -> Self {
        let mut command = sandbox.command(&[&["powercut", "witness", "--listen", at, "--json"], more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let opening: Value = serde_json::from_str(&line).unwrap();
        Self { child, address: opening["address"].as_str().unwrap().to_owned() }
    }

    /// Ends it as a lost machine ends.
    pub fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address.clone()
    }

    pub fn list(&self, sandbox: &Sandbox) -> Value {
        sandbox.run(&["powercut", "list", "--witness", &self.address, "--json"]).json()
    }

    /// Waits until it has kept so many bytes of the only campaign.
    pub fn wait_until_it_has(&self, sandbox: &Sandbox, bytes: u64) {
        wait_until("what the witness keeps", || {
            self.list(sandbox)["campaigns"][0]["size_bytes"].as_u64().is_some_and(|kept| kept >= bytes)
        });
    }
}

impl Drop for WitnessProgram {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A writer under way. Killed when dropped.
pub struct WriterProgram {
    child: Option<Child>,
    errors: BufReader<ChildStderr>,
    heard: String,
}

impl WriterProgram {
    /// Begins to write to a file, and waits until it is made.
    pub fn begin(sandbox: &Sandbox, file: &str, witness: &str, more: &[&str]) -> Self {
        let words = ["powercut", "write", file, "--overwrite", file, "--witness", witness, "--json"];
        let mut child = sandbox.begin(&[&words[..], more].concat());
        let errors = BufReader::new(child.stderr.take().unwrap());
        let mut writer = Self { child: Some(child), errors, heard: String::new() };
        writer.wait_until_it_says("cut the power now");
        writer
    }

    /// Reads what it says until this is in it.
    #[track_caller]
    pub fn wait_until_it_says(&mut self, words: &str) {
        while !self.heard.contains(words) {
            assert!(self.errors.read_line(&mut self.heard).unwrap() > 0, "it has ended: {}", self.heard);
        }
    }

    /// Ends it as Ctrl-C does.
    pub fn end(mut self) -> ProgramOutput {
        let child = self.child.take().unwrap();
        signal(&child, "-INT");
        let said = said(child.wait_with_output().unwrap());
        self.errors.read_to_string(&mut self.heard).unwrap();
        ProgramOutput { stderr: std::mem::take(&mut self.heard), ..said }
    }
}

impl Drop for WriterProgram {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

pub fn write(sandbox: &Sandbox, witness: &WitnessProgram, more: &[&str]) -> Value {
    write_to(sandbox, "cut", &witness.address, &[&["--time", "500ms"], more].concat())
}

/// Writes to a file until it ends by itself.
pub fn write_to(sandbox: &Sandbox, file: &str, witness: &str, more: &[&str]) -> Value {
    let words = ["powercut", "write", file, "--overwrite", file, "--witness", witness, "--json"];
    let said = sandbox.succeeds(&[&words[..], more].concat());
    said.json()
}

pub fn check(sandbox: &Sandbox, witness: &WitnessProgram, more: &[&str]) -> ProgramOutput {
    check_of(sandbox, "cut", &witness.address, more)
}

pub fn check_of(sandbox: &Sandbox, file: &str, witness: &str, more: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["powercut", "check", file, "--witness", witness, "--json"][..], more].concat())
}
