//! Pages made by hand of drives that the rig does not have: worn ones, and ones that use what an emulated drive leaves at zero.

use super::super::*;
use super::{made, value};
use crate::field::Value;
use crate::pages::decode;

#[test]
fn a_worn_drive() {
    #[rustfmt::skip]
    let bytes = made(
        512,
        &[
            (0, &[0b0000_1101]), (1, &[0x63, 0x01, 4, 10, 255, 0b101]), (32, &3_000_000_000_u64.to_le_bytes()),
            (128, &61_320_u32.to_le_bytes()), (144, &[212]), (160, &[0xff; 16]), (192, &90_u32.to_le_bytes()),
            (196, &3_u32.to_le_bytes()), (202, &[0x70, 0x01]), (216, &7_u32.to_le_bytes()), (228, &86_400_u32.to_le_bytes()),
        ],
    );
    let page = smart_log(&bytes, "made by hand");
    let warnings = ["available spare below its threshold", "reliability degraded by media or internal errors", "media is read only"];
    assert_eq!(value(&page, "critical_warnings"), Some(Value::List(warnings.map(str::to_owned).to_vec())));
    assert_eq!(value(&page, "smart_passed"), Some(Value::Flag(false)));
    assert_eq!((page.number("available_spare_percent"), page.number("available_spare_threshold_percent")), (Some(4), Some(10)));
    assert_eq!((page.number("percentage_used_percent"), page.number("temperature_celsius")), (Some(255), Some(82)));
    assert_eq!((page.number("data_read_bytes"), page.number("power_on_hours")), (Some(1_536_000_000_000_000), Some(61_320)));
    assert_eq!(page.text("media_errors"), Some("340282366920938463463374607431768211455"));
    assert_eq!((page.number("warning_temperature_minutes"), page.number("critical_temperature_minutes")), (Some(90), Some(3)));
    assert_eq!((page.number("temperature_sensor_2_celsius"), page.field("temperature_sensor_1_celsius")), (Some(95), None));
    assert_eq!((page.number("thermal_transitions_1"), page.number("thermal_time_2_seconds")), (Some(7), Some(86_400)));
    assert!(matches!(value(&page, "endurance_group_warnings"), Some(Value::List(words)) if words.len() == 2));
    assert_eq!(page.problems, [""; 0]);
}

#[test]
fn a_spare_below_its_threshold_without_a_warning_is_a_contradiction() {
    let page = smart_log(&made(512, &[(3, &[4, 10])]), "made by hand");
    assert!(page.problems[0].starts_with("the available spare of 4 % is below its threshold of 10 %"), "{:?}", page.problems);
    assert_eq!(smart_log(&made(512, &[(3, &[10, 10])]), "made by hand").problems, [""; 0]);
}

#[test]
fn errors_are_named() {
    let entry = |count: u64, status: u16| {
        made(64, &[(0, &count.to_le_bytes()), (8, &[1, 0, 7, 0]), (12, &status.to_le_bytes()), (14, &[40, 5]), (16, &[9]), (24, &[1])])
    };
    let unrecovered = 0x281 << 1 | 1 << 15;
    let bytes = [entry(41, unrecovered), entry(0, 0), entry(40, 0x3ff << 1)].concat();
    let page = error_log(&bytes, "made by hand");
    assert_eq!(page.number("error_log_used_entries"), Some(2));
    assert_eq!((page.number("error_0_count"), page.text("error_0_status")), (Some(41), Some("unrecovered read error")));
    assert_eq!((page.number("error_0_queue"), page.number("error_0_command"), page.number("error_0_block")), (Some(1), Some(7), Some(9)));
    assert_eq!((page.number("error_0_parameter_byte"), page.number("error_0_parameter_bit")), (Some(40), Some(5)));
    assert_eq!(value(&page, "error_0_do_not_retry"), Some(Value::Flag(true)));
    assert_eq!((page.field("error_1_count"), page.text("error_2_status")), (None, Some("reserved (1023)")));
    assert_eq!(error_log(&bytes[..130], "cut").problems, ["ends within entry 2"]);
    assert_eq!(error_log(&[], "nothing").problems.len(), 1);
}

