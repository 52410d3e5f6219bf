//! Capacity of the PCI Express link to a drive, from `current_link_*` and `max_link_*` of each PCI function in the I/O path.
//!
//! Those files are described in `Documentation/ABI/testing/sysfs-bus-pci`; `sata` is the neighbour for SATA.
//! Deliberately absent: the negotiated payload size, which sysfs does not show.

use crate::sysfs_device::upwards;
use ioproof_core::facts::Link;
use ioproof_target::System;

/// Share of the encoded bytes that is payload: packets of 256 bytes with 12 of header, 4 of framing and 4 of link CRC, 256/276.
/// The usual payload size of servers; with 128 bytes it is 0.86, with 512 bytes 0.96.
const PAYLOAD_SHARE: f64 = 0.93;

/// PCI vendor numbers whose functions are emulated: their link is a register, not wires, and limits nothing.
/// QEMU (1b36, 1af4), VMware, VirtualBox (<https://pci-ids.ucw.cz>).
const EMULATED_VENDORS: [&str; 4] = ["0x1b36", "0x1af4", "0x15ad", "0x80ee"];

/// Speed and width of one link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lanes {
    pub(crate) speed_gts: f64,
    pub(crate) width: u32,
}

impl Lanes {
    /// Reads `{which}_link_speed` and `{which}_link_width` of a PCI function.
    pub(crate) fn read(system: &System, function: &str, which: &str) -> Option<Self> {
        let text = |what: &str| system.sys_text(&format!("{function}/{which}_link_{what}"));
        Some(Self { speed_gts: parse_speed(&text("speed")?)?, width: parse_width(&text("width")?)? })
    }

    /// Payload in one direction.
    pub(crate) fn bytes_per_s(self) -> f64 {
        let bits_per_s = self.speed_gts * 1e9 * f64::from(self.width);
        (bits_per_s / 8.0 * encoding_share(self.speed_gts) * PAYLOAD_SHARE).round()
    }

    fn title(self) -> String {
        format!("PCIe {:.1} GT/s x{}", self.speed_gts, self.width)
    }
}

/// Share of the raw bits that is left after line coding (PCI Express Base Specification 6.0, physical layer): 8b/10b up to 5 GT/s,
/// 128b/130b up to 32 GT/s; from 64 GT/s on 6 bytes of each flit of 256 are for forward error correction.
fn encoding_share(speed_gts: f64) -> f64 {
    match speed_gts {
        slow if slow <= 5.0 => 8.0 / 10.0,
        flit if flit >= 64.0 => 250.0 / 256.0,
        _ => 128.0 / 130.0,
    }
}

/// `8.0 GT/s PCIe`, by older kernels `8 GT/s`; `None` for `Unknown` and anything else.
fn parse_speed(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let speed_gts: f64 = number.parse().ok()?;
    (unit.starts_with("GT/s") && (1.0..=1000.0).contains(&speed_gts)).then_some(speed_gts)
}

/// 1 to 32 lanes; 0 is no link and 255 an unknown one.
fn parse_width(text: &str) -> Option<u32> {
    text.parse().ok().filter(|width| (1..=32).contains(width))
}

/// The link of a drive with this resolved path in sysfs: the slowest one between it and the root complex.
///
/// `None` where no function on the path tells, or the drive is emulated.
pub(crate) fn link(system: &System, device_path: &str) -> Option<Link> {
    let functions: Vec<&str> = functions(device_path).collect();
    let drive = *functions.first()?;
    if is_emulated(system, drive) {
        return None;
    }
    let wired = functions.into_iter().filter(|function| !is_emulated(system, function));
    let links = wired.filter_map(|function| Some((Lanes::read(system, function, "current")?, function)));
    let (slowest, function) = links.min_by(|(a, _), (b, _)| a.bytes_per_s().total_cmp(&b.bytes_per_s()))?;
    Some(Link {
        title: slowest.title(),
        limit_bytes_per_s: slowest.bytes_per_s(),
        capable_bytes_per_s: Lanes::read(system, drive, "max").map(Lanes::bytes_per_s),
        source: format!("/sys/{function}/current_link_speed"),
    })
}

/// The PCI functions on a resolved path, the drive's own first.
pub(crate) fn functions(device_path: &str) -> impl Iterator<Item = &str> {
    upwards(device_path).filter(|path| is_function(path))
}

/// The file that tells that a hypervisor emulates a function. QEMU gives some the numbers of a real vendor (its NVMe controllers before
/// version 6, or by `use-intel-id`); the vendor of the subsystem is QEMU's all the same.
pub(crate) fn emulated_by(system: &System, function: &str) -> Option<&'static str> {
    let is_known = |vendor: String| EMULATED_VENDORS.contains(&vendor.as_str());
    ["vendor", "subsystem_vendor"].into_iter().find(|file| system.sys_text(&format!("{function}/{file}")).is_some_and(is_known))
}

/// True for a function that a hypervisor emulates.
pub(crate) fn is_emulated(system: &System, function: &str) -> bool {
    emulated_by(system, function).is_some()
}

