//! Outputs as mail, forums and scripts damage them: what is read stays right, or it is said that it could not be.

use ioproof_pages::field::Page;
use ioproof_pages::health::{Admission, HealthState, admit, judge};
use ioproof_pages::paste;

const DYING: &str = include_str!("../../../fixtures/paste/smartctl-6.5-ata-pending.txt");
const SAS: &str = include_str!("../../../fixtures/paste/smartctl-7.0-scsi-uncorrected.txt");

/// The dying drive as if it were well.
fn healthy() -> String {
    DYING.replace("Always       -       13", "Always       -       0").replace("Offline      -       3", "Offline      -       0")
}

fn pages(text: &str) -> Vec<Page> {
    paste::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn state(text: &str) -> HealthState {
    judge("", &pages(text)).state
}

fn reasons(text: &str) -> Vec<String> {
    judge("", &pages(text)).findings.into_iter().map(|finding| finding.title).collect()
}

/// As mailers do it: at the last blank before the column, the rest on a line of its own.
fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.chars().count() > columns {
            let end = rest.char_indices().nth(columns).map_or(rest.len(), |(at, _)| at);
            let Some(blank) = rest[..end].rfind(' ').filter(|at| !rest[..*at].trim().is_empty()) else { break };
            lines.push(rest[..blank].trim_end().to_owned());
            rest = &rest[blank + 1..];
        }
        lines.push(rest.to_owned());
    }
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// As terminals do it: at the column, within words.
fn cut(text: &str, columns: usize) -> String {
    let pieces = |line: &str| -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(columns).map(|chunk| chunk.iter().collect()).collect()
    };
    text.lines().flat_map(|line| if line.is_empty() { vec![String::new()] } else { pieces(line) }).map(|line| line + "\n").collect()
}

fn flowed(text: &str, columns: usize) -> String {
    wrapped(text, columns, "")
        .lines()
        .map(|line| if line.len() > columns - 12 { format!("{line} \r\n") } else { format!("{line}\r\n") })
        .collect()
}

fn quoted_printable(text: &str) -> String {
    let encoded = text.replace('=', "=3D");
    let soft = |line: &str| -> String {
        let chars: Vec<char> = line.chars().collect();
        chars.chunks(70).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>().join("=\n")
    };
    encoded.lines().map(|line| soft(line) + "\n").collect()
}

fn damages(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for columns in [60, 66, 72, 76, 80, 84] {
        all.push((format!("wrapped at {columns}"), wrapped(text, columns, "")));
        all.push((format!("quoted and wrapped at {columns}"), wrapped(text, columns, "> ")));
        all.push((format!("indented and wrapped at {columns}"), wrapped(text, columns, "        ")));
        all.push((format!("flowed at {columns}"), flowed(text, columns)));
        all.push((format!("cut at {columns}"), cut(text, columns)));
    }
    all.push(("quoted-printable".to_owned(), quoted_printable(text)));
    all.push(("double-spaced".to_owned(), text.replace('\n', "\n\n")));
    all.push(("a log".to_owned(), text.lines().map(|line| format!("2026-11-28T10:00:00Z {line}\n")).collect()));
    all.push(("strings".to_owned(), text.lines().map(|line| format!("    \"{line}\",\n")).collect()));
    all
}

#[test]
fn a_dying_drive_is_dying_however_it_was_wrapped() {
    assert_eq!(state(DYING), HealthState::Failing);
    for (how, text) in damages(DYING) {
        let read = pages(&text);
        let pending = read.iter().find_map(|page| page.number("pending_sectors"));
        assert_eq!((pending, state(&text)), (Some(13), HealthState::Failing), "{how}: {text}");
    }
}

#[test]
fn a_row_without_its_raw_value_says_nothing_good() {
    let row = DYING.lines().find(|line| line.contains("Current_Pending")).unwrap();
    let short = row.rsplit_once(' ').unwrap().0;
    let healthy = DYING.replace("Offline      -       3", "Offline      -       0");
    let text = healthy.replace(row, short);
    assert_eq!(state(&text), HealthState::Unknown, "{:?}", reasons(&text));
    assert!(reasons(&text)[0].contains("197 Current_Pending_Sector"), "{:?}", reasons(&text));
    assert!(admit(&pages(&text), Admission::Healthy).is_err() && admit(&pages(&text), Admission::New).is_err());
}

