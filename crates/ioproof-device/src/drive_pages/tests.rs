//! Drives that answer badly: refused, silent, gone in the middle, too short, nothing but zeros. What was learned before stays, and each page that is missing says why.

use super::{nvme_pages_over, scsi_pages_over};
use crate::transport::listed::LISTED;
use crate::transport::scsi::listed::LISTED as SCSI_LISTED;
use crate::transport::scsi::{ScsiAnswer, ScsiCommand, ScsiRefusal, ScsiTransport};
use crate::transport::{NvmeAnswer, NvmeCommand, NvmeRefusal, NvmeTransport, ReadError, reason};
use ioproof_pages::field::Page;
use ioproof_pages::pages::scsi::{ModeSense, Sense};
use rustix::io::Errno;

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fixtures/pages/", $name, ".bin")).as_slice()
    };
}

/// A drive, and what becomes of the answer to the command of each number, counted from 0.
struct Drive<A, R, F: Fn(usize, A) -> Result<A, R>> {
    asked: usize,
    spoil: F,
    kinds: std::marker::PhantomData<(A, R)>,
}

fn drive<A, R, F: Fn(usize, A) -> Result<A, R>>(spoil: F) -> Drive<A, R, F> {
    Drive { asked: 0, spoil, kinds: std::marker::PhantomData }
}

impl<A, R, F: Fn(usize, A) -> Result<A, R>> Drive<A, R, F> {
    fn spoilt(&mut self, answer: A) -> Result<A, R> {
        self.asked += 1;
        (self.spoil)(self.asked - 1, answer)
    }
}

impl<F: Fn(usize, NvmeAnswer) -> Result<NvmeAnswer, NvmeRefusal>> NvmeTransport for Drive<NvmeAnswer, NvmeRefusal, F> {
    fn name(&self) -> String {
        "/dev/nvme7".to_owned()
    }

    fn namespace(&mut self) -> Option<u32> {
        Some(1)
    }

    /// The emulated drive's pages; of those that it has not, zeros.
    fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
        let bytes = match command {
            NvmeCommand::IdentifyController => page!("nvme-qemu-identify-controller"),
            NvmeCommand::ActiveNamespaces => page!("nvme-qemu-namespace-list"),
            NvmeCommand::IdentifyNamespace(_) => page!("nvme-qemu-identify-namespace"),
            NvmeCommand::NamespaceDescriptors(_) => page!("nvme-qemu-namespace-descriptors"),
            NvmeCommand::SmartLog => page!("nvme-qemu-smart-log"),
            NvmeCommand::FirmwareLog => page!("nvme-qemu-firmware-log"),
            _ => &[],
        };
        let mut data = bytes.to_vec();
        data.resize(command.wire().length as usize, 0);
        self.spoilt(NvmeAnswer { result: 1, data })
    }
}

impl<F: Fn(usize, ScsiAnswer) -> Result<ScsiAnswer, ScsiRefusal>> ScsiTransport for Drive<ScsiAnswer, ScsiRefusal, F> {
    fn name(&self) -> String {
        "/dev/sdq".to_owned()
    }

