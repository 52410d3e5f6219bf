//! SCSI pages against what other tools say of the same bytes: those that the rig's drives and the kernel's `scsi_debug` gave, and made ones that sg3-utils was shown.

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../../fixtures/pages/", $name, ".bin")).as_slice()
    };
}

mod logs;

use super::*;
use crate::field::Page;
use crate::testing::{hostile, is_sound, json as value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn values<const N: usize>(page: &Page, keys: [&str; N]) -> [Json; N] {
    keys.map(|key| value(page, key))
}

fn smartctl(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn whole(page: Page) -> Page {
    assert_eq!(page.problems, Vec::<String>::new(), "{}", page.name);
    page
}

#[test]
fn inquiry_is_what_sg_inq_says() {
    let keys = ["vendor", "model", "firmware", "peripheral_type", "scsi_version", "command_queuing_supported", "protection_supported"];
    let of = |bytes| values(&whole(inquiry(bytes, "test")), keys);
    assert_eq!(
        of(page!("scsi-inquiry")),
        [json!("QEMU"), json!("QEMU HARDDISK"), json!("2.5+"), json!("disk"), json!("SPC-3"), json!(true), json!(false)]
    );
    assert_eq!(of(page!("sata-inquiry"))[..3], [json!("ATA"), json!("QEMU HARDDISK"), json!("2.5+")]);
    let debug = whole(inquiry(page!("scsi-debug-inquiry"), "test"));
    assert_eq!(
        values(&debug, ["vendor", "model", "firmware", "scsi_version", "multiple_ports"]),
        ["Linux", "scsi_debug", "0191", "SPC-5"].map(Json::from).into_iter().chain([json!(true)]).collect::<Vec<_>>()[..]
    );
    assert_eq!(value(&debug, "version_descriptor_1"), "0x00c0");
    // 36 bytes of a drive that has 96 are a whole answer; version descriptors are then not known.
    assert_eq!(inquiry(&page!("scsi-debug-inquiry")[..36], "test").problems, Vec::<String>::new());
    assert!(inquiry(&page!("scsi-debug-inquiry")[..20], "test").problems[0].contains("firmware"));
}

#[test]
fn capacity_is_what_sg_readcap_and_smartctl_say() {
    let debug = whole(read_capacity_16(page!("scsi-debug-read-capacity-16"), "test"));
    let told = smartctl(include_str!("../../../../../../fixtures/pages/scsi-debug-smartctl.json"));
    assert_eq!(value(&debug, "capacity_blocks"), told["user_capacity"]["blocks"]);
    assert_eq!(value(&debug, "capacity_bytes"), told["user_capacity"]["bytes"]);
    assert_eq!(value(&debug, "logical_block_bytes"), told["logical_block_size"]);
    assert_eq!(value(&debug, "physical_block_bytes"), told["physical_block_size"]);
    let provisioning = &told["scsi_lb_provisioning"];
    let flags = [&provisioning["management_enabled"]["value"], &provisioning["read_zeros"]["value"]].map(|flag| flag == 1);
    assert_eq!(values(&debug, ["provisioning_managed", "provisioning_reads_zeros"]), flags.map(Json::from));
    let scsi = whole(read_capacity_16(page!("scsi-read-capacity-16"), "test"));
    let keys = ["capacity_bytes", "physical_block_bytes", "lowest_aligned_block", "provisioning_managed", "provisioning_reads_zeros"];
    assert_eq!(values(&scsi, keys), [json!(33_554_432), json!(512), json!(0), json!(true), json!(false)]);
}

#[test]
fn a_capacity_beyond_all_numbers_is_left_out() {
    let mut bytes = [0xff; 32];
    bytes[8..12].copy_from_slice(&512_u32.to_be_bytes());
    let page = read_capacity_16(&bytes, "test");
    assert_eq!((page.field("capacity_bytes"), page.number("logical_block_bytes")), (None, Some(512)));
    assert!(read_capacity_16(&[0; 32], "test").problems[0].contains("is 0"));
}

#[test]
fn the_write_cache_is_what_sg_modes_says() {
    let keys = ["write_cache_enabled", "read_cache_enabled", "look_ahead_enabled", "write_protected", "fua_supported"];
    let of = |bytes| values(&whole(caching(ModeSense::Ten, bytes, "test")), keys).map(|value| value == true);
    assert_eq!(of(page!("scsi-mode-page-8")), [true, true, true, false, false]);
    assert_eq!(of(page!("sata-mode-page-8")), [true, true, false, false, false]);
    assert_eq!(of(page!("scsi-debug-mode-page-8")), [true, true, true, false, true]);
}

/// A translator fills the whole buffer; what lies behind the end that it tells is not kept.
#[test]
fn only_what_was_told_is_kept() {
    let padded = |bytes: &[u8]| [bytes, &[0; 200]].concat();
    assert_eq!(caching(ModeSense::Ten, &padded(page!("sata-mode-page-8")), "x"), caching(ModeSense::Ten, page!("sata-mode-page-8"), "x"));
    assert_eq!(
        log(LogPage::Temperature, &padded(page!("scsi-debug-log-0d")), "x"),
        log(LogPage::Temperature, page!("scsi-debug-log-0d"), "x")
    );
    assert_eq!(
        vpd(VpdPage::SerialNumber, &padded(page!("scsi-vpd-80")), None, "x"),
        vpd(VpdPage::SerialNumber, page!("scsi-vpd-80"), None, "x")
    );
}

#[test]
fn both_headers_of_mode_sense() {
    // Twelve bytes of page, as SCSI-2 has it, behind a header of four and one block descriptor of eight.
    let mut six = vec![0; 26];
    (six[0], six[2], six[3]) = (25, 0x80, 8);
    six[12..15].copy_from_slice(&[0x88, 0x0c, 0x01]);
    let page = whole(caching(ModeSense::Six, &six, "test"));
    let keys = ["write_cache_enabled", "read_cache_enabled", "write_protected", "look_ahead_enabled"];
    assert_eq!(values(&page, keys), [json!(false), json!(false), json!(true), json!(true)]);
    let other = [0, 20, 0, 0, 0, 0, 0, 0, 0x0a, 10, 0, 0];
    assert_eq!(caching(ModeSense::Ten, &other, "test").problems, ["answers with mode page 0x0a"]);
    assert_eq!(caching(ModeSense::Ten, &[0, 6, 0, 0, 0, 0, 0, 0], "test").problems, ["ends before the mode page"]);
    assert!(caching(ModeSense::Six, &[3], "test").problems[0].contains("no mode parameter header"));
}

#[test]
fn vital_product_data_are_what_sg_vpd_says() {
    let of = |which, bytes| whole(vpd(which, bytes, Some(512), "test"));
    let pages = of(VpdPage::Supported, page!("scsi-vpd-00"));
    assert_eq!(value(&pages, "vpd_pages"), json!(["00h", "80h", "83h", "B0h", "B1h", "B2h"]));
    assert_eq!(of(VpdPage::SerialNumber, page!("scsi-vpd-80")).text("serial"), Some("SCSI-A"));
    assert_eq!(of(VpdPage::SerialNumber, page!("sata-vpd-80")).text("serial"), Some("SATA-A"));
    let limits = of(VpdPage::BlockLimits, page!("scsi-vpd-b0"));
    #[rustfmt::skip]
    let keys = [
        "max_transfer_blocks", "max_transfer_bytes", "max_unmap_blocks", "max_unmap_descriptors", "unmap_granularity_blocks",
        "max_write_same_blocks",
    ];
    assert_eq!(values(&limits, keys), [4_194_303_u64, 4_194_303 * 512, 2_097_152, 255, 8, 0x3f_ffff].map(Json::from));
    assert_eq!(limits.field("optimal_transfer_blocks"), None);
    let debug = of(VpdPage::BlockLimits, page!("scsi-debug-vpd-b0"));
    let keys = ["max_transfer_blocks", "optimal_transfer_blocks", "optimal_transfer_granularity_blocks"];
    assert_eq!(values(&debug, keys), [131_072, 1024, 8].map(Json::from));
    // sg_vpd: -1 [unbounded].
    assert_eq!((debug.field("max_unmap_blocks"), debug.number("max_unmap_descriptors")), (None, Some(256)));
    let sata = of(VpdPage::BlockLimits, page!("sata-vpd-b0"));
    assert_eq!(
        values(&sata, ["max_unmap_blocks", "max_write_same_blocks", "max_transfer_blocks"]),
        [json!(0), json!(0x3f_ffc0), Json::Null]
    );
    let thin = of(VpdPage::Provisioning, page!("scsi-vpd-b2"));
    assert_eq!(values(&thin, ["trim_supported", "trim_kind", "provisioning_type"]), [json!(true), json!("reads anything"), json!("thin")]);
    let debug = of(VpdPage::Provisioning, page!("scsi-debug-vpd-b2"));
    assert_eq!(
        values(&debug, ["trim_kind", "unmap_supported", "write_same_10_unmap_supported"]),
        [json!("reads zeros (LBPRZ)"), json!(true), json!(false)]
    );
}

#[test]
fn rotation_form_factor_and_caches() {
    let of = |which, bytes| whole(vpd(which, bytes, None, "test"));
    assert_eq!(of(VpdPage::BlockCharacteristics, page!("scsi-vpd-b1")).fields, []);
    let keys = ["rotation_rate_rpm", "form_factor", "zoned"];
    let debug = of(VpdPage::BlockCharacteristics, page!("scsi-debug-vpd-b1"));
    assert_eq!(values(&debug, keys), [json!(0), json!("less than 1.8 inch"), Json::Null]);
    let disk = of(VpdPage::BlockCharacteristics, page!("made-vpd-b1-sas-hdd"));
    assert_eq!(values(&disk, keys), [json!(15_000), json!("2.5 inch"), json!("host-aware")]);
    let extended = of(VpdPage::ExtendedInquiry, page!("made-vpd-86"));
    let keys = [
        "volatile_write_cache",
        "nonvolatile_cache",
        "command_priority_supported",
        "protection_types_supported",
        "extended_self_test_minutes",
    ];
    assert_eq!(values(&extended, keys), [json!(true), json!(false), json!(true), json!(1), json!(180)]);
}

#[test]
fn names_of_the_unit_the_port_and_the_device() {
    let debug = whole(vpd(VpdPage::Identification, page!("scsi-debug-vpd-83"), None, "test"));
    let told = smartctl(include_str!("../../../../../../fixtures/pages/scsi-debug-smartctl.json"));
    assert_eq!(json!(format!("0x{}", debug.text("wwn").unwrap())), told["logical_unit_id"]);
    let keys = ["wwn", "t10_vendor_id", "port_number", "port_wwn", "device_wwn", "device_scsi_name", "scsi_transport"];
    let sg_vpd =
        ["3333333000003e80", "Linux   scsi_debug      16000", "1", "3222222000003e7e", "3222222000003e7d", "naa.3222222000003E7D", "SAS"];
    assert_eq!(values(&debug, keys), sg_vpd.map(Json::from));
    let sata = whole(vpd(VpdPage::Identification, page!("sata-vpd-83"), None, "test"));
    assert_eq!(values(&sata, ["vendor_specific_id", "wwn"]), [json!("SATA-A"), Json::Null]);
    let cut = vpd(VpdPage::Identification, &page!("scsi-debug-vpd-83")[..50], None, "test");
    assert_eq!(cut.text("wwn"), Some("3333333000003e80"));
    assert_eq!(cut.problems, ["bytes at its end that are no designator: 1"]);
}

#[test]
fn the_ata_page_bears_the_drives_own_words() {
    let bytes = page!("sata-vpd-89");
    let page = whole(vpd(VpdPage::AtaInformation, bytes, None, "test"));
    assert_eq!(
        values(&page, ["translator_vendor", "translator_model", "translator_firmware"]),
        ["linux", "libata", "3.00"].map(Json::from)
    );
    let (own, direct) =
        (identify_of_vpd(bytes, "test").unwrap(), crate::pages::ata::identify_device(page!("sata-identify-device"), "test"));
    assert_eq!(own, direct);
    // hdparm --Istdin of the words behind the header.
    let seagate = whole(identify_of_vpd(page!("scsi-debug-vpd-89"), "test").unwrap());
    assert_eq!(
        values(&seagate, ["model", "firmware", "capacity_blocks", "ata_version"]),
        [json!("ST380013AS"), json!("3.18"), json!(156_301_488), json!("ATA/ATAPI-6")]
    );
    let mut packet = bytes.to_vec();
    packet[56] = 0xa1;
    assert_eq!(identify_of_vpd(&packet, "test"), None);
}

#[test]
fn a_page_that_is_another_is_refused() {
    let page = vpd(VpdPage::BlockLimits, page!("scsi-vpd-b1"), None, "test");
    assert_eq!((page.fields.len(), page.problems), (0, vec!["answers with page B1h".to_owned()]));
    let page = log(LogPage::SolidState, page!("scsi-debug-log-0d"), "test");
    assert_eq!((page.fields.len(), page.problems), (0, vec!["answers with log page 0Dh".to_owned()]));
    assert!(vpd(VpdPage::BlockLimits, &page!("scsi-vpd-b0")[..10], None, "test").problems[0].contains("max_transfer_blocks"));
}

#[test]
fn every_field_has_a_source_with_its_standard() {
    let pages = [
        inquiry(page!("scsi-debug-inquiry"), "x"),
        read_capacity_16(page!("scsi-debug-read-capacity-16"), "x"),
        caching(ModeSense::Ten, page!("scsi-debug-mode-page-8"), "x"),
        vpd(VpdPage::Identification, page!("scsi-debug-vpd-83"), None, "x"),
        vpd(VpdPage::BlockLimits, page!("scsi-debug-vpd-b0"), Some(512), "x"),
        vpd(VpdPage::Provisioning, page!("scsi-debug-vpd-b2"), None, "x"),
        log(LogPage::ReadErrors, page!("made-log-03"), "x"),
        log(LogPage::BackgroundScan, page!("made-log-15"), "x"),
        log(LogPage::ProtocolPort, page!("made-log-18"), "x"),
    ];
    for page in pages {
        assert!(!page.fields.is_empty(), "{}", page.name);
        for field in &page.fields {
            assert!(["SPC-", "SBC-", "SPL-"].iter().any(|document| field.source.contains(document)), "{}: {}", field.key, field.source);
        }
    }
}

proptest! {
    #[test]
    fn any_vital_product_data_are_read(bytes in prop_oneof![hostile(page!("scsi-debug-vpd-83")), hostile(page!("scsi-debug-vpd-b0"))], block in proptest::option::of(any::<u64>())) {
        for which in VpdPage::ALL.into_iter().chain([VpdPage::Supported]) {
            let mut bytes = bytes.clone();
            if let Some(code) = bytes.get_mut(1) { *code = which.code(); }
            prop_assert!(is_sound(&vpd(which, &bytes, block, "x")));
        }
        prop_assert!(identify_of_vpd(&bytes, "x").is_none_or(|page| is_sound(&page)));
    }

    #[test]
    fn any_log_pages_are_read(bytes in prop_oneof![hostile(page!("made-log-03")), hostile(page!("made-log-18")), hostile(page!("made-log-15"))]) {
        for which in LogPage::ALL.into_iter().chain([LogPage::Supported]) {
            let mut bytes = bytes.clone();
            if let Some(code) = bytes.get_mut(0) { *code = which.code(); }
            prop_assert!(is_sound(&log(which, &bytes, "x")));
        }
    }

    #[test]
    fn any_other_answers_are_read(bytes in prop_oneof![hostile(page!("scsi-debug-inquiry")), hostile(page!("scsi-debug-mode-page-8")), hostile(page!("sata-smart-status-sense"))]) {
        prop_assert!(is_sound(&inquiry(&bytes, "x")));
        prop_assert!(is_sound(&read_capacity_16(&bytes, "x")));
        prop_assert!(is_sound(&caching(ModeSense::Six, &bytes, "x")));
        prop_assert!(is_sound(&caching(ModeSense::Ten, &bytes, "x")));
        if let Some(sense) = Sense::parse(&bytes) {
            prop_assert!(sense.to_string().contains("h/"));
        }
    }
}