#[test]
fn wrapped_error_counters_keep_their_columns() {
    for (how, text) in damages(SAS) {
        let read = pages(&text);
        assert_eq!((read[0].number("media_errors"), state(&text)), (Some(8149), HealthState::Failing), "{how}: {text}");
        let fine = text.replace("8149", "0");
        assert!(matches!(state(&fine), HealthState::Ok | HealthState::OkAsFarAsTold), "{how}: {:?}", reasons(&fine));
    }
}

#[test]
fn attributes_in_other_forms_are_read_or_take_the_good_word_away() {
    let pending = |text: &str| pages(text).iter().find_map(|page| page.number("pending_sectors"));
    let head = "SMART overall-health self-assessment test result: PASSED\n\n";
    for text in [
        "Reallocated_Sector_Ct    val=100 worst=100 thresh=010  raw=2872\nCurrent_Pending_Sector   val=099 worst=098 thresh=000  raw=16\n",
        "Current_Pending_Sector: 16\n",
        "| 197 | Current_Pending_Sector | 0x0012 | 100 | 100 | 000 | Old_age | Always | - | 16 |\n",
        "Device: /dev/sda [SAT], 16 Currently unreadable (pending) sectors\n",
    ] {
        assert_eq!((pending(text), state(text)), (Some(16), HealthState::Failing), "{text}");
        assert_eq!(state(&format!("{head}{text}")), HealthState::Failing, "{text}");
    }
    for text in ["Current_Pending_Sector 100 100 000 16\n", "ATA Error Count: 1693\n"] {
        assert_eq!(state(&format!("{head}{text}")), HealthState::Unknown, "{text}");
    }
}

#[test]
fn the_registers_of_an_error_say_what_it_was() {
    let log = |registers: &str| {
        format!(
            "{}\nSMART Error Log Version: 1\nATA Error Count: 89 (device log contains only the most recent five errors)\n\
             Error 89 occurred at disk power-on lifetime: 17344 hours (722 days + 16 hours)\n  After command completion occurred, registers were:\n\
             \x20 ER ST SC SN CL CH DH\n  -- -- -- -- -- -- --\n  {registers}\n\n  Commands leading to the command that caused the error were:\n\
             \x20 60 08 00 ff ff ff 4f 00      02:47:17.013  READ FPDMA QUEUED\n",
            healthy()
        )
    };
    assert_eq!(state(&log("40 51 00 cd ee ea 0d")), HealthState::Failing, "{:?}", reasons(&log("40 51 00 cd ee ea 0d")));
    assert!(reasons(&log("40 51 00 cd ee ea 0d")).iter().any(|said| said.contains("was 2 power-on hours ago")));
    assert_eq!(state(&log("40 -- 51 00 08 00 00 cd ee ea 0d 40 00")), HealthState::Failing);
    assert_eq!(state(&log("10 51 00 cd ee ea 0d")), HealthState::Watch);
    assert!(matches!(state(&log("84 51 00 cd ee ea 0d")), HealthState::Ok | HealthState::OkAsFarAsTold), "a bad cable");
}

fn health_log(figure: &str, spare: &str, temperature: &str) -> String {
    #[rustfmt::skip]
    const LABELS: [&str; 10] = [
        "data_units_read", "data_units_written", "host_read_commands", "host_write_commands", "controller_busy_time", "power_cycles",
        "power_on_hours", "unsafe_shutdowns", "media_errors", "num_err_log_entries",
    ];
    let counters: String = LABELS.iter().map(|label| format!("{label} : {figure}\n")).collect();
    format!(
        "Smart Log for NVME device:nvme0 namespace-id:ffffffff\ncritical_warning : {spare}\ntemperature : {temperature}\navailable_spare : {spare}%\n\
         available_spare_threshold : {spare}%\npercentage_used : {spare}%\n{counters}"
    )
}

