//! Whole drives as scripts: what is asked, in which order, and what becomes of an answer that does not come.

use super::*;
use crate::transport::scsi::scripted::{ScriptedScsi, UNKNOWN};
use crate::transport::scsi::{AtaCommand, ScsiAnswer};
use ioproof_pages::field::{Value, find};
use ioproof_pages::pages::ata::Statistics;
use ioproof_pages::pages::scsi::Sense;
use proptest::prelude::*;

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../fixtures/pages/", $name, ".bin")).as_slice()
    };
}

const TEN: ScsiCommand = ScsiCommand::Caching(ModeSense::Ten);
const SIX: ScsiCommand = ScsiCommand::Caching(ModeSense::Six);

const fn ata(command: AtaCommand) -> ScsiCommand {
    ScsiCommand::Ata(command)
}

/// The kernel's `scsi_debug`, which has log pages, without its page of an ATA drive.
fn sas() -> ScriptedScsi {
    let mut listed = page!("scsi-debug-vpd-00").to_vec();
    listed.retain(|code| *code != VpdPage::AtaInformation.code());
    listed[3] -= 1;
    ScriptedScsi::default()
        .with(ScsiCommand::Inquiry, &page!("scsi-debug-inquiry")[..36])
        .with(ScsiCommand::InquiryWhole, page!("scsi-debug-inquiry"))
        .with(ScsiCommand::Vpd(VpdPage::Supported), &listed)
        .with(ScsiCommand::Vpd(VpdPage::SerialNumber), page!("scsi-debug-vpd-80"))
        .with(ScsiCommand::Vpd(VpdPage::Identification), page!("scsi-debug-vpd-83"))
        .with(ScsiCommand::Vpd(VpdPage::ExtendedInquiry), page!("made-vpd-86"))
        .with(ScsiCommand::Vpd(VpdPage::BlockLimits), page!("scsi-debug-vpd-b0"))
        .with(ScsiCommand::Vpd(VpdPage::BlockCharacteristics), page!("scsi-debug-vpd-b1"))
        .with(ScsiCommand::Vpd(VpdPage::Provisioning), page!("scsi-debug-vpd-b2"))
        .with(ScsiCommand::ReadCapacity16, page!("scsi-debug-read-capacity-16"))
        .with(TEN, page!("scsi-debug-mode-page-8"))
        .with(ScsiCommand::Log(LogPage::Supported), page!("scsi-debug-log-00"))
        .with(ScsiCommand::Log(LogPage::Temperature), page!("scsi-debug-log-0d"))
        .with(ScsiCommand::Log(LogPage::InformationalExceptions), page!("scsi-debug-log-2f"))
}

/// The rig's drive behind libata.
fn sata() -> ScriptedScsi {
    ScriptedScsi::default()
        .with(ScsiCommand::Inquiry, &page!("sata-inquiry")[..36])
        .with(ScsiCommand::InquiryWhole, page!("sata-inquiry"))
        .with(ScsiCommand::Vpd(VpdPage::Supported), page!("sata-vpd-00"))
        .with(ScsiCommand::Vpd(VpdPage::SerialNumber), page!("sata-vpd-80"))
        .with(ScsiCommand::Vpd(VpdPage::Identification), page!("sata-vpd-83"))
        .with(ScsiCommand::Vpd(VpdPage::AtaInformation), page!("sata-vpd-89"))
        .with(ScsiCommand::Vpd(VpdPage::BlockLimits), page!("sata-vpd-b0"))
        .with(ScsiCommand::Vpd(VpdPage::BlockCharacteristics), page!("sata-vpd-b1"))
        .with(ScsiCommand::Vpd(VpdPage::Provisioning), page!("sata-vpd-b2"))
        .with(ScsiCommand::ReadCapacity16, page!("sata-read-capacity-16"))
        .with(TEN, page!("sata-mode-page-8"))
        .with(ata(AtaCommand::IdentifyDevice), page!("sata-identify-device"))
        .with(ata(AtaCommand::SmartData), page!("sata-smart-data"))
        .with(ata(AtaCommand::SmartThresholds), page!("sata-smart-thresholds"))
        .answering(ata(AtaCommand::SmartStatus), Ok(ScsiAnswer { data: vec![], sense: page!("sata-smart-status-sense").to_vec() }))
}

/// The same, made to say that it has logs.
fn sata_with_logs() -> ScriptedScsi {
    let mut identify = page!("sata-identify-device").to_vec();
    identify[2 * 84] |= 1 << 5;
    let aborted = ScsiRefusal::Sense(Sense { key: 0xb, asc: 0, ascq: 0, registers: None });
    sata().with(ata(AtaCommand::IdentifyDevice), &identify).answering(ata(AtaCommand::StatisticsPages), Err(aborted))
}

fn pages(drive: &mut ScriptedScsi) -> Vec<Page> {
    scsi_pages_over(drive).unwrap()
}

fn names(pages: &[Page]) -> Vec<&str> {
    pages.iter().map(|page| page.name.as_str()).collect()
}

