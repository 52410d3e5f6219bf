//! Programs of PostgreSQL, run to their end: with nothing of the caller's environment, in a group of their own, so that Ctrl-C reaches them by us alone, and as the account that
//! was chosen.

use super::account::OtherUser;
use super::programs::Programs;
use super::uri::Uri;
use crate::error::DatabaseError;
use ioproof_target::threads;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time between two looks at a program.
const LOOK: Duration = Duration::from_millis(50);
/// A program that was told to end is killed after this.
const PATIENCE: Duration = Duration::from_secs(20);
/// Lines of what a program said last that an error shows.
const LAST_LINES: usize = 3;
/// psql as it is asked: none of the user's settings, no prompt, values alone, and no query behind one that failed. The environment says which database.
const PSQL: [&str; 7] = ["-X", "-w", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"];
/// Words of lines that tell of an error.
const TELLS: [&str; 5] = ["error:", "ERROR:", "FATAL:", "PANIC:", "could not"];

/// The way in which programs are called.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    programs: Programs,
    account: Option<OtherUser>,
    /// The folder of the server's socket, once there is one.
    socket: Option<PathBuf>,
    /// The role of the server that asks.
    role: &'static str,
    /// The server that was given, in place of one of our own.
    given: Option<Given>,
}

/// The way to a server that was given.
#[derive(Debug, Clone)]
struct Given {
    uri: Uri,
    /// The only schema in which names are looked up and tables are made.
    schema: String,
    /// The name by which its connections are known at the server.
    title: String,
}

/// The end of a program.
pub(super) enum Ended {
    /// It ended well and printed this.
    Well(String),
    /// The user ended it.
    Stopped,
}

impl Calls {
    pub(super) fn new(programs: Programs, account: Option<OtherUser>) -> Self {
        Self { programs, account, socket: None, role: "ioproof", given: None }
    }

    /// The same for the server with this socket.
    pub(super) fn at(self, socket: &Path) -> Self {
        Self { socket: Some(socket.to_owned()), ..self }
    }

    /// The same for a server that was given, within a schema.
    pub(super) fn at_given(self, uri: &Uri, schema: &str) -> Self {
        Self { given: Some(Given { uri: uri.clone(), schema: schema.to_owned(), title: schema.to_owned() }), ..self }
    }

    /// The same under a name by which connections to a server that was given are told from others of ours.
    pub(super) fn titled(&self, title: &str) -> Self {
        Self { given: self.given.clone().map(|given| Given { title: title.to_owned(), ..given }), ..self.clone() }
    }

    /// The same as another role of the server.
    pub(super) fn as_role(&self, role: &'static str) -> Self {
        Self { role, ..self.clone() }
    }

    pub(super) fn account(&self) -> Option<OtherUser> {
        self.account
    }

    /// A server that is not started yet. Where setpriv(1) is there, it ends when we do, whatever ends us.
    pub(super) fn server(&self) -> Command {
        const BOUND: [&str; 3] = ["--pdeathsig", "QUIT", "--"];
        let is_known = Command::new("setpriv").args(BOUND).arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        let server = self.programs.path("postgres");
        if !is_known {
            return self.prepared(Command::new(server));
        }
        let mut command = Command::new("setpriv");
        command.args(BOUND).arg(server);
        self.prepared(command)
    }

    /// A program that is not started yet.
    fn command(&self, name: &str) -> Command {
        self.prepared(Command::new(self.programs.path(name)))
    }

    fn prepared(&self, mut command: Command) -> Command {
        command.env_clear().env("LC_ALL", "C").env("TZ", "UTC").env("PATH", "/usr/bin:/bin").current_dir("/").process_group(0);
        if let Some(OtherUser { user, group }) = self.account {
            command.gid(group).uid(user);
        }
        if let Some(socket) = &self.socket {
            command.env("PGHOST", socket).env("PGUSER", self.role).env("PGDATABASE", "postgres").env("PGCONNECT_TIMEOUT", "10");
        }
        if let Some(Given { uri, schema, title }) = &self.given {
            // What a connection asks for goes before what the server has for its database or its role (PostgreSQL's manual, "Setting Parameters").
            command.envs(uri.variables()).env("PGOPTIONS", format!("-c search_path={schema}"));
            command.env("PGAPPNAME", title).env("PGCONNECT_TIMEOUT", "10");
        }
        command
    }