#[test]
fn a_log_of_zeros_or_ones_is_no_log() {
    let zeros = health_log("0", "0", "-273 C");
    let ones = health_log("340282366920938463463374607431768211455", "255", "65262 C");
    for (text, word) in [(&zeros, "zeros"), (&ones, "ones")] {
        assert_eq!(state(text), HealthState::Unknown, "{:?}", reasons(text));
        assert!(reasons(text)[0].contains(word), "{:?}", reasons(text));
        let read = pages(text);
        assert_eq!(read[0].field("temperature_celsius"), None);
        assert!(!read[0].problems.iter().any(|problem| problem.contains("missing")), "{:?}", read[0].problems);
        assert!(admit(&read, Admission::Healthy).is_err() && admit(&read, Admission::New).is_err());
    }
    assert_eq!(
        state(&health_log("0", "0", "36 C").replace("available_spare : 0%", "available_spare : 100%")),
        HealthState::Ok,
        "a new drive"
    );
}

#[test]
fn what_cannot_be_is_no_fact() {
    let log = health_log("5", "0", "4294967291 C").replace("available_spare : 0%", "available_spare : 130%");
    let read = pages(&log);
    assert_eq!((read[0].field("temperature_celsius"), read[0].field("available_spare_percent")), (None, None));
    assert!(read[0].problems.iter().any(|problem| problem.contains("130 %")), "{:?}", read[0].problems);

    let list = |lba: u64, used: u64| {
        format!(
            "{{\"Devices\":[{{\"DevicePath\":\"/dev/nvme0n1\",\"ModelNumber\":\"M\",\"SerialNumber\":\"S\",\"UsedBytes\":{used},\"MaximumLBA\":{lba},\
             \"PhysicalSize\":1000204886016,\"SectorSize\":512}}]}}"
        )
    };
    assert_eq!(pages(&list(1_953_525_168, 500))[0].number("capacity_bytes"), Some(1_000_204_886_016));
    let read = pages(&list(19_535_251, 500));
    assert_eq!(read[0].number("capacity_bytes"), None);
    assert!(read[0].problems.iter().any(|problem| problem.contains("1000204886016")), "{:?}", read[0].problems);

    let hours = format!("{DYING}\nDevice Statistics (GP Log 0x04)\n0x01  0x010  4               9  ---  Power-on Hours\n");
    let read = pages(&hours);
    assert_eq!(read[0].number("power_on_hours"), None);
    assert!(read[0].problems.iter().any(|problem| problem.contains("17346") && problem.contains("says 9")), "{:?}", read[0].problems);

    let hot = DYING.replace(
        "Temperature_Celsius     0x0022   118   103   000    Old_age   Always       -       32",
        "Temperature_Celsius     0x0022   118   103   000    Old_age   Always       -       62",
    );
    let hot = format!("{hot}\nDevice Statistics (GP Log 0x04)\n0x05  0x008  1              32  ---  Current Temperature\n");
    assert_eq!(pages(&hot)[0].field("temperature_celsius"), None, "{:?}", pages(&hot)[0].problems);
}

#[test]
fn names_hours_and_scans_of_scsi_drives() {
    let text = "Vendor:               MG08ACP1\nProduct:              6TE\nRevision:             0102\nUser Capacity:        16,000,900,661,248 bytes [16.0 TB]\n\
        SMART Health Status: OK\n\nBackground scan results log\n  Status: waiting until BMS interval timer expires\n\
        \x20   Accumulated power on time, hours:minutes 43549:33 [2612973 minutes]\n\
        \x20  #  when        lba(hex)    [sk,asc,ascq]    reassign_status\n   1 20000:09  000000000c0a1c5f  [1,17,1]   Recovered via rewrite in-place\n\
        \x20  2 20001:10  000000000c0a1c60  [3,11,0]   Require Write or Reassign Blocks command\n";
    let read = pages(text);
    assert_eq!((read[0].text("model"), read[0].text("vendor")), (Some("MG08ACP16TE"), None));
    assert_eq!((read[0].number("power_on_hours"), read[0].number("scan_unreadable_sectors")), (Some(43_549), Some(1)));
    assert_eq!(state(text), HealthState::Failing);
    let factory = "smartctl 7.2 [x]\nVendor: SEAGATE\nProduct: ST4000NM0023\nSMART Health Status: OK\nVendor (Seagate) factory information\n  number of hours powered up = 12608.92\n";
    assert_eq!((pages(factory)[0].number("power_on_hours"), pages(factory)[0].text("vendor")), (Some(12_608), Some("SEAGATE")));
}

