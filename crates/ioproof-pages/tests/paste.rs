//! Pastes of real outputs against what they say: one file a case in `fixtures/paste`, with the expected fields beside it.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

use ioproof_core::datasheet::Catalogue;
use ioproof_core::facts::DriveKind;
use ioproof_pages::field::{Field, Page, Value};
use ioproof_pages::health::{HealthState, judge};
use ioproof_pages::pages::{ata, decode, nvme};
use ioproof_pages::paste::{self, drives};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/paste").join(name)
}

fn cases(name: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no cases");
    paths
}

fn expected(path: &Path) -> String {
    let beside = path.with_extension("expected");
    fs::read_to_string(&beside).unwrap_or_else(|e| panic!("{} is missing: {e}", beside.display()))
}

/// `IOPROOF_BLESS=1` writes what is said as what is expected, to be looked through before it is kept.
fn is_blessed() -> bool {
    let is_blessed = std::env::var_os("IOPROOF_BLESS").is_some();
    assert!(!(is_blessed && std::env::var_os("CI").is_some()), "IOPROOF_BLESS rewrites what is expected and has no place in CI");
    is_blessed
}

fn printed(value: &Value) -> String {
    serde_json::to_string(value).unwrap()
}

/// One line a field with its place, and the problems behind `!`.
fn told(pages: &[Page]) -> String {
    let field = |field: &Field| {
        let (_, place) = field.source.rsplit_once("line").unwrap();
        let unit = field.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
        format!("  {} = {}{unit}  @{}\n", field.key, printed(&field.value), place.trim_start_matches('s'))
    };
    let page = |page: &Page| {
        let fields: String = page.fields.iter().map(field).collect();
        let problems: String = page.problems.iter().map(|problem| format!("  ! {problem}\n")).collect();
        format!("{} <- {}\n{fields}{problems}", page.name, page.source)
    };
    pages.iter().map(page).collect()
}

