//! Every rule both ways, and admission.

use super::*;
use crate::paste;
use crate::testing::{fields, page};
use proptest::prelude::*;

fn whole(mut page: Page) -> Page {
    let good = page_of_good();
    let is_nvme = ["critical_warnings", "available_spare_percent"].iter().any(|key| page.field(key).is_some());
    let wanted: &[&str] = if is_nvme {
        &["critical_warnings", "available_spare_percent", "percentage_used_percent", "media_errors"]
    } else {
        &["smart_passed", "attributes_failing"]
    };
    let is_told = TELLING.iter().any(|key| page.field(key).is_some());
    let missing =
        good.fields.into_iter().filter(|field| is_told && wanted.contains(&field.key.as_str()) && page.field(&field.key).is_none());
    let missing: Vec<Field> = missing.collect();
    page.fields.extend(missing);
    page
}

fn page_of_good() -> Page {
    of("critical_warnings = []; available_spare_percent = 100; percentage_used_percent = 0; media_errors = 0; smart_passed = true; \
         attributes_failing = []")
}

/// A page with the fields that the text tells.
fn of(told: &str) -> Page {
    page(&fields(told))
}

#[track_caller]
fn check(told: &str, state: HealthState, texts: &[&str]) {
    let health = judge("sda", &[whole(of(told))]);
    assert_eq!((health.state, health.findings.iter().map(|finding| finding.title.as_str()).collect::<Vec<_>>()), (state, texts.to_vec()));
}

#[test]
fn critical_warnings_are_failing() {
    check("critical_warnings = []", HealthState::Ok, &[]);
    check(
        "critical_warnings = [media is read only | bit 7]",
        HealthState::Failing,
        &["critical warning: media is read only", "critical warning: bit 7"],
    );
}

#[test]
fn the_drives_own_verdict_counts() {
    check("smart_passed = true", HealthState::Ok, &[]);
    check("smart_passed = false", HealthState::Failing, &["the drive's own health check failed"]);
}

fn spare(spare: u8, threshold: u8) -> String {
    format!("available_spare_percent = {spare}; available_spare_threshold_percent = {threshold}")
}

#[test]
fn spare_against_its_threshold() {
    check(&spare(20, 10), HealthState::Ok, &[]);
    check(&spare(19, 10), HealthState::Worn, &["available spare of 19 % nears its threshold of 10 %"]);
    check(&spare(11, 10), HealthState::Worn, &["available spare of 11 % nears its threshold of 10 %"]);
    check(&spare(10, 10), HealthState::Failing, &["available spare of 10 % has reached its threshold of 10 %"]);
    check(&spare(0, 5), HealthState::Failing, &["available spare of 0 % has reached its threshold of 5 %"]);
    check("available_spare_percent = 3", HealthState::Ok, &[]);
}

#[test]
fn high_thresholds_are_judged_by_the_middle() {
    check(&spare(100, 99), HealthState::Ok, &[]);
    check(&spare(75, 50), HealthState::Ok, &[]);
    check(&spare(74, 50), HealthState::Worn, &["available spare of 74 % nears its threshold of 50 %"]);
    check(&spare(99, 99), HealthState::Failing, &["available spare of 99 % has reached its threshold of 99 %"]);
}

#[test]
fn a_log_of_zeros_is_no_verdict() {
    check(&spare(0, 0), HealthState::Ok, &["available spare and its threshold are both 0 %, as in a log that was not filled in"]);
    check(&spare(1, 0), HealthState::Ok, &[]);
}