#[test]
fn a_table_with_rows_left_out_is_not_all() {
    let healthy = healthy();
    assert_eq!(state(&healthy), HealthState::Ok);
    let row = healthy.lines().find(|line| line.contains("Current_Pending")).unwrap();
    assert_eq!(state(&healthy.replace(row, "...")), HealthState::OkAsFarAsTold);
}

#[test]
fn parts_that_are_posted_alone_are_read() {
    let scan = "Background scan results log\n  Status: waiting\n    Accumulated power on time, hours:minutes 52013:20 [3120800 minutes]\n";
    assert_eq!(pages(scan)[0].number("power_on_hours"), Some(52_013));
    let tests = "SMART Self-test log structure revision number 1\n# 1  Short offline  Completed: read failure  90%  2126  57169643\n";
    assert_eq!(state(tests), HealthState::Failing);
}

#[test]
fn two_readings_of_one_drive_are_one_drive_and_the_later_counts() {
    let earlier = DYING.replace("17346", "16000").replace("Always       -       13", "Always       -       0");
    let read = paste::drives(&pages(&format!("{earlier}\n{DYING}")));
    assert_eq!(read.len(), 1);
    assert_eq!(read[0][0].number("power_on_hours"), Some(17_346));
    assert!(read[0].iter().any(|page| page.problems.iter().any(|problem| problem.contains("an earlier reading"))));
}

#[test]
fn self_tests_and_scans_of_nvme_and_scsi_drives_count() {
    let nvme = |status: &str| {
        format!(
            "smartctl 7.4 [x]\n=== START OF INFORMATION SECTION ===\nModel Number:                       X\nSerial Number:                      S\n\n\
             === START OF SMART DATA SECTION ===\nSMART overall-health self-assessment test result: PASSED\n\nSMART/Health Information (NVMe Log 0x02)\n\
             Critical Warning:                   0x00\nAvailable Spare:                    100%\nAvailable Spare Threshold:          10%\n\
             Percentage Used:                    1%\nPower On Hours:                     900\nMedia and Data Integrity Errors:    0\n\n\
             Self-test Log (NVMe Log 0x06)\nSelf-test status: No self-test in progress\n\
             Num  Test_Description  Status                       Power_on_Hours  Failing_LBA  NSID Seg SCT Code\n\
             \x20 0   Extended          {status}             899            -     -   -   -    -\n"
        )
    };
    assert_eq!(state(&nvme("Completed without error")), HealthState::Ok);
    assert_eq!(state(&nvme("Completed: failed segments")), HealthState::Failing);
    let scsi = "{\"smartctl\":{\"version\":[7,4]},\"device\":{\"name\":\"/dev/sda\",\"protocol\":\"SCSI\"},\"scsi_vendor\":\"V\",\"scsi_product\":\"P\",\"serial_number\":\"S\",\n\
        \"smart_status\":{\"passed\":true},\"scsi_grown_defect_list\":0,\"scsi_pending_defects\":{\"count\":0},\n\
        \"scsi_background_scan\":{\"status\":{\"value\":8,\"string\":\"waiting\"},\"result_1\":{\"lba\":{\"value\":7},\"reassign_status\":{\"value\":1,\"string\":\"WORD\"}}},\n\
        \"scsi_self_test_0\":{\"code\":{\"string\":\"Background long\"},\"result\":{\"string\":\"Completed\"}}}";
    assert_eq!(state(&scsi.replace("WORD", "Recovered via rewrite in-place")), HealthState::Ok);
    assert_eq!(state(&scsi.replace("WORD", "Require Write or Reassign Blocks command")), HealthState::Failing);
    assert_eq!(state(&scsi.replace("\"count\":0", "\"count\":3")), HealthState::Failing);
    assert_eq!(state(&scsi.replace("\"Completed\"", "\"Failed in segment --->\"")), HealthState::Failing);
}

#[test]
fn counts_under_other_names_and_a_count_that_flips() {
    let row = |row: &str| healthy() + row;
    for (name, state_of) in [
        ("187 Reported_UE_Counts      0x0032   100   100   000    Old_age   Always       -       321\n", HealthState::Failing),
        ("202 Percent_Lifetime_Used   0x0030   009   009   001    Old_age   Offline      -       91\n", HealthState::Worn),
    ] {
        assert_eq!(state(&row(name)), state_of, "{:?}", reasons(&row(name)));
    }
    let alone = |count: u32| format!("197 Current_Pending_ECC_Cnt 0x0032   100   100   000    Old_age   Always       -       {count}\n");
    assert_eq!((state(&alone(1)), state(&alone(2))), (HealthState::OkAsFarAsTold, HealthState::Failing));
}