fn named<'a>(pages: &'a [Page], name: &str) -> &'a Page {
    pages.iter().find(|page| page.name == name).unwrap_or_else(|| panic!("no page {name}"))
}

fn number(pages: &[Page], key: &str) -> Option<u64> {
    pages.iter().find_map(|page| page.number(key))
}

#[test]
fn a_sas_drive_gives_what_it_lists_and_nothing_fails() {
    let mut drive = sas();
    let pages = pages(&mut drive);
    let vital = ["inquiry", "vpd-00", "read-capacity-16", "vpd-80", "vpd-83", "vpd-86", "vpd-b0", "vpd-b1", "vpd-b2"];
    assert_eq!(names(&pages), [&vital[..], &["mode-page-8", "log-00", "log-2f", "log-0d"]].concat());
    assert!(pages.iter().all(|page| page.problems.is_empty() && !page.raw.is_empty()), "{pages:#?}");
    assert_eq!(number(&pages, "max_transfer_bytes"), Some(131_072 * 512));
    assert_eq!([number(&pages, "temperature_celsius"), number(&pages, "rotation_rate_rpm")], [Some(38), Some(0)]);
    assert_eq!(find(&pages, "wwn").map(|field| &field.value), Some(&Value::Text("3333333000003e80".into())));
    assert_eq!(pages[0].source, "INQUIRY of /dev/sdq");
    assert!(find(&pages, "version_descriptor_1").is_some(), "the longer answer counts");
    assert!(!drive.asked.iter().any(|command| matches!(command, ScsiCommand::Ata(_))), "a SAS drive is sent an ATA command");
}

#[test]
fn an_ata_drives_own_pages_come_first_and_no_log_page_is_asked_for() {
    let mut drive = sata();
    let pages = pages(&mut drive);
    assert_eq!(names(&pages)[..5], ["identify-device", "smart-status", "smart-data", "smart-thresholds", "inquiry"]);
    assert!(pages.iter().all(|page| page.problems.is_empty()), "{pages:#?}");
    assert_eq!(find(&pages, "smart_passed").map(|field| &field.value), Some(&Value::Flag(true)));
    assert_eq!([number(&pages, "ncq_depth"), number(&pages, "temperature_celsius")], [Some(32), Some(31)]);
    assert_eq!(find(&pages, "attributes_failing").map(|field| &field.value), Some(&Value::List(vec![])));
    assert!(!drive.asked.iter().any(|command| matches!(command, ScsiCommand::Log(_))));
}

#[test]
fn a_log_that_fails_is_named_and_the_rest_comes() {
    let pages = pages(&mut sata_with_logs());
    assert_eq!(names(&pages)[..3], ["identify-device", "device-statistics-0", "smart-status"]);
    assert_eq!(named(&pages, "device-statistics-0").problems, ["refused: aborted command (Bh/00h/00h)"]);
    assert!(named(&pages, "device-statistics-0").fields.is_empty());
}

#[test]
fn statistics_in_blocks_become_bytes() {
    let mut listing = vec![0; 512];
    listing[8..11].copy_from_slice(&[2, 0, 1]);
    let mut general = vec![0; 512];
    general[2] = 1;
    general[24..32].copy_from_slice(&(0xc0 << 56 | 1000_u64).to_le_bytes());
    let mut drive =
        sata_with_logs().with(ata(AtaCommand::StatisticsPages), &listing).with(ata(AtaCommand::Statistics(Statistics::General)), &general);
    let pages = pages(&mut drive);
    assert_eq!(number(&pages, "data_written_bytes"), Some(512_000));
    assert!(!drive.asked.contains(&ata(AtaCommand::Statistics(Statistics::SolidState))), "a page that is not listed was asked for");
}

#[test]
fn the_page_of_the_translator_stands_in_for_a_refused_identify() {
    let mut drive = sata().answering(ata(AtaCommand::IdentifyDevice), Err(UNKNOWN));
    let pages = pages(&mut drive);
    assert_eq!(names(&pages)[..3], ["identify-device", "identify-device", "inquiry"]);
    assert_eq!(pages[0].problems, ["refused: illegal request: command is not known (5h/20h/00h)"]);
    assert_eq!(pages[1].source, "INQUIRY, VPD page 89h of /dev/sdq");
    assert_eq!(number(&pages, "ncq_depth"), Some(32));
    assert!(!drive.asked.contains(&ata(AtaCommand::SmartData)));
}

/// As the kernel's `scsi_debug` does, and bridges that keep the commands to themselves.
#[test]
fn a_bridge_under_its_own_name_that_takes_no_ata_command_speaks_first() {
    let mut drive = sas()
        .with(ScsiCommand::Vpd(VpdPage::Supported), page!("scsi-debug-vpd-00"))
        .with(ScsiCommand::Vpd(VpdPage::AtaInformation), page!("scsi-debug-vpd-89"));
    let pages = pages(&mut drive);
    assert_eq!(find(&pages, "model").map(|field| &field.value), Some(&Value::Text("scsi_debug".into())));
    assert_eq!(names(&pages)[names(&pages).len() - 5..], ["identify-device", "identify-device", "log-00", "log-2f", "log-0d"]);
    assert_eq!(number(&pages, "temperature_celsius"), Some(38));
}

