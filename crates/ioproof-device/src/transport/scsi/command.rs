//! The commands that are sent to a SCSI or ATA drive: a closed list, each of which only reads, and what each looks like on the wire.

use ioproof_pages::pages::ata::Statistics;
use ioproof_pages::pages::scsi::{LogPage, ModeSense, VpdPage};
use std::fmt;

/// A SCSI command that changes nothing on the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScsiCommand {
    /// Standard INQUIRY data, the first 36 bytes: some bridges hang when they are asked for more than they have.
    Inquiry,
    /// Standard INQUIRY data, 96 bytes.
    InquiryWhole,
    /// INQUIRY of a page of vital product data.
    Vpd(VpdPage),
    /// MODE SENSE of the Caching mode page, current values.
    Caching(ModeSense),
    /// READ CAPACITY (16).
    ReadCapacity16,
    /// LOG SENSE, cumulative values. Neither of the bits that would save anything is ever set.
    Log(LogPage),
    /// ATA PASS-THROUGH (16).
    Ata(AtaCommand),
}

/// An ATA command that changes nothing on the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtaCommand {
    /// IDENTIFY DEVICE.
    IdentifyDevice,
    /// SMART READ DATA.
    SmartData,
    /// SMART READ ATTRIBUTE THRESHOLDS.
    SmartThresholds,
    /// SMART RETURN STATUS; the answer is in the registers.
    SmartStatus,
    /// READ LOG EXT of the Device Statistics log: the page that lists its pages.
    StatisticsPages,
    /// READ LOG EXT of one page of the Device Statistics log.
    Statistics(Statistics),
}

/// Bytes of a page of an ATA drive.
const ATA_PAGE: usize = 512;

/// A command as the kernel takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScsiWire {
    cdb: [u8; 16],
    cdb_length: usize,
    /// Bytes that the drive gives at most.
    pub(crate) length: usize,
}

impl ScsiWire {
    fn new<const N: usize>(bytes: [u8; N], length: usize) -> Self {
        let mut cdb = [0; 16];
        cdb[..N].copy_from_slice(&bytes);
        Self { cdb, cdb_length: N, length }
    }

    /// The command descriptor block: 6, 10 or 16 bytes.
    pub(crate) fn cdb(&self) -> &[u8] {
        &self.cdb[..self.cdb_length]
    }
}

impl ScsiCommand {
    /// The name of the page that it gives.
    pub(crate) fn page_name(self) -> &'static str {
        match self {
            Self::Inquiry | Self::InquiryWhole => "inquiry",
            Self::Vpd(page) => page.name(),
            Self::Caching(_) => "mode-page-8",
            Self::ReadCapacity16 => "read-capacity-16",
            Self::Log(page) => page.name(),
            Self::Ata(AtaCommand::IdentifyDevice) => "identify-device",
            Self::Ata(AtaCommand::SmartData) => "smart-data",
            Self::Ata(AtaCommand::SmartThresholds) => "smart-thresholds",
            Self::Ata(AtaCommand::SmartStatus) => "smart-status",
            Self::Ata(AtaCommand::StatisticsPages) => "device-statistics-0",
            Self::Ata(AtaCommand::Statistics(page)) => page.name(),
        }
    }

    pub(crate) fn wire(self) -> ScsiWire {
        match self {
            Self::Inquiry => ScsiWire::new([0x12, 0, 0, 0, 36, 0], 36),
            Self::InquiryWhole => ScsiWire::new([0x12, 0, 0, 0, 96, 0], 96),
            Self::Vpd(page) => vpd(page),
            Self::Caching(ModeSense::Six) => ScsiWire::new([0x1a, 0, 0x08, 0, 192, 0], 192),
            Self::Caching(ModeSense::Ten) => ScsiWire::new([0x5a, 0, 0x08, 0, 0, 0, 0, 0, 252, 0], 252),
            Self::ReadCapacity16 => ScsiWire::new([0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0], 32),
            Self::Log(page) => log(page),
            Self::Ata(command) => command.wire(),
        }
    }
}

/// Some bridges know a length of one byte only, so more is asked for only where a page may be longer.
fn vpd(page: VpdPage) -> ScsiWire {
    let length: u16 = match page {
        VpdPage::AtaInformation => 572,
        VpdPage::Identification => 1020,
        _ => 252,
    };
    let [high, low] = length.to_be_bytes();
    ScsiWire::new([0x12, 1, page.code(), high, low, 0], length.into())
}

