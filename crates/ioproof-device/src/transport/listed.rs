//! Every command of the NVMe admin set with every field, written down by hand from the specifications, for the tests of this folder.

use super::command::NvmeCommand;
use ioproof_pages::pages::nvme::Feature;

/// A command and what it must be on the wire: opcode, namespace, dwords 10 and 11, bytes of data. All other fields are zero.
pub(crate) type Row = (NvmeCommand, u8, u32, [u32; 2], u32);

const ALL: u32 = 0xffff_ffff;

/// NVM Express Base Specification 2.0c: Identify (5.17), Get Log Page (5.16), Get Features (5.15).
pub(crate) const LISTED: [Row; 19] = [
    (NvmeCommand::IdentifyNamespace(7), 0x06, 7, [0x00, 0], 4096),
    (NvmeCommand::IdentifyController, 0x06, 0, [0x01, 0], 4096),
    (NvmeCommand::ActiveNamespaces, 0x06, 0, [0x02, 0], 4096),
    (NvmeCommand::NamespaceDescriptors(7), 0x06, 7, [0x03, 0], 4096),
    (NvmeCommand::IdentifyNamespaceNvm(7), 0x06, 7, [0x05, 0], 4096),
    (NvmeCommand::IdentifyControllerNvm, 0x06, 0, [0x06, 0], 4096),
    (NvmeCommand::SupportedLogs, 0x02, ALL, [0x00ff_0000, 0], 1024),
    (NvmeCommand::ErrorLog(64), 0x02, ALL, [0x03ff_0001, 0], 4096),
    (NvmeCommand::SmartLog, 0x02, ALL, [0x007f_0002, 0], 512),
    (NvmeCommand::FirmwareLog, 0x02, ALL, [0x007f_0003, 0], 512),
    (NvmeCommand::SelfTestLog, 0x02, ALL, [0x008c_0006, 0], 564),
    (NvmeCommand::ErrorLog(256), 0x02, ALL, [0x0fff_0001, 0], 16384),
    (NvmeCommand::Feature(Feature::PowerManagement), 0x0a, 0, [0x02, 0], 0),
    (NvmeCommand::Feature(Feature::TemperatureOver), 0x0a, 0, [0x04, 0], 0),
    (NvmeCommand::Feature(Feature::TemperatureUnder), 0x0a, 0, [0x04, 0x0010_0000], 0),
    (NvmeCommand::Feature(Feature::VolatileWriteCache), 0x0a, 0, [0x06, 0], 0),
    (NvmeCommand::Feature(Feature::Queues), 0x0a, 0, [0x07, 0], 0),
    (NvmeCommand::Feature(Feature::HostMemoryBuffer), 0x0a, 0, [0x0d, 0], 4096),
    (NvmeCommand::Feature(Feature::ThermalManagement), 0x0a, 0, [0x10, 0], 0),
];

/// A further command or feature does not compile here until it is listed.
#[test]
fn every_command_is_listed_with_every_field() {
    for (command, opcode, namespace, [cdw10, cdw11], length) in LISTED {
        let wire = command.wire();
        let sent = (wire.opcode as u8, wire.namespace, wire.cdw10, wire.cdw11, wire.length);
        assert_eq!(sent, (opcode, namespace, cdw10, cdw11, length), "{command}");
    }
    let mut seen: Vec<usize> = LISTED.iter().map(|(command, ..)| place(*command)).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (0..18).collect::<Vec<_>>());
}

fn place(command: NvmeCommand) -> usize {
    match command {
        NvmeCommand::IdentifyNamespace(_) => 0,
        NvmeCommand::IdentifyController => 1,
        NvmeCommand::ActiveNamespaces => 2,
        NvmeCommand::NamespaceDescriptors(_) => 3,
        NvmeCommand::IdentifyControllerNvm => 4,
        NvmeCommand::SupportedLogs => 5,
        NvmeCommand::ErrorLog(_) => 6,
        NvmeCommand::SmartLog => 7,
        NvmeCommand::FirmwareLog => 8,
        NvmeCommand::SelfTestLog => 9,
        NvmeCommand::Feature(feature) => match feature {
            Feature::PowerManagement => 10,
            Feature::TemperatureOver => 11,
            Feature::TemperatureUnder => 12,
            Feature::VolatileWriteCache => 13,
            Feature::Queues => 14,
            Feature::HostMemoryBuffer => 15,
            Feature::ThermalManagement => 16,
        },
        NvmeCommand::IdentifyNamespaceNvm(_) => 17,
    }
}