#[test]
fn self_tests_are_named_and_entries_never_used_left_out() {
    let mut bytes = made(564, &[(0, &[2, 35])]);
    let failed = made(28, &[(0, &[0x27, 3, 0b1111, 0]), (4, &[0x10, 0x27]), (12, &[1]), (16, &[0xe8, 3]), (24, &[2, 0x81])]);
    bytes[4..32].copy_from_slice(&failed);
    bytes[32] = 0x10;
    bytes[60] = 0x0f;
    let page = decode(&SELF_TEST_LOG, &bytes, "made by hand");
    assert_eq!((page.text("self_test_running"), page.number("self_test_done_percent")), (Some("extended"), Some(35)));
    assert_eq!((page.text("self_test_0_kind"), page.text("self_test_0_result")), (Some("extended"), Some("failed in a segment")));
    assert_eq!((page.number("self_test_0_failed_segment"), page.number("self_test_0_power_on_hours")), (Some(3), Some(10_000)));
    assert_eq!((page.number("self_test_0_failing_block"), page.number("self_test_0_namespace")), (Some(1000), Some(1)));
    assert_eq!(
        (page.text("self_test_0_status_type"), page.text("self_test_0_status_code")),
        (Some("media and data integrity"), Some("0x81"))
    );
    assert_eq!((page.text("self_test_1_kind"), page.text("self_test_1_result")), (Some("short"), Some("passed")));
    assert!(page.field("self_test_2_result").is_none() && page.field("self_test_3_result").is_none(), "unused by its code, and zeros");
}

#[test]
fn power_states_count_in_the_scale_that_they_name() {
    let state = |index: usize| 2048 + 32 * index;
    #[rustfmt::skip]
    let bytes = made(
        4096,
        &[
            (263, &[2]), (state(0), &[0x39, 3, 0, 0]), (state(0) + 16, &[0x2c, 1, 0x80, 0, 0xf4, 1, 0x82]),
            (state(1), &[0xf4, 1, 0, 3, 0x88, 0x13]), (state(1) + 16, &[50, 0, 0x40, 0, 50, 0, 0x41]), (state(3), &[1]),
        ],
    );
    let page = decode(&CONTROLLER, &bytes, "made by hand");
    let real = |key: &str| page.field(key).map(|field| field.value.clone());
    assert_eq!((real("power_state_0_max_watts"), real("power_state_0_idle_watts")), (Some(Value::Real(8.25)), Some(Value::Number(3))));
    assert_eq!((real("power_state_0_active_watts"), real("power_state_1_idle_watts")), (Some(Value::Number(5)), Some(Value::Real(0.005))));
    assert_eq!((real("power_state_1_max_watts"), real("power_state_1_operational")), (Some(Value::Real(0.05)), Some(Value::Flag(false))));
    assert_eq!(
        (real("power_state_0_operational"), real("power_state_1_entry_microseconds")),
        (Some(Value::Flag(true)), Some(Value::Number(5000)))
    );
    assert_eq!(page.text("power_state_0_workload"), Some("workload 2: heavy sequential writes"));
    assert!(page.field("power_state_2_operational").is_some() && page.field("power_state_3_operational").is_none());
}

#[test]
fn abilities_and_limits_of_the_controller() {
    #[rustfmt::skip]
    let bytes = made(
        4096,
        &[
            (80, &[0, 0, 2, 0]), (260, &[0b11_0110]), (272, &[0x00, 0x40, 0, 0, 0x00, 0x10]),
            (280, &2_000_398_934_016_u64.to_le_bytes()), (312, &[1, 0, 3, 1]), (322, &[1, 0, 0x11, 0x01, 0x66, 0x01, 0b11, 0, 0, 0xa0]),
            (319, &[0xff]), (524, &[0b100]),
        ],
    );
    let page = decode(&CONTROLLER, &bytes, "made by hand");
    assert_eq!((page.text("nvme_version"), page.number("firmware_slots")), (Some("2.0.0"), Some(3)));
    assert_eq!((page.number("host_memory_preferred_bytes"), page.number("host_memory_min_bytes")), (Some(64 << 20), Some(16 << 20)));
    assert_eq!((page.number("total_capacity_bytes"), page.number("unallocated_capacity_bytes")), (Some(2_000_398_934_016), Some(0)));
    assert_eq!((page.number("rpmb_bytes"), page.number("rpmb_access_bytes")), (Some(512 << 10), Some(1024)));
    assert_eq!((page.number("thermal_management_min_celsius"), page.number("thermal_management_max_celsius")), (Some(0), Some(85)));
    let words = |key: &str| value(&page, key);
    let list = |words: &[&str]| Some(Value::List(words.iter().map(|word| (*word).to_owned()).collect()));
    assert_eq!(words("sanitize"), list(&["crypto erase", "block erase", "no-deallocate inhibited"]));
    assert_eq!((page.text("sanitize_modifies_media"), words("format")), (Some("modified"), list(&["cryptographic erase"])));
    assert_eq!((page.field("max_transfer_bytes"), page.field("firmware_granularity_bytes")), (None, None), "no limit, and no restriction");
}

