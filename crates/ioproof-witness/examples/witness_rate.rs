//! Measures how many acknowledgements a second a witness stores, for `cargo xtask bench powercut`: one writer on this machine, one acknowledgement at a call, records in a folder of its own below the one that is
//! named, with an fdatasync for each batch. Prints the rate.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends")]

use ioproof_witness::{Acknowledgement, Begin, CampaignId, Key, Log, NotTaken, Settings, SyncPolicy, WitnessClient, WitnessServer};
use std::io::{Write, stdout};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(600);
const COUNT: u64 = 2_000_000;

fn main() {
    let folder = tempfile::tempdir_in(std::env::args_os().nth(1).unwrap()).unwrap();
    let log = Log::open(&folder.path().join("records"), SyncPolicy::EachBatch).unwrap();
    let server = WitnessServer::start("127.0.0.1:0", Key::of([1; 32]), log, Settings::default()).unwrap();
    let begin = Begin { campaign: CampaignId::draw().unwrap(), session: None, writes: true, description: Vec::new() };
    let client = WitnessClient::connect(&server.address().to_string(), &Key::of([1; 32]), begin).unwrap();
    let began = Instant::now();
    for sequence in 1..=COUNT {
        while client.acknowledge(&[Acknowledgement { stream: 1, place: sequence * 512, sequence }]) == Err(NotTaken::Full) {
            assert!(client.wait_for_room(LONG));
        }
    }
    client.finish(LONG).unwrap();
    stdout().write_all(format!("{:.0}\n", COUNT as f64 / began.elapsed().as_secs_f64()).as_bytes()).unwrap();
}