#[test]
fn every_case_says_exactly_what_is_expected() {
    for path in cases("") {
        let text = fs::read_to_string(&path).unwrap();
        let pages = paste::read(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if is_blessed() {
            fs::write(path.with_extension("expected"), told(&pages)).unwrap();
        }
        assert_eq!(told(&pages), expected(&path), "{}", path.display());
    }
}

#[test]
fn every_invalid_case_has_exactly_the_expected_error() {
    for path in cases("invalid") {
        let text = fs::read_to_string(&path).unwrap();
        let error = paste::read(&text).expect_err(&path.display().to_string());
        assert_eq!(format!("{error}\n"), expected(&path), "{}", path.display());
    }
}

fn pages_of(case: &str) -> Vec<Page> {
    paste::read(&fs::read_to_string(folder(case)).unwrap()).unwrap()
}

/// Two outputs about one drive agree, key by key, and in the unit where both name one, but for keys that `differ`; and that is on at least so many keys.
#[track_caller]
fn check_agreement(one: &[Page], other: &[Page], differ: &[&str], at_least: usize) {
    let all = |pages: &[Page]| -> BTreeMap<String, (String, Option<String>)> {
        let fields = pages.iter().flat_map(|page| &page.fields).filter(|field| !differ.contains(&field.key.as_str()));
        fields.map(|field| (field.key.clone(), (printed(&field.value), field.unit.clone()))).collect()
    };
    let (one, other) = (all(one), all(other));
    let both: Vec<_> = one.iter().filter_map(|(key, said)| Some((key, said, other.get(key)?))).collect();
    assert!(both.len() >= at_least, "{} keys only", both.len());
    for (key, (value, unit), (other_value, other_unit)) in both {
        assert_eq!(value, other_value, "{key}");
        assert!(unit.is_none() || other_unit.is_none() || unit == other_unit, "{key} in {unit:?} and {other_unit:?}");
    }
}

#[test]
fn the_formats_of_a_tool_and_the_tools_agree_about_one_drive() {
    // smartctl leaves out the patch level of the version of NVMe.
    for (one, other, differ, at_least) in [
        ("nvme-cli-2.3-emulated", "nvme-cli-2.3-emulated-human", "", 59),
        ("nvme-cli-2.3-emulated", "nvme-cli-2.3-emulated-json", "", 58),
        ("smartctl-7.3-emulated-nvme", "smartctl-7.3-emulated-nvme-json", "", 28),
        ("smartctl-7.3-emulated-sata", "smartctl-7.3-emulated-sata-json", "", 44),
        ("smartctl-7.3-emulated-scsi", "smartctl-7.3-emulated-scsi-json", "", 9),
        ("nvme-cli-2.3-emulated", "smartctl-7.3-emulated-nvme", "nvme_version", 25),
    ] {
        println!("{one} and {other}");
        let [one, other] = [one, other].map(|case| pages_of(&format!("{case}.txt")));
        check_agreement(&one, &other, &["device_name", differ], at_least);
    }
}

/// However a paste is cut, what is read is a part of what the whole says, or the end of a line was lost with its value.
#[test]
fn a_paste_cut_anywhere_is_read_without_a_panic() {
    for path in cases("") {
        let text = fs::read_to_string(&path).unwrap();
        for (end, _) in text.char_indices().step_by(293) {
            if let Ok(pages) = paste::read(&text[..end]) {
                assert!(pages.iter().all(|page| !page.fields.is_empty()), "{} cut at {end}", path.display());
            }
        }
    }
}

/// A quotation of a paste says the same as the paste, and so does one with the line ends of another system.
#[test]
fn quoting_indentation_and_line_ends_change_nothing() {
    let values = |pages: &[Page]| -> Vec<(String, String)> {
        pages.iter().flat_map(|page| &page.fields).map(|field| (field.key.clone(), printed(&field.value))).collect()
    };
    for path in cases("") {
        let text = fs::read_to_string(&path).unwrap();
        let plain = paste::read(&text).unwrap();
        let quoted: String = text.lines().map(|line| format!("> | \t{line}   \r\n")).collect();
        assert_eq!(values(&paste::read(&quoted).unwrap()), values(&plain), "{}", path.display());
    }
}

#[test]
fn pages_are_sorted_by_drive() {
    let names = |case: &str| -> Vec<Vec<String>> {
        paste::drives(&pages_of(case)).iter().map(|drive| drive.iter().map(|page| page.name.clone()).collect()).collect()
    };
    assert_eq!(names("nvmecontrol-devlist-p3700.txt"), [["devlist"], ["devlist"], ["devlist"]]);
    let pm983: [&[&str]; 2] = [&["devlist"], &["devlist", "identify-controller", "identify-namespace", "smart-log"]];
    assert_eq!(names("nvmecontrol-identify-pm983.txt"), pm983);
    let mail: [&[&str]; 2] = [&["identify-controller", "smart-log"], &["identify-controller"]];
    assert_eq!(names("mail-two-drives.txt"), mail);
    assert_eq!(names("spdk-identify-pblaze4-quoted.txt"), [["identify-controller", "smart-log", "identify-namespace"]]);
}

#[test]
fn one_serial_number_is_one_drive() {
    let text =
        ["nvme-cli-2.3-emulated.txt", "smartctl-7.3-emulated-nvme.txt"].map(|case| fs::read_to_string(folder(case)).unwrap()).concat();
    assert_eq!(paste::drives(&paste::read(&text).unwrap()).iter().map(Vec::len).collect::<Vec<_>>(), [4]);
    let other = text.replacen("Serial Number:                      NVME-A", "Serial Number:                      NVME-C", 1);
    // Beside two drives, what names none is of nobody known.
    assert_eq!(paste::drives(&paste::read(&other).unwrap()).iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1]);
}

#[test]
fn datasheets_are_found_by_a_paste() {
    let catalogue = Catalogue::shipped();
    let found = |case: &str, drive: usize| {
        let facts = paste::facts(&paste::drives(&pages_of(case))[drive]).unwrap();
        let matched = catalogue.match_drive(&facts.model.unwrap().value, facts.capacity_bytes.value).unwrap_or_else(|| panic!("{case}"));
        (matched.datasheet.name.clone(), matched.variant.map(|variant| variant.capacity_bytes))
    };
    assert_eq!(found("nvmecontrol-devlist-p3700.txt", 2), ("intel-dc-p3700".to_owned(), Some(2_000_000_000_000)));
    assert_eq!(found("nvmecontrol-identify-p3700.txt", 0), ("intel-dc-p3700".to_owned(), Some(2_000_000_000_000)));
    assert_eq!(found("camcontrol-identify-s3700.txt", 0), ("intel-dc-s3700".to_owned(), Some(800_000_000_000)));
    assert_eq!(found("spdk-identify-pm1733-cut.txt", 0).0, "samsung-pm1733");
}

