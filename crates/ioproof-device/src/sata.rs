//! Capacity of the SATA link to a drive, from libata's `sata_spd` (`Documentation/ABI/testing/sysfs-ata`).
//!
//! `pcie` is the neighbour for NVMe. Deliberately absent: port multipliers, whose links behind the port are
//! not looked at, and SAS adapters, which do not show their SATA links here.

use crate::names::{ata_identity, ata_port};
use crate::sysfs_device::SysfsDevice;
use ioproof_core::facts::Link;

/// The link of the port on the drive's path; `None` where there is no port of libata or it does not tell.
pub(crate) fn link(device: &SysfsDevice) -> Option<Link> {
    let device_path = device.device_path()?;
    let path = format!("class/ata_link/link{}/sata_spd", ata_port(&device_path)?);
    let gbps = parse_speed(&device.system.sys_text(&path)?)?;
    Some(Link {
        title: format!("SATA {gbps:.1} Gb/s"),
        limit_bytes_per_s: bytes_per_s(gbps),
        capable_bytes_per_s: ata_identity(device).and_then(|(ata, _)| ata.sata_gbps).map(bytes_per_s),
        source: format!("/sys/{path}"),
    })
}

/// 8b/10b: ten bits on the wire for each byte.
fn bytes_per_s(gbps: f64) -> f64 {
    (gbps * 1e9 / 10.0).round()
}

/// `6.0 Gbps`; `None` for `<unknown>` and anything else.
fn parse_speed(text: &str) -> Option<f64> {
    let gbps: f64 = text.strip_suffix(" Gbps")?.parse().ok()?;
    (1.0..=100.0).contains(&gbps).then_some(gbps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_three_generations() {
        let limit = |text| parse_speed(text).map(bytes_per_s);
        assert_eq!([limit("1.5 Gbps"), limit("3.0 Gbps"), limit("6.0 Gbps")], [Some(150e6), Some(300e6), Some(600e6)]);
        assert_eq!([limit("<unknown>"), limit(""), limit("NaN Gbps"), limit("6.0 GT/s")], [None; 4]);
    }

    proptest! {
        #[test]
        fn any_text_gives_a_finite_limit_or_none(text in "\\PC{0,12}|[0-9.e+-]{1,6} Gbps") {
            if let Some(gbps) = parse_speed(&text) {
                prop_assert!(bytes_per_s(gbps).is_finite() && bytes_per_s(gbps) > 0.0);
            }
        }
    }
}
