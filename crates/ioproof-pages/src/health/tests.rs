//! Every rule both ways, and admission.

use super::*;
use crate::paste;
use crate::testing::{list, page};
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
    page(&[
        word_list("critical_warnings", &[]),
        number_of("available_spare_percent", 100),
        number_of("percentage_used_percent", 0),
        number_of("media_errors", 0),
        ("smart_passed", Value::Flag(true)),
        word_list("attributes_failing", &[]),
    ])
}

fn number_of(key: &'static str, number: u64) -> (&'static str, Value) {
    (key, Value::Number(number))
}

fn word_list(key: &'static str, words: &[&str]) -> (&'static str, Value) {
    (key, list(words))
}

#[track_caller]
fn check(fields: &[(&str, Value)], state: HealthState, texts: &[&str]) {
    let health = judge("sda", &[whole(page(fields))]);
    assert_eq!((health.state, health.findings.iter().map(|finding| finding.title.as_str()).collect::<Vec<_>>()), (state, texts.to_vec()));
}

#[test]
fn critical_warnings_are_failing() {
    check(&[word_list("critical_warnings", &[])], HealthState::Ok, &[]);
    check(
        &[word_list("critical_warnings", &["media is read only", "bit 7"])],
        HealthState::Failing,
        &["critical warning: media is read only", "critical warning: bit 7"],
    );
}

#[test]
fn the_drives_own_verdict_counts() {
    check(&[("smart_passed", Value::Flag(true))], HealthState::Ok, &[]);
    check(&[("smart_passed", Value::Flag(false))], HealthState::Failing, &["the drive's own health check failed"]);
}

#[test]
fn spare_against_its_threshold() {
    let spare = |spare, threshold| [number_of("available_spare_percent", spare), number_of("available_spare_threshold_percent", threshold)];
    check(&spare(20, 10), HealthState::Ok, &[]);
    check(&spare(19, 10), HealthState::Worn, &["available spare of 19 % nears its threshold of 10 %"]);
    check(&spare(11, 10), HealthState::Worn, &["available spare of 11 % nears its threshold of 10 %"]);
    check(&spare(10, 10), HealthState::Failing, &["available spare of 10 % has reached its threshold of 10 %"]);
    check(&spare(0, 5), HealthState::Failing, &["available spare of 0 % has reached its threshold of 5 %"]);
    check(&[number_of("available_spare_percent", 3)], HealthState::Ok, &[]);
}

#[test]
fn high_thresholds_are_judged_by_the_middle() {
    let spare = |spare, threshold| [number_of("available_spare_percent", spare), number_of("available_spare_threshold_percent", threshold)];
    check(&spare(100, 99), HealthState::Ok, &[]);
    check(&spare(75, 50), HealthState::Ok, &[]);
    check(&spare(74, 50), HealthState::Worn, &["available spare of 74 % nears its threshold of 50 %"]);
    check(&spare(99, 99), HealthState::Failing, &["available spare of 99 % has reached its threshold of 99 %"]);
}

#[test]
fn a_log_of_zeros_is_no_verdict() {
    let blank = [number_of("available_spare_percent", 0), number_of("available_spare_threshold_percent", 0)];
    check(&blank, HealthState::Ok, &["available spare and its threshold are both 0 %, as in a log that was not filled in"]);
    let used = [number_of("available_spare_percent", 1), number_of("available_spare_threshold_percent", 0)];
    check(&used, HealthState::Ok, &[]);
}

