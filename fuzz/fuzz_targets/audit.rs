//! Any bytes are a document: reading and judging it panics nowhere, and everything that is said of it names a line.

#![no_main]

use ioproof_audit::{Reading, audit, sweeps, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let reading = Reading::new("a", bytes);
    let lines = u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX);
    assert!(reading.measured.iter().all(|measured| (1..=lines).contains(&measured.first) && measured.first <= measured.last));
    let _ = sweeps(&reading);
    let readings = [reading];
    let findings = audit(&readings);
    assert!(findings.found.iter().all(|found| (1..=lines).contains(&found.line)), "{:?}", findings.found);
    for width in [40, 80] {
        let shown = text::lines(&readings, &findings, &[], width);
        assert!(shown.iter().all(|line| !line.chars().any(char::is_control)));
    }
});
