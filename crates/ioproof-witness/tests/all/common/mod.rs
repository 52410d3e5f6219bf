//! A witness in a folder of its own, a proxy whose connections a test cuts, and what was kept.

use ioproof_witness::{
    Acknowledgement, Begin, CampaignId, Error, KeptRecord, Key, Log, NotTaken, Options, RecordContent, Settings, SyncPolicy, WitnessClient,
    WitnessServer, fetch,
};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Long enough for whatever a test waits for; nothing is asserted of it.
pub const LONG: Duration = Duration::from_secs(120);

pub const KEY: [u8; 32] = [42; 32];

pub fn key() -> Key {
    Key::of(KEY)
}

pub struct TestWitness {
    server: Option<WitnessServer>,
    pub folder: tempfile::TempDir,
}

impl TestWitness {
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Self {
        Self::of(SyncPolicy::EachBatch, settings)
    }

    /// For tests of links that have many sessions: no disk is waited for.
    pub fn without_syncs() -> Self {
        Self::of(SyncPolicy::Never, Settings::default())
    }

    fn of(syncs: SyncPolicy, settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::open(&folder.path().join("records"), syncs).unwrap();
        let server = WitnessServer::start("127.0.0.1:0", key(), log, settings).unwrap();
        Self { server: Some(server), folder }
    }

    pub fn server(&self) -> &WitnessServer {
        self.server.as_ref().unwrap()
    }

    pub fn stop(&mut self) {
        drop(self.server.take());
    }

    /// Starts it anew on the same folder, at another port.
    pub fn restart(&mut self) {
        self.stop();
        self.server = Some(serve(&self.records(), Settings::default()));
    }

    pub fn address(&self) -> String {
        self.server().address().to_string()
    }

    pub fn records(&self) -> std::path::PathBuf {
        self.folder.path().join("records")
    }
}

pub fn serve(folder: &Path, settings: Settings) -> WitnessServer {
    let log = Log::open(folder, SyncPolicy::EachBatch).unwrap();
    WitnessServer::start("127.0.0.1:0", key(), log, settings).unwrap()
}

pub fn campaign() -> CampaignId {
    CampaignId::draw().unwrap()
}

pub fn begin(campaign: CampaignId) -> Begin {
    Begin { campaign, session: None, writes: true, description: b"{\"target\":\"/dev/x\"}".to_vec() }
}

pub fn connect(address: &str, campaign: CampaignId) -> WitnessClient {
    let options = Options { patience: LONG, ..Options::default() };
    WitnessClient::connect_with(address, &key(), begin(campaign), &options).unwrap()
}

pub fn connect_once(address: &str, begin: Begin) -> Result<WitnessClient, Error> {
    WitnessClient::connect_with(address, &key(), begin, &Options { patience: Duration::ZERO, ..Options::default() })
}

pub fn write(sequence: u64) -> Acknowledgement {
    Acknowledgement { stream: 1, place: sequence * 4096, sequence }
}

/// Hands an acknowledgement over, and waits while the queue is full.
pub fn acknowledge(client: &WitnessClient, sequence: u64) {
    while let Err(why) = client.acknowledge(&[write(sequence)]) {
        assert_eq!(why, NotTaken::Full);
        assert!(client.wait_for_room(LONG));
    }
}

pub fn all(address: &str, campaign: CampaignId) -> Vec<KeptRecord> {
    let mut all = Vec::new();
    fetch(address, &key(), campaign, None, |kept| {
        all.push(kept);
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

/// Numbers of the writes that were acknowledged, with all else that must hold of a campaign.
pub fn sequences(address: &str, campaign: CampaignId) -> Vec<u64> {
    let (mut numbers, mut last) = (Vec::new(), (0, 0));
    for kept in all(address, campaign) {
        assert!(kept.session > last.0 && kept.order == 1 || kept.session == last.0 && kept.order == last.1 + 1, "{kept:?} after {last:?}");
        last = (kept.session, kept.order);
        if let RecordContent::Acknowledged(some) = kept.what {
            assert!(some.iter().all(|one| *one == write(one.sequence)));
            numbers.extend(some.iter().map(|one| one.sequence));
        }
    }
    numbers
}

/// A clock that a test sets.
#[derive(Clone, Default)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub fn set(&self, wall_ns: i64) {
        self.0.store(wall_ns, SeqCst);
    }

    pub fn settings(&self) -> Settings {
        let clock = self.clone();
        Settings { wall_ns: Arc::new(move || clock.0.load(SeqCst)), ..Settings::default() }
    }
}

/// Passes connections on to a witness, and cuts each after so many bytes of one direction; the plan has a cut a connection, and none behind its end.
#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Mutex<Plan>>,
}

struct Plan {
    upstream: SocketAddr,
    cuts: Vec<LinkCut>,
    open: Vec<TcpStream>,
}

#[derive(Clone, Copy, Debug)]
pub struct LinkCut {
    pub to_witness: usize,
    pub from_witness: usize,
    /// Change the next byte to the witness, in place of cutting there.
    pub changes: bool,
}

impl LinkCut {
    pub const NONE: Self = Self { to_witness: usize::MAX, from_witness: usize::MAX, changes: false };
}

impl Proxy {
    pub fn to(upstream: SocketAddr, mut cuts: Vec<LinkCut>) -> Self {
        cuts.reverse();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Mutex::new(Plan { upstream, cuts, open: Vec::new() }));
        let proxy = Self { address, shared };
        let of_thread = proxy.clone();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| of_thread.pass(stream)));
        proxy
    }

    pub fn set_upstream(&self, upstream: SocketAddr) {
        self.shared.lock().unwrap().upstream = upstream;
    }

    /// Cuts all connections there are.
    pub fn cut_all(&self) {
        for stream in self.shared.lock().unwrap().open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn pass(&self, writer: TcpStream) {
        let mut plan = self.shared.lock().unwrap();
        let cut = plan.cuts.pop().unwrap_or(LinkCut::NONE);
        let Ok(witness) = TcpStream::connect(plan.upstream) else { return };
        plan.open.extend([writer.try_clone().unwrap(), witness.try_clone().unwrap()]);
        drop(plan);
        let (writer_too, witness_too) = (writer.try_clone().unwrap(), witness.try_clone().unwrap());
        std::thread::spawn(move || copy(&writer, &witness, cut.to_witness, cut.changes));
        std::thread::spawn(move || copy(&witness_too, &writer_too, cut.from_witness, false));
    }
}

/// Copies so many bytes, and all behind a changed one; then, or when either end is closed, closes both.
fn copy(mut from: &TcpStream, mut to: &TcpStream, mut left: usize, mut changes: bool) {
    let mut buffer = vec![0; 64 << 10];
    while left > 0 || changes {
        if left == 0 {
            let mut byte = [0];
            if from.read_exact(&mut byte).is_err() || to.write_all(&[byte[0] ^ 1]).is_err() {
                break;
            }
            (left, changes) = (usize::MAX, false);
        }
        let most = buffer.len().min(left);
        match from.read(&mut buffer[..most]) {
            Ok(count @ 1..) if to.write_all(&buffer[..count]).is_ok() => left -= count,
            _ => break,
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
