//! `ioproof powercut witness` and `list`: the real program, and a writer of the crate.

use crate::common::Sandbox;
use ioproof_witness::{Acknowledgement, Begin, CampaignId, Key, WitnessClient};
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(120);

struct WitnessVerb {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl WitnessVerb {
    fn start(sandbox: &Sandbox, more: &[&str]) -> Self {
        let args = [&["powercut", "witness", "--listen", "127.0.0.1:0"], more].concat();
        let mut child = sandbox.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn json(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Ends it as Ctrl-C does; what it still said, and its exit status.
    fn end(mut self) -> (Vec<String>, Option<i32>, String) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        let rest = self.lines.by_ref().map(Result::unwrap).collect();
        let output = self.child.wait_with_output().unwrap();
        (rest, output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

fn write(address: &str, key: &Key, campaign: CampaignId) {
    let client =
        WitnessClient::connect(address, key, Begin { campaign, session: None, writes: true, description: b"{}".to_vec() }).unwrap();
    client.acknowledge(&[Acknowledgement { stream: 1, place: 0, sequence: 1 }; 3]).unwrap();
    client.finish(LONG).unwrap();
}

#[test]
fn a_witness_makes_a_key_keeps_what_is_acknowledged_and_lists_it() {
    let sandbox = Sandbox::new();
    let mut witness = WitnessVerb::start(&sandbox, &["--json"]);
    let opening = witness.json();
    assert_eq!((&opening["event"], &opening["key_is_new"], &opening["syncs"]), (&"listening".into(), &true.into(), &true.into()));
    let file = sandbox.config().join("ioproof/witness.key");
    assert_eq!(opening["key_file"], file.to_str().unwrap());
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let (address, campaign) = (opening["address"].as_str().unwrap().to_owned(), CampaignId::draw().unwrap());
    write(&address, &Key::read(&file).unwrap(), campaign);
    let begun = witness.json();
    assert_eq!((&begun["event"], &begun["session"], &begun["again"]), (&"begun".into(), &1.into(), &false.into()));
    let left = witness.json();
    assert_eq!(left["why"], "the session is ended");
    assert_eq!((&left["event"], &left["acknowledgements"], &left["campaign"]), (&"left".into(), &3.into(), &campaign.to_string().into()));
    let listed = sandbox.run(&["powercut", "list", "--witness", &address, "--json"]).json();
    assert_eq!((&listed["campaigns"][0]["campaign"], &listed["campaigns"][0]["sessions"]), (&campaign.to_string().into(), &1.into()));
    let table = sandbox.run(&["powercut", "list", "--witness", &address]);
    assert!(table.status == 0 && table.stdout.starts_with("CAMPAIGN") && table.stdout.contains(&campaign.to_string()), "{table:?}");
    let (rest, status, stderr) = witness.end();
    let ended: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&ended["event"], &ended["sessions"], &ended["acknowledgements"]), (&"ended".into(), &1.into(), &3.into()));
    assert!(status == Some(0) && stderr.contains("copy"), "{stderr}");
}

#[test]
fn a_witness_started_again_has_its_key_and_its_campaigns() {
    let sandbox = Sandbox::new();
    let (dir, file) = (sandbox.path("records"), sandbox.path("a key"));
    let flags = ["--dir", &dir, "--key-file", &file, "--witness-sync", "none"];
    for sessions in 1..=2 {
        let mut witness = WitnessVerb::start(&sandbox, &flags);
        let opening = witness.line();
        assert!(opening.contains("NOT synced") && opening.contains(&dir), "{opening}");
        let address = opening.split_once("listens at ").unwrap().1.split(';').next().unwrap().to_owned();
        write(&address, &Key::read(file.as_ref()).unwrap(), CampaignId([7; 16]));
        assert!(witness.line().contains(&format!("session {sessions} begins, from 127.0.0.1:")));
        let second = sandbox.run(&["powercut", "witness", "--listen", "127.0.0.1:0", "--dir", &dir, "--key-file", &file]);
        second.refuses(&["another witness uses", "--dir"]);
        let (rest, status, _) = witness.end();
        assert!(status == Some(0) && rest.last().unwrap().contains("3 acknowledgements"), "{rest:?}");
    }
}

#[test]
fn what_a_witness_cannot_do_is_said() {
    let sandbox = Sandbox::new();
    sandbox.run(&["powercut", "list", "--witness", "127.0.0.1:1"]).refuses(&["there is no key", "--key-file"]);
    let (file, other) = (sandbox.path("key"), sandbox.path("other"));
    Key::make_file(file.as_ref()).unwrap();
    Key::make_file(other.as_ref()).unwrap();
    sandbox.run(&["powercut", "list", "--witness", "127.0.0.1:1", "--key-file", &file]).refuses(&["127.0.0.1:1", "powercut witness"]);
    let mut witness = WitnessVerb::start(&sandbox, &["--json", "--key-file", &file]);
    let address = witness.json()["address"].as_str().unwrap().to_owned();
    sandbox.run(&["powercut", "list", "--witness", &address, "--key-file", &other]).refuses(&["another key"]);
    let said = sandbox.run(&["powercut", "list", "--witness", &address, "--key-file", &file]);
    assert!(said.status == 0 && said.stdout.is_empty() && said.stderr.contains("nothing yet"), "{said:?}");
    assert_eq!(witness.end().1, Some(0));
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    sandbox.run(&["powercut", "witness", "--key-file", &file]).refuses(&["others may read it", "chmod 600"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    sandbox.run(&["powercut", "witness", "--listen", &address, "--key-file", &other]).refuses(&["cannot listen", "--listen"]);
}
