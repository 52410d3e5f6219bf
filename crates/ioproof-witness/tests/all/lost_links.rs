//! Lost connections, a witness that is killed, and queues that are full: nothing is lost and nothing is doubled.

use crate::common::*;
use ioproof_witness::{Error, NotTaken, Options, Settings, WitnessClient};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

/// Bytes in which a connection has seen all messages of a short session at least once.
const SESSION_BYTES: usize = 420;

#[test]
fn a_link_that_is_lost_or_changed_at_any_byte_loses_and_doubles_nothing() {
    let (witness, next) = (TestWitness::without_syncs(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let at @ ..SESSION_BYTES = next.fetch_add(1, SeqCst) {
                    lose_at(&witness, at);
                }
            });
        }
    });
}

fn lose_at(witness: &TestWitness, at: usize) {
    let cuts = vec![
        LinkCut { to_witness: at, ..LinkCut::NONE },
        LinkCut { from_witness: at, ..LinkCut::NONE },
        LinkCut { to_witness: at + 100, from_witness: at, ..LinkCut::NONE },
        LinkCut { to_witness: at, changes: true, ..LinkCut::NONE },
    ];
    let (proxy, campaign) = (Proxy::to(witness.server().address(), cuts), campaign());
    let client = connect(&proxy.address.to_string(), campaign);
    for sequence in 1..=4 {
        acknowledge(&client, sequence);
        if sequence == 2 {
            assert!(client.wait_stored(2, LONG), "{:?}", client.progress());
        }
    }
    assert_eq!(client.finish(LONG).unwrap().stored, 4);
    assert_eq!(sequences(&witness.address(), campaign), [1, 2, 3, 4], "cut at {at}");
}

#[test]
fn a_link_that_is_lost_again_and_again_under_load_loses_and_doubles_nothing() {
    let (witness, campaign) = (TestWitness::new(), campaign());
    let cuts = (0..24).map(|n| LinkCut { to_witness: 700 + 30_011 * n, ..LinkCut::NONE }).collect();
    let proxy = Proxy::to(witness.server().address(), cuts);
    let client = connect(&proxy.address.to_string(), campaign);
    (1..=200_000).for_each(|sequence| acknowledge(&client, sequence));
    assert_eq!(client.finish(LONG).unwrap().stored, 200_000);
    assert_eq!(sequences(&witness.address(), campaign), (1..=200_000).collect::<Vec<u64>>());
}

#[test]
fn a_witness_that_is_away_stops_the_writer_and_loses_nothing() {
    let (witness, campaign) = (TestWitness::new(), campaign());
    let proxy = Proxy::to(witness.server().address(), Vec::new());
    let options = Options { patience: LONG, queue_bytes: 20 * 100 };
    let client = WitnessClient::connect_with(&proxy.address.to_string(), &key(), begin(campaign), &options).unwrap();
    acknowledge(&client, 1);
    assert!(client.wait_stored(1, LONG));
    // Nobody listens at port 1 of this machine, or at least no witness that would answer.
    proxy.set_upstream(SocketAddr::from(([127, 0, 0, 1], 1)));
    proxy.cut_all();
    let taken = (2..).take_while(|sequence| client.acknowledge(&[write(*sequence)]) != Err(NotTaken::Full)).last().unwrap();
    assert!(!client.wait_for_room(Duration::from_millis(300)));
    let progress = client.progress();
    assert!(progress.away.is_some() && progress.why.is_some() && progress.error.is_none(), "{progress:?}");
    assert_eq!((progress.stored, progress.acknowledged), (1, taken));
    proxy.set_upstream(witness.server().address());
    assert!(client.wait_for_room(LONG));
    acknowledge(&client, taken + 1);
    assert_eq!(client.finish(LONG).unwrap().away, None);
    assert_eq!(sequences(&witness.address(), campaign), (1..=taken + 1).collect::<Vec<u64>>());
}

#[test]
fn a_witness_that_was_started_anew_goes_on_with_the_session() {
    let (mut witness, campaign) = (TestWitness::new(), campaign());
    let proxy = Proxy::to(witness.server().address(), Vec::new());
    let client = connect(&proxy.address.to_string(), campaign);
    for round in 0..5 {
        acknowledge(&client, round * 2 + 1);
        assert!(client.wait_stored(round * 2 + 1, LONG));
        witness.stop();
        acknowledge(&client, round * 2 + 2);
        witness.restart();
        proxy.set_upstream(witness.server().address());
    }
    client.finish(LONG).unwrap();
    assert_eq!(sequences(&witness.address(), campaign), (1..=10).collect::<Vec<u64>>());
}

#[test]
fn a_witness_that_lost_what_it_had_stored_is_found_out() {
    let (mut witness, campaign) = (TestWitness::new(), campaign());
    let proxy = Proxy::to(witness.server().address(), Vec::new());
    let client = connect(&proxy.address.to_string(), campaign);
    acknowledge(&client, 1);
    assert!(client.wait_stored(1, LONG));
    witness.stop();
    std::fs::remove_dir_all(witness.records().join(campaign.to_string())).unwrap();
    witness.restart();
    proxy.set_upstream(witness.server().address());
    assert_eq!(client.finish(LONG), Err(Error::Lost { said: 1, has: 0 }));
}

/// Folder of the witness that this process is to be, where it was started as one.
const BE_WITNESS: &str = "IOPROOF_TEST_WITNESS";

/// No test: the witness that another test of this file starts, and kills.
#[test]
fn process_of_a_witness() {
    if let Some(folder) = std::env::var_os(BE_WITNESS) {
        let server = serve(Path::new(&folder), Settings::default());
        println!("listens {}", server.address());
        let _ = std::io::stdin().read_line(&mut String::new());
    }
}

struct WitnessProcess {
    child: Child,
    address: SocketAddr,
}

impl WitnessProcess {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "lost_links::process_of_a_witness", "--nocapture", "--test-threads=1"]);
        let mut child = command.env(BE_WITNESS, folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.split_once("listens ").map(|(_, address)| address.parse().unwrap())).unwrap();
        Self { child, address }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_witness_that_is_killed_while_it_stores_loses_nothing_that_it_answered() {
    let (folder, campaign) = (tempfile::tempdir().unwrap(), campaign());
    let records = folder.path().join("records");
    let mut process = WitnessProcess::start(&records);
    let proxy = Proxy::to(process.address, Vec::new());
    let client = connect(&proxy.address.to_string(), campaign);
    let mut sequence = 0;
    for round in 1..=12 {
        let until = sequence + 997 * round;
        while client.stored() < until {
            if sequence < client.stored() + 5000 {
                sequence += 1;
                acknowledge(&client, sequence);
            }
        }
        process.kill();
        proxy.cut_all();
        let stored = client.stored();
        process = WitnessProcess::start(&records);
        let there = sequences(&process.address.to_string(), campaign);
        assert!(there.len() as u64 >= stored && there == (1..=there.len() as u64).collect::<Vec<u64>>(), "{stored} {}", there.len());
        proxy.set_upstream(process.address);
    }
    client.finish(LONG).unwrap();
    assert_eq!(sequences(&process.address.to_string(), campaign), (1..=sequence).collect::<Vec<u64>>());
    process.kill();
}
