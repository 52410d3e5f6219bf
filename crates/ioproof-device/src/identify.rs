//! All that sysfs says about one drive, put together from the neighbours that read one source each.
//!
//! A further source (a command to the drive) is a further file, and fills the same facts.

use crate::names::{self, DriveNames};
use crate::sysfs_device::{SysfsDevice, fact, upwards};
use crate::{hwmon, pcie, sata, upstream};
use ioproof_core::facts::{DeviceFacts, DriveKind, Fact, Link, StackNode};
use ioproof_target::System;

/// sysfs counts in sectors of 512 bytes, whatever the logical block is (`Documentation/ABI/stable/sysfs-block`).
pub(crate) const SECTOR_BYTES: u64 = 512;

/// Facts of sysfs about a block device; for a partition its own capacity, and all else of its disk.
///
/// Facts that the kernel does not tell are `None`. A missing `size` is taken from the node.
#[must_use]
pub fn identify(system: &System, node: &StackNode) -> DeviceFacts {
    let device = SysfsDevice::find(system, &node.name);
    let kind = names::kind(&device);
    let DriveNames { vendor, model, serial, firmware } = DriveNames::read(&device, kind);
    DeviceFacts {
        name: node.name.clone(),
        kind,
        vendor,
        model,
        serial,
        firmware,
        capacity_bytes: capacity(&device, node),
        logical_block_bytes: device.number("queue/logical_block_size"),
        physical_block_bytes: device.number("queue/physical_block_size"),
        rotational: device.flag("queue/rotational"),
        write_cache: device.text("queue/write_cache"),
        fua: device.flag("queue/fua"),
        scheduler: scheduler(&device),
        nr_requests: device.number("queue/nr_requests"),
        max_request_bytes: max_request_bytes(&device),
        numa_node: numa_node(&device),
        link: link(&device, kind),
        upstream: upstream::upstream(&device),
        temperature_celsius: hwmon::temperature(&device),
        utilized_bytes: utilized_bytes(&device),
    }
}

fn capacity(device: &SysfsDevice, node: &StackNode) -> Fact<u64> {
    let path = format!("{}/size", device.own);
    match device.system.sys_number(&path).and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)) {
        Some(bytes) => Fact::new(bytes, format!("/sys/{path}")),
        None => Fact::new(node.size_bytes, "the target's stack"),
    }
}

fn max_request_bytes(device: &SysfsDevice) -> Option<Fact<u64>> {
    let Fact { value, source } = device.number::<u64>("queue/max_sectors_kb")?;
    Some(Fact::new(value.checked_mul(1024)?, source))
}

/// NVMe namespaces only, since Linux 6.8 (`drivers/nvme/host/sysfs.c`), in logical blocks.
fn utilized_bytes(device: &SysfsDevice) -> Option<Fact<u64>> {
    let Fact { value, source } = device.number::<u64>("nuse")?;
    let block = device.number::<u64>("queue/logical_block_size")?.value;
    Some(Fact::new(value.checked_mul(block)?, source))
}

fn scheduler(device: &SysfsDevice) -> Option<Fact<String>> {
    let Fact { value, source } = device.text("queue/scheduler")?;
    Some(Fact::new(active_scheduler(&value)?.to_owned(), source))
}

/// The one in brackets: `none [mq-deadline] kyber`. A device that takes no scheduler shows the single word `none`.
pub(crate) fn active_scheduler(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let bracketed = words.clone().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    bracketed.or_else(|| words.next().filter(|_| words.next().is_none())).filter(|word| !word.is_empty())
}

/// The node of the nearest device on the path that knows one; -1 means that there is none.
fn numa_node(device: &SysfsDevice) -> Option<Fact<i32>> {
    let device_path = device.device_path()?;
    let Fact { value, source } = upwards(&device_path).find_map(|folder| fact(device.system, &format!("{folder}/numa_node")))?;
    value.parse().ok().filter(|node| *node >= 0).map(|node| Fact::new(node, source))
}

fn link(device: &SysfsDevice, kind: DriveKind) -> Option<Link> {
    match kind {
        DriveKind::Nvme => pcie::link(device.system, &device.device_path()?),
        DriveKind::Sata => sata::link(device),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_scheduler_in_brackets() {
        assert_eq!(active_scheduler("none [mq-deadline] kyber bfq"), Some("mq-deadline"));
        assert_eq!(active_scheduler("[none] mq-deadline"), Some("none"));
        assert_eq!(active_scheduler("none"), Some("none"));
        assert_eq!([active_scheduler("none mq-deadline"), active_scheduler("[]"), active_scheduler("")], [None; 3]);
    }

    const FILES: [&str; 13] = [
        "size",
        "nuse",
        "queue/scheduler",
        "queue/rotational",
        "queue/nr_requests",
        "queue/max_sectors_kb",
        "queue/logical_block_size",
        "device/vendor",
        "device/model",
        "device/vpd_pg80",
        "device/vpd_pg89",
        "device/hwmon0/temp1_input",
        "stat",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_contents_are_facts_or_none(
            contents in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..600), FILES.len()),
            name in "(sda|nvme0n1|vda|mmcblk0)",
        ) {
            let dir = tempfile::tempdir().unwrap();
            for (file, content) in FILES.iter().zip(contents) {
                let path = dir.path().join("sys/block").join(&name).join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
            let node = StackNode { major: 8, size_bytes: 7, ..StackNode::disk(&name) };
            let facts = identify(&System::captured(dir.path()), &node);
            prop_assert!(facts.temperature_celsius.is_none_or(|t| t.value.is_finite()));
            prop_assert!(facts.model.is_none_or(|m| !m.value.is_empty() && m.source.starts_with("/sys/block/")));
        }
    }
}