/// Page control 01b: values that were added up.
fn log(page: LogPage) -> ScsiWire {
    let length: u16 = 4096;
    let [high, low] = length.to_be_bytes();
    ScsiWire::new([0x4d, 0, 0x40 | page.code(), 0, 0, 0, 0, high, low, 0], length.into())
}

/// The registers of an ATA command; those that are not here are 0.
struct TaskFile {
    command: u8,
    features: u8,
    lba_low: u8,
    lba_mid: u8,
    lba_high: u8,
}

const DEVICE_STATISTICS_LOG: u8 = 0x04;

impl AtaCommand {
    fn wire(self) -> ScsiWire {
        match self {
            Self::IdentifyDevice => data_in(0x08, TaskFile { command: 0xec, features: 0, lba_low: 0, lba_mid: 0, lba_high: 0 }),
            Self::SmartData => data_in(0x08, smart(0xd0)),
            Self::SmartThresholds => data_in(0x08, smart(0xd1)),
            Self::SmartStatus => without_data(smart(0xda)),
            Self::StatisticsPages => data_in(0x09, read_log(0)),
            Self::Statistics(page) => data_in(0x09, read_log(page.number())),
        }
    }
}

/// The key that SMART commands bear in the middle and high LBA.
fn smart(features: u8) -> TaskFile {
    TaskFile { command: 0xb0, features, lba_low: 0, lba_mid: 0x4f, lba_high: 0xc2 }
}

fn read_log(page: u8) -> TaskFile {
    TaskFile { command: 0x2f, features: 0, lba_low: DEVICE_STATISTICS_LOG, lba_mid: page, lba_high: 0 }
}

/// One block from the drive. `protocol` is PIO data-in, with bit 0 for a command of 48 bits (SAT-4, ATA PASS-THROUGH (16)).
fn data_in(protocol: u8, task: TaskFile) -> ScsiWire {
    // From the device, counted in blocks, the count in the sector count.
    wire(protocol, 0x0e, 1, task, ATA_PAGE)
}

/// CK_COND: the registers come back as sense data.
fn without_data(task: TaskFile) -> ScsiWire {
    wire(0x06, 0x20, 0, task, 0)
}

fn wire(protocol: u8, flags: u8, count: u8, task: TaskFile, length: usize) -> ScsiWire {
    let TaskFile { command, features, lba_low, lba_mid, lba_high } = task;
    ScsiWire::new([0x85, protocol, flags, 0, features, 0, count, 0, lba_low, 0, lba_mid, 0, lba_high, 0, command, 0], length)
}

impl fmt::Display for ScsiCommand {
    /// As the standards name it: `INQUIRY, VPD page B0h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inquiry | Self::InquiryWhole => f.write_str("INQUIRY"),
            Self::Vpd(page) => write!(f, "INQUIRY, VPD page {:02X}h", page.code()),
            Self::Caching(ModeSense::Six) => f.write_str("MODE SENSE (6), mode page 08h"),
            Self::Caching(ModeSense::Ten) => f.write_str("MODE SENSE (10), mode page 08h"),
            Self::ReadCapacity16 => f.write_str("READ CAPACITY (16)"),
            Self::Log(page) => write!(f, "LOG SENSE, log page {:02X}h", page.code()),
            Self::Ata(command) => write!(f, "{command} through ATA PASS-THROUGH (16)"),
        }
    }
}

