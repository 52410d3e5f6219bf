//! The server: started with its settings, waited for until it answers, looked at, and stopped when it is dropped.

use super::account::OtherUser;
use super::calls::{Calls, end, last, with_said};
use super::settings::Setting;
use super::used::ResourceUse;
use crate::Spec;
use crate::error::DatabaseError;
use rustix::process::Signal;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time for the server to answer after it was started.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two questions whether it answers.
const LOOK: Duration = Duration::from_millis(100);
/// Its shared buffers as they come. Bytes.
pub const SHARED_BUFFERS_BYTES: u64 = 128 << 20;
/// Settings other than those of size, as they are unless the user chooses: everything lasts, and a checkpoint falls into the run (30 s is the shortest that can be set).
const SETTINGS: [&str; 10] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_wal_size=1GB",
    "checkpoint_timeout=30s",
    "synchronous_commit=on",
    "fsync=on",
    "full_page_writes=on",
    "wal_sync_method=fdatasync",
    "log_checkpoints=on",
    "logging_collector=off",
];
/// Connections beside those of the clients.
const FURTHER_CONNECTIONS: u32 = 20;

/// A server that runs.
#[derive(Debug)]
pub(super) struct PostgresServer {
    child: Child,
    log: ServerLog,
    socket: Socket,
}

impl PostgresServer {
    /// Starts it on the cluster in this folder, and waits until it answers. The settings that were chosen come last: of two of one name the later is in force.
    pub(super) fn start(
        calls: &Calls,
        folder: &Path,
        log: ServerLog,
        spec: &Spec,
        chosen: &[Setting],
        stop: &AtomicBool,
    ) -> Result<Self, DatabaseError> {
        let socket = Socket::make(calls.account())?;
        let failed = |error: std::io::Error| DatabaseError::new(format!("the server of PostgreSQL cannot be started: {error}"));
        let written = log.file.try_clone().map_err(failed)?;
        let mut command = calls.server();
        command.arg("-D").arg(folder.join("data")).arg("-k").arg(&socket.folder);
        let buffers = format!("shared_buffers={}kB", spec.cache_bytes.unwrap_or(SHARED_BUFFERS_BYTES) / 1024);
        let connections = format!("max_connections={}", spec.clients + FURTHER_CONNECTIONS);
        let chosen: Vec<String> = chosen.iter().map(Setting::to_string).collect();
        for setting in SETTINGS.into_iter().chain([buffers.as_str(), connections.as_str()]).chain(chosen.iter().map(String::as_str)) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(written);
        let mut server = Self { child: command.spawn().map_err(failed)?, log, socket };
        server.wait(&calls.clone().at(&server.socket.folder), stop)?;
        Ok(server)
    }

    /// The folder of its socket.
    pub(super) fn socket(&self) -> &Path {
        &self.socket.folder
    }

    fn wait(&mut self, calls: &Calls, stop: &AtomicBool) -> Result<(), DatabaseError> {
        let began = Instant::now();
        loop {
            self.check()?;
            if calls.run("pg_isready", ["-q"].map(AsRef::as_ref), &AtomicBool::new(false)).is_ok() {
                return Ok(());
            }
            if stop.load(Relaxed) {
                return Err(DatabaseError::interrupted());
            }
            if began.elapsed() > PATIENCE {
                return Err(DatabaseError::new(format!("the server of PostgreSQL does not answer: {}", self.said())));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// An error where it has ended by itself.
    pub(super) fn check(&mut self) -> Result<(), DatabaseError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(DatabaseError::new(with_said(format!("the server of PostgreSQL has ended ({status})"), &self.said()))),
            Err(error) => Err(DatabaseError::new(format!("the server of PostgreSQL cannot be looked at: {error}"))),
        }
    }

    /// The error of a program that used it: that it has ended itself where that is so, else with what it said last where that tells more.
    pub(super) fn explain(&mut self, error: DatabaseError) -> DatabaseError {
        if let Err(ended) = self.check() {
            return ended;
        }
        let said = self.said();
        let tells = !error.is_interrupted && ["PANIC", "FATAL", "ERROR"].iter().any(|word| said.contains(word));
        if tells { DatabaseError { text: format!("{}; its server said: {said}", error.text), ..error } } else { error }
    }

    fn said(&self) -> String {
        last(&self.log.read().unwrap_or_default())
    }

    /// Checkpoints that have ended so far, by its log.
    pub(super) fn checkpoints(&self) -> Option<u64> {
        let log = self.log.read().ok()?;
        Some(log.lines().filter(|line| line.contains("checkpoint complete:")).count() as u64)
    }

    /// Errors with its files so far, by its log.
    pub(super) fn storage_errors(&self) -> Vec<String> {
        self.log.read().map_or_else(|_| Vec::new(), |log| storage_errors(&log).map(str::to_owned).collect())
    }

    /// Use of all of its processes, and of the programs that were run so far.
    pub(super) fn used(&self) -> Option<ResourceUse> {
        ResourceUse::of_server(self.child.id())
    }
}

/// Errors with files in a log of the server, whose messages are in English, as `initdb --no-locale` leaves them.
fn storage_errors(log: &str) -> impl Iterator<Item = &str> {
    const DONE: [&str; 7] = ["write", "fsync", "flush", "sync", "read", "extend", "truncate"];
    let errors = log.lines().filter_map(|line| ["ERROR:  ", "PANIC:  "].iter().find_map(|level| Some(line.split_once(level)?.1)));
    errors.filter(|error| error.strip_prefix("could not ").is_some_and(|rest| DONE.iter().any(|word| rest.starts_with(word))))
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // At once and without a checkpoint (PostgreSQL's manual, "Shutting Down the Server").
        end(&mut self.child, Signal::QUIT);
    }
}

