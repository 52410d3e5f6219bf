//! The commands that are sent to a drive: a closed list, each of which only reads, and what each looks like on the wire.

use ioproof_pages::pages::nvme::{ERROR_ENTRY_BYTES, FEATURE_DATA_BYTES, Feature};
use std::fmt;

/// A command of the NVMe admin set that changes nothing on the drive.
///
/// Reading a log page lets the drive report the event again that the page is about, as it does for every tool; that is all that any of them brings about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NvmeCommand {
    /// Identify, CNS 00h: a namespace.
    IdentifyNamespace(u32),
    /// Identify, CNS 01h: the controller.
    IdentifyController,
    /// Identify, CNS 02h: the active namespaces.
    ActiveNamespaces,
    /// Identify, CNS 03h: the identifiers of a namespace.
    NamespaceDescriptors(u32),
    /// Identify, CNS 05h, of the NVM command set: guards and storage tags of a namespace.
    IdentifyNamespaceNvm(u32),
    /// Identify, CNS 06h, of the NVM command set: limits.
    IdentifyControllerNvm,
    /// Get Log Page 00h: which log pages there are.
    SupportedLogs,
    /// Get Log Page 01h: that many errors, the newest first; at least one and at most 256.
    ErrorLog(u16),
    /// Get Log Page 02h, of the whole controller.
    SmartLog,
    /// Get Log Page 03h.
    FirmwareLog,
    /// Get Log Page 06h.
    SelfTestLog,
    /// Get Features, the value that holds now.
    Feature(Feature),
}

/// The opcodes that exist here. The two lowest bits of each are 10b: data go from the drive to the host, if any do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    GetLogPage = 0x02,
    Identify = 0x06,
    GetFeatures = 0x0a,
}

/// A command as the kernel takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) opcode: Opcode,
    pub(crate) namespace: u32,
    pub(crate) cdw10: u32,
    pub(crate) cdw11: u32,
    /// Bytes that the drive gives.
    pub(crate) length: u32,
}

/// The namespace of a command that is about all of them.
const ALL_NAMESPACES: u32 = u32::MAX;

const IDENTIFY_BYTES: u32 = 4096;

impl NvmeCommand {
    /// The name of the page that it gives.
    #[must_use]
    pub fn page_name(self) -> &'static str {
        match self {
            Self::IdentifyNamespace(_) => "identify-namespace",
            Self::IdentifyController => "identify-controller",
            Self::ActiveNamespaces => "active-namespaces",
            Self::NamespaceDescriptors(_) => "namespace-descriptors",
            Self::IdentifyNamespaceNvm(_) => "identify-namespace-nvm",
            Self::IdentifyControllerNvm => "identify-controller-nvm",
            Self::SupportedLogs => "supported-logs",
            Self::ErrorLog(_) => "error-log",
            Self::SmartLog => "smart-log",
            Self::FirmwareLog => "firmware-log",
            Self::SelfTestLog => "self-test-log",
            Self::Feature(feature) => match feature {
                Feature::PowerManagement => "feature-power-management",
                Feature::TemperatureOver => "feature-temperature-over",
                Feature::TemperatureUnder => "feature-temperature-under",
                Feature::VolatileWriteCache => "feature-volatile-write-cache",
                Feature::Queues => "feature-queues",
                Feature::HostMemoryBuffer => "feature-host-memory-buffer",
                Feature::ThermalManagement => "feature-thermal-management",
            },
        }
    }

    /// The fields of the command.
    pub(crate) fn wire(self) -> Wire {
        match self {
            Self::IdentifyNamespace(namespace) => identify(0x00, namespace),
            Self::IdentifyController => identify(0x01, 0),
            Self::ActiveNamespaces => identify(0x02, 0),
            Self::NamespaceDescriptors(namespace) => identify(0x03, namespace),
            // The command set stands in bits 24-31 of the next dword; that of the NVM command set is 0.
            Self::IdentifyNamespaceNvm(namespace) => identify(0x05, namespace),
            Self::IdentifyControllerNvm => identify(0x06, 0),
            Self::SupportedLogs => log(0x00, 1024),
            Self::ErrorLog(entries) => log(0x01, u32::from(entries.clamp(1, 256)) * ERROR_ENTRY_BYTES as u32),
            Self::SmartLog => log(0x02, 512),
            Self::FirmwareLog => log(0x03, 512),
            Self::SelfTestLog => log(0x06, 564),
            Self::Feature(feature) => get_feature(feature),
        }
    }
}

