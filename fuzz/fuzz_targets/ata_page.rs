//! Any bytes are pages of an ATA drive, and any text is one of smartctl: none panics, all keep their bytes, and no key comes twice.

#![no_main]

use ioproof_pages::field::Page;
use ioproof_pages::pages::ata::{
    Statistics, device_statistics, identify_device, smart_data, smart_status, smart_thresholds, smartctl_attributes, statistics_pages,
};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fuzz_target!(|bytes: &[u8]| {
    let mut pages = vec![identify_device(bytes, "fuzz"), smart_data(bytes, "fuzz"), smart_status(bytes, "fuzz")];
    pages.push(smart_thresholds(bytes, Some(bytes), "fuzz"));
    pages.push(statistics_pages(bytes, "fuzz").1);
    pages.extend(Statistics::ALL.map(|which| device_statistics(which, bytes, Some(4096), "fuzz")));
    for page in &pages {
        assert_eq!(page.raw.len(), 2 * bytes.len(), "{}", page.name);
        assert_keys_are_unique(page);
    }
    assert_keys_are_unique(&smartctl_attributes(&String::from_utf8_lossy(bytes), "fuzz"));
});

fn assert_keys_are_unique(page: &Page) {
    let mut keys = HashSet::new();
    assert!(page.fields.iter().all(|field| keys.insert(&field.key)), "{} has a key twice", page.name);
}
