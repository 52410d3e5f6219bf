//! Measures a witness on this machine: acknowledgements a second, what a link with a delay costs the writer, and reading back.
//!
//!     cargo run --release -p ioproof-witness --example witness_rate [FOLDER]
//!
//! Records go into a folder below FOLDER (default: the current one) with an fdatasync for each batch, so its drive is part of the figures. The delay is made
//! by a proxy that holds each byte for a millisecond in each direction.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends")]

use ioproof_target::threads;
use ioproof_witness::{Acknowledgement, Begin, CampaignId, Client, Key, Log, NotTaken, Server, Settings, Syncs, What, fetch};
use std::collections::VecDeque;
use std::io::{Read, Write, stdout};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(600);
const DELAY: Duration = Duration::from_millis(1);

/// Acknowledgements of each measurement of throughput.
const COUNT: u64 = 2_000_000;

/// Pace and number of writes where the writer has a pace.
const WRITES_PER_S: u64 = 20_000;
const WRITES: u64 = 200_000;

fn main() {
    let parent = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let folder = tempfile::tempdir_in(parent).unwrap();
    let log = Log::open(&folder.path().join("records"), Syncs::EachBatch).unwrap();
    let server = Server::start("127.0.0.1:0", Key::of([1; 32]), log, Settings::default()).unwrap();
    let address = server.address().to_string();
    for size in [1, 64] {
        let rate = flood(&address, COUNT, size).1;
        say(&format!("one writer, {size:>2} at a call: {rate:>9.0} acknowledgements/s stored"));
    }
    let began = Instant::now();
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(threads::spawn_within(scope, "writer", || flood(&address, COUNT / 4, 1)).unwrap()))
    });
    let rate = COUNT as f64 / began.elapsed().as_secs_f64();
    say(&format!("four writers,  1 at a call: {rate:>9.0} acknowledgements/s stored, together"));
    let far = delayed(server.address()).to_string();
    for (way, address) in [("over loopback", &address), ("with 1 ms each way", &far)] {
        for _ in 0..3 {
            let Paced { all, handing, longest, waits } = paced(address);
            say(&format!(
                "{WRITES} writes at {WRITES_PER_S}/s, {way}: {:.3} s, of it {:.3} s ({:.2} %) in handing over, the longest {:.2} ms, {waits} waits for room",
                all.as_secs_f64(),
                handing.as_secs_f64(),
                100.0 * handing.as_secs_f64() / all.as_secs_f64(),
                longest.as_secs_f64() * 1e3
            ));
        }
    }
    let rate = flood(&far, COUNT, 1).1;
    say(&format!("one writer,  1 at a call, with 1 ms each way: {rate:.0} acknowledgements/s stored"));
    read_back(&address);
}

fn say(line: &str) {
    stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn connect(address: &str) -> (Client, CampaignId) {
    let campaign = CampaignId::draw().unwrap();
    let begin = Begin { campaign, session: None, writes: true, description: Vec::new() };
    (Client::connect(address, &Key::of([1; 32]), begin).unwrap(), campaign)
}

fn acknowledge(client: &Client, some: &[Acknowledgement]) {
    while client.acknowledge(some) == Err(NotTaken::Full) {
        assert!(client.wait_for_room(LONG));
    }
}

/// Gives acknowledgements as fast as they are taken; the rate is until all are stored.
fn flood(address: &str, count: u64, size: u64) -> (CampaignId, f64) {
    let (client, campaign) = connect(address);
    let began = Instant::now();
    for first in (0..count).step_by(size as usize) {
        let some: Vec<Acknowledgement> =
            (first..first + size).map(|sequence| Acknowledgement { stream: 0, place: sequence * 4096, sequence }).collect();
        acknowledge(&client, &some);
    }
    client.finish(LONG).unwrap();
    (campaign, count as f64 / began.elapsed().as_secs_f64())
}

/// Times of a writer that has a pace.
struct Paced {
    all: Duration,
    /// In all calls that hand an acknowledgement over, with all waits for room.
    handing: Duration,
    longest: Duration,
    waits: u64,
}

/// Hands over acknowledgements one by one, as they are due.
fn paced(address: &str) -> Paced {
    let (client, _) = connect(address);
    let (began, pace) = (Instant::now(), Duration::from_nanos(1_000_000_000 / WRITES_PER_S));
    let (mut handing, mut longest, mut waits) = (Duration::ZERO, Duration::ZERO, 0);
    for sequence in 0..WRITES {
        std::thread::sleep((began + pace * sequence as u32).saturating_duration_since(Instant::now()));
        let call = Instant::now();
        while client.acknowledge(&[Acknowledgement { stream: 0, place: 0, sequence }]) == Err(NotTaken::Full) {
            waits += 1;
            assert!(client.wait_for_room(LONG));
        }
        handing += call.elapsed();
        longest = longest.max(call.elapsed());
    }
    let all = began.elapsed();
    client.finish(LONG).unwrap();
    Paced { all, handing, longest, waits }
}

fn read_back(address: &str) {
    let (campaign, _) = flood(address, 1_000_000, 64);
    let (began, mut count) = (Instant::now(), 0);
    fetch(address, &Key::of([1; 32]), campaign, None, |kept| {
        if let What::Acknowledged(some) = kept.what {
            count += some.len();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    let peak = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = peak.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default().to_owned();
    say(&format!(
        "{count} acknowledgements read back in {:.2} s; peak memory of witness and reader together: {peak}",
        began.elapsed().as_secs_f64()
    ));
}

/// A proxy that holds what passes for a moment, in each direction.
fn delayed(upstream: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accept = move || {
        for writer in listener.incoming().flatten() {
            let witness = TcpStream::connect(upstream).unwrap();
            for (from, to) in [(&writer, &witness), (&witness, &writer)] {
                to.set_nodelay(true).unwrap();
                pass(from.try_clone().unwrap(), to.try_clone().unwrap());
            }
        }
    };
    threads::spawn("proxy", accept).unwrap();
    address
}

type Held = (Mutex<VecDeque<(Instant, Vec<u8>)>>, Condvar);

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let held: Arc<Held> = Arc::default();
    let taken = Arc::clone(&held);
    let take = move || {
        let mut buffer = vec![0; 256 << 10];
        while let Ok(count) = from.read(&mut buffer) {
            held.0.lock().unwrap().push_back((Instant::now() + DELAY, buffer[..count].to_vec()));
            held.1.notify_one();
            if count == 0 {
                return;
            }
        }
    };
    let give = move || {
        loop {
            let (due, bytes) = taken.1.wait_while(taken.0.lock().unwrap(), |held| held.is_empty()).unwrap().pop_front().unwrap();
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if bytes.is_empty() || to.write_all(&bytes).is_err() {
                let _ = to.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    };
    threads::spawn("take", take).unwrap();
    threads::spawn("give", give).unwrap();
}