#[test]
fn smart_that_is_off_is_not_asked_for() {
    let mut identify = page!("sata-identify-device").to_vec();
    identify[2 * 85] &= !1;
    let mut drive = sata().with(ata(AtaCommand::IdentifyDevice), &identify);
    let pages = pages(&mut drive);
    assert_eq!(find(&pages, "smart_enabled").map(|field| &field.value), Some(&Value::Flag(false)));
    assert!(!drive.asked.iter().any(|command| matches!(command, ScsiCommand::Ata(AtaCommand::SmartData | AtaCommand::SmartStatus))));
}

#[test]
fn mode_sense_6_where_10_is_not_known() {
    let mut six = vec![0; 4];
    six.extend(&page!("scsi-mode-page-8")[16..]);
    six[0] = 23;
    let mut drive = sas().answering(TEN, Err(UNKNOWN)).with(SIX, &six);
    let got = pages(&mut drive);
    assert_eq!(named(&got, "mode-page-8").source, "MODE SENSE (6), mode page 08h of /dev/sdq");
    assert_eq!(find(&got, "write_cache_enabled").map(|field| &field.value), Some(&Value::Flag(true)));
    // What is not about the command is not asked again in another way.
    let mut drive = sas().answering(TEN, Err(ScsiRefusal::Host(3)));
    assert_eq!(named(&pages(&mut drive), "mode-page-8").problems, ["not delivered (03h): the drive did not answer in time"]);
    assert!(!drive.asked.contains(&SIX));
}

#[test]
fn a_drive_that_refuses_everything_leaves_pages_that_say_so() {
    let pages = pages(&mut ScriptedScsi::default());
    assert_eq!(names(&pages), ["inquiry", "vpd-00", "read-capacity-16", "mode-page-8", "log-00"]);
    let (logs, others) = pages.split_last().unwrap();
    assert!(others.iter().all(|page| page.fields.is_empty() && page.problems.len() == 1));
    assert_eq!(logs.field("log_pages").map(|field| &field.value), Some(&Value::List(vec![])), "a drive without LOG SENSE is no faulty one");
    assert!(logs.problems.is_empty());
}

#[test]
fn a_list_of_logs_that_fails_for_another_reason_is_a_problem() {
    let mut drive = sas().answering(ScsiCommand::Log(LogPage::Supported), Err(ScsiRefusal::Host(3)));
    let pages = pages(&mut drive);
    assert_eq!(named(&pages, "log-00").problems, ["not delivered (03h): the drive did not answer in time"]);
}

#[test]
fn what_this_user_may_not_ask_is_said_once() {
    let denied = || Err(ScsiRefusal::NotPermitted);
    let mut drive = sata().answering(ata(AtaCommand::IdentifyDevice), denied());
    let got = pages(&mut drive);
    assert_eq!(names(&got)[0], "identify-device");
    assert_eq!(
        got[0].problems,
        [
            "this user may not read all of /dev/sdq; root would add what these give, and what hangs on it: IDENTIFY DEVICE through ATA PASS-THROUGH (16)"
        ]
    );
    let all = [
        ScsiCommand::Inquiry,
        ScsiCommand::Vpd(VpdPage::Supported),
        ScsiCommand::ReadCapacity16,
        TEN,
        ScsiCommand::Log(LogPage::Supported),
    ];
    let mut drive = all.into_iter().fold(ScriptedScsi::default(), |drive, command| drive.answering(command, denied()));
    assert_eq!(scsi_pages_over(&mut drive), Err(ReadError::NotPermitted("/dev/sdq".into())));
}

#[test]
fn what_is_no_drive_is_not_opened() {
    let system = System::host();
    assert_eq!(scsi_pages(&system, Path::new("/dev/null")), Err(ReadError::NotScsi("/dev/null".into())));
    assert!(matches!(scsi_pages(&system, Path::new("/dev/no-such-drive")), Err(ReadError::System(_, _))));
}

/// A drive that answers everything with the same bytes.
struct Echo(Vec<u8>);

impl ScsiTransport for Echo {
    fn name(&self) -> String {
        "/dev/sdq".to_owned()
    }

    fn ask(&mut self, _: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal> {
        Ok(ScsiAnswer { data: self.0.clone(), sense: self.0.clone() })
    }
}

proptest! {
    #[test]
    fn any_answers_become_pages(mut bytes in proptest::collection::vec(any::<u8>(), 0..600), is_ata: bool) {
        if is_ata && bytes.len() > 16 {
            bytes[8..16].copy_from_slice(b"ATA     ");
        }
        let pages = scsi_pages_over(&mut Echo(bytes)).unwrap();
        prop_assert!(pages.len() >= 5 && pages.iter().all(|page| !page.name.is_empty() && !page.source.is_empty()));
    }
}
