//! SMART and the Device Statistics log.

use super::*;

#[test]
fn smart_data_are_what_smartctl_says() {
    let (page, told) = (smart_data(DATA, "test"), smartctl());
    assert_eq!(page.problems, Vec::<String>::new());
    let thresholds = smart_thresholds(THRESHOLDS, Some(DATA), "test");
    assert_eq!(thresholds.problems, Vec::<String>::new());
    let table = told["ata_smart_attributes"]["table"].as_array().unwrap();
    assert_eq!(table.len(), 7);
    for attribute in table {
        let key = |figure: &str| format!("attribute_{}_{figure}", attribute["id"]);
        assert_eq!(json(&page, &key("value")), attribute["value"]);
        assert_eq!(json(&page, &key("worst")), attribute["worst"]);
        assert_eq!(json(&page, &key("raw")), attribute["raw"]["value"]);
        assert_eq!(json(&thresholds, &key("threshold")), attribute["thresh"]);
    }
    assert_eq!(json(&page, "temperature_celsius"), told["temperature"]["current"]);
    assert_eq!(json(&page, "power_on_hours"), told["power_on_time"]["hours"]);
    assert_eq!(json(&page, "power_cycles"), told["power_cycle_count"]);
    assert_eq!(page.number("reallocated_sectors"), Some(0));
    assert_eq!(page.field("pending_sectors"), None);
    let minutes = &told["ata_smart_data"]["self_test"]["polling_minutes"];
    assert_eq!(
        [json(&page, "short_self_test_minutes"), json(&page, "extended_self_test_minutes")],
        [minutes["short"].clone(), minutes["extended"].clone()]
    );
    assert_eq!(page.field("conveyance_self_test_minutes"), None, "the drive has no such test, though a time for it");
    assert_eq!(json(&page, "offline_collection_seconds"), told["ata_smart_data"]["offline_data_collection"]["completion_seconds"]);
    assert_eq!(page.text("offline_collection_status"), Some("completed without error"));
    assert!(list(&thresholds, "attributes_failing").is_empty());
}

