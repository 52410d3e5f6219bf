//! A fresh directory and a home of its own for the real program.

pub mod loops;
pub mod witness;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

pub const MIB: u64 = 1 << 20;

/// Longer than whatever a test waits for; nothing is asserted of it.
const LONG: Duration = Duration::from_secs(300);

/// Looks until something is so.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "it does not come: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal by kill(1): `-INT`.
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// True where threads of the engine are at work.
pub fn has_workers(child: &Child) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok()).any(|name| name.starts_with("worker"))
}

/// A count of the I/O of a process (proc(5), `io`): `syscr` are calls that read, `rchar` the bytes that they gave.
pub fn io(child: &Child, name: &str) -> u64 {
    let counts = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    counts.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap().parse().unwrap()
}

/// A directory that is removed with everything in it.
pub struct Sandbox {
    folder: tempfile::TempDir,
}

/// Output and exit status of the program.
#[derive(Debug)]
pub struct ProgramOutput {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl ProgramOutput {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }

    /// Asserts a failure of ours that says all of these.
    #[track_caller]
    pub fn refuses(&self, words: &[&str]) {
        assert_eq!(self.status, 2, "{self:?}");
        assert!(self.stdout.is_empty(), "data on standard output: {self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in {}", self.stderr);
        }
        assert_eq!(self.stderr.matches("error: ").count(), 1, "one clear message: {}", self.stderr);
    }
}

/// Result of a self-test of the load generator, measured once for all sandboxes: it holds for a day.
fn self_test() -> &'static [u8] {
    static MEASURED: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let sandbox = Sandbox::untested();
        let said = sandbox.run(&["verify", "/dev/zero", "--rw", "randread", "--runs", "1", "--ios", "1"]);
        std::fs::read(sandbox.self_test()).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    });
    &MEASURED
}

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Self::untested();
        std::fs::create_dir_all(sandbox.state().join("ioproof")).unwrap();
        std::fs::write(sandbox.self_test(), self_test()).unwrap();
        sandbox
    }

    /// Without a self-test: the first run measures it.
    pub fn untested() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// Where the self-test of the load generator is kept.
    pub fn self_test(&self) -> PathBuf {
        self.state().join("ioproof/self-test.json")
    }

    /// The directory in which the program is run.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Its path as text, for arguments.
    pub fn path(&self, name: &str) -> String {
        self.work().join(name).display().to_string()
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// A file of random content of this size.
    pub fn file(&self, name: &str, size: u64) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, noise(size)).unwrap();
        path
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ioproof"));
        self.prepare(&mut command);
        command.args(args);
        command
    }

    /// Gives a command the sandbox's folder and environment.
    pub fn prepare(&self, command: &mut Command) {
        command.current_dir(self.work()).env_clear().stdin(Stdio::null());
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", self.folder.path());
        command.env("XDG_STATE_HOME", self.state()).env("XDG_CONFIG_HOME", self.config());
    }

    pub fn run(&self, args: &[&str]) -> ProgramOutput {
        said(self.command(args).output().unwrap())
    }

    /// A run whose exit status must be 0.
    #[track_caller]
    pub fn succeeds(&self, args: &[&str]) -> ProgramOutput {
        let said = self.run(args);
        assert_eq!(said.status, 0, "{said:?}");
        said
    }

    /// A measurement: its exit status is 0, or 3 where something could not be told.
    #[track_caller]
    pub fn measures(&self, args: &[&str]) -> ProgramOutput {
        let said = self.run(args);
        assert!(matches!(said.status, 0 | 3), "{said:?}");
        said
    }

    /// A verification that takes a few seconds: one run of each workload.
    pub fn verify(&self, args: &[&str]) -> ProgramOutput {
        self.run(&[&["verify", "--time", "1s", "--runs", "1"], args].concat())
    }

    /// Names in the directory in which the program is run.
    pub fn left_behind(&self) -> Vec<String> {
        names(&self.work())
    }

    /// Stages of the last run that are stored.
    pub fn stages(&self) -> usize {
        let folder = self.runs().pop().map(|id| self.state().join("ioproof/runs").join(id).join("stages"));
        folder.map_or(0, |folder| names(&folder).iter().filter(|name| name.ends_with(".json")).count())
    }

    /// Waits until so many stages of a run under way are stored.
    #[track_caller]
    pub fn wait_for_stages(&self, child: &mut Child, stages: usize) {
        let mut has_ended = false;
        wait_until("a further stage", || {
            has_ended = child.try_wait().unwrap().is_some();
            has_ended || self.stages() >= stages
        });
        assert!(self.stages() >= stages, "it has ended before");
    }

    /// Waits until so many stages more are stored, then interrupts the run when something was done; gives its output.
    #[track_caller]
    pub fn interrupt(&self, mut child: Child, stages: usize, meanwhile: impl FnOnce()) -> ProgramOutput {
        self.wait_for_stages(&mut child, stages);
        meanwhile();
        signal(&child, "-INT");
        said(child.wait_with_output().unwrap())
    }

    /// Begins the program with its outputs in pipes.
    pub fn begin(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The directories of stored runs.
    pub fn runs(&self) -> Vec<String> {
        names(&self.state().join("ioproof/runs"))
    }

    /// The folder of a stored run as an earlier version would have stored it, without digests: what somebody writes into its files is read.
    pub fn without_digests(&self, id: &str) -> PathBuf {
        let folder = self.state().join("ioproof/runs").join(id);
        std::fs::remove_file(folder.join("digests.json")).unwrap();
        folder
    }
}

pub fn said(output: Output) -> ProgramOutput {
    ProgramOutput {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Copies the program. By another process: one of ours that begins meanwhile would hold the copy open to be written, and nobody could start it then (ETXTBSY).
pub fn copy_program(to: &Path) {
    let status = Command::new("cp").arg(env!("CARGO_BIN_EXE_ioproof")).arg(to).status().unwrap();
    assert!(status.success());
}

/// Bytes without pattern.
pub fn noise(size: u64) -> Vec<u8> {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut bytes = vec![0; size as usize / 8 * 8];
    // Word by word: byte by byte takes five times as long where nothing is optimised.
    for word in bytes.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
    bytes
}

/// The findings' rules in a JSON report.
pub fn rules(report: &Value) -> Vec<String> {
    let findings = report["judgement"]["findings"].as_array().unwrap();
    findings.iter().map(|f| f["rule"].as_str().unwrap().to_owned()).collect()
}

/// The rounds of a report in the order of time, each with the load of its job and with what was counted around its stage.
pub fn rounds(report: &Value) -> Vec<Value> {
    let jobs = &report["run"]["jobs"];
    let of_stage = |stage: &Value| {
        let with_stage = |round: &Value| {
            let mut round = round.clone();
            let job = &jobs[round["job"].as_u64().unwrap() as usize];
            for (key, value) in
                [("workload", &job["workload"]), ("span", &job["span"]), ("devices", &stage["devices"]), ("purpose", &stage["purpose"])]
            {
                round[key] = value.clone();
            }
            round
        };
        stage["rounds"].as_array().unwrap().iter().map(with_stage).collect::<Vec<_>>()
    };
    report["run"]["stages"].as_array().unwrap().iter().flat_map(of_stage).collect()
}