#[test]
fn facts_say_what_the_pages_say() {
    let facts = paste::facts(&pages_of("camcontrol-identify-s3700.txt")).unwrap();
    assert_eq!((facts.name.as_str(), facts.kind), ("da11", DriveKind::Sata));
    assert_eq!(facts.firmware.unwrap().value, "5DV10270");
    assert_eq!(facts.serial.unwrap().source, "camcontrol identify, line 8");
    assert_eq!((facts.logical_block_bytes.unwrap().value, facts.physical_block_bytes.unwrap().value), (512, 4096));
    assert_eq!((facts.write_cache.unwrap().value.as_str(), facts.rotational.unwrap().value), ("write back", false));

    let facts = paste::facts(&paste::drives(&pages_of("nvmecontrol-identify-pm983.txt"))[1]).unwrap();
    assert_eq!((facts.kind, facts.capacity_bytes.value), (DriveKind::Nvme, 960_197_124_096));
    assert_eq!(facts.utilized_bytes.unwrap().value, 1_221_498_872 * 512);
    assert_eq!((facts.write_cache, facts.temperature_celsius.unwrap().value), (None, 36.0));

    let facts = paste::facts(&pages_of("nvme-cli-1-id-ctrl-9200.txt")).unwrap();
    assert_eq!((facts.name.as_str(), facts.capacity_bytes.value), ("Micron_9200_MTFDHAL1T6TCU", 1_600_321_314_816));
    assert_eq!(facts.write_cache.unwrap().value, "write through");

    assert_eq!(paste::facts(&pages_of("smartctl-7.0-scsi-sas.txt")).unwrap().kind, DriveKind::Scsi);
    assert_eq!(paste::facts(&pages_of("spdk-identify-pm1733-cut.txt")).unwrap().capacity_bytes.value, 0);
    assert_eq!(paste::facts(&pages_of("nvme-cli-1-smart-log.txt")), None, "no model");
}

fn captured(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pages").join(name)).unwrap()
}

/// The text of nvme-cli (`-o json`) and of smartctl (`-j`) beside captured pages, against the tables that read the bytes.
#[test]
fn tools_and_bytes_agree() {
    let json = |name: &str| paste::read(&String::from_utf8(captured(name)).unwrap()).unwrap();
    let controller = decode(&nvme::CONTROLLER, &captured("nvme-qemu-identify-controller.bin"), "bytes");
    check_agreement(&json("nvme-qemu-identify-controller.json"), &[controller], &[], 13);
    let namespace = nvme::namespace(&captured("nvme-qemu-identify-namespace.bin"), "bytes");
    check_agreement(&json("nvme-qemu-identify-namespace.json"), &[namespace], &[], 20);
    let health = nvme::smart_log(&captured("nvme-qemu-smart-log.bin"), "bytes");
    check_agreement(&json("nvme-qemu-smart-log.json"), &[health], &[], 20);

    // smartctl gives the version of the standard in its own words.
    let sata =
        [ata::identify_device(&captured("sata-identify-device.bin"), "bytes"), ata::smart_data(&captured("sata-smart-data.bin"), "bytes")];
    check_agreement(&json("sata-smartctl.json"), &sata, &["ata_version"], 30);
}

fn states(case: &str) -> Vec<HealthState> {
    judged(case).into_iter().map(|(state, _)| state).collect()
}

fn judged(case: &str) -> Vec<(HealthState, Vec<String>)> {
    let of = |pages: &Vec<Page>| {
        let health = judge("drive", pages);
        (health.state, health.findings.into_iter().map(|finding| finding.title).collect())
    };
    drives(&pages_of(case)).iter().map(of).collect()
}

#[test]
fn logged_errors_and_failed_self_tests_speak_against_a_drive() {
    for case in ["smartctl-7.2-ata-error-log.txt", "smartctl-7.2-ata-logs-json.txt"] {
        let [(state, reasons)] = judged(case).try_into().unwrap();
        assert_eq!(state, HealthState::Failing, "{case}");
        assert!(reasons.iter().any(|text| text.contains("was 12 power-on hours ago")), "{case}: {reasons:?}");
        assert!(reasons.iter().any(|text| text.contains("over its life: 79")), "{case}: {reasons:?}");
    }
    let [(state, reasons)] = judged("smartctl-7.2-ata-self-tests.txt").try_into().unwrap();
    // The oldest failed before a test of all of the medium that found nothing.
    assert_eq!((state, reasons), (HealthState::Failing, vec!["self-tests that failed: 2".to_owned()]));
    let of_json = pages_of("smartctl-7.2-ata-logs-json.txt");
    assert_eq!(of_json[0].number("self_tests_failed"), Some(1));
}

