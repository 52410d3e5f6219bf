//! `ioproof powercut witness`: keeps what writers on other machines were told to be durable, until Ctrl-C.
//!
//! Lines go to standard output as things happen, for people or as JSON; whoever reads them slowly, or not at all, holds up no writer.

use super::{key_complaint, key_file};
use crate::verbs::powercut::flags::WitnessFlags;
use anyhow::{Context, Result};
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_process::output::SCHEMA_VERSION;
use ioproof_process::{folders, interrupt, messages, output};
use ioproof_witness::{DEFAULT_PORT, Key, KeyError, Log, LogError, Settings, SyncPolicy, Told, WitnessServer, host_and_port, with_port};
use serde::Serialize;
use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Time between two looks at whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Rights of folders that are made on the way to the records and to the key.
const FOLDER_MODE: u32 = 0o700;

/// Runs the verb.
///
/// # Errors
/// When the key, the folder or the address cannot be had.
pub fn run(args: &WitnessFlags) -> Result<u8> {
    let stop = interrupt::flag()?;
    let (file, folder) = (key_file(args.key_file.as_ref())?, folder(args)?);
    let (key, is_new) = key(&file)?;
    let log = log(&folder, args.witness_sync.syncs())?;
    let sessions = Arc::new(AtomicU64::new(0));
    let opened = Arc::new(OnceLock::new());
    let mut server = listen(args.listen.as_deref(), key, log, &settings(args.json, &sessions, &opened))?;
    let opening = WitnessLine::Listening {
        address: server.address().to_string(),
        folder: folder.display().to_string(),
        key_file: file.display().to_string(),
        key_is_new: is_new,
        syncs: server.syncs() == SyncPolicy::EachBatch,
    };
    opening.print(args.json);
    let _ = opened.set(());
    if is_new {
        messages::say(&format!("the key is new: copy {} to the machine that writes, for its owner alone (mode 600)", file.display()));
    }
    while !stop.load(Relaxed) {
        std::thread::sleep(LOOK);
    }
    server.stop();
    let ended = WitnessLine::Ended { sessions: sessions.load(Relaxed), acknowledgements: server.acknowledgements() };
    output::print(&ended.line(args.json)).map(|()| 0)
}

fn folder(args: &WitnessFlags) -> Result<PathBuf> {
    match &args.dir {
        Some(folder) => Ok(folder.clone()),
        None => Ok(folders::state()?.join("witness")),
    }
}

/// The key of the file, which is made where there is none; true where it was.
fn key(file: &Path) -> Result<(Key, bool)> {
    match Key::read(file) {
        Ok(key) => return Ok((key, false)),
        Err(KeyError::Io(error)) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(key_complaint(file, &error)),
    }
    make_above(file)?;
    Ok((Key::make_file(file).with_context(|| format!("cannot make the key file {}", file.display()))?, true))
}

fn log(folder: &Path, syncs: SyncPolicy) -> Result<Log> {
    make_above(folder)?;
    Log::open(folder, syncs).map_err(|error| match error {
        LogError::Locked(_) => {
            complaint(error.to_string(), "one witness serves any number of writers; another one needs a --dir of its own")
        }
        _ => complaint(format!("the folder of the witness: {error}"), "name another one with --dir"),
    })
}

fn make_above(path: &Path) -> Result<()> {
    let above = ioproof_target::folder_of(path);
    let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(above);
    made.with_context(|| format!("cannot make the folder {}", above.display()))
}

/// Listens where it was asked to; else at every address, of both families where the machine has both.
fn listen(typed: Option<&str>, key: Key, log: Log, settings: &Settings) -> Result<WitnessServer> {
    let server = match typed.map_or(("", DEFAULT_PORT), host_and_port) {
        ("", port) => WitnessServer::start(
            &[(Ipv6Addr::UNSPECIFIED, port).into(), (Ipv4Addr::UNSPECIFIED, port).into()][..],
            key,
            log,
            settings.clone(),
        ),
        named => WitnessServer::start(named, key, log, settings.clone()),
    };
    server.map_err(|error| cannot_listen(typed, &error))
}

