//! The tables against what nvme-cli read in the same pages.
//!
//! `fixtures/pages/nvme-qemu-*.bin` are pages of an emulated drive, and the `.json` beside them is what nvme-cli 2.3 said of the same bytes; the comparison takes
//! every key of the JSON, so a field that nobody reads shows.

use super::super::*;
use super::value;
use crate::field::{Page, Value};
use crate::pages::decode;
use Same::{Bits, Flag, Hex, Kelvin, Number, NumberOrNone, Other, Power, Scaled, ScaledOrNone, Text, Zeros};
use serde_json::Value as Json;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../../fixtures/pages/", $name))
    };
}

enum Same {
    Number(&'static str),
    /// The same number; 0 means that there is no field.
    NumberOrNone(&'static str),
    Scaled(&'static str, u64, u64),
    /// The same, and no field for 0.
    ScaledOrNone(&'static str, u64),
    Power(&'static str, u64),
    Text(&'static str),
    Bits(&'static str),
    /// Their number, in Kelvin; 0 is no field.
    Kelvin(&'static str),
    Hex(&'static str),
    Zeros(&'static str),
    Flag(&'static str, u32),
    /// Has no field of its own in this page: the fields that it goes into are compared elsewhere.
    Other,
}

fn number(json: &Json) -> u64 {
    json.as_u64().or_else(|| json.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{json} is no number"))
}

fn check(page: &Page, json_key: &str, json: &Json, same: &Same) {
    let some = |number: u64| Some(Value::Number(number));
    let unless_0 = |number: u64| (number != 0).then_some(Value::Number(number));
    let (key, expected) = match same {
        Number(key) => (key, some(number(json))),
        NumberOrNone(key) => (key, unless_0(number(json))),
        Scaled(key, plus, times) => (key, some((number(json) + plus) * times)),
        ScaledOrNone(key, times) => (key, unless_0(number(json) * times)),
        Power(key, times) => (key, some((1 << number(json)) * times)),
        Text(key) => (key, Some(Value::Text(json.as_str().unwrap().trim().to_owned()))),
        Kelvin(key) => (key, (number(json) != 0).then(|| Value::Number(number(json) - 273))),
        Hex(key) => (key, Some(Value::Text(format!("{:#08x}", number(json))))),
        Flag(key, bit) => (key, Some(Value::Flag(number(json) >> bit & 1 == 1))),
        Zeros(key) => {
            assert!(json.as_str().unwrap().chars().all(|c| matches!(c, '0' | '-')), "{json_key}: {json}");
            (key, None)
        }
        Bits(key) => {
            let Some(Value::List(words)) = value(page, key) else { panic!("{key} is no list") };
            assert_eq!(words.len() as u32, number(json).count_ones(), "{json_key}: {words:?}");
            assert!(words.iter().all(|word| !word.starts_with("bit ")), "{key} has a bit without a name: {words:?}");
            return;
        }
        Other => return,
    };
    assert_eq!(value(page, key), expected, "{json_key} -> {key}");
}

fn compare(page: &Page, json: &[u8], table: &[(&str, Same)]) -> Json {
    assert_eq!(page.problems, [""; 0]);
    let json: Json = serde_json::from_slice(json).unwrap();
    for (key, theirs) in json.as_object().unwrap() {
        let (_, same) = table.iter().find(|(known, _)| known == key).unwrap_or_else(|| panic!("{key} is not compared"));
        check(page, key, theirs, same);
    }
    assert_eq!(json.as_object().unwrap().len(), table.len());
    json
}

#[rustfmt::skip]
const CONTROLLER_KEYS: &[(&str, Same)] = &[
    ("vid", Number("vendor_id")), ("ssvid", Number("subsystem_vendor_id")), ("sn", Text("serial")), ("mn", Text("model")),
    ("fr", Text("firmware")), ("rab", Power("arbitration_burst_commands", 1)), ("ieee", Hex("ieee_oui")), ("cmic", Bits("multipath")),
    ("mdts", Power("max_transfer_bytes", 4096)), ("cntlid", Number("controller_id")), ("ver", Other),
    ("rtd3r", NumberOrNone("resume_microseconds")), ("rtd3e", NumberOrNone("suspend_microseconds")),
    ("oaes", Bits("asynchronous_events")), ("ctratt", Bits("controller_attributes")), ("rrls", Bits("read_recovery_levels")),
    ("cntrltype", Other), ("fguid", Zeros("fru_guid")), ("crdt1", ScaledOrNone("retry_delay_1_milliseconds", 100)),
    ("crdt2", ScaledOrNone("retry_delay_2_milliseconds", 100)), ("crdt3", ScaledOrNone("retry_delay_3_milliseconds", 100)),
    ("nvmsr", Bits("subsystem")), ("vwci", NumberOrNone("vpd_write_cycles_left")), ("mec", Bits("management_endpoints")),
    ("oacs", Bits("admin_commands")), ("acl", Scaled("abort_commands", 1, 1)), ("aerl", Scaled("event_requests", 1, 1)),
    ("frmw", Flag("firmware_slot_1_read_only", 0)), ("lpa", Bits("log_attributes")),
    ("elpe", Scaled("error_log_capacity_entries", 1, 1)), ("npss", Scaled("power_states", 1, 1)),
    ("avscc", Flag("vendor_commands_standard_format", 0)), ("apsta", Flag("autonomous_power_states", 0)),
    ("wctemp", Kelvin("warning_temperature_celsius")), ("cctemp", Kelvin("critical_temperature_celsius")),
    ("mtfa", ScaledOrNone("firmware_activation_milliseconds", 100)), ("hmpre", Scaled("host_memory_preferred_bytes", 0, 4096)),
    ("hmmin", ScaledOrNone("host_memory_min_bytes", 4096)), ("tnvmcap", NumberOrNone("total_capacity_bytes")),
    ("unvmcap", NumberOrNone("unallocated_capacity_bytes")), ("rpmbs", Number("rpmb_units")),
    ("edstt", NumberOrNone("extended_self_test_minutes")), ("dsto", Flag("one_self_test_at_a_time", 0)),
    ("fwug", ScaledOrNone("firmware_granularity_bytes", 4096)), ("kas", ScaledOrNone("keep_alive_granularity_milliseconds", 100)),
    ("hctma", Flag("host_thermal_management", 0)), ("mntmt", Kelvin("thermal_management_min_celsius")),
    ("mxtmt", Kelvin("thermal_management_max_celsius")), ("sanicap", Bits("sanitize")),
    ("hmminds", ScaledOrNone("host_memory_entry_min_bytes", 4096)), ("hmmaxd", NumberOrNone("host_memory_entries_max")),
    ("nsetidmax", NumberOrNone("nvm_set_max")), ("endgidmax", NumberOrNone("endurance_group_max")),
    ("anatt", NumberOrNone("asymmetric_transition_seconds")), ("anacap", Bits("asymmetric_access")),
    ("anagrpmax", NumberOrNone("asymmetric_group_max")), ("nanagrpid", NumberOrNone("asymmetric_groups")),
    ("pels", ScaledOrNone("persistent_event_log_max_bytes", 65536)), ("domainid", NumberOrNone("domain")),
    ("megcap", NumberOrNone("endurance_group_max_bytes")), ("sqes", Other), ("cqes", Other),
    ("maxcmd", NumberOrNone("queue_commands_max")), ("nn", Number("namespace_id_max")), ("oncs", Bits("io_commands")),
    ("fuses", Flag("fused_compare_and_write", 0)), ("fna", Bits("format")), ("vwc", Flag("volatile_write_cache", 0)),
    ("awun", Scaled("atomic_write_blocks", 1, 1)), ("awupf", Scaled("atomic_write_power_fail_blocks", 1, 1)),
    ("icsvscc", Flag("vendor_io_commands_standard_format", 0)), ("nwpc", Bits("write_protection")),
    ("acwu", NumberOrNone("atomic_compare_and_write_blocks")), ("ocfs", Bits("copy_formats")), ("sgls", Other),
    ("mnan", NumberOrNone("namespaces_max")), ("maxdna", NumberOrNone("domain_attachments_max")),
    ("maxcna", NumberOrNone("controller_attachments_max")), ("subnqn", Text("nqn")),
    ("ioccsz", ScaledOrNone("capsule_command_bytes", 16)), ("iorcsz", ScaledOrNone("capsule_response_bytes", 16)),
    ("icdoff", ScaledOrNone("capsule_data_offset_bytes", 16)), ("fcatt", Other), ("msdbd", NumberOrNone("capsule_descriptors_max")),
    ("ofcs", Other), ("psds", Other),
];

#[test]
fn the_controller_page_is_read_as_nvme_cli_reads_it() {
    let page = decode(&CONTROLLER, fixture!("nvme-qemu-identify-controller.bin"), "fixture");
    let json = compare(&page, fixture!("nvme-qemu-identify-controller.json"), CONTROLLER_KEYS);
    let ver = number(&json["ver"]);
    assert_eq!(page.text("nvme_version"), Some(format!("{}.{}.{}", ver >> 16, ver >> 8 & 255, ver & 255).as_str()));
    assert_eq!(
        (number(&json["sqes"]), page.number("submission_entry_bytes"), page.number("submission_entry_max_bytes")),
        (0x66, Some(64), Some(64))
    );
    assert_eq!(
        (number(&json["cqes"]), page.number("completion_entry_bytes"), page.number("completion_entry_max_bytes")),
        (0x44, Some(16), Some(16))
    );
    assert_eq!((number(&json["cntrltype"]), page.text("controller_type")), (1, Some("I/O")));
    assert_eq!((number(&json["sgls"]), page.text("scatter_gather_lists")), (1, Some("any alignment")));
    assert_eq!((number(&json["frmw"]), page.number("firmware_slots")), (3, Some(1)));
    assert_eq!((number(&json["vwc"]), page.text("flush_all_namespaces")), (7, Some("supported")));
    let state = &json["psds"][0];
    assert_eq!((number(&state["max_power"]), page.number("power_state_0_max_watts")), (2500, Some(25)));
    assert_eq!(page.number("power_state_0_entry_microseconds"), Some(number(&state["entry_lat"])));
    assert_eq!(page.number("power_state_0_exit_microseconds"), Some(number(&state["exit_lat"])));
    assert_eq!((page.field("power_state_0_idle_watts"), page.field("power_state_1_max_watts")), (None, None));
}

#[rustfmt::skip]
const NAMESPACE_KEYS: &[(&str, Same)] = &[
    ("nsze", Number("namespace_size_blocks")), ("ncap", Number("namespace_capacity_blocks")), ("nuse", Number("namespace_used_blocks")),
    ("nsfeat", Bits("namespace_features")), ("nlbaf", Scaled("lba_formats", 1, 1)), ("flbas", Number("lba_format_current")),
    ("mc", Bits("metadata_places")), ("dpc", Bits("protection_abilities")), ("dps", Other), ("nmic", Flag("shared_namespace", 0)),
    ("rescap", Bits("reservations")), ("fpi", NumberOrNone("format_left_percent")), ("dlfeat", Other),
    ("nawun", NumberOrNone("namespace_atomic_write_blocks")), ("nawupf", NumberOrNone("namespace_atomic_write_power_fail_blocks")),
    ("nacwu", NumberOrNone("namespace_atomic_compare_and_write_blocks")), ("nabsn", NumberOrNone("atomic_boundary_blocks")),
    ("nabo", NumberOrNone("atomic_boundary_offset_blocks")), ("nabspf", NumberOrNone("atomic_boundary_power_fail_blocks")),
    ("noiob", NumberOrNone("optimal_boundary_blocks")), ("nvmcap", NumberOrNone("namespace_nvm_bytes")),
    ("nsattr", Flag("write_protected", 0)), ("nvmsetid", NumberOrNone("nvm_set")), ("npwg", Scaled("preferred_write_blocks", 1, 1)),
    ("npwa", Scaled("preferred_write_alignment_blocks", 1, 1)), ("npdg", Scaled("preferred_trim_blocks", 1, 1)),
    ("npda", Scaled("preferred_trim_alignment_blocks", 1, 1)), ("nows", Scaled("optimal_write_blocks", 1, 1)),
    ("mssrl", Number("copy_range_max_blocks")), ("mcl", Number("copy_max_blocks")), ("msrc", Scaled("copy_ranges_max", 1, 1)),
    ("nulbaf", NumberOrNone("lba_formats_unique")), ("anagrpid", NumberOrNone("asymmetric_group")),
    ("endgid", NumberOrNone("endurance_group")), ("eui64", Zeros("eui64")), ("nguid", Zeros("nguid")), ("lbafs", Other),
];

#[test]
fn the_namespace_page_is_read_as_nvme_cli_reads_it() {
    let page = namespace(fixture!("nvme-qemu-identify-namespace.bin"), "fixture");
    let json = compare(&page, fixture!("nvme-qemu-identify-namespace.json"), NAMESPACE_KEYS);
    assert_eq!((number(&json["dps"]), page.text("protection")), (0, Some("none")));
    assert_eq!((number(&json["dlfeat"]), page.text("deallocated_reads_as")), (1, Some("zeros")));
    let formats = json["lbafs"].as_array().unwrap();
    for (index, format) in formats.iter().enumerate() {
        let field = |what: &str| page.number(&format!("lba_format_{index}_{what}"));
        assert_eq!(field("data_bytes"), Some(1 << number(&format["ds"])), "{index}");
        assert_eq!(field("metadata_bytes"), Some(number(&format["ms"])), "{index}");
        assert_eq!((number(&format["rp"]), page.text(&format!("lba_format_{index}_performance"))), (0, Some("best")), "{index}");
    }
    assert_eq!((formats.len(), page.field("lba_format_8_data_bytes")), (8, None));
    assert_eq!((page.number("logical_block_bytes"), page.number("metadata_bytes")), (Some(512), Some(0)));
    assert_eq!(page.number("capacity_bytes"), Some(32 << 20));
}

#[rustfmt::skip]
const SMART_KEYS: &[(&str, Same)] = &[
    ("critical_warning", Bits("critical_warnings")), ("temperature", Kelvin("temperature_celsius")),
    ("avail_spare", Number("available_spare_percent")), ("spare_thresh", Number("available_spare_threshold_percent")),
    ("percent_used", Number("percentage_used_percent")), ("endurance_grp_critical_warning_summary", Bits("endurance_group_warnings")),
    ("data_units_read", Scaled("data_read_bytes", 0, 512_000)), ("data_units_written", Scaled("data_written_bytes", 0, 512_000)),
    ("host_read_commands", Number("host_read_commands")), ("host_write_commands", Number("host_write_commands")),
    ("controller_busy_time", Number("controller_busy_minutes")), ("power_cycles", Number("power_cycles")),
    ("power_on_hours", Number("power_on_hours")), ("unsafe_shutdowns", Number("unsafe_shutdowns")),
    ("media_errors", Number("media_errors")), ("num_err_log_entries", Number("error_log_entries")),
    ("warning_temp_time", Number("warning_temperature_minutes")), ("critical_comp_time", Number("critical_temperature_minutes")),
    ("thm_temp1_trans_count", Number("thermal_transitions_1")), ("thm_temp2_trans_count", Number("thermal_transitions_2")),
    ("thm_temp1_total_time", Number("thermal_time_1_seconds")), ("thm_temp2_total_time", Number("thermal_time_2_seconds")),
];

#[test]
fn the_smart_log_is_read_as_nvme_cli_reads_it() {
    let page = smart_log(fixture!("nvme-qemu-smart-log.bin"), "fixture");
    compare(&page, fixture!("nvme-qemu-smart-log.json"), SMART_KEYS);
    assert_eq!(page.number("data_written_bytes"), Some(8_704_000), "17 units were written before the page was read");
    assert_eq!(value(&page, "smart_passed"), Some(Value::Flag(true)));
}

#[test]
fn the_remaining_pages_of_the_rig() {
    let firmware = decode(&FIRMWARE_LOG, fixture!("nvme-qemu-firmware-log.bin"), "fixture");
    assert_eq!((firmware.number("firmware_slot_active"), firmware.text("firmware_slot_1_revision")), (Some(1), Some("1.0")));
    assert_eq!((firmware.field("firmware_slot_2_revision"), firmware.field("firmware_slot_next")), (None, None));
    let errors = error_log(fixture!("nvme-qemu-error-log.bin"), "fixture");
    assert_eq!((errors.fields.len(), errors.number("error_log_used_entries")), (1, Some(0)));
    let limits = decode(&CONTROLLER_NVM, fixture!("nvme-qemu-identify-controller-nvm.bin"), "fixture");
    assert_eq!((limits.number("verify_max_bytes"), limits.number("trim_max_range_blocks")), (Some(512 << 10), Some(0x3f_ffff)));
    let list = fixture!("nvme-qemu-namespace-list.bin");
    assert_eq!(namespace_ids(list).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(namespace_list(list, "fixture").number("namespaces"), Some(2));
    let identifiers = descriptors(fixture!("nvme-qemu-namespace-descriptors.bin"), "fixture");
    assert_eq!((identifiers.fields.len(), identifiers.text("command_set")), (1, Some("NVM")));
    for page in [firmware, errors, limits, identifiers] {
        assert_eq!(page.problems, [""; 0], "{}", page.name);
    }
}
