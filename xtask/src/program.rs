//! One call of the real program: its arguments, streams, user and limits; its end, and the most memory that it took.
//!
//! Output goes to files, so that no pipe holds the program up and a failure's folder has it. Beside this, `attempt.rs` makes the calls.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const HANG_AFTER: Duration = Duration::from_secs(60);

/// The most of an output that is read for messages. Bytes.
const OUTPUT_READ_MAX: u64 = 1 << 20;

#[derive(Default)]
pub struct Call {
    pub words: Vec<String>,
    /// Program and arguments in front of ioproof: `prlimit --nofile=5`.
    pub wrapper: Vec<String>,
    /// Script for sh instead, in which `"$@"` is ioproof with its arguments.
    pub script: Option<String>,
    pub stdin: Option<File>,
    pub user: Option<u32>,
    /// Time after which it hangs; none: [`HANG_AFTER`].
    pub patience: Option<Duration>,
}

impl Call {
    pub fn new<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    pub fn text(line: &str) -> Self {
        Self::new(line.split_whitespace())
    }

    pub fn and<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    pub fn describe(&self) -> String {
        let words = self.wrapper.iter().map(String::as_str).chain(["ioproof"]).chain(self.words.iter().map(String::as_str));
        let line = words.map(quoted).collect::<Vec<_>>().join(" ");
        self.script.as_ref().map_or(line.clone(), |script| script.replace("\"$@\"", &line))
    }

    fn command(&self, program: &Path) -> Command {
        let mut words: Vec<String> = self.wrapper.clone();
        if let Some(script) = &self.script {
            words.extend(["sh", "-c", script, "sh"].map(str::to_owned));
        }
        words.push(program.display().to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(&self.words);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.escape_debug()) }
}

/// A call under way. What was never waited for is killed.
pub struct Running {
    child: Child,
    begun: Instant,
    stdout: PathBuf,
    stderr: PathBuf,
    command: String,
    peak_kib: u64,
    patience: Duration,
}

impl Running {
    /// Starts the call in the folder's `work`, with its state in `home`; `number` tells its outputs from those of other calls of the attempt.
    pub fn start(call: Call, number: usize, program: &Path, folder: &Path) -> Result<Self> {
        let home = folder.join("home");
        let output = |name: &str| home.join(format!("{number}.{name}"));
        let (stdout, stderr) = (output("stdout"), output("stderr"));
        let mut command = call.command(program);
        command.current_dir(folder.join("work")).env_clear().env("PATH", "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("HOME", &home).env("XDG_STATE_HOME", home.join("state")).env("RUST_BACKTRACE", "0");
        command.stdout(File::create(&stdout)?).stderr(File::create(&stderr)?).process_group(0);
        let (line, patience) = (call.describe(), call.patience.unwrap_or(HANG_AFTER));
        command.stdin(call.stdin.map_or_else(Stdio::null, Stdio::from));
        let child = command.spawn().with_context(|| format!("cannot start {line}"))?;
        Ok(Self { child, begun: Instant::now(), stdout, stderr, command: line, peak_kib: 0, patience })
    }

    pub fn signal(&self, signal: Signal) {
        // It may have ended meanwhile.
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    pub fn wait(mut self) -> Result<Ended> {
        let mut pause = Duration::from_millis(1);
        let end = loop {
            if let Some(status) = self.child.try_wait()? {
                break status.code().map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Exit);
            }
            if self.begun.elapsed() > self.patience {
                self.kill();
                break End::Hung;
            }
            self.peak_kib = self.peak_kib.max(peak_kib(self.child.id()));
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(8));
        };
        let text = |path: &Path| {
            let mut bytes = Vec::new();
            let _ = File::open(path).and_then(|file| file.take(OUTPUT_READ_MAX).read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (text(&self.stdout), text(&self.stderr));
        Ok(Ended { end, stdout, stderr, peak_kib: self.peak_kib, command: self.command.clone() })
    }

    fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.kill();
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum End {
    Exit(i32),
    Signal(i32),
    Hung,
}

pub struct Ended {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    pub peak_kib: u64,
    pub command: String,
}

/// The kernel's high water mark (proc(5), VmHWM). KiB; 0 where there is none any more.
pub fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
