//! ATA pages against what other tools say of the same bytes: those that the rig's SATA drive gave, and made ones that hdparm was shown.

mod smart;

use super::*;
use crate::field::{Page, Value};
use crate::testing::{hostile, is_sound, json, unique_keys};
use proptest::prelude::*;
use serde_json::Value as Json;

const SATA: &[u8] = include_bytes!("../../../../../../fixtures/pages/sata-identify-device.bin");
const HDD: &[u8] = include_bytes!("../../../../../../fixtures/pages/made-identify-hdd.bin");
const SSD: &[u8] = include_bytes!("../../../../../../fixtures/pages/made-identify-ssd.bin");
const DATA: &[u8] = include_bytes!("../../../../../../fixtures/pages/sata-smart-data.bin");
const THRESHOLDS: &[u8] = include_bytes!("../../../../../../fixtures/pages/sata-smart-thresholds.bin");
const STATUS: &[u8] = include_bytes!("../../../../../../fixtures/pages/sata-smart-status-sense.bin");
const SMARTCTL: &str = include_str!("../../../../../../fixtures/pages/sata-smartctl.json");

fn smartctl() -> Json {
    serde_json::from_str(SMARTCTL).unwrap()
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

/// Expected is what `hdparm --Istdin` printed of the same words; it names versions up to SATA 3.0 only, and the standard's bits 6 and 7 are 3.1 and 3.2.
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
        assert!(unique_keys(&page), "a key is there twice");
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

fn is_whole(page: &Page, length: usize) -> bool {
    is_sound(page) && page.raw.len() == 2 * length
}

proptest! {
    #[test]
    fn any_identify_data_are_read(bytes in prop_oneof![hostile(HDD), hostile(SSD)]) {
        let page = identify_device(&bytes, "x");
        prop_assert!(is_whole(&page, bytes.len()));
        prop_assert!(bytes.len() >= 512 || !page.problems.is_empty());
    }

    #[test]
    fn any_smart_pages_are_read(bytes in hostile(DATA), limits in hostile(THRESHOLDS)) {
        prop_assert!(is_whole(&smart_data(&bytes, "x"), bytes.len()));
        prop_assert!(is_whole(&smart_thresholds(&limits, Some(&bytes), "x"), limits.len()));
        prop_assert!(is_whole(&smart_status(&bytes, "x"), bytes.len()));
    }

    #[test]
    fn any_statistics_are_read(bytes in hostile(DATA), number in 0_u8..9, block in proptest::option::of(any::<u64>())) {
        let mut bytes = bytes;
        if bytes.len() > 2 { bytes[2] = number; }
        for which in Statistics::ALL {
            prop_assert!(is_whole(&device_statistics(which, &bytes, block, "x"), bytes.len()));
        }
        prop_assert!(is_whole(&statistics_pages(&bytes, "x").1, bytes.len()));
    }
}