impl fmt::Display for AtaCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdentifyDevice => f.write_str("IDENTIFY DEVICE"),
            Self::SmartData => f.write_str("SMART READ DATA"),
            Self::SmartThresholds => f.write_str("SMART READ ATTRIBUTE THRESHOLDS"),
            Self::SmartStatus => f.write_str("SMART RETURN STATUS"),
            Self::StatisticsPages => f.write_str("READ LOG EXT, log 04h page 00h"),
            Self::Statistics(page) => write!(f, "READ LOG EXT, log 04h page {:02X}h", page.number()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command that there is. A further one does not compile here until it is added.
    fn all() -> Vec<ScsiCommand> {
        let is_listed = |command: ScsiCommand| match command {
            ScsiCommand::Inquiry | ScsiCommand::InquiryWhole | ScsiCommand::Vpd(_) | ScsiCommand::Caching(_) => (),
            ScsiCommand::ReadCapacity16 | ScsiCommand::Log(_) | ScsiCommand::Ata(_) => (),
        };
        is_listed(ScsiCommand::Inquiry);
        let mut all = vec![ScsiCommand::Inquiry, ScsiCommand::InquiryWhole, ScsiCommand::ReadCapacity16];
        all.extend([ModeSense::Six, ModeSense::Ten].map(ScsiCommand::Caching));
        all.extend(VpdPage::ALL.into_iter().chain([VpdPage::Supported]).map(ScsiCommand::Vpd));
        all.extend(LogPage::ALL.into_iter().chain([LogPage::Supported]).map(ScsiCommand::Log));
        let ata = [
            AtaCommand::IdentifyDevice,
            AtaCommand::SmartData,
            AtaCommand::SmartThresholds,
            AtaCommand::SmartStatus,
            AtaCommand::StatisticsPages,
        ];
        all.extend(ata.into_iter().chain(Statistics::ALL.map(AtaCommand::Statistics)).map(ScsiCommand::Ata));
        all
    }

    #[test]
    fn nothing_but_reading_commands_can_be_sent() {
        for command in all() {
            let wire = command.wire();
            let cdb = wire.cdb();
            match cdb[0] {
                0x12 | 0x1a | 0x5a => {}
                // The service action READ CAPACITY (16); others of this opcode read defects and providers.
                0x9e => assert_eq!(cdb[1], 0x10),
                // PPC and SP are 0: nothing is saved.
                0x4d => assert_eq!((cdb[1], cdb[2] & 0xc0), (0, 0x40)),
                0x85 => assert!(is_reading_ata(cdb), "{command}: {cdb:02x?}"),
                opcode => panic!("{command} has the opcode {opcode:02x}"),
            }
        }
    }

    /// (protocol, flags, features, command) of ATA PASS-THROUGH (16).
    fn is_reading_ata(cdb: &[u8]) -> bool {
        let from_device = cdb[2] & 0x08 != 0;
        match (cdb[1] >> 1, cdb[14], cdb[4]) {
            (4, 0xec, 0) => from_device,
            (4, 0xb0, 0xd0 | 0xd1) => from_device && (cdb[10], cdb[12]) == (0x4f, 0xc2),
            (4, 0x2f, 0) => from_device && cdb[1] & 1 == 1 && cdb[8] == 0x04,
            (3, 0xb0, 0xda) => (cdb[10], cdb[12]) == (0x4f, 0xc2),
            _ => false,
        }
    }

    #[test]
    fn the_length_in_the_block_is_that_of_the_buffer() {
        for command in all() {
            let wire = command.wire();
            let cdb = wire.cdb();
            let two = |at: usize| usize::from(u16::from_be_bytes([cdb[at], cdb[at + 1]]));
            let asked = match cdb[0] {
                0x12 => two(3),
                0x1a => usize::from(cdb[4]),
                0x5a | 0x4d => two(7),
                0x9e => two(12),
                _ => usize::from(cdb[6]) * 512,
            };
            assert_eq!(asked, wire.length, "{command}");
        }
    }

    /// The blocks that smartctl, sg_raw and hdparm sent for the same (their traces).
    #[test]
    fn blocks_are_those_of_other_tools() {
        let hex = |command: ScsiCommand| command.wire().cdb().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        let ata = |command| hex(ScsiCommand::Ata(command));
        assert_eq!(hex(ScsiCommand::Inquiry), "12 00 00 00 24 00");
        assert_eq!(ata(AtaCommand::IdentifyDevice), "85 08 0e 00 00 00 01 00 00 00 00 00 00 00 ec 00");
        assert_eq!(ata(AtaCommand::SmartData), "85 08 0e 00 d0 00 01 00 00 00 4f 00 c2 00 b0 00");
        assert_eq!(ata(AtaCommand::SmartThresholds), "85 08 0e 00 d1 00 01 00 00 00 4f 00 c2 00 b0 00");
        assert_eq!(ata(AtaCommand::SmartStatus), "85 06 20 00 da 00 00 00 00 00 4f 00 c2 00 b0 00");
        assert_eq!(ata(AtaCommand::Statistics(Statistics::SolidState)), "85 09 0e 00 00 00 01 00 04 00 07 00 00 00 2f 00");
    }

    #[test]
    fn names_are_those_of_the_standards() {
        assert_eq!(ScsiCommand::Vpd(VpdPage::BlockLimits).to_string(), "INQUIRY, VPD page B0h");
        assert_eq!(ScsiCommand::Ata(AtaCommand::SmartData).to_string(), "SMART READ DATA through ATA PASS-THROUGH (16)");
    }
}
