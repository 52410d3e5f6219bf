//! Any bytes are answers of a SCSI drive: none panics, no page holds more than came, and no key comes twice.

#![no_main]

use ioproof_pages::pages::scsi::{LogPage, ModeSense, Sense, VpdPage, caching, identify_of_vpd, inquiry, log, read_capacity_16, vpd};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fuzz_target!(|bytes: &[u8]| {
    let mut pages = vec![inquiry(bytes, "fuzz"), read_capacity_16(bytes, "fuzz")];
    pages.extend([ModeSense::Six, ModeSense::Ten].map(|which| caching(which, bytes, "fuzz")));
    pages.extend(identify_of_vpd(bytes, "fuzz"));
    for which in VpdPage::ALL.into_iter().chain([VpdPage::Supported]) {
        pages.push(vpd(which, &with(bytes, 1, which.code()), Some(512), "fuzz"));
    }
    for which in LogPage::ALL.into_iter().chain([LogPage::Supported]) {
        pages.push(log(which, &with(bytes, 0, which.code()), "fuzz"));
    }
    for page in &pages {
        assert!(page.raw.len() <= 2 * bytes.len(), "{}", page.name);
        let keys: HashSet<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys.len(), page.fields.len(), "{} has a key twice", page.name);
    }
    let _ = Sense::parse(bytes).map(|sense| sense.to_string());
});

/// The bytes with the number of the page in its place, so that they are not refused at once.
fn with(bytes: &[u8], at: usize, code: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(place) = bytes.get_mut(at) {
        *place = code;
    }
    bytes
}