    /// The emulated SATA drive's pages; of those that it has not, zeros.
    fn ask(&mut self, command: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal> {
        let bytes = match command.to_string().as_str() {
            "INQUIRY" => page!("sata-inquiry"),
            "INQUIRY, VPD page 00h" => page!("sata-vpd-00"),
            "INQUIRY, VPD page 80h" => page!("sata-vpd-80"),
            "INQUIRY, VPD page 83h" => page!("sata-vpd-83"),
            "INQUIRY, VPD page 89h" => page!("sata-vpd-89"),
            "READ CAPACITY (16)" => page!("sata-read-capacity-16"),
            "MODE SENSE (10), mode page 08h" => page!("sata-mode-page-8"),
            "IDENTIFY DEVICE through ATA PASS-THROUGH (16)" => page!("sata-identify-device"),
            "SMART READ DATA through ATA PASS-THROUGH (16)" => page!("sata-smart-data"),
            _ => &[0; 64],
        };
        let length = bytes.len().min(command.wire().length);
        self.spoilt(ScsiAnswer { data: bytes[..length].to_vec(), sense: page!("sata-smart-status-sense").to_vec() })
    }
}

fn nvme(spoil: impl Fn(usize, NvmeAnswer) -> Result<NvmeAnswer, NvmeRefusal>) -> Result<Vec<Page>, ReadError> {
    nvme_pages_over(&mut drive(spoil))
}

fn scsi(spoil: impl Fn(usize, ScsiAnswer) -> Result<ScsiAnswer, ScsiRefusal>) -> Result<Vec<Page>, ReadError> {
    scsi_pages_over(&mut drive(spoil))
}

/// Every page that lacks its bytes says why in one line, and no other says that something is missing.
#[track_caller]
fn assert_told(pages: &[Page], words: &str) {
    let silent: Vec<&Page> = pages.iter().filter(|page| page.raw.is_empty() && page.fields.is_empty()).collect();
    assert!(!silent.is_empty());
    for page in silent {
        assert!(page.problems.len() == 1 && page.problems[0].contains(words), "{}: {:?}", page.name, page.problems);
        assert!(!page.problems[0].contains('\n') && !page.source.is_empty(), "{page:?}");
    }
}

fn same_as_before(pages: &[Page], whole: &[Page], count: usize) {
    for page in whole.iter().take(count) {
        assert!(pages.contains(page), "{} was lost", page.name);
    }
}

#[test]
fn a_drive_that_goes_in_the_middle_keeps_what_it_said() {
    let (whole, gone) = (nvme(|_, answer| Ok(answer)).unwrap(), reason(Errno::NODEV));
    for at in 1..whole.len() {
        let pages = nvme(|number, answer| if number < at { Ok(answer) } else { Err(NvmeRefusal::System(gone.clone())) }).unwrap();
        same_as_before(&pages, &whole, at.min(2));
        assert_told(&pages, "could not be read: No such device");
    }
    let whole = scsi(|_, answer| Ok(answer)).unwrap();
    for at in 2..whole.len() - 1 {
        let pages = scsi(|number, answer| if number < at { Ok(answer) } else { Err(ScsiRefusal::System(gone.clone())) }).unwrap();
        assert!(pages.iter().any(|page| page.text("model") == Some("QEMU HARDDISK")), "{at}");
        assert_told(&pages, "cannot be sent: No such device");
    }
}

/// Every status of the generic, command-specific, media and path types that the specification names for these commands, and some that it does not.
#[test]
fn every_status_of_a_controller_costs_one_page_only() {
    let whole = nvme(|_, answer| Ok(answer)).unwrap();
    for status in (0x00..0x30).chain(0x80..0x88).chain(0x100..0x140).chain(0x280..0x288).chain([0x300, 0x360, 0x370, 0x371, 0x7ff]) {
        let at = whole.len() - 3;
        let pages = nvme(|number, answer| if number == at { Err(NvmeRefusal::Status(0x4000 | status)) } else { Ok(answer) }).unwrap();
        assert_eq!(pages.len(), whole.len());
        assert_told(&pages, &format!("(status {status:#05x})"));
        assert_eq!(pages.iter().zip(&whole).filter(|(page, before)| page != before).count(), 1, "{status:#x}");
    }
}

#[test]
fn every_way_in_which_scsi_fails_costs_one_page_only() {
    let whole = scsi(|_, answer| Ok(answer)).unwrap();
    let at = whole.iter().position(|page| page.name == "smart-data").unwrap_or(whole.len() - 1);
    let sense = |key| ScsiRefusal::Sense(Sense { key, asc: 0x24, ascq: 0, registers: None });
    let statuses = [2, 4, 8, 0x18, 0x28, 0x30, 0x40, 0x77].map(ScsiRefusal::Status);
    let hosts = [1, 2, 3, 4, 5, 7, 8, 0xf, 0x77].map(ScsiRefusal::Host);
    for refusal in (2..16).map(sense).chain(statuses).chain(hosts).chain([ScsiRefusal::System(reason(Errno::IO))]) {
        let last = whole.len() - at;
        let pages = scsi(|number, answer| if number == last + 8 { Err(refusal.clone()) } else { Ok(answer) }).unwrap();
        assert!(pages.iter().any(|page| page.text("model").is_some()), "{refusal}");
        assert!(pages.iter().filter(|page| page.problems.iter().any(|problem| *problem == refusal.to_string())).count() <= 1, "{refusal}");
    }
}

#[test]
fn nothing_but_zeros_is_decoded_and_never_fails() {
    let pages = nvme(|_, answer| Ok(NvmeAnswer { result: 0, data: vec![0; answer.data.len()] })).unwrap();
    assert!(pages.iter().any(|page| page.name == "smart-log" && !page.fields.is_empty()), "{pages:#?}");
    let pages = scsi(|_, answer| Ok(ScsiAnswer { data: vec![0; answer.data.len()], sense: vec![0; 22] })).unwrap();
    assert!(pages.iter().any(|page| page.name == "inquiry"), "{pages:#?}");
}

#[test]
fn an_answer_of_any_length_is_decoded_as_far_as_it_goes() {
    for length in [0, 1, 3, 4, 5, 35, 100, 511] {
        let pages = nvme(|_, mut answer| {
            answer.data.truncate(length);
            Ok(answer)
        });
        let short = pages.unwrap().into_iter().find(|page| page.name == "smart-log");
        assert!(short.is_some_and(|page| page.problems[0].starts_with(&format!("has {length} bytes instead of 512"))), "{length}");
        let pages = scsi(|_, mut answer| {
            answer.data.truncate(length);
            Ok(answer)
        });
        assert!(pages.unwrap().iter().any(|page| page.name == "inquiry"), "{length}");
    }
}

#[test]
fn what_is_denied_from_some_command_on_is_one_line() {
    let pages = nvme(|number, answer| if number < 4 { Ok(answer) } else { Err(NvmeRefusal::NotPermitted) }).unwrap();
    let lines: Vec<&String> = pages.iter().flat_map(|page| &page.problems).collect();
    assert!(matches!(lines.as_slice(), [line] if line.contains("root would add") && line.contains("smart-log")), "{lines:?}");
    assert!(matches!(nvme(|_, _| Err(NvmeRefusal::NotPermitted)), Err(ReadError::NotPermitted(_))));
    let pages = scsi(|number, answer| if number < 4 { Ok(answer) } else { Err(ScsiRefusal::NotPermitted) }).unwrap();
    let lines: Vec<&String> = pages.iter().flat_map(|page| &page.problems).collect();
    assert_eq!(lines.iter().filter(|line| line.contains("root would add")).count(), 1, "{lines:?}");
    assert!(matches!(scsi(|_, _| Err(ScsiRefusal::NotPermitted)), Err(ReadError::NotPermitted(_))));
}

/// The scripts of these tests ask exactly the commands that are listed for the wire: no command goes out that no test has looked at.
#[test]
fn every_command_that_goes_out_is_listed() {
    struct Asked(Vec<String>);
    impl NvmeTransport for Asked {
        fn name(&self) -> String {
            "/dev/nvme7".to_owned()
        }
        fn namespace(&mut self) -> Option<u32> {
            Some(7)
        }
        fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
            self.0.push(command.page_name().to_owned());
            Err(NvmeRefusal::Status(2))
        }
    }
    let mut asked = Asked(Vec::new());
    assert!(nvme_pages_over(&mut asked).is_ok());
    assert!(asked.0.len() >= 8);
    for name in asked.0 {
        assert!(LISTED.iter().any(|(command, ..)| command.page_name() == name), "{name}");
    }
    assert!(SCSI_LISTED.iter().any(|(command, ..)| *command == ScsiCommand::Caching(ModeSense::Six)));
}
