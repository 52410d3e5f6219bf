//! ATA pages against what other tools say of the same bytes: those that the rig's SATA drive gave, and made ones that hdparm was shown.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use super::*;
use crate::field::{Page, Value};
use proptest::prelude::*;
use serde_json::Value as Json;

const SATA: &[u8] = include_bytes!("../../../../../fixtures/pages/sata-identify-device.bin");
const HDD: &[u8] = include_bytes!("../../../../../fixtures/pages/made-identify-hdd.bin");
const SSD: &[u8] = include_bytes!("../../../../../fixtures/pages/made-identify-ssd.bin");
const DATA: &[u8] = include_bytes!("../../../../../fixtures/pages/sata-smart-data.bin");
const THRESHOLDS: &[u8] = include_bytes!("../../../../../fixtures/pages/sata-smart-thresholds.bin");
const STATUS: &[u8] = include_bytes!("../../../../../fixtures/pages/sata-smart-status-sense.bin");
const SMARTCTL: &str = include_str!("../../../../../fixtures/pages/sata-smartctl.json");

fn smartctl() -> Json {
    serde_json::from_str(SMARTCTL).unwrap()
}

fn json(page: &Page, key: &str) -> Json {
    page.field(key).map_or(Json::Null, |field| serde_json::to_value(&field.value).unwrap())
}

fn list(page: &Page, key: &str) -> Vec<String> {
    match &page.field(key).unwrap().value {
        Value::List(words) => words.clone(),
        other => panic!("{key} is {other:?}"),
    }
}

fn changed(bytes: &[u8], words: &[(usize, u16)]) -> Page {
    let mut bytes = bytes.to_vec();
    for (number, word) in words {
        bytes[2 * number..2 * number + 2].copy_from_slice(&word.to_le_bytes());
    }
    bytes[510] = 0;
    identify_device(&bytes, "test")
}

#[test]
fn the_rigs_drive_is_what_smartctl_says() {
    let (page, told) = (identify_device(SATA, "test"), smartctl());
    assert_eq!(page.problems, Vec::<String>::new());
    assert_eq!(json(&page, "model"), told["model_name"]);
    assert_eq!(json(&page, "serial"), told["serial_number"]);
    assert_eq!(json(&page, "firmware"), told["firmware_version"]);
    assert_eq!(json(&page, "capacity_blocks"), told["user_capacity"]["blocks"]);
    assert_eq!(json(&page, "capacity_bytes"), told["user_capacity"]["bytes"]);
    assert_eq!(json(&page, "logical_block_bytes"), told["logical_block_size"]);
    assert_eq!(json(&page, "physical_block_bytes"), told["physical_block_size"]);
    assert_eq!(json(&page, "trim_supported"), told["trim"]["supported"]);
    assert_eq!(page.text("trim_kind").unwrap().contains("DRAT"), told["trim"]["deterministic"] == true && told["trim"]["zeroed"] == false);
    assert_eq!(json(&page, "smart_supported"), told["smart_support"]["available"]);
    assert_eq!(json(&page, "smart_enabled"), told["smart_support"]["enabled"]);
    assert_eq!(json(&page, "write_cache_enabled"), told["write_cache"]["enabled"]);
    assert!(told["ata_version"]["string"].as_str().unwrap().starts_with(page.text("ata_version").unwrap()));
    // hdparm -I: a queue of 32; the emulator tells no signalling speed, no rotation and no world wide name.
    assert_eq!(page.number("ncq_depth"), Some(32));
    for key in ["link_speed_gbit_per_s", "link_speed_max_gbit_per_s", "rotation_rate_rpm", "wwn", "form_factor", "sata_version"] {
        assert_eq!(page.field(key), None, "{key}");
    }
}