#[test]
fn endurance() {
    check(&[number_of("percentage_used_percent", 79)], HealthState::Ok, &[]);
    check(&[number_of("percentage_used_percent", 80)], HealthState::Worn, &["80 % of the endurance that the maker estimates is used"]);
    check(&[number_of("percentage_used_percent", 99)], HealthState::Worn, &["99 % of the endurance that the maker estimates is used"]);
    check(&[number_of("percentage_used_percent", 100)], HealthState::Worn, &["the endurance that the maker estimates is used up: 100 %"]);
    check(&[number_of("percentage_used_percent", 255)], HealthState::Worn, &["the endurance that the maker estimates is used up: 255 %"]);
    check(&[number_of("life_left_percent", 21), number_of("media_wearout_left_percent", 21)], HealthState::Ok, &[]);
    check(&[number_of("life_left_percent", 20)], HealthState::Worn, &["20 % of its life is left"]);
    check(&[number_of("media_wearout_left_percent", 1)], HealthState::Worn, &["1 % of its life is left by the wear of the medium"]);
}

#[test]
fn errors_of_the_medium() {
    for key in ["uncorrectable_sectors", "pending_sectors", "reallocated_sectors", "media_errors"] {
        check(&[number_of(key, 0)], HealthState::Ok, &[]);
    }
    check(&[number_of("uncorrectable_sectors", 1)], HealthState::Failing, &["sectors that cannot be read: 1"]);
    check(&[number_of("pending_sectors", 8)], HealthState::Failing, &["sectors that wait to be reallocated and cannot be read now: 8"]);
    check(&[number_of("reallocated_sectors", 1)], HealthState::Watch, &["reallocated sectors: 1"]);
    check(&[number_of("reallocated_sectors", 10)], HealthState::Worn, &["reallocated sectors: 10"]);
    check(&[number_of("media_errors", 3)], HealthState::Worn, &["media and data integrity errors: 3"]);
    for errors in [4, 7, 8, 321, 536, 8149] {
        check(&[number_of("media_errors", errors)], HealthState::Failing, &[&format!("media and data integrity errors: {errors}")]);
    }
    check(&[number_of("end_to_end_errors", 1)], HealthState::Worn, &["data that changed on its way through the drive: 1"]);
    let huge = "340282366920938463463374607431768211455";
    assert_eq!(judge("sda", &[page(&[("media_errors", Value::Text(huge.to_owned()))])]).state, HealthState::Failing);
}

#[test]
fn logged_errors_and_self_tests() {
    check(&[number_of("self_tests_failed", 0)], HealthState::Ok, &[]);
    check(&[number_of("self_tests_failed", 4)], HealthState::Failing, &["self-tests that failed: 4"]);
    let age = |hours| [number_of("uncorrectable_read_age_hours", hours)];
    check(&age(0), HealthState::Failing, &["the last read that could not be corrected was 0 power-on hours ago"]);
    check(&age(999), HealthState::Failing, &["the last read that could not be corrected was 999 power-on hours ago"]);
    check(&age(1000), HealthState::Watch, &["the last read that could not be corrected was 1000 power-on hours ago"]);
    check(&[number_of("logged_uncorrectable_reads", 0)], HealthState::Ok, &[]);
    check(&[number_of("logged_uncorrectable_reads", 2)], HealthState::Worn, &["reads in its error log that could not be corrected: 2"]);
    let passed = ("smart_passed", Value::Flag(true));
    check(&[number_of("device_errors", 0), passed.clone()], HealthState::Ok, &[]);
    check(&[number_of("device_errors", 79), passed], HealthState::Ok, &["errors in its error log, over its life: 79"]);
}

#[test]
fn attributes_at_their_threshold() {
    check(&[word_list("attributes_failing", &[]), word_list("attributes_failed", &[])], HealthState::Ok, &[]);
    let (soon, aged) = ("attribute 5 (foretells a failure)", "attribute 190 (worn or aged)");
    check(&[word_list("attributes_failing", &[soon])], HealthState::Failing, &["at its threshold: attribute 5 (foretells a failure)"]);
    check(&[word_list("attributes_failing", &[aged])], HealthState::Worn, &["at its threshold: attribute 190 (worn or aged)"]);
    check(
        &[number_of("media_errors", 0), word_list("attributes_failed", &[soon])],
        HealthState::Watch,
        &["was at its threshold: attribute 5 (foretells a failure)"],
    );
    check(
        &[number_of("media_errors", 0), word_list("attributes_failed", &[aged])],
        HealthState::Ok,
        &["was at its threshold: attribute 190 (worn or aged)"],
    );
}