/// FLBAS 0x65: format 5 of the low bits plus 48 of the high ones, at the end of the block.
#[test]
fn a_namespace_in_one_of_many_formats() {
    #[rustfmt::skip]
    let bytes = made(
        4096,
        &[
            (0, &1000_u64.to_le_bytes()), (8, &1000_u64.to_le_bytes()), (24, &[0b1_0011, 15, 0x75]), (29, &[0b1001]),
            (32, &[0x80 | 40]), (34, &[7, 0, 0, 0, 0, 0, 255, 0]), (64, &[15, 0]), (82, &[48]), (128 + 4 * 53, &[64, 0, 12, 2]),
            (104, &[0xab; 16]),
        ],
    );
    let page = namespace(&bytes, "made by hand");
    assert_eq!((page.number("lba_format_current"), page.number("logical_block_bytes")), (Some(53), Some(4096)));
    assert_eq!((page.number("metadata_bytes"), page.text("lba_format_53_performance")), (Some(64), Some("good")));
    assert_eq!((page.number("capacity_bytes"), value(&page, "metadata_in_block")), (Some(4_096_000), Some(Value::Flag(true))));
    assert_eq!((page.text("protection"), value(&page, "protection_first")), (Some("type 1"), Some(Value::Flag(true))));
    assert_eq!((page.number("format_left_percent"), page.number("preferred_write_blocks")), (Some(40), Some(16)));
    assert_eq!((page.number("namespace_atomic_write_blocks"), page.number("namespace_atomic_write_power_fail_blocks")), (Some(8), Some(1)));
    assert_eq!((page.number("atomic_boundary_blocks"), page.text("nguid")), (Some(256), Some("ab".repeat(16).as_str())));
    assert_eq!((page.field("eui64"), page.problems.len()), (None, 0));
}

#[test]
fn a_namespace_that_contradicts_itself() {
    let sizes = |size: u64, capacity: u64, used: u64| {
        made(4096, &[(0, &size.to_le_bytes()), (8, &capacity.to_le_bytes()), (16, &used.to_le_bytes()), (130, &[9])])
    };
    let problems = |bytes: &[u8]| namespace(bytes, "made by hand").problems;
    assert_eq!(problems(&sizes(10, 10, 10)), [""; 0]);
    assert_eq!(problems(&sizes(10, 11, 12)).len(), 2);
    assert_eq!(problems(&sizes(u64::MAX, 0, 0)), ["capacity_bytes is too large for any drive and was left out"]);
    let mut bytes = sizes(10, 10, 10);
    bytes[26] = 3;
    assert_eq!(problems(&bytes), ["LBA format 3 is in use but not described"]);
    assert_eq!(problems(&made(4096, &[])), [""; 0], "a namespace that is not active reads as zeros");
}

#[test]
fn descriptors_of_a_namespace() {
    let eui64 = [&[1, 8, 0, 0][..], &[0x11; 8]].concat();
    let uuid: Vec<u8> = [&[3, 16, 0, 0][..], &(0..16).collect::<Vec<u8>>()].concat();
    let page = descriptors(&made(4096, &[(0, &eui64), (12, &[9, 2, 0, 0, 1, 1]), (18, &uuid), (38, &[4, 1, 0, 0, 2])]), "made by hand");
    assert_eq!((page.text("eui64"), page.text("uuid")), (Some("1111111111111111"), Some("00010203-0405-0607-0809-0a0b0c0d0e0f")));
    assert_eq!((page.text("command_set"), page.problems.len()), (Some("zoned namespaces"), 0));
    let wrong = descriptors(&made(4096, &[(0, &[2, 8, 0, 0])]), "made by hand");
    assert_eq!(wrong.problems, ["the descriptor at byte 0 has 8 bytes instead of 16"]);
    let twice = descriptors(&made(4096, &[(0, &eui64), (12, &eui64)]), "made by hand");
    assert_eq!((twice.fields.len(), twice.problems), (1, vec!["eui64 is there twice, again at byte 12".to_owned()]));
    let beyond = descriptors(made(4096, &[(0, &[9, 251]), (255, &[9, 251]), (510, &[9, 253])]).split_at(600).0, "cut");
    assert!(beyond.problems.iter().any(|problem| problem.starts_with("the descriptor at byte 510 reaches")), "{:?}", beyond.problems);
}