/// What `hdparm --Istdin` printed of the same words; it names versions up to SATA 3.0 only, and the standard's bits 6 and 7 are 3.1 and 3.2.
#[test]
fn a_made_hard_disk_is_what_hdparm_says() {
    let page = identify_device(HDD, "test");
    assert_eq!(page.problems, Vec::<String>::new());
    let texts = ["model", "serial", "firmware", "form_factor", "wwn", "sata_version", "ata_version"].map(|key| page.text(key).unwrap());
    assert_eq!(texts, ["MADE HDD 4TB-7200", "WD-MADE0001", "82.00A82", "3.5 inch", "5000cca25ec01234", "SATA 3.2", "ACS-3"]);
    assert_eq!(page.number("capacity_bytes"), Some(4_000_787_030_016));
    let numbers = ["logical_block_bytes", "physical_block_bytes", "logical_block_alignment_blocks", "rotation_rate_rpm", "ncq_depth"];
    assert_eq!(numbers.map(|key| page.number(key).unwrap()), [512, 4096, 0, 7200, 32]);
    assert_eq!(page.number("security_erase_minutes"), Some(906));
    assert_eq!(json(&page, "link_speed_max_gbit_per_s"), 6.0);
    assert_eq!(json(&page, "link_speed_gbit_per_s"), 6.0);
    let flags =
        ["write_cache_enabled", "look_ahead_enabled", "trim_supported", "security_supported", "security_enabled", "security_frozen"];
    assert_eq!(flags.map(|key| json(&page, key) == true), [true, true, false, true, false, true]);
    assert_eq!(list(&page, "sanitize_methods"), ["OVERWRITE"]);
    assert_eq!(list(&page, "sct_features"), ["SCT", "WRITE SAME", "error recovery control", "feature control", "data tables"]);
    assert_eq!(page.field("trim_kind"), None);
}

#[test]
fn a_made_solid_state_drive_is_what_hdparm_says() {
    let page = identify_device(SSD, "test");
    assert_eq!(page.problems, Vec::<String>::new());
    let numbers = ["capacity_bytes", "logical_block_bytes", "physical_block_bytes", "rotation_rate_rpm", "trim_max_blocks"];
    assert_eq!(numbers.map(|key| page.number(key).unwrap()), [960_197_124_096, 4096, 4096, 0, 8]);
    assert_eq!(json(&page, "link_speed_max_gbit_per_s"), 6.0);
    assert_eq!(json(&page, "link_speed_gbit_per_s"), 3.0);
    assert_eq!(page.text("trim_kind"), Some("reads zeros (RZAT)"));
    let flags =
        ["volatile_write_cache", "write_cache_enabled", "look_ahead_enabled", "security_locked", "security_frozen", "encrypts_all_data"];
    assert_eq!(flags.map(|key| json(&page, key) == true), [true, false, true, true, false, true]);
    assert_eq!(list(&page, "sanitize_methods"), ["CRYPTO SCRAMBLE", "BLOCK ERASE"]);
    assert_eq!([page.number("security_erase_minutes"), page.number("security_enhanced_erase_minutes")], [Some(32), Some(16)]);
    assert_eq!(list(&page, "sata_features_supported"), ["DMA setup auto-activate", "device sleep"]);
    assert_eq!(list(&page, "sata_features_enabled"), ["device sleep"]);
    let (supported, enabled) = (list(&page, "features_supported"), list(&page, "features_enabled"));
    assert!(supported.contains(&"advanced power management".into()) && !enabled.contains(&"advanced power management".into()));
    assert!(supported.contains(&"write-read-verify".into()) && !enabled.contains(&"write-read-verify".into()));
    assert!(enabled.contains(&"world wide name".into()) && enabled.contains(&"security".into()));
}

#[test]
fn every_field_names_its_word_and_the_standard() {
    for page in [identify_device(SATA, "x"), identify_device(HDD, "x"), identify_device(SSD, "x")] {
        for field in &page.fields {
            assert!(field.source.contains("word") && field.source.contains("ACS-4"), "{}: {}", field.key, field.source);
        }
        let mut keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), page.fields.len(), "a key is there twice");
    }
}

#[test]
fn words_count_only_where_others_say_so() {
    assert_eq!(changed(HDD, &[(76, 0xffff)]).field("ncq_depth"), None);
    assert_eq!(changed(HDD, &[(76, 0x000e)]).field("ncq_depth"), None);
    assert_eq!(changed(HDD, &[(87, 0xffff)]).field("write_cache_enabled"), None);
    assert_eq!(changed(HDD, &[(83, 0xffff)]).field("volatile_write_cache"), None);
    // Without 48-bit addresses the 28 bits count.
    assert_eq!(changed(HDD, &[(83, 0x7969)]).number("capacity_blocks"), Some(0x0fff_ffff));
    assert_eq!(changed(SSD, &[(106, 0x1000)]).number("logical_block_bytes"), Some(512));
    assert_eq!(json(&changed(SSD, &[(69, 0x4034)]), "volatile_write_cache"), false);
    assert_eq!(changed(SSD, &[(69, 0x0010)]).text("trim_kind"), Some("reads anything"));
}