#[test]
fn each_drive_of_a_loop_is_a_drive() {
    let names =
        |case: &str| drives(&pages_of(case)).iter().map(|pages| pages[0].text("device_name").map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(names("loop-named-drives.txt"), ["sde", "sdf", "sdg"].map(|name| Some(name.to_owned())));
    assert_eq!((names("loop-tables.txt"), names("loop-rows.txt")), (vec![None; 3], vec![None; 2]));
    for case in ["loop-named-drives.txt", "loop-tables.txt", "loop-rows.txt"] {
        let states = states(case);
        let (last, others) = states.split_last().unwrap();
        assert!(*last == HealthState::Failing && others.iter().all(|state| *state == HealthState::OkAsFarAsTold), "{case}: {states:?}");
    }
}

#[test]
fn rows_without_a_heading_and_attributes_of_other_names_count() {
    let [(state, reasons)] = judged("rows-before-the-text.txt").try_into().unwrap();
    assert_eq!(state, HealthState::Failing);
    assert!(reasons.iter().any(|text| text.contains("8256")), "{reasons:?}");
    let [(state, reasons)] = judged("smartctl-7.2-ata-intel-pending.txt").try_into().unwrap();
    assert!(state == HealthState::Failing && reasons[0].contains("wait to be reallocated"), "{reasons:?}");
}

#[test]
fn drives_that_a_text_names_badly_hide_no_other() {
    use HealthState::{Failing, OkAsFarAsTold, Unknown};
    assert_eq!(states("posted-mail-spare-unnamed.txt"), [OkAsFarAsTold, Failing]);
    let spare = &drives(&pages_of("posted-mail-spare-unnamed.txt"))[1][0];
    assert!(spare.field("device_name").is_none() && spare.problems.iter().any(|text| text.contains("cannot be told")), "{spare:?}");
    assert_eq!(states("posted-storcli-from-state.txt").len(), 2);
    assert_eq!(states("nvme-cli-zeros-at-zero-degrees.txt"), [Unknown]);
    let names = |at: usize| {
        paste::facts(&drives(&pages_of("diskinfo-disk-and-card.txt"))[at]).map(|facts| (facts.name, facts.capacity_bytes.value))
    };
    assert_eq!((names(0), names(1)), (Some(("ada1".to_owned(), 4_000_787_030_016)), Some(("da0".to_owned(), 16_008_609_792))));
}

/// Also that a log, a patch, a list of strings and lost line ends change nothing of an output.
#[test]
fn outputs_are_judged_as_a_person_would() {
    use HealthState::{Failing, Ok, OkAsFarAsTold, Unknown, Watch, Worn};
    let cases: &[(&str, &[HealthState])] = &[
        ("posted-issue-raw-figures", &[Failing]),
        ("posted-issue-two-rows", &[Failing]),
        ("posted-issue-nvme-new", &[Ok]),
        ("posted-issue-one-reallocated", &[Watch]),
        ("posted-issue-ssd-worn", &[Worn]),
        ("posted-issue-ssd-no-life", &[Worn]),
        ("posted-issue-megacli", &[Failing]),
        ("posted-issue-storcli", &[OkAsFarAsTold]),
        ("posted-issue-sas-commas", &[Worn]),
        ("posted-issue-nvme-three-errors", &[Worn]),
        ("posted-issue-grepped", &[Worn]),
        ("posted-issue-double-spaced", &[Ok]),
        ("dressed-avocado-id-ctrl", &[Unknown]),
        ("dressed-syslog-smartctl", &[Unknown]),
        ("dressed-cron-smart-log-json", &[Ok]),
        ("dressed-patch-smart-log", &[Failing]),
        ("dressed-python-list", &[Unknown]),
        ("dressed-flattened-smart-log", &[Failing]),
        ("dressed-compose-two-drives", &[Ok, Failing]),
        ("megacli-grepped", &[OkAsFarAsTold, Failing]),
        ("posted-smartd-mail", &[Failing]),
        ("crystaldiskinfo-three-drives", &[Failing, OkAsFarAsTold, Ok]),
        ("crystaldiskinfo-other-languages", &[Failing, Unknown]),
        ("windows-list-get-physicaldisk", &[Failing, OkAsFarAsTold]),
        ("windows-tables", &[OkAsFarAsTold, OkAsFarAsTold, Failing, Failing, Failing, OkAsFarAsTold, Failing, Unknown]),
        ("macos-diskutil", &[OkAsFarAsTold, Failing]),
        ("macos-system-profiler", &[OkAsFarAsTold, Failing]),
        ("linux-lists-of-drives", &[Unknown; 7]),
    ];
    for (case, expected) in cases {
        assert_eq!(states(&format!("{case}.txt")), *expected, "{case}");
    }
    let first = ["posted-hdparm.txt", "posted-page-error-log.txt", "posted-page-single-blanks.txt"].map(|case| states(case)[0]);
    assert_eq!(first, [Unknown, Worn, Failing]);
    let facts = paste::facts(&pages_of("posted-hdparm.txt")).unwrap();
    assert_eq!(
        (facts.kind, facts.capacity_bytes.value, facts.write_cache.unwrap().value.as_str()),
        (DriveKind::Sata, 1_000_204_886_016, "write back")
    );
}
