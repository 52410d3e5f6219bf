//! The witness itself: listens, finds out who speaks, and lets writers and readers at the log.
//!
//! A thread for each connection, and one that accepts. `desk` decides who may write to a campaign; `connection` has one connection from its first byte to its last;
//! `register` has all of them, with the limits on their number. Whoever has not shown that it has the key has ten seconds and no memory but the messages of the
//! handshake.

mod connection;
mod desk;
mod register;

use crate::id::CampaignId;
use crate::key::Key;
use crate::log::{Log, SyncPolicy};
use crate::protocol::Status;
use crate::socket;
use desk::Desks;
use ioproof_target::threads;
use register::Register;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

/// Time between two looks at whether the witness is to end.
const LOOK: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Time before accepting is tried again after it failed, as it does where the process has no more descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Something that happens at a witness, for whoever watches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A writer began a session, or came back to it.
    Begun {
        /// Address of the writer.
        peer: String,
        /// The campaign.
        campaign: CampaignId,
        /// The session.
        session: u32,
        /// True where it had begun before.
        again: bool,
    },
    /// A writer has gone.
    Left {
        /// The campaign.
        campaign: CampaignId,
        /// The session.
        session: u32,
        /// Acknowledgements that were stored over this connection.
        acknowledgements: u64,
        /// Reason in words.
        why: String,
    },
    /// Somebody was refused.
    Refused {
        /// Address.
        peer: String,
        /// Reason in words.
        why: String,
    },
    /// The log could not be written.
    Failed {
        /// The campaign.
        campaign: CampaignId,
        /// Reason in words.
        why: String,
    },
    /// A reader read a campaign.
    Read {
        /// Address of the reader.
        peer: String,
        /// The campaign.
        campaign: CampaignId,
    },
}

/// Settings of a witness that have defaults.
#[derive(Clone)]
pub struct Settings {
    /// Wall time, in nanoseconds since 1970 (UTC).
    pub wall_ns: Arc<dyn Fn() -> i64 + Send + std::marker::Sync>,
    /// Is told what happens, from any thread.
    pub told: Arc<dyn Fn(&Told) + Send + std::marker::Sync>,
    /// Most connections at the same time.
    pub connections_max: usize,
    /// Most of them that have not yet shown that they have the key.
    pub strangers_max: usize,
    /// Silence of a writer after which another may take its place. Writers say every two seconds that they are there.
    pub gives_way_after: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            wall_ns: Arc::new(system_wall_ns),
            told: Arc::new(|_| {}),
            connections_max: 64,
            strangers_max: 32,
            gives_way_after: Duration::from_secs(10),
        }
    }
}

fn system_wall_ns() -> i64 {
    let since = |earlier: SystemTime, later: SystemTime| later.duration_since(earlier).ok().and_then(|d| i64::try_from(d.as_nanos()).ok());
    let (epoch, now) = (SystemTime::UNIX_EPOCH, SystemTime::now());
    since(epoch, now).or_else(|| since(now, epoch).map(|ns| -ns)).unwrap_or(0)
}

/// All that the threads of a witness share.
struct ServerShared {
    key: Key,
    log: Log,
    desks: Desks,
    register: Register,
    settings: Settings,
    stops: AtomicBool,
    acknowledgements: AtomicU64,
}

/// A witness that listens. Dropped it stops.
pub struct WitnessServer {
    shared: Arc<ServerShared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl WitnessServer {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address is none of this machine or in use, or the system gives no thread.
    pub fn start(listen: impl ToSocketAddrs, key: Key, log: Log, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ServerShared {
            key,
            log,
            desks: Desks::new(settings.gives_way_after),
            register: Register::default(),
            settings,
            stops: AtomicBool::new(false),
            acknowledgements: AtomicU64::new(0),
        });
        let accepting = threads::spawn("witness", {
            let shared = Arc::clone(&shared);
            move || accept_all(&shared, &listener)
        })?;
        Ok(Self { shared, address, accepting: Some(accepting) })
    }

    /// Address at which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// When records are on its disk.
    #[must_use]
    pub fn syncs(&self) -> SyncPolicy {
        self.shared.log.syncs()
    }

    /// Acknowledgements that it stored since it was started.
    #[must_use]
    pub fn acknowledgements(&self) -> u64 {
        self.shared.acknowledgements.load(Relaxed)
    }

    /// Ends all connections and waits until nothing is being written.
    pub fn stop(&mut self) {
        self.shared.stops.store(true, Relaxed);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Drop for WitnessServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept_all(shared: &Arc<ServerShared>, listener: &TcpListener) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while !shared.stops.load(Relaxed) {
        wait_for(listener);
        match listener.accept() {
            Ok((stream, peer)) => threads.extend(take(shared, stream, peer)),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => std::thread::sleep(PAUSE),
        }
        threads.retain(|thread| !thread.is_finished());
    }
    shared.register.close_all();
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

fn wait_for(listener: &TcpListener) {
    let mut fds = [rustix::event::PollFd::new(listener, rustix::event::PollFlags::IN)];
    // A signal or a failure leads to a look at the listener, which does not wait.
    let _ = rustix::event::poll(&mut fds, Some(&LOOK));
}

/// Has a thread of its own speak to whoever connected, where there is room.
fn take(shared: &Arc<ServerShared>, stream: TcpStream, peer: SocketAddr) -> Option<JoinHandle<()>> {
    stream.set_nonblocking(false).ok()?;
    let (stream, settings) = (Arc::new(stream), &shared.settings);
    let Some(place) = shared.register.place(&stream, settings.strangers_max, settings.connections_max) else {
        socket::refuse(&stream, Status::Busy);
        return None;
    };
    let shared = Arc::clone(shared);
    // A socket of both families shows addresses of IPv4 as those of IPv6 (RFC 4291, 2.5.5.2).
    let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
    threads::spawn("witness/peer", move || {
        connection::serve(&shared, &stream, place, &peer.to_string());
        shared.register.leave(place);
    })
    .ok()
}