#[test]
fn what_contradicts_itself_is_named() {
    let has = |page: &Page, words: &str| page.problems.iter().any(|problem| problem.contains(words));
    assert!(has(&changed(HDD, &[(82, 0x744b)]), "the write cache is on"));
    assert!(has(&changed(HDD, &[(69, 0x0020)]), "without deterministic reads"));
    assert!(has(&changed(SSD, &[(117, 100)]), "no size of a logical sector"));
    assert!(has(&changed(HDD, &[(0, 0x8580)]), "no ATA device"));
    assert!(has(&changed(HDD, &[(0, 0x0044)]), "incomplete"));
    let mut broken = HDD.to_vec();
    broken[60] ^= 1;
    assert!(has(&identify_device(&broken, "x"), "checksum"));
    assert!(has(&identify_device(&HDD[..100], "x"), "100 bytes instead of 512"));
    let blank = identify_device(&[0; 512], "x");
    assert!(blank.fields.is_empty() && has(&blank, "nothing but 0x00"));
}

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
    assert_eq!(json(&page, "offline_collection_seconds"), told["ata_smart_data"]["offline_data_collection"]["completion_seconds"]);
    assert_eq!(page.text("offline_collection_status"), Some("completed without error"));
    assert!(list(&thresholds, "attributes_failing").is_empty());
}

/// SMART data with these (number, flags, value, worst, raw) and a right checksum.
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
    let page = smart_data(
        &data(&[
            (5, 3, 90, 90, 0x0007_0000_0012),
            (9, 2, 88, 88, 0x00ab_cd00_2710),
            (190, 2, 60, 50, 40),
            (194, 2, 65, 55, 0x002d_0014_0023),
            (187, 2, 100, 100, 4),
            (197, 2, 100, 100, 8),
            (198, 2, 100, 100, 2),
            (199, 2, 200, 200, 11),
            (231, 2, 93, 93, 7),
            (233, 2, 0, 0, 5),
            (241, 2, 99, 99, 123_456),
        ]),
        "test",
    );
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

/// Random bytes, and a true page with some bytes changed, so that conditions hold.
fn hostile(page: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let random = proptest::collection::vec(any::<u8>(), 0..700);
    let near = (proptest::collection::vec((0..page.len(), any::<u8>()), 0..40), 0..=page.len()).prop_map(|(changes, length)| {
        let mut bytes = page.to_vec();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        bytes.truncate(length);
        bytes
    });
    prop_oneof![random, near]
}

/// What holds of every page that any bytes give.
fn is_sound(page: &Page, length: usize) -> bool {
    let is_finite = |value: &Value| !matches!(value, Value::Real(real) if !real.is_finite());
    let mut keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
        && page.raw.len() == 2 * length
        && page.fields.iter().all(|field| !field.key.is_empty() && !field.source.is_empty() && is_finite(&field.value))
}

proptest! {
    #[test]
    fn any_identify_data_are_read(bytes in prop_oneof![hostile(HDD), hostile(SSD)]) {
        let page = identify_device(&bytes, "x");
        prop_assert!(is_sound(&page, bytes.len()));
        prop_assert!(bytes.len() >= 512 || !page.problems.is_empty());
    }

    #[test]
    fn any_smart_pages_are_read(bytes in hostile(DATA), limits in hostile(THRESHOLDS)) {
        prop_assert!(is_sound(&smart_data(&bytes, "x"), bytes.len()));
        prop_assert!(is_sound(&smart_thresholds(&limits, Some(&bytes), "x"), limits.len()));
        prop_assert!(is_sound(&smart_status(&bytes, "x"), bytes.len()));
    }

    #[test]
    fn any_statistics_are_read(bytes in hostile(DATA), number in 0_u8..9, block in proptest::option::of(any::<u64>())) {
        let mut bytes = bytes;
        if bytes.len() > 2 { bytes[2] = number; }
        for which in Statistics::ALL {
            prop_assert!(is_sound(&device_statistics(which, &bytes, block, "x"), bytes.len()));
        }
        prop_assert!(is_sound(&statistics_pages(&bytes, "x").1, bytes.len()));
    }
}