#[test]
fn log_pages_that_are_supported() {
    let bytes = made(1024, &[(4, &[1]), (8, &[1]), (24, &[3]), (12, &[2]), (4 * 0xc0, &[1])]);
    assert_eq!(supported_log_ids(&bytes).collect::<Vec<_>>(), [1, 2, 6, 0xc0]);
    let names = ["01h errors", "02h SMART", "06h self-tests", "C0h"].map(str::to_owned).to_vec();
    assert_eq!(value(&supported_logs(&bytes, "made by hand"), "supported_logs"), Some(Value::List(names)));
}

#[test]
fn features_that_hold_now() {
    let read = |which, dword: u32, data: usize| feature(which, &[&dword.to_le_bytes()[..], &vec![0; data]].concat(), "made by hand");
    assert_eq!(value(&read(Feature::VolatileWriteCache, 1, 0), "write_cache_enabled"), Some(Value::Flag(true)));
    assert_eq!(read(Feature::PowerManagement, 0x43, 0).number("power_state"), Some(3));
    assert_eq!(read(Feature::TemperatureOver, 0x157, 0).number("temperature_over_celsius"), Some(70));
    assert_eq!(read(Feature::TemperatureUnder, 0x1_0111, 0).number("temperature_under_celsius"), Some(0));
    let queues = read(Feature::Queues, 0x003f_001f, 0);
    assert_eq!((queues.number("submission_queues"), queues.number("completion_queues")), (Some(32), Some(64)));
    let heat = read(Feature::ThermalManagement, 0x0160_0166, 0);
    assert_eq!((heat.number("thermal_management_1_celsius"), heat.number("thermal_management_2_celsius")), (Some(79), Some(85)));
    let mut lent = made(4100, &[(0, &[1]), (4, &[0, 0x40]), (16, &[16])]);
    let page = feature(Feature::HostMemoryBuffer, &lent, "made by hand");
    assert_eq!((page.number("host_memory_buffer_bytes"), page.number("host_memory_buffer_entries")), (Some(64 << 20), Some(16)));
    lent[0] = 0;
    assert_eq!(feature(Feature::HostMemoryBuffer, &lent, "made by hand").fields.len(), 1);
}

#[test]
fn a_status_is_told_in_words() {
    assert_eq!(status_text(0x4002), "invalid field in command", "the do-not-retry flag is no part of it");
    assert_eq!(status_text(0x109), "invalid log page");
    assert_eq!([status_text(0x7c1), status_text(0x5c1)], ["vendor specific status 0xc1", "reserved status 0xc1"]);
}

/// A guard of 64 bits with a tag of 32 in format 1; all others are as formats were before there was a choice.
#[test]
fn guards_and_tags_of_formats() {
    let page = decode(&NAMESPACE_NVM, &made(4096, &[(0, &[0xff, 0x0f]), (8, &[0b101]), (16, &[0x20, 0x01, 0xff, 0xff])]), "x");
    let text = |key: &str| page.text(key).map(str::to_owned);
    assert_eq!(text("storage_tag_mask"), Some("0x0000000000000fff".to_owned()));
    assert_eq!((text("lba_format_1_guard"), page.number("lba_format_1_storage_tag_bits")), (Some("64 bits".to_owned()), Some(32)));
    assert_eq!((page.field("lba_format_0_guard"), page.fields.len()), (None, 4));
    let abilities = ["a storage tag beside a guard of 16 bits", "a check of the tag when read"].map(str::to_owned).to_vec();
    assert_eq!(value(&page, "protection_formats"), Some(Value::List(abilities)));
}
