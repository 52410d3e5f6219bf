//! A POSIX shell of a node: here, or over ssh. Scripts go in on standard input, so that no word is read twice.

use anyhow::{Context, Result, anyhow, bail};
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Options of ssh and scp: nobody is asked, and a machine that is away does not make us wait.
const SSH_OPTIONS: [&str; 4] = ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=10", "ServerAliveCountMax=3"];

/// Exit status of ssh where it cannot reach the other side (ssh(1)).
const NOT_REACHED: i32 = 255;

/// A shell of a node.
#[derive(Debug, Clone)]
pub enum Shell {
    /// Of this machine.
    Local,
    /// Of another one.
    Ssh {
        /// Host name or address.
        address: String,
        /// Further options, each as for `-o`.
        options: Vec<String>,
    },
}

impl Shell {
    /// Runs a script and gives its output.
    ///
    /// # Errors
    /// When the node cannot be reached, or the script fails: its last line of errors.
    pub fn run(&self, script: &str) -> Result<String> {
        let output = with_input(self.command(), script.as_bytes())?;
        self.check(&output)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self) -> Command {
        match self {
            Self::Local => {
                let mut sh = Command::new("sh");
                sh.arg("-s");
                sh
            }
            Self::Ssh { address, .. } => {
                let mut ssh = self.program("ssh");
                ssh.args(["-T", "--", address, "sh -s"]);
                ssh
            }
        }
    }

    /// ssh or scp with its options.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        let own: &[String] = if let Self::Ssh { options, .. } = self { options } else { &[] };
        // The first one counts (ssh_config(5)).
        for option in own.iter().map(String::as_str).chain(SSH_OPTIONS) {
            command.args(["-o", option]);
        }
        command
    }

    /// A command that answers line by line, to measure a clock by.
    pub fn clock(&self) -> Command {
        let mut command = self.command();
        if let Self::Local = self {
            command = Command::new("sh");
            command.args(["-c", CLOCK]);
        } else if let Self::Ssh { address, .. } = self {
            command = self.program("ssh");
            command.args(["-T", "--", address, CLOCK]);
        }
        command
    }

    /// Copies a file there.
    ///
    /// # Errors
    /// As [`Shell::run`].
    pub fn push(&self, from: &Path, to: &str) -> Result<()> {
        self.copy(&from.to_string_lossy(), &self.place(to), &[])
    }

    /// Copies a folder here, under a new name.
    ///
    /// # Errors
    /// As [`Shell::run`].
    pub fn pull(&self, from: &str, to: &Path) -> Result<()> {
        self.copy(&self.place(from), &to.to_string_lossy(), &["-r"])
    }

    fn place(&self, path: &str) -> String {
        match self {
            Self::Local => path.to_owned(),
            Self::Ssh { address, .. } if address.contains(':') => format!("[{address}]:{path}"),
            Self::Ssh { address, .. } => format!("{address}:{path}"),
        }
    }

    fn copy(&self, from: &str, to: &str, flags: &[&str]) -> Result<()> {
        let mut command = match self {
            Self::Local => Command::new("cp"),
            Self::Ssh { .. } => {
                let mut scp = self.program("scp");
                scp.arg("-q");
                scp
            }
        };
        self.check(&with_input(&mut *command.args(flags).args(["--", from, to]), b"")?)
    }

    fn check(&self, output: &Output) -> Result<()> {
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("without a word").to_owned();
        match (self, output.status.code()) {
            (Self::Ssh { address, .. }, Some(NOT_REACHED)) => {
                let hint = format!("`ssh -o BatchMode=yes {} true` must work without a question", visible(address));
                Err(complaint(format!("{} is not reached: {}", visible(address), visible(&last)), hint))
            }
            (_, Some(code)) => bail!("{} (exit status {code})", visible(&last)),
            (_, None) => bail!("{} (ended by a signal)", visible(&last)),
        }
    }
}

/// Tells the time twice, the second time when it is asked. Nanoseconds since 1970 (date(1) of GNU and of busybox).
const CLOCK: &str = "date +%s%N; read x; date +%s%N";

/// Runs a program to its end with this on its standard input.
///
/// # Errors
/// When it cannot be started or fed.
pub fn with_input(mut command: impl std::borrow::BorrowMut<Command>, input: &[u8]) -> Result<Output> {
    let command = command.borrow_mut();
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => complaint(format!("there is no {name} here"), format!("install {name}, or use another --launcher")),
        _ => anyhow!(error).context(format!("{name} cannot be started")),
    })?;
    // Small enough for a pipe; whoever does not read it says why on standard error.
    let fed = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(input));
    let output = child.wait_with_output().with_context(|| format!("{name} cannot be waited for"))?;
    if output.status.success() {
        fed.with_context(|| format!("{name} does not read"))?;
    }
    Ok(output)
}
