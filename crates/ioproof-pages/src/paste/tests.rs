//! Properties of every tool's tables, and of any text; `tests/paste.rs` has the pastes of real machines.

use super::ata::{camcontrol, diskinfo, hdparm, sg_logs, sginfo, smartctl, smartctl_json};
use super::desktop::{crystaldiskinfo, inxi, linux, macos, windows, windows_tables};
use super::nvme::{cli, cli_json, cli_list, nvmecontrol, spdk};
use super::raid::{arcconf, megacli, promise, ssacli, storcli};
use super::{esxcli, kernel, lsblk, read};
use crate::paste::page::{TextKind, ToolFormat, Value, keys};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[rustfmt::skip]
const FORMATS: &[&ToolFormat] = &[
    &esxcli::LIST, &esxcli::SMART, &kernel::KERNEL, &lsblk::LSBLK, &crystaldiskinfo::REPORT, &inxi::INXI, &linux::LSHW, &linux::HWINFO,
    &linux::FDISK, &linux::PARTED, &macos::DISKUTIL, &macos::PROFILER, &macos::STORAGE, &windows::LIST, &windows::JSON,
    &windows_tables::POWERSHELL, &windows_tables::WMIC, &cli::CONTROLLER, &cli::NAMESPACE, &cli::HEALTH, &cli_json::CONTROLLER,
    &cli_json::NAMESPACE, &cli_json::HEALTH, &cli_list::TABLE, &cli_list::JSON, &nvmecontrol::CONTROLLER, &nvmecontrol::NAMESPACE,
    &nvmecontrol::HEALTH, &nvmecontrol::DEVLIST, &spdk::CONTROLLER, &spdk::HEALTH, &spdk::NAMESPACE, &camcontrol::IDENTIFY,
    &diskinfo::DISKINFO, &hdparm::IDENTIFY, &sg_logs::SG_LOGS, &sginfo::SGINFO, &smartctl::OUTPUT, &smartctl::ROWS, &smartctl::ERROR_LOG,
    &smartctl_json::OUTPUT, &arcconf::ARCCONF, &megacli::MEGACLI, &promise::PROMISE, &ssacli::SSACLI, &storcli::STORCLI,
];

#[test]
fn every_row_has_a_key_with_title_and_unit_or_is_skipped() {
    for row in FORMATS.iter().flat_map(|format| format.tables.iter().copied().flatten()) {
        assert_eq!(row.key.is_empty(), row.kind == TextKind::Skip, "{}", row.label);
        assert!(row.key.is_empty() || keys::is_known(row.key), "{} is missing in the list of keys", row.key);
        assert_eq!(row.label.contains('#'), row.key.contains('#') || row.key.is_empty() && row.label.contains('#'), "{}", row.label);
    }
}

#[test]
fn no_label_is_twice_in_one_table() {
    for format in FORMATS {
        for rows in format.tables {
            let labels: BTreeSet<String> = rows.iter().map(|row| row.label.to_lowercase()).collect();
            assert_eq!(labels.len(), rows.len(), "{}", format.tool);
        }
    }
}

#[test]
fn a_text_of_too_many_lines_or_outputs_is_refused_with_its_line() {
    let refused = |text: &str| read(text).expect_err("it is too long").to_string();
    assert_eq!(refused(&"\n".repeat(200_001)), "line 200001: there are more than 200000 lines; give fewer drives at a time");
    let pairs = refused(&"NAME=\"sda\" MODEL=\"M\"\n".repeat(5002));
    assert_eq!(pairs, "line 5002: there are more than 5000 outputs; give fewer drives at a time");
}

#[test]
fn contradictions_are_told_and_the_first_value_stays() {
    let pages = read("NVME Identify Controller:\nsn : A\nmn : B\nsn : C\n").unwrap();
    assert_eq!(pages[0].text("serial"), Some("A"));
    assert_eq!(pages[0].problems, ["line 4 says something else about serial than line 2, which was taken"]);
}

#[test]
fn a_value_that_cannot_be_read_counts_as_not_understood() {
    let pages = read("Smart Log for NVME device:nvme0 namespace-id:ffffffff\npower_cycles : many\nmedia_errors : 1\nx\n").unwrap();
    assert_eq!(pages[0].number("media_errors"), Some(1));
    assert_eq!(pages[0].number("power_cycles"), None);
    assert!(
        pages[0].problems[0].starts_with("lines were left out: nvme smart-log prints more, which is missing: critical warnings,"),
        "{:?}",
        pages[0].problems
    );
    assert_eq!(pages[0].problems[1..], ["2 lines were not understood: line 2: power_cycles : many; line 4: x"]);
}

#[test]
fn the_real_spare_is_told_from_the_bit_of_the_same_name() {
    let text =
        |bits: &str| format!("SMART/Health Information Log\nCritical Warning State: 0x01\n{bits}Temperature: 300 K\nAvailable spare: 1\n");
    for bits in [" Available spare: 1\n Temperature: 0\n", " Available spare: 1\n"] {
        let pages = read(&text(bits)).unwrap();
        assert_eq!((pages[0].number("available_spare_percent"), pages[0].number("temperature_celsius")), (Some(1), Some(27)));
    }
}