    /// Runs a program; gives what it printed.
    ///
    /// # Errors
    /// When it cannot be started, fails, or was ended by `stop`.
    pub(super) fn run<'a>(
        &self,
        name: &str,
        words: impl IntoIterator<Item = &'a OsStr>,
        stop: &AtomicBool,
    ) -> Result<String, DatabaseError> {
        self.run_within(None, name, words, stop)
    }

    /// The same, ended when it takes longer.
    ///
    /// # Errors
    /// As [`Self::run`], and when it took longer.
    pub(super) fn run_within<'a>(
        &self,
        limit: Option<Duration>,
        name: &str,
        words: impl IntoIterator<Item = &'a OsStr>,
        stop: &AtomicBool,
    ) -> Result<String, DatabaseError> {
        match self.watched(limit, name, words, stop, &mut || {})? {
            Ended::Well(output) => Ok(output),
            Ended::Stopped => Err(DatabaseError::interrupted()),
        }
    }

    /// Has the server answer a query.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(super) fn ask(&self, query: &str, stop: &AtomicBool) -> Result<String, DatabaseError> {
        self.run("psql", PSQL.iter().copied().chain(["-c", query]).map(AsRef::as_ref), stop)
    }

    /// A session of psql that reads its queries line by line, not started yet.
    pub(super) fn session(&self) -> Command {
        let mut command = self.command("psql");
        command.args(PSQL).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The last words of a program, without the password.
    pub(super) fn said(&self, text: &str) -> String {
        let said = last(text);
        let password = self.given.as_ref().and_then(|given| given.uri.password());
        password.map_or_else(|| said.clone(), |password| password.hidden_in(&said))
    }

    /// Runs a program and looks at whoever wants to see it go on.
    ///
    /// # Errors
    /// When it cannot be started, fails, or takes longer than the limit.
    pub(super) fn watched<'a>(
        &self,
        limit: Option<Duration>,
        name: &str,
        words: impl IntoIterator<Item = &'a OsStr>,
        stop: &AtomicBool,
        look: &mut dyn FnMut(),
    ) -> Result<Ended, DatabaseError> {
        let mut command = self.command(name);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: std::io::Error| DatabaseError::new(format!("{name} of PostgreSQL cannot be started: {error}"));
        let mut child = command.spawn().map_err(failed)?;
        // Both are read while it runs, so that it never waits for a reader.
        let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let began = Instant::now();
        let status = loop {
            if stop.load(Relaxed) {
                // Background jobs of a shell ignore SIGINT and SIGQUIT, and so do their children.
                end(&mut child, Signal::TERM);
                return Ok(Ended::Stopped);
            }
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if let Some(limit) = limit.filter(|limit| began.elapsed() > *limit) {
                end(&mut child, Signal::TERM);
                return Err(DatabaseError::new(format!("{name} of PostgreSQL had not ended after {} s", limit.as_secs())));
            }
            look();
            std::thread::sleep(LOOK);
        };
        let (out, err) = (joined(out), joined(err));
        if status.success() {
            Ok(Ended::Well(out))
        } else {
            Err(DatabaseError::new(with_said(format!("{name} of PostgreSQL failed ({status})"), &self.said(&err))))
        }
    }
}

type Reader = std::io::Result<std::thread::JoinHandle<String>>;

fn reader(stream: Option<impl Read + Send + 'static>) -> Reader {
    threads::spawn("reader", move || {
        let mut bytes = Vec::new();
        stream.into_iter().for_each(|mut stream| drop(stream.read_to_end(&mut bytes)));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn joined(reader: Reader) -> String {
    reader.ok().and_then(|reader| reader.join().ok()).unwrap_or_default()
}

/// A line of pgbench of every run.
const SEED: &str = "setting random seed to";

/// A line of pgbench that says no more than the one before.
const ABORTED: &str = "Run was aborted";

/// The last lines that tell of an error, in one; where none does, the last lines that a program said. The name of the program before its errors is left out.
pub(super) fn last(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains(SEED)).collect();
    let tells = |line: &&str| TELLS.iter().any(|word| line.contains(word)) && !line.contains(ABORTED);
    let told: Vec<&str> =
        lines.iter().copied().filter(tells).map(|line| line.split_once(": error: ").map_or(line, |(_, what)| what)).collect();
    let lines = if told.is_empty() { lines } else { told };
    lines[lines.len().saturating_sub(LAST_LINES)..].join("; ")
}

/// The same with what a program said last; one that was killed may have said nothing.
pub(super) fn with_said(text: String, said: &str) -> String {
    if said.is_empty() { text } else { format!("{text}: {said}") }
}

/// Tells a program to end, and kills it where it does not.
pub(super) fn end(child: &mut Child, signal: Signal) {
    // One that has ended by itself takes no signal, and one that somebody stopped takes this one when it goes on.
    let _ = [signal, Signal::CONT].map(|signal| kill_process(Pid::from_child(child), signal));
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn the_last_lines_tell_what_went_wrong() {
        assert_eq!(last("a\n\n b \nc\nd\n"), "b; c; d");
        assert_eq!(last("x: FATAL:  no\nx: HINT:  y\nAborted\nremoving\n"), "x: FATAL:  no");
        let of_pgbench =
            "pgbench: error: client 0 aborted: ERROR:  no\npgbench: error: Run was aborted; the above results are incomplete.\n";
        assert_eq!(last(of_pgbench), "client 0 aborted: ERROR:  no");
        assert_eq!([last(""), last("one")], ["".to_owned(), "one".to_owned()]);
    }

    #[test]
    fn a_program_that_takes_longer_than_its_limit_is_ended() {
        let folder = super::super::programs::fakes("exec sleep 600");
        let calls = Calls::new(Programs::find(Some(folder.path())).unwrap(), None);
        let run = |limit| calls.run_within(Some(limit), "pgbench", [], &AtomicBool::new(false)).unwrap_err();
        let error = run(Duration::ZERO);
        assert_eq!((error.text.as_str(), error.is_interrupted), ("pgbench of PostgreSQL had not ended after 0 s", false));
    }

    #[test]
    fn a_program_that_was_stopped_ends_by_what_it_is_told() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
        end(&mut child, Signal::TERM);
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    }
}