fn data(attributes: &[(u8, u8, u8, u8, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    for (index, (id, flags, value, worst, raw)) in attributes.iter().enumerate() {
        let at = 2 + 12 * index;
        bytes[at..at + 5].copy_from_slice(&[*id, *flags, 0, *value, *worst]);
        bytes[at + 5..at + 11].copy_from_slice(&raw.to_le_bytes()[..6]);
    }
    bytes[511] = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    bytes
}

#[test]
fn attributes_in_their_usual_meaning() {
    #[rustfmt::skip]
    let bytes = data(&[
        (5, 3, 90, 90, 0x0007_0000_0012), (9, 2, 88, 88, 0x00ab_cd00_2710), (190, 2, 60, 50, 40), (194, 2, 65, 55, 0x002d_0014_0023),
        (187, 2, 100, 100, 4), (197, 2, 100, 100, 8), (198, 2, 100, 100, 2), (199, 2, 200, 200, 11), (231, 2, 93, 93, 7),
        (233, 2, 0, 0, 5), (241, 2, 99, 99, 123_456),
    ]);
    let page = smart_data(&bytes, "test");
    let told = |key: &str| page.number(key);
    assert_eq!([told("reallocated_sectors"), told("power_on_hours"), told("temperature_celsius")], [Some(0x12), Some(10_000), Some(35)]);
    assert_eq!(
        [told("media_errors"), told("pending_sectors"), told("uncorrectable_sectors"), told("crc_errors")],
        [Some(4), Some(8), Some(2), Some(11)]
    );
    assert_eq!(
        [told("life_left_percent"), told("media_wearout_left_percent"), told("attribute_blocks_written")],
        [Some(93), None, Some(123_456)]
    );
    assert!(page.field("crc_errors").unwrap().source.contains("the maker's"));
    assert_eq!(
        page.field("attribute_5_raw").unwrap().source,
        "SMART READ DATA bytes 7-12 (SFF-8035i 2.0; the standards leave attributes to the maker)"
    );
}

#[test]
fn attributes_below_their_thresholds_are_named() {
    let bytes = data(&[(5, 3, 30, 30, 9), (9, 2, 100, 100, 1), (10, 3, 50, 20, 0)]);
    let mut limits = vec![0; 512];
    for (at, id, threshold) in [(2, 5, 36), (14, 9, 0), (26, 10, 20)] {
        (limits[at], limits[at + 1]) = (id, threshold);
    }
    let page = smart_thresholds(&limits, Some(&bytes), "test");
    assert_eq!(list(&page, "attributes_failing"), ["attribute 5, reallocated sectors (foretells a failure)"]);
    assert_eq!(list(&page, "attributes_failed").len(), 2);
    assert!(page.problems.iter().any(|problem| problem.contains("checksum")));
}

#[test]
fn an_attribute_that_is_there_twice_counts_once() {
    let page = smart_data(&data(&[(5, 3, 90, 90, 1), (5, 3, 80, 80, 2)]), "test");
    assert_eq!((page.number("attribute_5_raw"), page.number("reallocated_sectors")), (Some(1), Some(1)));
    assert_eq!(page.problems, ["attribute 5 is there twice; the second is left out"]);
}

#[test]
fn smart_status_in_both_formats_of_sense_data() {
    let passed = |sense: &[u8]| smart_status(sense, "test").field("smart_passed").map(|field| field.value.clone());
    assert_eq!(passed(STATUS), Some(Value::Flag(true)));
    let mut failing = STATUS.to_vec();
    (failing[17], failing[19]) = (0xf4, 0x2c);
    assert_eq!(passed(&failing), Some(Value::Flag(false)));
    let fixed = |mid, high| [0x70, 0, 1, 0, 0x50, 0, 0, 10, 0, 0, mid, high, 0, 0x1d, 0, 0, 0, 0];
    assert_eq!([passed(&fixed(0x4f, 0xc2)), passed(&fixed(0xf4, 0x2c))], [Some(Value::Flag(true)), Some(Value::Flag(false))]);
    assert_eq!(passed(&fixed(0, 0)), None);
    assert_eq!(smart_status(&fixed(0, 0), "x").problems, ["the registers hold 0x00 and 0x00, which is neither passed nor failed"]);
    assert_eq!(smart_status(&[], "x").problems, ["the registers did not come back"]);
}

fn statistic(page: u8, values: &[(usize, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    (bytes[0], bytes[2]) = (1, page);
    for (at, value) in values {
        bytes[*at..*at + 8].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

const TOLD: u64 = 0xc0 << 56;

#[test]
fn statistics_are_read_where_they_are_told() {
    let general = statistic(1, &[(8, TOLD | 12), (16, TOLD | 4321), (24, TOLD | 1_000_000), (40, 0x80 << 56 | 5), (48, 7)]);
    let page = device_statistics(Statistics::General, &general, Some(512), "test");
    let told = |key: &str| page.number(key);
    assert_eq!([told("power_cycles"), told("power_on_hours"), told("data_written_bytes")], [Some(12), Some(4321), Some(512_000_000)]);
    // Kept but without a valid value, and not kept at all.
    assert_eq!([told("blocks_read"), told("data_read_bytes"), told("host_read_commands")], [None, None, None]);
    let temperature = statistic(5, &[(8, TOLD | 41), (32, TOLD | 0x80), (40, TOLD | 0xfb), (88, TOLD | 60), (80, TOLD | 3)]);
    let page = device_statistics(Statistics::Temperature, &temperature, None, "test");
    assert_eq!([page.number("temperature_celsius"), page.number("critical_temperature_celsius")], [Some(41), Some(60)]);
    assert_eq!(page.field("temperature_lowest_celsius").map(|field| &field.value), Some(&Value::Real(-5.0)));
    assert_eq!(page.field("temperature_highest_celsius"), None);
    let wear = device_statistics(Statistics::SolidState, &statistic(7, &[(8, TOLD | 0x11 << 56 | 103)]), None, "test");
    assert_eq!(wear.number("percentage_used_percent"), Some(103));
}

#[test]
fn a_page_that_is_another_is_not_read() {
    let page = device_statistics(Statistics::SolidState, &statistic(0, &[(8, TOLD | 9)]), None, "test");
    assert_eq!((page.fields.len(), page.problems), (0, vec!["says that it is page 0 of the log".to_owned()]));
    let mut listing = vec![0; 512];
    listing[8..12].copy_from_slice(&[3, 0, 1, 7]);
    let (pages, page) = statistics_pages(&listing, "test");
    assert_eq!(pages, [Statistics::General, Statistics::SolidState]);
    assert_eq!(list(&page, "statistics_pages"), ["0", "1", "7"]);
}