#[test]
fn endurance() {
    check("percentage_used_percent = 79", HealthState::Ok, &[]);
    check("percentage_used_percent = 80", HealthState::Worn, &["80 % of the endurance that the maker estimates is used"]);
    check("percentage_used_percent = 99", HealthState::Worn, &["99 % of the endurance that the maker estimates is used"]);
    check("percentage_used_percent = 100", HealthState::Worn, &["the endurance that the maker estimates is used up: 100 %"]);
    check("percentage_used_percent = 255", HealthState::Worn, &["the endurance that the maker estimates is used up: 255 %"]);
    check("life_left_percent = 21; media_wearout_left_percent = 21", HealthState::Ok, &[]);
    check("life_left_percent = 20", HealthState::Worn, &["20 % of its life is left"]);
    check("media_wearout_left_percent = 1", HealthState::Worn, &["1 % of its life is left by the wear of the medium"]);
}

#[test]
fn errors_of_the_medium() {
    for key in ["uncorrectable_sectors", "pending_sectors", "reallocated_sectors", "media_errors"] {
        check(&format!("{key} = 0"), HealthState::Ok, &[]);
    }
    check("uncorrectable_sectors = 1", HealthState::Failing, &["sectors that cannot be read: 1"]);
    check("pending_sectors = 8", HealthState::Failing, &["sectors that wait to be reallocated and cannot be read now: 8"]);
    check("reallocated_sectors = 1", HealthState::Watch, &["reallocated sectors: 1"]);
    check("reallocated_sectors = 10", HealthState::Worn, &["reallocated sectors: 10"]);
    check("media_errors = 3", HealthState::Worn, &["media and data integrity errors: 3"]);
    for errors in [4, 7, 8, 321, 536, 8149] {
        check(&format!("media_errors = {errors}"), HealthState::Failing, &[&format!("media and data integrity errors: {errors}")]);
    }
    check("end_to_end_errors = 1", HealthState::Worn, &["data that changed on its way through the drive: 1"]);
    assert_eq!(judge("sda", &[of("media_errors = \"340282366920938463463374607431768211455\"")]).state, HealthState::Failing);
}

#[test]
fn logged_errors_and_self_tests() {
    check("self_tests_failed = 0", HealthState::Ok, &[]);
    check("self_tests_failed = 4", HealthState::Failing, &["self-tests that failed: 4"]);
    check(
        "uncorrectable_read_age_hours = 0",
        HealthState::Failing,
        &["the last read that could not be corrected was 0 power-on hours ago"],
    );
    check(
        "uncorrectable_read_age_hours = 999",
        HealthState::Failing,
        &["the last read that could not be corrected was 999 power-on hours ago"],
    );
    check(
        "uncorrectable_read_age_hours = 1000",
        HealthState::Watch,
        &["the last read that could not be corrected was 1000 power-on hours ago"],
    );
    check("logged_uncorrectable_reads = 0", HealthState::Ok, &[]);
    check("logged_uncorrectable_reads = 2", HealthState::Worn, &["reads in its error log that could not be corrected: 2"]);
    check("device_errors = 0; smart_passed = true", HealthState::Ok, &[]);
    check("device_errors = 79; smart_passed = true", HealthState::Ok, &["errors in its error log, over its life: 79"]);
}

#[test]
fn attributes_at_their_threshold() {
    check("attributes_failing = []; attributes_failed = []", HealthState::Ok, &[]);
    for (key, state_soon, state_aged, title) in [
        ("attributes_failing", HealthState::Failing, HealthState::Worn, "at its threshold"),
        ("media_errors = 0; attributes_failed", HealthState::Watch, HealthState::Ok, "was at its threshold"),
    ] {
        for (state, attribute) in [(state_soon, "attribute 5 (foretells a failure)"), (state_aged, "attribute 190 (worn or aged)")] {
            check(&format!("{key} = [{attribute}]"), state, &[&format!("{title}: {attribute}")]);
        }
    }
}

