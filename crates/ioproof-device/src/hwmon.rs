//! The temperature of a drive, from the sensor that its driver registered (`Documentation/hwmon/sysfs-interface.rst`).
//!
//! NVMe registers one with its controller (older kernels: with the PCI function above), SATA has one where the module
//! `drivetemp` is loaded.

use crate::sysfs_device::SysfsDevice;
use ioproof_core::facts::Fact;
use ioproof_target::System;

/// Folders below the disk that hold `hwmon0`, `hwmon1` and so on.
const PARENTS: [&str; 4] = ["device", "device/hwmon", "device/device", "device/device/hwmon"];

/// The temperature of the drive with this kernel name (a partition's disk), in degrees Celsius; `None` where no sensor is readable.
///
/// Reading it sends the drive a command (NVMe: SMART log page), so it has no place inside a measurement.
#[must_use]
pub fn temperature_celsius(system: &System, name: &str) -> Option<f64> {
    temperature(&SysfsDevice::find(system, name)).map(|fact| fact.value)
}

/// The same with its source.
pub(crate) fn temperature(device: &SysfsDevice) -> Option<Fact<f64>> {
    parents(device).iter().find_map(|parent| below(device, parent))
}

fn parents(device: &SysfsDevice) -> Vec<String> {
    match device.nvme_controllers().as_slice() {
        [] => PARENTS.map(str::to_owned).to_vec(),
        [controller] => PARENTS.map(|parent| parent.replacen("device", &format!("device/{controller}"), 1)).to_vec(),
        // Several controllers may be several sensors; none of them speaks for the namespace.
        _ => Vec::new(),
    }
}

fn below(device: &SysfsDevice, parent: &str) -> Option<Fact<f64>> {
    let names = device.system.sys_list(&format!("{}/{parent}", device.disk));
    names.iter().filter(|name| name.starts_with("hwmon")).find_map(|name| input(device, &format!("{parent}/{name}/temp1_input")))
}

/// `temp1_input` is in thousandths of a degree.
fn input(device: &SysfsDevice, path: &str) -> Option<Fact<f64>> {
    let Fact { value, source } = device.number::<i32>(path)?;
    Some(Fact::new(f64::from(value) / 1000.0, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn celsius(path: &str, text: &str) -> Option<f64> {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sys/block/nvme0n1/device").join(path);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("temp1_input"), text).unwrap();
        temperature_celsius(&System::captured(dir.path()), "nvme0n1")
    }

    #[test]
    fn found_wherever_the_driver_put_it() {
        assert_eq!(celsius("hwmon3", "36850\n"), Some(36.85));
        assert_eq!(celsius("hwmon/hwmon3", "36850\n"), Some(36.85));
        assert_eq!(celsius("device/hwmon3", "36850\n"), Some(36.85));
        assert_eq!(celsius("device/hwmon/hwmon3", "-2000\n"), Some(-2.0));
        assert_eq!(celsius("nvme0/hwmon3", "36850\n"), Some(36.85));
        assert_eq!(celsius("power", "36850\n"), None);
    }

    #[test]
    fn what_is_no_number_is_no_temperature() {
        assert_eq!(celsius("hwmon3", ""), None);
        assert_eq!(celsius("hwmon3", "warm\n"), None);
    }
}
