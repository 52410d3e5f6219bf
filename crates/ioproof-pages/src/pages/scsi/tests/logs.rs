//! Log pages, and sense data in words.

use super::*;

#[test]
fn log_pages_are_what_sg_logs_says() {
    let of = |which, bytes| whole(log(which, bytes, "test"));
    assert_eq!(value(&of(LogPage::Supported, page!("scsi-debug-log-00")), "log_pages"), json!(["00h", "0Dh", "2Fh"]));
    let temperature = of(LogPage::Temperature, page!("scsi-debug-log-0d"));
    assert_eq!(values(&temperature, ["temperature_celsius", "warning_temperature_celsius"]), [38, 65].map(Json::from));
    let health = of(LogPage::InformationalExceptions, page!("scsi-debug-log-2f"));
    assert_eq!(values(&health, ["smart_passed", "temperature_celsius"]), [json!(true), json!(38)]);
    assert_eq!(of(LogPage::SolidState, page!("made-log-11")).number("percentage_used_percent"), Some(17));
    let scan = of(LogPage::BackgroundScan, page!("made-log-15"));
    let keys = ["power_on_minutes", "power_on_hours", "background_scans", "background_scan_status"];
    assert_eq!(values(&scan, keys), [json!(2_019_104), json!(33_651), json!(51), json!("waiting for its interval")]);
    let cycles = of(LogPage::StartStop, page!("made-log-0e"));
    assert_eq!(values(&cycles, ["start_stop_cycles_specified", "start_stop_cycles", "load_cycles"]), [50_000, 123, 2468].map(Json::from));
    let writes = of(LogPage::WriteErrors, page!("made-log-02"));
    let keys = ["write_errors_corrected", "data_written_bytes", "write_errors_uncorrected"];
    assert_eq!(values(&writes, keys), [7_u64, 123_456_789_012_345, 0].map(Json::from));
    let reads = of(LogPage::ReadErrors, page!("made-log-03"));
    assert_eq!(
        values(&reads, ["read_errors_corrected", "data_read_bytes", "media_errors"]),
        [12_u64, 9_876_543_210_123, 3].map(Json::from)
    );
}

#[test]
fn the_phys_of_a_sas_port() {
    let page = whole(log(LogPage::ProtocolPort, page!("made-log-18"), "test"));
    assert_eq!(
        values(&page, ["link_speed_gbit_per_s", "phy_0_link_speed_gbit_per_s", "phy_1_link_speed_gbit_per_s"]),
        [json!(12.0), json!(12.0), Json::Null]
    );
    assert_eq!(value(&page, "phy_0_sas_address"), "5002538b0156bb31");
    let keys = ["phy_0_invalid_dwords", "phy_0_disparity_errors", "phy_0_dword_synchronization_losses", "phy_0_reset_problems"];
    assert_eq!(values(&page, keys), [27, 26, 8, 487].map(Json::from));
}

#[test]
fn a_drive_that_foretells_its_failure() {
    let page = log(LogPage::InformationalExceptions, page!("made-log-2f-failing"), "test");
    assert_eq!((value(&page, "smart_passed"), value(&page, "temperature_celsius")), (json!(false), json!(41)));
    assert!(page.problems[0].starts_with("the drive reports 5Dh/10h"));
    let mut warning = page!("made-log-2f-failing").to_vec();
    (warning[8], warning[9]) = (0x0b, 0x01);
    let page = log(LogPage::InformationalExceptions, &warning, "test");
    assert_eq!(
        (value(&page, "smart_passed"), page.problems),
        (Json::Null, vec!["the drive reports 0Bh/01h: warning: temperature exceeded".to_owned()])
    );
}

#[test]
fn log_parameters_that_are_cut_or_too_large() {
    let bytes = page!("made-log-03");
    let page = log(LogPage::ReadErrors, &bytes[..bytes.len() - 1], "test");
    assert_eq!((value(&page, "data_read_bytes"), value(&page, "media_errors")), (json!(9_876_543_210_123_u64), Json::Null));
    assert_eq!(page.problems.len(), 2);
    let huge = [3, 0, 0, 13, 0, 6, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(log(LogPage::ReadErrors, &huge, "test").problems, ["parameter 0006h is larger than any counter"]);
    let none = [3, 0, 0, 8, 0, 6, 0, 4, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(whole(log(LogPage::ReadErrors, &none, "test")).fields, []);
}

#[test]
fn sense_data_in_words() {
    let words = |bytes: &[u8]| Sense::parse(bytes).unwrap().to_string();
    assert_eq!(words(page!("scsi-ata-pass-through-refused-sense")), "illegal request: command is not known (5h/20h/00h)");
    assert_eq!(words(page!("sata-read-log-refused-sense")), "aborted command (Bh/00h/00h)");
    assert_eq!(words(page!("sata-smart-status-sense")), "recovered error: ATA pass-through information available (1h/00h/1Dh)");
    let registers = Sense::parse(page!("sata-smart-status-sense")).unwrap().registers.unwrap();
    // sg_raw: error=0x0 count=0x0 lba=0xc24f00 device=0x0 status=0x50
    assert_eq!((registers.error, registers.status, registers.lba_low, registers.lba_mid, registers.lba_high), (0, 0x50, 0, 0x4f, 0xc2));
    assert_eq!(words(&[0x72, 5, 0x99, 0x42]), "illegal request (5h/99h/42h)");
    assert_eq!([Sense::parse(&[]), Sense::parse(&[0x70, 0]), Sense::parse(&[0x00, 1, 2, 3])], [None; 3]);
}