#[test]
fn a_last_row_that_is_cut_says_that_more_may_have_been_there() {
    const TABLE: &str = "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n\
                         \x20 9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       896\n";
    let is_cut = |text: &str| read(text).unwrap()[0].problems.iter().any(|problem| problem.contains("the text ends early"));
    assert!(is_cut(&format!("{TABLE}173 MaxAvgErase_Ct          0x0000   100   100   000    Old_ag")));
    assert!(!is_cut(TABLE));
}

#[test]
fn words_around_an_output_are_not_counted() {
    let text = "Dear all,\nsee below: it is slow\n$ nvme smart-log /dev/nvme0\nSmart Log for NVME device:nvme0 namespace-id:ffffffff\nmedia_errors : 1\n$ exit\nThanks: me\n";
    let pages = read(text).unwrap();
    assert_eq!((pages.len(), pages[0].problems.len()), (1, 1));
    assert!(pages[0].problems[0].starts_with("lines were left out"), "{:?}", pages[0].problems);
}

#[test]
fn several_objects_on_one_line_are_several_pages() {
    let pages = read("{\"vid\":1,\"mn\":\"A\",\"sn\":\"1\"}, {\"vid\":1,\"mn\":\"B\",\"sn\":\"2\"}\n{\"nsze\": 3}\n").unwrap();
    assert_eq!(pages.iter().map(|page| page.text("model")).collect::<Vec<_>>(), [Some("A"), Some("B"), None]);
    assert_eq!(pages[2].field("namespace_size_blocks").unwrap().source, "nvme id-ns -o json, line 2");
}

#[test]
fn hostile_text_takes_no_time() {
    // Each of these would take a minute if anything in it were read twice for every line.
    for text in [
        "{\n".repeat(50_000),
        "{}\nx\n".repeat(25_000),
        "{},".repeat(50_000),
        "vid : 1\n".repeat(5_000),
        "# nvme list\n".repeat(12_500),
        format!("Device is a Hard drive\n{}", "State : Failed\nState : Odd\n".repeat(22_500)),
        format!("Controller = 0\nEID:Slt DID State\n{}", "1:1 2 Onln\n".repeat(47_500)),
        "Enclosure Device ID: 1\nSlot Number: 2\n".repeat(22_500),
    ] {
        let _ = read(&text);
    }
}

fn value_is_sane(value: &Value) -> bool {
    match value {
        Value::Real(number) => number.is_finite(),
        Value::Text(text) => !text.is_empty(),
        _ => true,
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_lines_of_outputs_are_read(
        lines in proptest::collection::vec(
            prop_oneof![
                "[A-Za-z ()#:{}\\[\\],\"0-9x.%-]{0,40}",
                proptest::sample::select(vec![
                    "NVME Identify Controller:", "NVME Identify Namespace 1:", "Controller Capabilities/Features", "SMART/Health Information Log",
                    "NVMe Controller at 0000:01:00.0 [1:2]", "Health Information", "Namespace ID:1", "=== START OF INFORMATION SECTION ===",
                    "Device Statistics (GP Log 0x04)", "ID# ATTRIBUTE_NAME", "Error counter log:", "pass0: <A B> ATA-9 device", "nvme0: X", "nvme0ns1 (12MB)",
                    "# smartctl -x /dev/sda", "{\"nsze\":18446744073709551615,\"flbas\":255,\"lbafs\":[{\"ms\":1,\"ds\":63}]}", "lbaf 0 : ms:0 lbads:99 (in use)",
                    "Drive /c0/e1/s1 State :", "EID:Slt DID State DG", "1:1 1 Onln 0 1.0 TB SAS HDD N N 512B M U -",
                    "Raw size = 1.0 TB [0xffffffffffffffff Sectors]",
                    "Enclosure Device ID: 1", "PD Type: SATA", "Inquiry Data: ATA     M", "Device is a Hard drive",
                    "physicaldrive 1I:1:1", "PdId: 1",
                    "Controller = 0", "Adapter #0", "Slot Number: 1", "Status: Failed", "Usage remaining: -1e999%",
                    "ReadErrors: 18446744073709551615",
                    "nsze : 0xffffffffffffffff", "read: 1 2 3 1e999 99999999999999999999", "0x07 0x008 1 0 --- Percentage Used Endurance Indicator",
                    "5 Reallocated_Sector_Ct PO--CK 100 100 010 NOW 18446744073709551615", "tnvmcap : 340282366920938463463374607431768211455",
                ]).prop_map(str::to_owned),
            ],
            0..25,
        )
    ) {
        let text = lines.join("\n");
        let count = lines.len().max(1);
        match read(&text) {
            Ok(pages) => {
                prop_assert!(!pages.is_empty());
                for field in pages.iter().flat_map(|page| &page.fields) {
                    prop_assert!(value_is_sane(&field.value), "{field:?}");
                    let number = field.source.rsplit(' ').next().and_then(|line| line.parse::<usize>().ok());
                    prop_assert!(number.is_some_and(|line| (1..=count).contains(&line)), "{}", field.source);
                }
                for drive in super::drives(&pages) {
                    let _ = super::facts(&drive);
                }
            }
            Err(error) => prop_assert!(error.to_string().starts_with("line "), "{error}"),
        }
    }
}
