//! The tables against another tool's reading (`oracle`), against pages made by hand (`made`), against the specification's list of widths (`layout`), and here
//! against any bytes at all.

mod layout;
mod made;
mod oracle;

use super::*;
use crate::field::{Page, Value};
use crate::pages::decode;
use crate::testing::unique_keys;
use proptest::prelude::*;

fn value(page: &Page, key: &str) -> Option<Value> {
    page.field(key).map(|field| field.value.clone())
}

fn made(length: usize, places: &[(usize, &[u8])]) -> Vec<u8> {
    let mut page = vec![0; length];
    for (at, bytes) in places {
        page[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    page
}

fn all_pages(bytes: &[u8]) -> Vec<Page> {
    use Feature::*;
    let features = [PowerManagement, TemperatureOver, TemperatureUnder, VolatileWriteCache, Queues, HostMemoryBuffer, ThermalManagement];
    let tables = [&CONTROLLER, &CONTROLLER_NVM, &NAMESPACE_NVM, &FIRMWARE_LOG, &SELF_TEST_LOG].map(|table| decode(table, bytes, "x"));
    let made = [namespace, smart_log, error_log, namespace_list, descriptors, supported_logs]
        .map(|read: fn(&[u8], &'static str) -> Page| read(bytes, "x"));
    tables.into_iter().chain(made).chain(features.map(|which| feature(which, bytes, "x"))).collect()
}

#[test]
fn no_page_has_two_fields_of_one_key_and_every_field_has_its_place_and_clause() {
    for fill in [0x00, 0x11, 0x81, 0x5a, 0xff] {
        for page in all_pages(&vec![fill; 20_000]) {
            assert!(unique_keys(&page), "{} {fill}", page.name);
            let told = |source: &str| source.contains("Specification") && source.contains("clause") && !source.contains("figure");
            assert!(
                page.fields.iter().all(|field| told(&field.source) && !field.key.contains('#') && !field.title.contains('#')),
                "{}",
                page.name
            );
        }
    }
}

#[test]
fn a_cut_page_says_so() {
    for page in all_pages(&[0x11; 3]) {
        assert!(page.problems.iter().any(|problem| problem.contains("has 3 bytes instead of")), "{} {:?}", page.name, page.problems);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_pages(bytes in proptest::collection::vec(any::<u8>(), 0..4200)) {
        for page in all_pages(&bytes) {
            prop_assert_eq!(page.raw.len(), bytes.len() * 2);
        }
        prop_assert!(capabilities(&bytes).error_entries <= 256);
    }
}
