//! Devices between a drive and the host, which drives may share: PCI functions with what their links carry, hosts of the SCSI layer, SAS expanders and buses of
//! USB, by the folders above the drive's in sysfs (`Documentation/ABI/testing/sysfs-bus-pci`, `sysfs-class-scsi_host`).
//!
//! `pcie` says what a link carries. Deliberately absent: what an adapter, an expander or a bus of USB carries, which sysfs does not tell.

use crate::pcie::{Lanes, functions, is_emulated, is_function};
use crate::sysfs_device::{SysfsDevice, is_number, upwards};
use ioproof_core::facts::{Upstream, UpstreamKind};
use ioproof_target::System;

/// The class of a PCI-to-PCI bridge, which every port is, by its first digits (PCI Code and ID Assignment Specification).
const BRIDGE: &str = "0x0604";

/// Kinds of folders that are no PCI function, by what stands before their number.
const FOLDERS: [(&str, UpstreamKind); 3] =
    [("host", UpstreamKind::ScsiHost), ("expander-", UpstreamKind::SasExpander), ("usb", UpstreamKind::UsbBus)];

/// The devices above a drive, the nearest first; none where several ways lead to it, or it hangs on nothing.
pub(crate) fn upstream(device: &SysfsDevice) -> Vec<Upstream> {
    let Some(path) = device.device_path() else { return Vec::new() };
    let nearest = functions(&path).next();
    upwards(&path).filter_map(|folder| of_folder(device.system, folder, nearest)).collect()
}

fn of_folder(system: &System, folder: &str, nearest: Option<&str>) -> Option<Upstream> {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let kind = if is_function(folder) { kind_of_function(system, folder, nearest) } else { kind_of_name(name)? };
    Some(Upstream { kind, name: name.to_owned(), limit_bytes_per_s: limit(system, folder), source: format!("/sys/{folder}") })
}

/// A bridge by its class; where that is not told, every function but the one that the drive hangs on.
fn kind_of_function(system: &System, function: &str, nearest: Option<&str>) -> UpstreamKind {
    let class = system.sys_text(&format!("{function}/class"));
    let is_bridge = class.map_or(nearest != Some(function), |class| class.starts_with(BRIDGE));
    if is_bridge { UpstreamKind::PciBridge } else { UpstreamKind::PciController }
}

/// `host0`, `expander-1:0`, `usb2`.
fn kind_of_name(name: &str) -> Option<UpstreamKind> {
    let is_numbered = |number: &str| !number.is_empty() && number.split(':').all(is_number);
    FOLDERS.into_iter().find(|(word, _)| name.strip_prefix(word).is_some_and(is_numbered)).map(|(_, kind)| kind)
}

/// Most that the link at a PCI function carries; none where it has none of its own, or a hypervisor makes it up. Bytes per second.
fn limit(system: &System, folder: &str) -> Option<f64> {
    if !is_function(folder) || is_emulated(system, folder) {
        return None;
    }
    Lanes::read(system, folder, "current").map(Lanes::bytes_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    fn of_fixture(fixture: &str, disk: &str) -> Vec<(UpstreamKind, String, bool)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices").join(fixture);
        let all = upstream(&SysfsDevice::find(&System::captured(&root), disk));
        all.into_iter().map(|up| (up.kind, up.name, up.limit_bytes_per_s.is_some())).collect()
    }

    #[test]
    fn every_port_of_a_switch_is_on_the_way() {
        use UpstreamKind::{PciBridge, PciController};
        let of = |kind, name: &str| (kind, name.to_owned(), true);
        let expected = [
            of(PciController, "0000:04:00.0"),
            of(PciBridge, "0000:03:04.0"),
            of(PciBridge, "0000:02:00.0"),
            of(PciBridge, "0000:00:03.0"),
        ];
        assert_eq!(of_fixture("nvme-p3700-behind-switch", "nvme0n1"), expected);
    }

    #[test]
    fn an_adapter_stands_between_its_host_and_its_port() {
        let names = |fixture, disk| of_fixture(fixture, disk).into_iter().map(|(_, name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("sata-behind-sas-hba", "sdb"), ["host1", "0000:03:00.0", "0000:00:02.0"]);
        assert_eq!(names("sata-s3700-ahci", "sda"), ["host0", "0000:00:1f.2"]);
    }

    #[test]
    fn links_of_a_hypervisor_carry_nothing_known() {
        assert!(of_fixture("nvme-emulated", "nvme0n1").iter().all(|(_, _, is_known)| !is_known));
    }

    #[test]
    fn several_ways_are_none() {
        assert!(of_fixture("loop", "loop0").is_empty() && of_fixture("nvme-emulated", "nothing").is_empty());
    }

    #[test]
    fn folders_by_their_names() {
        let kinds = ["host12", "expander-1:0", "usb2"].map(kind_of_name);
        assert_eq!(kinds, [Some(UpstreamKind::ScsiHost), Some(UpstreamKind::SasExpander), Some(UpstreamKind::UsbBus)]);
        assert_eq!(["host", "hosts1", "usb2-1", "target0:0:0", "expander-", ""].map(kind_of_name), [None; 6]);
    }

    proptest! {
        #[test]
        fn any_name_has_a_kind_or_none(name in "\\PC{0,12}|(host|usb|expander-)[0-9:]{0,5}") {
            prop_assert!(kind_of_name(&name).is_none() || name.ends_with(|last: char| last.is_ascii_digit()));
        }
    }
}
