//! Programs that a cycle runs: each has a time limit, and its exit status is looked at.

use crate::command;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time after which a step hangs. A loaded host is slow, not dead.
pub const LIMIT: Duration = Duration::from_secs(60);

/// This program, which may have been built anew meanwhile.
pub const ITSELF: &str = "/proc/self/exe";

/// Runs a tool that must succeed; gives its output.
pub fn tool(program: &str, words: &[&str]) -> Result<String> {
    let path = command::find_program(program).with_context(|| format!("{program} is not there"))?;
    run(Command::new(path).args(words))
}

/// Runs to an end that must be a good one; gives standard output.
pub fn run(command: &mut Command) -> Result<String> {
    let output = finish(command)?;
    if !output.status.success() {
        bail!("{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs to whatever end. What hangs is killed and left behind: it may be the kernel that does not let it go.
pub fn finish(command: &mut Command) -> Result<Output> {
    let name = format!("{command:?}");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(|| name.clone())?;
    let until = Instant::now() + LIMIT;
    while child.try_wait()?.is_none() {
        if Instant::now() > until {
            child.kill()?;
            bail!("{name} has not ended in {} s", LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(child.wait_with_output()?)
}

/// Looks until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let until = Instant::now() + LIMIT;
    while !is_so() {
        if Instant::now() > until {
            bail!("{what} has not come in {} s", LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// A writer under way. Killed when dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        // It may wait for a drive that does not let it go; then it is left behind.
        let _ = wait_until("the end of a writer", || !matches!(self.0.try_wait(), Ok(None)));
    }
}

/// A program that is talked to by lines. Killed when dropped.
pub struct Talk {
    child: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    pub fn start(command: &mut Command) -> Result<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.with_context(|| format!("cannot start {command:?}"))?;
        let (sender, lines) = channel();
        let output = child.stdout.take().context("there is no output")?;
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // Whoever listened may be gone.
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(Self { input: child.stdin.take(), child: Running(child), lines })
    }

    pub fn say(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("there is no input")?;
        writeln!(input, "{line}").context("the writer does not listen")
    }

    /// The next line; none at the end.
    pub fn hear(&mut self) -> Result<Option<String>> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => bail!("nothing was heard of the writer in {} s", LIMIT.as_secs()),
        }
    }

    /// Standard error of a program that has ended.
    pub fn complaint(&mut self) -> String {
        let mut text = String::new();
        if let Some(errors) = self.child.0.stderr.as_mut() {
            let _ = errors.read_to_string(&mut text);
        }
        text.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_says_what_it_was_and_why() {
        let error = tool("sh", &["-c", "echo no >&2; exit 3"]).unwrap_err().to_string();
        assert!(error.contains("exit 3") && error.contains("exit status: 3: no"), "{error}");
        assert_eq!(tool("sh", &["-c", "echo yes"]).unwrap(), "yes");
    }

    #[test]
    fn lines_go_to_and_fro_until_the_end() {
        let mut talk = Talk::start(Command::new("sh").args(["-c", "echo a; read x; echo $x; echo hm >&2"])).unwrap();
        assert_eq!(talk.hear().unwrap().as_deref(), Some("a"));
        talk.say("b").unwrap();
        assert_eq!(talk.hear().unwrap().as_deref(), Some("b"));
        assert_eq!((talk.hear().unwrap(), talk.complaint().as_str()), (None, "hm"));
    }
}