fn identify(cns: u32, namespace: u32) -> Wire {
    Wire { opcode: Opcode::Identify, namespace, cdw10: cns, cdw11: 0, length: IDENTIFY_BYTES }
}

/// The length goes in dwords, counted from zero: 16 bits of it into this dword, the rest into the next.
fn log(page: u32, length: u32) -> Wire {
    let dwords = length / 4 - 1;
    Wire { opcode: Opcode::GetLogPage, namespace: ALL_NAMESPACES, cdw10: page | (dwords & 0xffff) << 16, cdw11: dwords >> 16, length }
}

/// Bits 8-10 of dword 10 select the current value by being 0. Features of one namespace are not among them, so none is named.
fn get_feature(feature: Feature) -> Wire {
    /// Bits 20-21 of dword 11: the under temperature threshold.
    const UNDER: u32 = 1 << 20;
    let (cdw10, cdw11, length) = match feature {
        Feature::PowerManagement => (0x02, 0, 0),
        Feature::TemperatureOver => (0x04, 0, 0),
        Feature::TemperatureUnder => (0x04, UNDER, 0),
        Feature::VolatileWriteCache => (0x06, 0, 0),
        Feature::Queues => (0x07, 0, 0),
        Feature::HostMemoryBuffer => (0x0d, 0, FEATURE_DATA_BYTES as u32),
        Feature::ThermalManagement => (0x10, 0, 0),
    };
    Wire { opcode: Opcode::GetFeatures, namespace: 0, cdw10, cdw11, length }
}

/// `Identify CNS 00h, namespace 1`.
impl fmt::Display for NvmeCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wire { opcode, namespace, cdw10, length, .. } = self.wire();
        let number = cdw10 & 0xff;
        match opcode {
            Opcode::Identify => write!(f, "Identify CNS {number:02X}h")?,
            Opcode::GetLogPage => return write!(f, "Get Log Page {number:02X}h, {length} bytes"),
            Opcode::GetFeatures => return write!(f, "Get Features {number:02X}h{}", self.selection()),
        }
        if namespace == 0 { Ok(()) } else { write!(f, ", namespace {namespace}") }
    }
}

impl NvmeCommand {
    fn selection(&self) -> &'static str {
        match self {
            Self::Feature(Feature::TemperatureOver) => ", over",
            Self::Feature(Feature::TemperatureUnder) => ", under",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_only_bring_data_to_the_host() {
        for opcode in [Opcode::GetLogPage, Opcode::Identify, Opcode::GetFeatures] {
            assert_eq!(opcode as u8 & 0b11, 0b10, "{opcode:?}");
        }
    }

    #[test]
    fn lengths_of_log_pages_are_dwords_counted_from_zero() {
        assert_eq!(NvmeCommand::SmartLog.wire().cdw10, 0x007f_0002);
        assert_eq!(NvmeCommand::SelfTestLog.wire().cdw10, 0x008c_0006);
        assert_eq!(NvmeCommand::ErrorLog(1).wire().cdw10, 0x000f_0001);
        let all = NvmeCommand::ErrorLog(256).wire();
        assert_eq!((all.cdw10, all.cdw11, all.length), (0x0fff_0001, 0, 16384));
        assert_eq!([NvmeCommand::ErrorLog(0), NvmeCommand::ErrorLog(u16::MAX)].map(|log| log.wire().length), [64, 16384]);
        assert_eq!(log(0x07, 1 << 20).cdw11, 3);
    }

    #[test]
    fn commands_for_people() {
        assert_eq!(NvmeCommand::IdentifyNamespace(2).to_string(), "Identify CNS 00h, namespace 2");
        assert_eq!(NvmeCommand::IdentifyController.to_string(), "Identify CNS 01h");
        assert_eq!(NvmeCommand::SmartLog.to_string(), "Get Log Page 02h, 512 bytes");
        assert_eq!(NvmeCommand::Feature(Feature::TemperatureUnder).to_string(), "Get Features 04h, under");
    }
}