/// The server's log, made while its folder is still ours alone: in a folder of somebody else a name may be anything.
#[derive(Debug)]
pub(super) struct ServerLog {
    file: File,
}

impl ServerLog {
    /// Makes it in a folder.
    pub(super) fn make(folder: &Path) -> Result<Self, DatabaseError> {
        let made = File::options().read(true).append(true).create_new(true).open(folder.join("server.log"));
        let failed = |error| DatabaseError::new(format!("{} takes no file: {error}", folder.display()));
        made.map(|file| Self { file }).map_err(failed)
    }

    fn read(&self) -> std::io::Result<String> {
        let mut bytes = vec![0; usize::try_from(self.file.metadata()?.len()).unwrap_or(0)];
        let read = self.file.read_at(&mut bytes, 0)?;
        bytes.truncate(read);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Names of a socket and of its lock (PostgreSQL's manual, `unix_socket_directories`).
const SOCKETS: [&str; 2] = [".s.PGSQL.#", ".s.PGSQL.#.lock"];

/// A private folder for the socket, whose path is short: a socket's may have 107 bytes (unix(7)).
#[derive(Debug)]
struct Socket {
    folder: PathBuf,
    /// Says to other runs that it is in use.
    _claim: Option<OwnedFd>,
}

impl Socket {
    fn make(account: Option<OtherUser>) -> Result<Self, DatabaseError> {
        let drawn = ioproof_core::splitmix::mixed(u64::from(std::process::id()) << 32 ^ now());
        ioproof_target::remove_leftovers(Path::new("/tmp"), "ioproof-", &SOCKETS);
        let folder = PathBuf::from(format!("/tmp/ioproof-{drawn:016x}"));
        // It fails where anything bears the name.
        let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|error| DatabaseError::new(format!("{} cannot be made for the server's socket: {error}", folder.display())))?;
        let socket = Self { _claim: ioproof_target::claim(&folder), folder };
        account.iter().try_for_each(|account| account.own(&socket.folder))?;
        Ok(socket)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = ioproof_target::OwnTree::open(&self.folder).and_then(|tree| tree.remove_with(&SOCKETS));
    }
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_with_files_are_told_from_those_of_statements() {
        let log = "2026-11-26 19:00:00.000 UTC [10] LOG:  checkpoint starting: time\n\
                   2026-11-26 19:00:01.000 UTC [10] ERROR:  could not write block 3072 in file \"base/5/16400\": File too large\n\
                   2026-11-26 19:00:01.000 UTC [10] CONTEXT:  writing block 3072 of relation base/5/16400\n\
                   2026-11-26 19:00:02.000 UTC [12] ERROR:  could not serialize access due to concurrent update\n\
                   2026-11-26 19:00:03.000 UTC [12] PANIC:  could not fsync file \"base/5/16400\": Input/output error\n";
        let told: Vec<&str> = storage_errors(log).collect();
        assert_eq!(
            told,
            [
                "could not write block 3072 in file \"base/5/16400\": File too large",
                "could not fsync file \"base/5/16400\": Input/output error"
            ]
        );
    }
}