/// True when the last component is a PCI function, `0000:01:00.0`; a domain made by VMD has five digits.
pub(crate) fn is_function(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((address, function)) = name.split_once('.') else { return false };
    let parts: Vec<&str> = address.split(':').collect();
    let hex = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    parts.len() == 3 && parts.iter().all(|part| hex(part)) && parts[0].len() >= 4 && matches!(function.as_bytes(), [b'0'..=b'7'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: &str = "devices/pci0000:00/0000:00:01.0";
    const DRIVE: &str = "devices/pci0000:00/0000:00:01.0/0000:01:00.0";

    /// A machine with a drive behind a root port; each function with vendor, current speed, current width.
    fn machine(root: [&str; 3], drive: [&str; 3]) -> Option<Link> {
        machine_of(root, drive, "")
    }

    /// The same with a vendor of the drive's subsystem.
    fn machine_of(root: [&str; 3], drive: [&str; 3], subsystem_vendor: &str) -> Option<Link> {
        let dir = tempfile::tempdir().unwrap();
        for (function, [vendor, speed, width]) in [(ROOT, root), (DRIVE, drive)] {
            let folder = dir.path().join("sys").join(function);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("vendor"), vendor).unwrap();
            std::fs::write(folder.join("current_link_speed"), speed).unwrap();
            std::fs::write(folder.join("current_link_width"), width).unwrap();
        }
        std::fs::write(dir.path().join("sys").join(DRIVE).join("subsystem_vendor"), subsystem_vendor).unwrap();
        link(&System::captured(dir.path()), &format!("{DRIVE}/nvme/nvme0/nvme0n1"))
    }

    #[test]
    fn speeds_as_kernels_spell_them() {
        assert_eq!(parse_speed("8.0 GT/s PCIe"), Some(8.0));
        assert_eq!(parse_speed("2.5 GT/s"), Some(2.5));
        for text in ["Unknown", "Unknown speed", "", "GT/s", "NaN GT/s", "inf GT/s", "-8 GT/s", "8.0 Gbps", "0 GT/s"] {
            assert_eq!(parse_speed(text), None, "{text}");
        }
        assert_eq!([parse_width("4"), parse_width("0"), parse_width("255"), parse_width("x4")], [Some(4), None, None, None]);
    }

    #[test]
    fn each_generation_after_its_encoding() {
        let before_payload = |speed_gts| Lanes { speed_gts, width: 1 }.bytes_per_s() / PAYLOAD_SHARE;
        let expected = [(2.5, 250e6), (5.0, 500e6), (8.0, 984.6e6), (16.0, 1969.2e6), (32.0, 3938.5e6), (64.0, 7812.5e6)];
        for (speed_gts, bytes_per_s) in expected {
            assert!((before_payload(speed_gts) / bytes_per_s - 1.0).abs() < 1e-4, "{speed_gts} GT/s");
        }
    }

    #[test]
    fn the_slowest_link_limits() {
        let link = machine(["0x8086", "5.0 GT/s PCIe", "4"], ["0x8086", "8.0 GT/s PCIe", "4"]).unwrap();
        assert_eq!((link.title.as_str(), link.source), ("PCIe 5.0 GT/s x4", format!("/sys/{ROOT}/current_link_speed")));
        assert_eq!((link.limit_bytes_per_s, link.capable_bytes_per_s), (1.86e9, None));
    }

    #[test]
    fn the_drive_is_named_where_both_ends_agree() {
        let link = machine(["0x8086", "8.0 GT/s PCIe", "4"], ["0x8086", "8.0 GT/s PCIe", "4"]).unwrap();
        assert_eq!(link.source, format!("/sys/{DRIVE}/current_link_speed"));
    }

    #[test]
    fn an_emulated_link_limits_nothing() {
        assert_eq!(machine(["0x1b36", "2.5 GT/s PCIe", "1"], ["0x1b36", "2.5 GT/s PCIe", "1"]), None);
        let passed_through = machine(["0x1b36", "2.5 GT/s PCIe", "1"], ["0x8086", "8.0 GT/s PCIe", "4"]).unwrap();
        assert_eq!(passed_through.title, "PCIe 8.0 GT/s x4");
        let with_subsystem =
            |vendor| machine_of(["0x1b36", "16.0 GT/s PCIe", "4"], ["0x8086", "2.5 GT/s PCIe", "1"], vendor).map(|link| link.title);
        assert_eq!(with_subsystem("0x1af4"), None, "QEMU by the number of another vendor");
        assert_eq!(with_subsystem("0x8086").as_deref(), Some("PCIe 2.5 GT/s x1"));
    }

    #[test]
    fn a_link_that_nobody_tells_is_none() {
        assert_eq!(machine(["0x8086", "Unknown", "0"], ["0x8086", "Unknown", "0"]), None);
    }

    #[test]
    fn functions_and_other_folders() {
        assert!(is_function("devices/pci0000:00/0000:01:00.0") && is_function("pci10000:e0/10000:e1:00.0"));
        for path in ["devices/pci0000:00", "0:0:0:0", "nvme0n1", "0000:01:00", "0000:01:00.9", "0000:01:00.0.1"] {
            assert!(!is_function(path), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_texts_give_a_finite_limit_or_none(speed in "\\PC{0,12}|[0-9.e+-]{1,6} GT/s( PCIe)?", width in "\\PC{0,4}|[0-9]{1,3}") {
            if let (Some(speed_gts), Some(width)) = (parse_speed(&speed), parse_width(&width)) {
                let limit = Lanes { speed_gts, width }.bytes_per_s();
                prop_assert!(limit.is_finite() && limit > 0.0);
            }
        }

        #[test]
        fn a_written_speed_is_read_back(tenths in 10_u32..=1280, pcie in any::<bool>()) {
            let speed = f64::from(tenths) / 10.0;
            let text = format!("{speed:.1} GT/s{}", if pcie { " PCIe" } else { "" });
            prop_assert_eq!(parse_speed(&text), Some(speed));
        }

        #[test]
        fn any_path_is_a_function_or_not(path in "\\PC{0,30}|[0-9a-f:./]{0,16}") {
            prop_assert!(!is_function(&path) || path.contains(':'));
        }
    }
}
