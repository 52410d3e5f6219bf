//! Every command of the NVMe admin set with every field, written down by hand from the specifications, for the tests of this folder.

use super::command::Command;
use ioproof_pages::pages::nvme::Feature;

/// A command and what it must be on the wire: opcode, namespace, dwords 10 and 11, bytes of data. All other fields are zero.
pub(crate) type Row = (Command, u8, u32, [u32; 2], u32);

const ALL: u32 = 0xffff_ffff;

/// NVM Express Base Specification 2.0c: Identify (5.17), Get Log Page (5.16), Get Features (5.15).
pub(crate) const LISTED: [Row; 19] = [
    (Command::IdentifyNamespace(7), 0x06, 7, [0x00, 0], 4096),
    (Command::IdentifyController, 0x06, 0, [0x01, 0], 4096),
    (Command::ActiveNamespaces, 0x06, 0, [0x02, 0], 4096),
    (Command::NamespaceDescriptors(7), 0x06, 7, [0x03, 0], 4096),
    (Command::IdentifyNamespaceNvm(7), 0x06, 7, [0x05, 0], 4096),
    (Command::IdentifyControllerNvm, 0x06, 0, [0x06, 0], 4096),
    (Command::SupportedLogs, 0x02, ALL, [0x00ff_0000, 0], 1024),
    (Command::ErrorLog(64), 0x02, ALL, [0x03ff_0001, 0], 4096),
    (Command::SmartLog, 0x02, ALL, [0x007f_0002, 0], 512),
    (Command::FirmwareLog, 0x02, ALL, [0x007f_0003, 0], 512),
    (Command::SelfTestLog, 0x02, ALL, [0x008c_0006, 0], 564),
    (Command::ErrorLog(256), 0x02, ALL, [0x0fff_0001, 0], 16384),
    (Command::Feature(Feature::PowerManagement), 0x0a, 0, [0x02, 0], 0),
    (Command::Feature(Feature::TemperatureOver), 0x0a, 0, [0x04, 0], 0),
    (Command::Feature(Feature::TemperatureUnder), 0x0a, 0, [0x04, 0x0010_0000], 0),
    (Command::Feature(Feature::VolatileWriteCache), 0x0a, 0, [0x06, 0], 0),
    (Command::Feature(Feature::Queues), 0x0a, 0, [0x07, 0], 0),
    (Command::Feature(Feature::HostMemoryBuffer), 0x0a, 0, [0x0d, 0], 4096),
    (Command::Feature(Feature::ThermalManagement), 0x0a, 0, [0x10, 0], 0),
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

fn place(command: Command) -> usize {
    match command {
        Command::IdentifyNamespace(_) => 0,
        Command::IdentifyController => 1,
        Command::ActiveNamespaces => 2,
        Command::NamespaceDescriptors(_) => 3,
        Command::IdentifyControllerNvm => 4,
        Command::SupportedLogs => 5,
        Command::ErrorLog(_) => 6,
        Command::SmartLog => 7,
        Command::FirmwareLog => 8,
        Command::SelfTestLog => 9,
        Command::Feature(feature) => match feature {
            Feature::PowerManagement => 10,
            Feature::TemperatureOver => 11,
            Feature::TemperatureUnder => 12,
            Feature::VolatileWriteCache => 13,
            Feature::Queues => 14,
            Feature::HostMemoryBuffer => 15,
            Feature::ThermalManagement => 16,
        },
        Command::IdentifyNamespaceNvm(_) => 17,
    }
}
