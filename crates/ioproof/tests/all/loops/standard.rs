//! The tests of a standard on a loop device, which is purged by a discard. Needs root.

use crate::common::loops::LoopDevice;
use crate::common::{MIB, Sandbox};

#[test]
fn a_whole_device_is_purged_before_the_tests_and_one_of_which_a_part_is_tested_is_not() {
    let sandbox = Sandbox::new();
    let drive = LoopDevice::empty(&sandbox, "disk", 8 * MIB);
    let consent = ["--destroy", drive.name(), "--destroy-unknown-content"];
    let words = [&["verify", &drive.device, "--standard", "snia", "--tests", "tp", "--time", "5ms", "--json"][..], &consent].concat();
    let tested = |more: &[&str]| sandbox.run(&[&words[..], more].concat()).json()["judgement"]["standard"].clone();
    let whole = tested(&[]);
    assert!(whole["conditions"][0].as_str().unwrap().contains("purged by discard"), "{whole}");
    assert!(!whole["deviations"].to_string().contains("not purged"), "{whole}");
    let part = tested(&["--size", "4MiB"]);
    assert!(part["deviations"][0].as_str().unwrap().contains("the data beyond the tested part is kept"), "{part}");
    sandbox.run(&[&words[..], &["--purge", "sanitize"]].concat()).refuses(&["no NVMe drive", "leave out --purge"]);
}
