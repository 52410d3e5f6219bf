//! Every SCSI and ATA command with its whole block, written down by hand from the standards, for the tests of this folder.

use super::command::{AtaCommand, ScsiCommand};
use ioproof_pages::pages::ata::Statistics;
use ioproof_pages::pages::scsi::{LogPage, ModeSense, VpdPage};

/// A command, its block in hexadecimal digits, and the bytes that it may give.
pub(crate) type Row = (ScsiCommand, &'static str, usize);

const fn vpd(page: VpdPage) -> ScsiCommand {
    ScsiCommand::Vpd(page)
}

const fn log(page: LogPage) -> ScsiCommand {
    ScsiCommand::Log(page)
}

const fn ata(command: AtaCommand) -> ScsiCommand {
    ScsiCommand::Ata(command)
}

const fn statistics(page: Statistics) -> ScsiCommand {
    ata(AtaCommand::Statistics(page))
}

/// SPC-5 (INQUIRY 6.7, LOG SENSE 6.9, MODE SENSE 6.14), SBC-4 (READ CAPACITY (16) 5.21), SAT-4 (ATA PASS-THROUGH (16) 12.2.4), ACS-4.
pub(crate) const LISTED: [Row; 33] = [
    (ScsiCommand::Inquiry, "120000002400", 36),
    (ScsiCommand::InquiryWhole, "120000006000", 96),
    (vpd(VpdPage::Supported), "12010000fc00", 252),
    (vpd(VpdPage::SerialNumber), "12018000fc00", 252),
    (vpd(VpdPage::Identification), "12018303fc00", 1020),
    (vpd(VpdPage::ExtendedInquiry), "12018600fc00", 252),
    (vpd(VpdPage::AtaInformation), "120189023c00", 572),
    (vpd(VpdPage::BlockLimits), "1201b000fc00", 252),
    (vpd(VpdPage::BlockCharacteristics), "1201b100fc00", 252),
    (vpd(VpdPage::Provisioning), "1201b200fc00", 252),
    (ScsiCommand::Caching(ModeSense::Six), "1a000800c000", 192),
    (ScsiCommand::Caching(ModeSense::Ten), "5a00080000000000fc00", 252),
    (ScsiCommand::ReadCapacity16, "9e100000000000000000000000200000", 32),
    (log(LogPage::Supported), "4d004000000000100000", 4096),
    (log(LogPage::WriteErrors), "4d004200000000100000", 4096),
    (log(LogPage::ReadErrors), "4d004300000000100000", 4096),
    (log(LogPage::Temperature), "4d004d00000000100000", 4096),
    (log(LogPage::StartStop), "4d004e00000000100000", 4096),
    (log(LogPage::SolidState), "4d005100000000100000", 4096),
    (log(LogPage::BackgroundScan), "4d005500000000100000", 4096),
    (log(LogPage::ProtocolPort), "4d005800000000100000", 4096),
    (log(LogPage::InformationalExceptions), "4d006f00000000100000", 4096),
    (ata(AtaCommand::IdentifyDevice), "85080e0000000100000000000000ec00", 512),
    (ata(AtaCommand::SmartData), "85080e00d000010000004f00c200b000", 512),
    (ata(AtaCommand::SmartThresholds), "85080e00d100010000004f00c200b000", 512),
    (ata(AtaCommand::SmartStatus), "85062000da00000000004f00c200b000", 0),
    (ata(AtaCommand::StatisticsPages), "85090e00000001000400000000002f00", 512),
    (statistics(Statistics::General), "85090e00000001000400010000002f00", 512),
    (statistics(Statistics::RotatingMedia), "85090e00000001000400030000002f00", 512),
    (statistics(Statistics::GeneralErrors), "85090e00000001000400040000002f00", 512),
    (statistics(Statistics::Temperature), "85090e00000001000400050000002f00", 512),
    (statistics(Statistics::Transport), "85090e00000001000400060000002f00", 512),
    (statistics(Statistics::SolidState), "85090e00000001000400070000002f00", 512),
];

#[test]
fn every_command_is_listed_with_its_whole_block() {
    for (command, block, length) in LISTED {
        let wire = command.wire();
        let hex: String = wire.cdb().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((hex.as_str(), wire.length), (block, length), "{command}");
    }
    let pages = [VpdPage::ALL.map(vpd).to_vec(), LogPage::ALL.map(log).to_vec(), Statistics::ALL.map(statistics).to_vec()].concat();
    let rest =
        [ScsiCommand::Inquiry, ScsiCommand::InquiryWhole, ScsiCommand::ReadCapacity16, vpd(VpdPage::Supported), log(LogPage::Supported)];
    let modes = [ModeSense::Six, ModeSense::Ten].map(ScsiCommand::Caching);
    let plain = [AtaCommand::IdentifyDevice, AtaCommand::SmartData, AtaCommand::SmartThresholds, AtaCommand::SmartStatus];
    let plain = plain.into_iter().chain([AtaCommand::StatisticsPages]).map(ata);
    for command in pages.into_iter().chain(rest).chain(modes).chain(plain) {
        assert!(LISTED.iter().any(|(listed, ..)| *listed == command), "{command} is not listed");
    }
}