#[test]
fn temperature_against_both_limits() {
    let at = |degrees: u8| {
        format!(
            "warning_temperature_celsius = 70; critical_temperature_celsius = 80; critical_warnings = []; temperature_celsius = {degrees}"
        )
    };
    check(&at(69), HealthState::Ok, &[]);
    check(&at(70), HealthState::Worn, &["70 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check(&at(79), HealthState::Worn, &["79 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check(&at(80), HealthState::Failing, &["80 °C, at or above the critical temperature of 80 °C"]);
    let no_critical = "warning_temperature_celsius = 70; temperature_celsius = 90; media_errors = 0";
    check(no_critical, HealthState::Worn, &["90 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check("temperature_celsius = 90; media_errors = 0", HealthState::Ok, &[]);
}

#[test]
fn a_word_of_the_hosts_tool_counts_against_a_drive() {
    check("failing_by_host = []; caution_by_host = []", HealthState::Ok, &[]);
    let said = "the host's own tool says: bad, by X";
    check("failing_by_host = [bad, by X]", HealthState::Failing, &[said]);
    check("caution_by_host = [bad, by X]", HealthState::Watch, &[said]);
}

#[test]
fn many_errors_of_the_interface_are_watched() {
    let health = judge("sda", &[of("crc_errors = 14296")]);
    assert_eq!((health.state, health.findings[0].title.as_str()), (HealthState::Watch, "errors on the interface: 14296"));
    assert_eq!(judge("sda", &[whole(of("pending_sectors = 0; crc_errors = 999"))]).state, HealthState::Ok);
}

#[test]
fn notes_change_nothing() {
    check("percentage_used_percent = 0; crc_errors = 0; critical_temperature_minutes = 0", HealthState::Ok, &[]);
    let said = "errors on the interface, which are the cable's more often than the drive's: 2";
    check("percentage_used_percent = 0; crc_errors = 2", HealthState::Ok, &[said]);
    let said = "minutes of its life above the critical temperature: 5";
    check("percentage_used_percent = 0; critical_temperature_minutes = 5", HealthState::Ok, &[said]);
}

/// Fields for which a rule fires, and close to them others for which it is silent; ranges of numbers have theirs by themselves.
fn examples(rule: &HealthRule) -> [String; 2] {
    const SOON: &str = "[attribute 5 (foretells a failure)]";
    const AGED: &str = "[attribute 190 (worn or aged)]";
    let of = |key: &str, fires: &str, silent: &str| [fires, silent].map(|told| format!("{key} = {told}"));
    let [failed, unused, examined] = ["[Failed (given up)]", "[UBad (not used)]", "[CFShld (under diagnosis)]"];
    match rule.name {
        "critical-warning" => of(rule.key, "[media is read only]", "[]"),
        "self-assessment-failed" => of(rule.key, "false", "true"),
        "spare-used-up" => [spare(10, 10), spare(11, 10)],
        "spare-low" => [spare(19, 10), spare(20, 10)],
        "spare-blank" => [spare(0, 0), spare(1, 0)],
        "host-says-failing" | "host-says-caution" => of(rule.key, "[bad, by a tool]", "[]"),
        "health-line-unread" => of(rule.key, "[line 7: x]", "[]"),
        "controller-gave-up" => of("controller_faults", failed, unused),
        "controller-leaves-out" => of("controller_faults", unused, examined),
        "controller-examines" => of("controller_faults", examined, failed),
        "attribute-failing" | "attribute-failed-before" => of(rule.key, SOON, AGED),
        "attribute-aged" => of("attributes_failing", AGED, SOON),
        "attribute-aged-before" => of("attributes_failed", AGED, "[]"),
        "critical-temperature" => of("critical_temperature_celsius = 80; temperature_celsius", "80", "79"),
        "warning-temperature" => of("warning_temperature_celsius = 70; temperature_celsius", "70", "69"),
        name => match rule.when {
            HealthCondition::Within(0.0, to) => of(rule.key, &(to.ceil() - 1.0).to_string(), &to.ceil().to_string()),
            HealthCondition::Within(from, _) => of(rule.key, &from.to_string(), &(from - 1.0).to_string()),
            _ => panic!("{name} has no example"),
        },
    }
}

#[test]
fn every_rule_fires_on_its_example_and_is_silent_on_the_other() {
    for (at, rule) in RULES.iter().enumerate() {
        let [fires, silent] = examples(rule).map(|told| of(&told));
        let found = rule.findings("sda", &[fires]);
        assert_eq!(found.len(), 1, "{}", rule.name);
        assert!(found[0].subject == Subject::Drive("sda".into()) && !found[0].source().is_empty(), "{:?}", found[0]);
        assert!(rule.findings("sda", &[silent]).is_empty(), "{}", rule.name);
        assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{} is there twice", rule.name);
    }
}

#[test]
fn every_rule_has_a_reason_and_a_source_and_the_table_gives_them() {
    for rule in RULES {
        assert!(!rule.why.is_empty() && !rule.source.is_empty(), "{}", rule.name);
        assert_eq!(rule.state.is_none(), rule.severity == Severity::Info, "{}", rule.name);
    }
    let health = judge("sda", &[of("media_errors = 7; reallocated_sectors = 2")]);
    let rows = health.table();
    assert_eq!(rows.iter().map(|row| row.state).collect::<Vec<_>>(), [Some(HealthState::Watch), Some(HealthState::Failing)]);
    assert_eq!((rows[1].said.as_str(), rows[1].read_at.as_str()), ("media and data integrity errors: 7", "where media_errors stands"));
}

#[test]
fn a_line_on_health_that_could_not_be_read_takes_the_good_word_away() {
    let unread = "health_lines_unread = [line 7: 197 Current_Pending_Sector]";
    let said = "could not be read, so nothing speaks for the drive: line 7: 197 Current_Pending_Sector";
    check(unread, HealthState::Unknown, &[said]);
    check(&format!("{unread}; smart_passed = true"), HealthState::Unknown, &[said]);
    assert_eq!(judge("sda", &[of(&format!("{unread}; pending_sectors = 8"))]).state, HealthState::Failing);
    let against = admit(&[whole(of(unread))], Admission::Healthy).unwrap_err();
    assert_eq!(against, ["nothing is told about its health", said]);
}

#[test]
fn evidence_is_held_against_its_limit() {
    let mut fields = of("available_spare_percent = 9; available_spare_threshold_percent = 10");
    fields.fields.iter_mut().for_each(|field| field.unit = Some("percent".into()));
    let finding = &judge("sda", &[fields]).findings[0];
    assert_eq!(finding.evidence[0].describe(), "9.0 % (limit 10.0 %) (where available_spare_percent stands)");
}

#[test]
fn without_a_word_on_health_it_is_unknown() {
    check("", HealthState::Unknown, &[]);
    check("temperature_celsius = 36; power_on_hours = 5; crc_errors = 0", HealthState::Unknown, &[]);
    for key in TELLING {
        let value = if key.starts_with("critical") || key.starts_with("attributes") { "[]" } else { "true" };
        let told = of(&format!("{key} = {value}"));
        assert_eq!(judge("sda", std::slice::from_ref(&told)).state, HealthState::OkAsFarAsTold, "{key}");
        assert_eq!(judge("sda", &[whole(told)]).state, HealthState::Ok, "{key}");
    }
    assert!(
        RULES
            .iter()
            .filter(|rule| rule.severity != Severity::Info && !TELLING.contains(&rule.key))
            .all(|rule| matches!(rule.key, "temperature_celsius" | "attributes_failed" | "controller_faults" | "crc_errors"))
    );
}

#[test]
fn a_judgement_says_what_it_rests_on_and_what_is_missing() {
    let half = judge("sda", &[of("critical_warnings = []; temperature_celsius = 36")]);
    assert_eq!(
        (half.state, half.rests_on, half.not_told.join(", ")),
        (HealthState::OkAsFarAsTold, vec!["critical warnings".to_owned()], "spare, wear, media errors".to_owned())
    );
    let good = judge("sda", &[page_of_good()]);
    assert_eq!((good.state, good.rests_on.len(), good.not_told), (HealthState::Ok, 4, vec![]));
    let bad = judge("sda", &[of("media_errors = 2")]);
    assert_eq!((bad.state, bad.not_told.len()), (HealthState::Worn, 2));
    assert_eq!(serde_json::to_value(HealthState::OkAsFarAsTold).unwrap(), "ok_as_far_as_told");
}

#[test]
fn each_kind_of_drive_is_asked_for_its_own() {
    let of = |protocol: &str| {
        judge("sda", &[of(&format!("smart_passed = true; available_spare_percent = 100; protocol = {protocol}"))]).not_told.len()
    };
    assert_eq!(["NVMe", "ATA", "SCSI"].map(of), [3, 1, 1]);
    for (name, titles) in [("smart-log", 4), ("smart-data", 2), ("log-0d", 2), ("kernel", 2)] {
        assert_eq!(judge("sda", &[Page { name: name.to_owned(), ..Page::default() }]).not_told.len(), titles, "{name}");
    }
}

#[test]
fn a_controller_alone_tells_less_than_the_drive() {
    let named = |name: &str, told: &str| Page { name: name.to_owned(), ..of(told) };
    let raid = named("raid-drive", "smart_passed = true; media_errors = 0; protocol = SCSI");
    let list = named("device-list", "protocol = SCSI");
    assert_eq!(judge("sda", &[list, raid.clone()]).state, HealthState::OkAsFarAsTold);
    let own = of("smart_passed = true; media_errors = 0");
    assert_eq!(judge("sda", &[raid, own]).state, HealthState::Ok);
}

#[test]
fn a_text_that_was_cut_is_never_all() {
    let cut = Page { problems: vec![format!("line 9: {ENDS_EARLY}, within x")], ..page_of_good() };
    let health = judge("sda", &[cut]);
    assert_eq!((health.state, health.not_told), (HealthState::OkAsFarAsTold, vec!["the rest of a text that ends early".to_owned()]));
}

#[test]
fn limits_come_from_the_same_page_or_from_any() {
    let limits = of("warning_temperature_celsius = 70; critical_temperature_celsius = 90");
    let now = of("temperature_celsius = 75; media_errors = 0");
    let health = judge("sda", &[limits.clone(), now.clone()]);
    assert_eq!((health.state, health.findings[0].source()), (HealthState::Worn, "where temperature_celsius stands"));
    let own = of("temperature_celsius = 75; warning_temperature_celsius = 80; media_errors = 0");
    assert_eq!(judge("sda", &[limits, whole(own)]).state, HealthState::Ok);
}

#[test]
fn the_worst_page_counts_and_nothing_is_said_twice() {
    let before = of("media_errors = 0; reallocated_sectors = 2");
    let after = of("media_errors = 1; reallocated_sectors = 2");
    let health = judge("sda", &[before, after]);
    let rules: Vec<_> = health.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!((health.state, rules), (HealthState::Worn, vec!["reallocated-sectors", "media-errors"]));
}

fn nvme(spare: u64, used: u64) -> Vec<Page> {
    let told = format!("critical_warnings = []; available_spare_percent = {spare}; percentage_used_percent = {used}");
    vec![whole(of(&told))]
}

#[test]
fn a_new_drive_has_all_its_spare_and_no_use() {
    assert_eq!(admit(&nvme(100, 0), Admission::New), Ok(()));
    let against = admit(&nvme(99, 1), Admission::New).unwrap_err();
    assert_eq!(
        against,
        [
            "available spare percent: 99 instead of 100 (where available_spare_percent stands)",
            "percentage used percent: 1 instead of 0 (where percentage_used_percent stands)"
        ]
    );
    assert_eq!(admit(&nvme(99, 1), Admission::Healthy), Ok(()));
}

#[test]
fn every_figure_of_a_new_drive_is_asked_for() {
    for bad in [
        "critical_warnings = [x]",
        "smart_passed = false",
        "life_left_percent = 99",
        "media_wearout_left_percent = 99",
        "media_errors = 1",
        "reallocated_sectors = 1",
        "pending_sectors = 1",
        "uncorrectable_sectors = 1",
        "attributes_failing = [x]",
        "attributes_failed = [x]",
        "controller_faults = [x]",
        "controller_errors = 1",
    ] {
        let pages = [nvme(100, 0), vec![of(bad)]].concat();
        assert_eq!(admit(&pages, Admission::New).unwrap_err().len(), 1, "{bad}");
    }
}

#[test]
fn what_is_not_told_is_not_shown() {
    let untold = vec![of("available_spare_percent = 100")];
    for admission in [Admission::New, Admission::Healthy] {
        assert_eq!(admit(&untold, admission).unwrap_err(), ["not told: critical warnings, wear, media errors"]);
    }
    let nothing = "not told: the drive's own verdict, SMART attributes against their thresholds";
    assert_eq!(admit(&[], Admission::New).unwrap_err(), [nothing]);
    assert_eq!(admit(&[], Admission::Healthy).unwrap_err(), ["nothing is told about its health"]);
    let verdict = of("smart_passed = true");
    assert_eq!(admit(std::slice::from_ref(&verdict), Admission::New).unwrap_err(), ["not told: SMART attributes against their thresholds"]);
    assert_eq!(admit(&[whole(verdict)], Admission::New), Ok(()), "a hard disk has neither spare nor use");
}

#[test]
fn a_drive_that_is_not_healthy_is_refused_with_its_reasons_and_without_notes() {
    let pages = [whole(of("media_errors = 2; crc_errors = 9"))];
    assert_eq!(admit(&pages, Admission::Healthy).unwrap_err(), ["media and data integrity errors: 2 (where media_errors stands)"]);
}

#[test]
fn pasted_drives_are_judged() {
    let judged = |text: &str| judge("sda", &paste::read(text).unwrap());
    let failed = judged(include_str!("../../../../fixtures/paste/smartctl-7.3-nvme-failed.txt"));
    assert_eq!(failed.state, HealthState::Failing);
    assert_eq!(
        failed.findings.iter().map(|finding| finding.rule.as_str()).collect::<Vec<_>>(),
        ["critical-warning", "self-assessment-failed", "endurance-used-up"]
    );
    assert_eq!(failed.findings[2].source(), "smartctl, line 42");
    assert_eq!(judged(include_str!("../../../../fixtures/paste/smartctl-7.2-ata-failing.txt")).state, HealthState::Failing);
    assert_eq!(judged(include_str!("../../../../fixtures/paste/smartctl-7.0-nvme-json.txt")).state, HealthState::Ok);
    assert_eq!(judged(include_str!("../../../../fixtures/paste/nvmecontrol-identify-p3700.txt")).state, HealthState::Unknown);
    let pages = paste::read(include_str!("../../../../fixtures/paste/spdk-identify-pblaze4-quoted.txt")).unwrap();
    assert_eq!(admit(&pages, Admission::New), Ok(()));
}

proptest! {
    #[test]
    fn any_figures_are_judged(figures in proptest::collection::vec((0..RULES.len(), any::<u64>(), any::<f64>(), 0..5), 0..12)) {
        let value = |number: u64, real: f64, kind: i32| match kind {
            0 => Value::Number(number),
            1 => Value::Real(real),
            2 => Value::Flag(number < 7),
            3 => Value::Text(real.to_string()),
            _ => Value::List(vec![number.to_string()]),
        };
        let fields: Vec<_> = figures.iter().map(|(rule, number, real, kind)| (RULES[*rule].key, value(*number, *real, *kind))).collect();
        let pages = [page(&fields)];
        let health = judge("sda", &pages);
        prop_assert_eq!(health.state == HealthState::Failing, health.findings.iter().any(|finding| finding.severity == Severity::Block));
        prop_assert_eq!(admit(&pages, Admission::Healthy).is_ok(), health.state == HealthState::Ok);
        let _ = admit(&pages, Admission::New);
    }
}