fn cannot_listen(typed: Option<&str>, error: &io::Error) -> anyhow::Error {
    let place = match typed.map_or(("", DEFAULT_PORT), host_and_port) {
        ("", port) => format!("port {port}"),
        _ => typed.map(with_port).unwrap_or_default(),
    };
    complaint(format!("cannot listen at {place}: {error}"), "name an address of this machine and a free port with --listen")
}

/// Lines wait until the first one has told the address: a writer that was waiting for the witness may be quicker than that.
fn settings(as_json: bool, sessions: &Arc<AtomicU64>, opened: &Arc<OnceLock<()>>) -> Settings {
    let (sessions, opened) = (Arc::clone(sessions), Arc::clone(opened));
    let told = move |told: &Told| {
        opened.wait();
        sessions.fetch_add(u64::from(matches!(told, Told::Begun { again: false, .. })), Relaxed);
        WitnessLine::new(told).print(as_json);
    };
    Settings { told: Arc::new(told), ..Settings::default() }
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum WitnessLine {
    Listening { address: String, folder: String, key_file: String, key_is_new: bool, syncs: bool },
    Begun { peer: String, campaign: String, session: u32, again: bool },
    Left { campaign: String, session: u32, acknowledgements: u64, why: String },
    Refused { peer: String, why: String },
    Failed { campaign: String, why: String },
    Read { peer: String, campaign: String },
    Ended { sessions: u64, acknowledgements: u64 },
}

#[derive(Serialize)]
struct WitnessDocument<'a> {
    schema_version: u32,
    at: String,
    #[serde(flatten)]
    line: &'a WitnessLine,
}

impl WitnessLine {
    fn new(told: &Told) -> Self {
        match told {
            Told::Begun { peer, campaign, session, again } => {
                Self::Begun { peer: peer.clone(), campaign: campaign.to_string(), session: *session, again: *again }
            }
            Told::Left { campaign, session, acknowledgements, why } => {
                Self::Left { campaign: campaign.to_string(), session: *session, acknowledgements: *acknowledgements, why: why.clone() }
            }
            Told::Refused { peer, why } => Self::Refused { peer: peer.clone(), why: why.clone() },
            Told::Failed { campaign, why } => Self::Failed { campaign: campaign.to_string(), why: why.clone() },
            Told::Read { peer, campaign } => Self::Read { peer: peer.clone(), campaign: campaign.to_string() },
        }
    }

    /// Prints it; that nobody reads it is no reason for a witness to end.
    fn print(&self, as_json: bool) {
        let _ = output::print_as_it_happens(&self.line(as_json));
    }

    fn line(&self, as_json: bool) -> String {
        let at = ioproof_runner::now().rfc3339;
        let text = if as_json {
            serde_json::to_string(&WitnessDocument { schema_version: SCHEMA_VERSION, at, line: self }).unwrap_or_default()
        } else {
            format!("{at} {}", visible(&self.text()))
        };
        text + "\n"
    }

    fn text(&self) -> String {
        match self {
            Self::Listening { address, folder, key_file, syncs, .. } => {
                let when = if *syncs { "each batch synced" } else { "NOT synced: a cut here takes what is called stored" };
                format!("listens at {address}; records in {folder}, {when}; key in {key_file}")
            }
            Self::Begun { peer, campaign, session, again } => {
                let how = if *again { "goes on" } else { "begins" };
                format!("campaign {campaign}: session {session} {how}, from {peer}")
            }
            Self::Left { campaign, session, acknowledgements, why } => {
                format!(
                    "campaign {campaign}: session {session} has stopped, after {acknowledgements} acknowledgements over this connection: {why}"
                )
            }
            Self::Refused { peer, why } => format!("refused {peer}: {why}"),
            Self::Failed { campaign, why } => format!("campaign {campaign}: NOTHING IS STORED: {why}"),
            Self::Read { peer, campaign } => format!("campaign {campaign}: read by {peer}"),
            Self::Ended { sessions, acknowledgements } => {
                format!("ended; {sessions} sessions began, {acknowledgements} acknowledgements were stored")
            }
        }
    }
}