#[test]
fn messages_of_smartd_are_of_the_drive_that_they_name() {
    let drives = paste::drives(&pages(include_str!("../../../fixtures/paste/posted-smartd-two-drives.txt")));
    let told: Vec<_> = drives.iter().map(|pages| (pages[0].text("device_name"), pages[0].number("pending_sectors"))).collect();
    assert_eq!(told, [(Some("sda"), Some(1)), (Some("sdb"), Some(8)), (Some("sdc"), None)]);
    assert!(drives.iter().all(|pages| judge("", pages).state == HealthState::Failing));
}

#[test]
fn lines_of_health_that_are_posted_alone_are_read() {
    for (text, state_of) in [
        ("Elements in grown defect list: 30\n", HealthState::Worn),
        ("Elements in grown defect list: 0\n", HealthState::OkAsFarAsTold),
        ("Percentage used endurance indicator: 91%\n", HealthState::Worn),
        ("Percentage Used:                    12%\n", HealthState::OkAsFarAsTold),
        ("Media and Data Integrity Errors:    17\n", HealthState::Failing),
        ("199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       14296\n", HealthState::Watch),
    ] {
        assert_eq!(state(text), state_of, "{text}");
    }
    assert_eq!(pages("Elements in grown defect list: 30\n")[0].text("protocol"), Some("SCSI"));
    assert!(paste::read("The elements in grown defect list: 30\n").is_err());
}

/// The text of an object without its first line, and without both of its braces.
fn headless(text: &str) -> [String; 2] {
    let inner = text.trim().strip_prefix('{').unwrap_or_default().trim_start();
    [inner.to_owned(), inner.strip_suffix('}').unwrap_or_default().trim_end().to_owned()]
}

#[test]
fn json_without_its_first_brace_says_the_same() {
    for text in [
        include_str!("../../../fixtures/paste/smartctl-7.2-scsi-json.txt"),
        include_str!("../../../fixtures/paste/smartctl-7.0-nvme-json.txt"),
        include_str!("../../../fixtures/paste/smartctl-7.3-emulated-sata-json.txt"),
    ] {
        let text = &text[text.find('{').unwrap()..];
        let fields = |text: &str| -> Vec<String> {
            let told = pages(text);
            told[0]
                .fields
                .iter()
                .filter(|field| field.key != "device_name")
                .map(|field| format!("{}={:?}", field.key, field.value))
                .collect()
        };
        let whole = fields(text);
        assert!(headless(text).iter().all(|cut| fields(cut) == whole), "{text}");
    }
    let nvme = "\"critical_warning\": 4,\n\"temperature\": 35,\n\"available_spare\": 100,\n\"available_spare_threshold\": 10,\n\"percentage_used\": 3,\n\"media_errors\": 0\n";
    assert_eq!((state(nvme), pages(nvme)[0].number("percentage_used_percent")), (HealthState::Failing, Some(3)));
    let attributes = "\"ata_smart_attributes\": {\"table\": [{\"id\": 197, \"name\": \"Current_Pending_Sector\", \"value\": 100, \"worst\": 100,\n\
        \"thresh\": 0, \"when_failed\": \"\", \"raw\": {\"value\": 16, \"string\": \"16\"}}]}\n";
    assert_eq!(state(attributes), HealthState::Failing);
    assert!(paste::read("\"name\": \"something else\",\n\"size\": 3\n").is_err());
}

#[test]
fn reports_of_desktops_are_read_however_they_were_wrapped() {
    const REPORT: &str = include_str!("../../../fixtures/paste/crystaldiskinfo-three-drives.txt");
    let told = |text: &str| {
        let drives = paste::drives(&pages(text));
        drives.iter().map(|pages| (judge("", pages).state, pages[0].text("model").map(str::to_owned))).collect::<Vec<_>>()
    };
    let whole = told(REPORT);
    for (how, text) in damages(REPORT).into_iter().filter(|(how, _)| !how.contains("wrapped at 6") && !how.starts_with("cut at 6")) {
        assert_eq!(told(&text), whole, "{how}: {text}");
    }
}
