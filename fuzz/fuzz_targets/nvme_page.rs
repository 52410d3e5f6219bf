//! Any bytes are read by every NVMe table without a panic: each page keeps them, and no page has two fields of one key.

#![no_main]

use ioproof_pages::field::Page;
use ioproof_pages::pages::decode;
use ioproof_pages::pages::nvme::{self, Feature};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fn pages(bytes: &[u8]) -> Vec<Page> {
    let tables = [&nvme::CONTROLLER, &nvme::CONTROLLER_NVM, &nvme::FIRMWARE_LOG, &nvme::SELF_TEST_LOG];
    let mut pages: Vec<Page> = tables.map(|table| decode(table, bytes, "fuzz")).into();
    let readers: [fn(&[u8], &'static str) -> Page; 6] =
        [nvme::namespace, nvme::smart_log, nvme::error_log, nvme::namespace_list, nvme::descriptors, nvme::supported_logs];
    pages.extend(readers.map(|read| read(bytes, "fuzz")));
    pages.extend([Feature::PowerManagement, Feature::HostMemoryBuffer, Feature::Queues].map(|which| nvme::feature(which, bytes, "fuzz")));
    pages
}

fuzz_target!(|bytes: &[u8]| {
    let _ = nvme::capabilities(bytes);
    for page in pages(bytes) {
        assert_eq!(page.raw.len(), bytes.len() * 2);
        let keys: HashSet<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys.len(), page.fields.len(), "{} has a key twice", page.name);
    }
});