#[test]
fn temperature_against_both_limits() {
    let at = |degrees| {
        let limits = [
            number_of("warning_temperature_celsius", 70),
            number_of("critical_temperature_celsius", 80),
            word_list("critical_warnings", &[]),
        ];
        [limits.to_vec(), vec![number_of("temperature_celsius", degrees)]].concat()
    };
    check(&at(69), HealthState::Ok, &[]);
    check(&at(70), HealthState::Worn, &["70 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check(&at(79), HealthState::Worn, &["79 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check(&at(80), HealthState::Failing, &["80 °C, at or above the critical temperature of 80 °C"]);
    let no_critical = [number_of("warning_temperature_celsius", 70), number_of("temperature_celsius", 90), number_of("media_errors", 0)];
    check(&no_critical, HealthState::Worn, &["90 °C, at or above the warning temperature of 70 °C; it may slow itself down"]);
    check(&[number_of("temperature_celsius", 90), number_of("media_errors", 0)], HealthState::Ok, &[]);
}

#[test]
fn a_word_of_the_hosts_tool_counts_against_a_drive() {
    check(&[word_list("failing_by_host", &[]), word_list("caution_by_host", &[])], HealthState::Ok, &[]);
    let said = "the host's own tool says: bad, by X";
    check(&[word_list("failing_by_host", &["bad, by X"])], HealthState::Failing, &[said]);
    check(&[word_list("caution_by_host", &["bad, by X"])], HealthState::Watch, &[said]);
}

#[test]
fn many_errors_of_the_interface_are_watched() {
    let health = judge("sda", &[page(&[number_of("crc_errors", 14_296)])]);
    assert_eq!((health.state, health.findings[0].title.as_str()), (HealthState::Watch, "errors on the interface: 14296"));
    assert_eq!(judge("sda", &[whole(page(&[number_of("pending_sectors", 0), number_of("crc_errors", 999)]))]).state, HealthState::Ok);
}

#[test]
fn notes_change_nothing() {
    let fine = number_of("percentage_used_percent", 0);
    check(&[fine.clone(), number_of("crc_errors", 0), number_of("critical_temperature_minutes", 0)], HealthState::Ok, &[]);
    check(
        &[fine.clone(), number_of("crc_errors", 2)],
        HealthState::Ok,
        &["errors on the interface, which are the cable's more often than the drive's: 2"],
    );
    check(
        &[fine, number_of("critical_temperature_minutes", 5)],
        HealthState::Ok,
        &["minutes of its life above the critical temperature: 5"],
    );
}

/// Fields for which a rule fires, and close to them others for which it is silent; ranges of numbers have theirs by themselves.
type Given = Vec<(&'static str, Value)>;

fn examples(rule: &HealthRule) -> (Given, Given) {
    let numbers = |fires: f64, silent: f64| (vec![number_of(rule.key, fires as u64)], vec![number_of(rule.key, silent as u64)]);
    match rule.name {
        "critical-warning" => (vec![word_list("critical_warnings", &["media is read only"])], vec![word_list("critical_warnings", &[])]),
        "self-assessment-failed" => (vec![("smart_passed", Value::Flag(false))], vec![("smart_passed", Value::Flag(true))]),
        "spare-used-up" => (
            vec![number_of("available_spare_percent", 10), number_of("available_spare_threshold_percent", 10)],
            vec![number_of("available_spare_percent", 11), number_of("available_spare_threshold_percent", 10)],
        ),
        "spare-low" => (
            vec![number_of("available_spare_percent", 19), number_of("available_spare_threshold_percent", 10)],
            vec![number_of("available_spare_percent", 20), number_of("available_spare_threshold_percent", 10)],
        ),
        "spare-blank" => (
            vec![number_of("available_spare_percent", 0), number_of("available_spare_threshold_percent", 0)],
            vec![number_of("available_spare_percent", 1), number_of("available_spare_threshold_percent", 0)],
        ),
        "host-says-failing" | "host-says-caution" => (vec![word_list(rule.key, &["bad, by a tool"])], vec![word_list(rule.key, &[])]),
        "health-line-unread" => (vec![word_list("health_lines_unread", &["line 7: x"])], vec![word_list("health_lines_unread", &[])]),
        "controller-gave-up" => given_state(["Failed (given up)", "UBad (not used)"]),
        "controller-leaves-out" => given_state(["UBad (not used)", "CFShld (under diagnosis)"]),
        "controller-examines" => given_state(["CFShld (under diagnosis)", "Failed (given up)"]),
        "attribute-failing" => (
            vec![word_list("attributes_failing", &["attribute 5 (foretells a failure)"])],
            vec![word_list("attributes_failing", &["attribute 190 (worn or aged)"])],
        ),
        "attribute-aged" => (
            vec![word_list("attributes_failing", &["attribute 190 (worn or aged)"])],
            vec![word_list("attributes_failing", &["attribute 5 (foretells a failure)"])],
        ),
        "attribute-failed-before" => (
            vec![word_list("attributes_failed", &["attribute 5 (foretells a failure)"])],
            vec![word_list("attributes_failed", &["attribute 190 (worn or aged)"])],
        ),
        "attribute-aged-before" => {
            (vec![word_list("attributes_failed", &["attribute 190 (worn or aged)"])], vec![word_list("attributes_failed", &[])])
        }
        "critical-temperature" => (
            vec![number_of("temperature_celsius", 80), number_of("critical_temperature_celsius", 80)],
            vec![number_of("temperature_celsius", 79), number_of("critical_temperature_celsius", 80)],
        ),
        "warning-temperature" => (
            vec![number_of("temperature_celsius", 70), number_of("warning_temperature_celsius", 70)],
            vec![number_of("temperature_celsius", 69), number_of("warning_temperature_celsius", 70)],
        ),
        name => match rule.when {
            HealthCondition::Within(0.0, to) => numbers(to.ceil() - 1.0, to.ceil()),
            HealthCondition::Within(from, _) => numbers(from, from - 1.0),
            _ => panic!("{name} has no example"),
        },
    }
}

fn given_state(states: [&str; 2]) -> (Given, Given) {
    let [fires, silent] = states.map(|state| vec![word_list("controller_faults", &[state])]);
    (fires, silent)
}

#[test]
fn every_rule_fires_on_its_example_and_is_silent_on_the_other() {
    for (at, rule) in RULES.iter().enumerate() {
        let (fires, silent) = examples(rule);
        let found = rule.findings("sda", &[page(&fires)]);
        assert_eq!(found.len(), 1, "{}", rule.name);
        assert!(found[0].subject == Subject::Drive("sda".into()) && !found[0].source().is_empty(), "{:?}", found[0]);
        assert!(rule.findings("sda", &[page(&silent)]).is_empty(), "{}", rule.name);
        assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{} is there twice", rule.name);
    }
}

#[test]
fn every_rule_has_a_reason_and_a_source_and_the_table_gives_them() {
    for rule in RULES {
        assert!(!rule.why.is_empty() && !rule.source.is_empty(), "{}", rule.name);
        assert_eq!(rule.state.is_none(), rule.severity == Severity::Info, "{}", rule.name);
    }
    let health = judge("sda", &[page(&[number_of("media_errors", 7), number_of("reallocated_sectors", 2)])]);
    let rows = health.table();
    assert_eq!(rows.iter().map(|row| row.state).collect::<Vec<_>>(), [Some(HealthState::Watch), Some(HealthState::Failing)]);
    assert_eq!((rows[1].said.as_str(), rows[1].read_at.as_str()), ("media and data integrity errors: 7", "where media_errors stands"));
}

#[test]
fn a_line_on_health_that_could_not_be_read_takes_the_good_word_away() {
    let unread = word_list("health_lines_unread", &["line 7: 197 Current_Pending_Sector"]);
    let said = "could not be read, so nothing speaks for the drive: line 7: 197 Current_Pending_Sector";
    check(std::slice::from_ref(&unread), HealthState::Unknown, &[said]);
    check(&[unread.clone(), ("smart_passed", Value::Flag(true))], HealthState::Unknown, &[said]);
    assert_eq!(judge("sda", &[page(&[unread.clone(), number_of("pending_sectors", 8)])]).state, HealthState::Failing);
    let against = admit(&[whole(page(&[unread]))], Admission::Healthy).unwrap_err();
    assert_eq!(against, ["nothing is told about its health", said]);
}

#[test]
fn evidence_is_held_against_its_limit() {
    let mut fields = page(&[number_of("available_spare_percent", 9), number_of("available_spare_threshold_percent", 10)]);
    fields.fields.iter_mut().for_each(|field| field.unit = Some("percent".into()));
    let finding = &judge("sda", &[fields]).findings[0];
    assert_eq!(finding.evidence[0].describe(), "9.0 % (limit 10.0 %) (where available_spare_percent stands)");
}

#[test]
fn without_a_word_on_health_it_is_unknown() {
    check(&[], HealthState::Unknown, &[]);
    check(&[number_of("temperature_celsius", 36), number_of("power_on_hours", 5), number_of("crc_errors", 0)], HealthState::Unknown, &[]);
    for key in TELLING {
        let value = if key.starts_with("critical") || key.starts_with("attributes") { Value::List(vec![]) } else { Value::Flag(true) };
        assert_eq!(judge("sda", &[page(&[(key, value.clone())])]).state, HealthState::OkAsFarAsTold, "{key}");
        assert_eq!(judge("sda", &[whole(page(&[(key, value)]))]).state, HealthState::Ok, "{key}");
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
    let half = judge("sda", &[page(&[word_list("critical_warnings", &[]), number_of("temperature_celsius", 36)])]);
    assert_eq!(
        (half.state, half.rests_on, half.not_told.join(", ")),
        (HealthState::OkAsFarAsTold, vec!["critical warnings".to_owned()], "spare, wear, media errors".to_owned())
    );
    let good = judge("sda", &[page_of_good()]);
    assert_eq!((good.state, good.rests_on.len(), good.not_told), (HealthState::Ok, 4, vec![]));
    let bad = judge("sda", &[page(&[number_of("media_errors", 2)])]);
    assert_eq!((bad.state, bad.not_told.len()), (HealthState::Worn, 2));
    assert_eq!(serde_json::to_value(HealthState::OkAsFarAsTold).unwrap(), "ok_as_far_as_told");
}

#[test]
fn each_kind_of_drive_is_asked_for_its_own() {
    let of = |protocol: &str, fields: &[(&str, Value)]| {
        judge("sda", &[page(&[fields, &[("protocol", Value::Text(protocol.to_owned()))]].concat())]).not_told.len()
    };
    let verdict = [("smart_passed", Value::Flag(true)), number_of("available_spare_percent", 100)];
    assert_eq!(["NVMe", "ATA", "SCSI"].map(|protocol| of(protocol, &verdict)), [3, 1, 1]);
    for (name, titles) in [("smart-log", 4), ("smart-data", 2), ("log-0d", 2), ("kernel", 2)] {
        assert_eq!(judge("sda", &[Page { name: name.to_owned(), ..Page::default() }]).not_told.len(), titles, "{name}");
    }
}

#[test]
fn a_controller_alone_tells_less_than_the_drive() {
    let raid = Page {
        name: "raid-drive".to_owned(),
        ..page(&[("smart_passed", Value::Flag(true)), number_of("media_errors", 0), ("protocol", Value::Text("SCSI".into()))])
    };
    let list = Page { name: "device-list".to_owned(), ..page(&[("protocol", Value::Text("SCSI".into()))]) };
    assert_eq!(judge("sda", &[list, raid.clone()]).state, HealthState::OkAsFarAsTold);
    let own = page(&[("smart_passed", Value::Flag(true)), number_of("media_errors", 0)]);
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
    let limits = page(&[number_of("warning_temperature_celsius", 70), number_of("critical_temperature_celsius", 90)]);
    let now = page(&[number_of("temperature_celsius", 75), number_of("media_errors", 0)]);
    let health = judge("sda", &[limits.clone(), now.clone()]);
    assert_eq!((health.state, health.findings[0].source()), (HealthState::Worn, "where temperature_celsius stands"));
    let own = page(&[number_of("temperature_celsius", 75), number_of("warning_temperature_celsius", 80), number_of("media_errors", 0)]);
    assert_eq!(judge("sda", &[limits, whole(own)]).state, HealthState::Ok);
}

#[test]
fn the_worst_page_counts_and_nothing_is_said_twice() {
    let before = page(&[number_of("media_errors", 0), number_of("reallocated_sectors", 2)]);
    let after = page(&[number_of("media_errors", 1), number_of("reallocated_sectors", 2)]);
    let health = judge("sda", &[before, after]);
    let rules: Vec<_> = health.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!((health.state, rules), (HealthState::Worn, vec!["reallocated-sectors", "media-errors"]));
}

fn nvme(spare: u64, used: u64) -> Vec<Page> {
    vec![whole(page(&[
        word_list("critical_warnings", &[]),
        number_of("available_spare_percent", spare),
        number_of("percentage_used_percent", used),
    ]))]
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
    for (key, bad) in [
        ("critical_warnings", Value::List(vec!["x".to_owned()])),
        ("smart_passed", Value::Flag(false)),
        ("life_left_percent", Value::Number(99)),
        ("media_wearout_left_percent", Value::Number(99)),
        ("media_errors", Value::Number(1)),
        ("reallocated_sectors", Value::Number(1)),
        ("pending_sectors", Value::Number(1)),
        ("uncorrectable_sectors", Value::Number(1)),
        ("attributes_failing", Value::List(vec!["x".to_owned()])),
        ("attributes_failed", Value::List(vec!["x".to_owned()])),
        ("controller_faults", Value::List(vec!["x".to_owned()])),
        ("controller_errors", Value::Number(1)),
    ] {
        let pages = [nvme(100, 0), vec![page(&[(key, bad)])]].concat();
        assert_eq!(admit(&pages, Admission::New).unwrap_err().len(), 1, "{key}");
    }
}

#[test]
fn what_is_not_told_is_not_shown() {
    let untold = vec![page(&[number_of("available_spare_percent", 100)])];
    for admission in [Admission::New, Admission::Healthy] {
        assert_eq!(admit(&untold, admission).unwrap_err(), ["not told: critical warnings, wear, media errors"]);
    }
    let nothing = "not told: the drive's own verdict, SMART attributes against their thresholds";
    assert_eq!(admit(&[], Admission::New).unwrap_err(), [nothing]);
    assert_eq!(admit(&[], Admission::Healthy).unwrap_err(), ["nothing is told about its health"]);
    let verdict = page(&[("smart_passed", Value::Flag(true))]);
    assert_eq!(admit(std::slice::from_ref(&verdict), Admission::New).unwrap_err(), ["not told: SMART attributes against their thresholds"]);
    assert_eq!(admit(&[whole(verdict)], Admission::New), Ok(()), "a hard disk has neither spare nor use");
}

#[test]
fn a_drive_that_is_not_healthy_is_refused_with_its_reasons_and_without_notes() {
    let pages = [whole(page(&[number_of("media_errors", 2), number_of("crc_errors", 9)]))];
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
