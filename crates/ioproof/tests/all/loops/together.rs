//! Several drives of one run, each alone and all at once: loop devices that the test itself makes. Needs root.

use crate::common::loops::{LoopDevice, hole};
use crate::common::{MIB, ProgramOutput, Sandbox};

fn verify(sandbox: &Sandbox, targets: [&str; 2], more: &[&str]) -> ProgramOutput {
    let short = ["verify", targets[0], targets[1], "--workers", "1", "--depth", "2", "--runs", "6", "--ios", "100"];
    sandbox.run(&[&short, more].concat())
}

#[test]
fn devices_go_through_the_write_rule_each_before_any_is_written() {
    let sandbox = Sandbox::new();
    let (empty, used) = (hole(&sandbox, "empty", 4 * MIB), sandbox.file("used", 4 * MIB));
    let devices = [&empty, &used].map(|file| LoopDevice::new(&[], file));
    let [first, second] = devices.each_ref().map(|device| device.device.as_str());
    let consents = ["--rw", "randwrite", "--destroy", devices[0].name(), "--destroy", devices[1].name()];
    verify(&sandbox, [first, second], &consents[..4]).refuses(&["1 of 2 devices"]);
    verify(&sandbox, [first, second], &consents).refuses(&[second]);
    assert!(std::fs::read(&empty).unwrap().iter().all(|byte| *byte == 0), "the first is empty still");
    let said = verify(&sandbox, [first, second], &["--rw", "randread", "--json"]);
    assert_eq!(said.json()["judgement"]["together"]["rows"][0]["members"].as_array().unwrap().len(), 2);
}
