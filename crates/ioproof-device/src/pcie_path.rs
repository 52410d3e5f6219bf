//! Every PCI function from a drive up to its root port: speed and width of each link and its best, the errors that it counted, and whatever translates or redirects on the path (IOMMU, VMD).
//!
//! `Documentation/ABI/testing/sysfs-bus-pci` describes the links and their power saving, `sysfs-bus-pci-devices-aer_stats` the error counters,
//! `sysfs-kernel-iommu_groups` the groups. `pcie` says what a link carries. Function 0 is the drive, the others follow upwards.

use crate::kernel_page::{KernelPage, Label};
use crate::pcie::{Lanes, emulated_by, functions, is_emulated};
use crate::sysfs_device::{SysfsDevice, fact, resolved, upwards};
use ioproof_core::facts::Fact;
use ioproof_pages::field::{Page, Value};
use ioproof_target::System;

/// The page `pcie-path` of a drive.
pub(crate) fn page(device: &SysfsDevice) -> Page {
    let mut page = KernelPage::new("pcie-path", format!("/sys/{}", device.disk));
    let Some(device_path) = device.device_path() else {
        page.problem("several ways lead to the drive, or none".into());
        return page.done();
    };
    let functions: Vec<&str> = functions(&device_path).collect();
    page.put(
        Label::plain("pcie_functions", "PCI functions on the way"),
        Value::Number(functions.len() as u64),
        format!("/sys/{device_path}"),
    );
    for (number, function) in functions.iter().enumerate() {
        PciFunction { system: device.system, path: function, number }.describe(&mut page);
    }
    narrowest(&mut page, device.system, &functions);
    vmd(&mut page, device.system, &functions);
    iommu(&mut page, device.system, &functions);
    numa(&mut page, device.system, &device_path);
    page.text(Label::plain("aspm_policy", "policy of link power saving"), fact(device.system, "module/pcie_aspm/parameters/policy"));
    page.done()
}

/// One PCI function and its number on the path.
struct PciFunction<'a> {
    system: &'a System,
    path: &'a str,
    number: usize,
}

impl PciFunction<'_> {
    fn describe(&self, page: &mut KernelPage) {
        self.put(page, Label::plain("address", "PCI address"), Some(Value::Text(address(self.path).into())), "");
        self.text(page, Label::plain("class", "PCI class"), "class");
        self.text(page, Label::plain("vendor", "PCI vendor"), "vendor");
        if let Some(file) = emulated_by(self.system, self.path) {
            self.put(page, Label::plain("emulated", "a register of a hypervisor, no wires"), Some(Value::Flag(true)), file);
        } else {
            self.link(page);
        }
        self.errors(page);
        self.power(page);
    }

    fn put(&self, page: &mut KernelPage, label: Label, value: Option<Value>, file: &str) {
        let slash = if file.is_empty() { "" } else { "/" };
        if let Some(value) = value {
            page.put_named(label, format!("function_{}_{}", self.number, label.key), value, format!("/sys/{}{slash}{file}", self.path));
        }
    }

    fn text(&self, page: &mut KernelPage, label: Label, file: &str) {
        self.put(page, label, self.system.sys_text(&format!("{}/{file}", self.path)).map(Value::Text), file);
    }

    fn link(&self, page: &mut KernelPage) {
        const ROWS: [(&str, [Label; 3]); 2] = [
            (
                "current",
                [
                    Label { key: "link_speed_gt_per_s", title: "link speed", unit: "GT/s" },
                    Label { key: "link_width", title: "link width", unit: "lanes" },
                    Label { key: "limit_bytes_per_s", title: "what the link carries", unit: "bytes/s" },
                ],
            ),
            (
                "max",
                [
                    Label { key: "link_speed_max_gt_per_s", title: "link speed at most", unit: "GT/s" },
                    Label { key: "link_width_max", title: "link width at most", unit: "lanes" },
                    Label { key: "capable_bytes_per_s", title: "what the link could carry", unit: "bytes/s" },
                ],
            ),
        ];
        for (which, [speed, width, limit]) in ROWS {
            let Some(lanes) = Lanes::read(self.system, self.path, which) else { continue };
            let (speed_file, width_file) = (format!("{which}_link_speed"), format!("{which}_link_width"));
            self.put(page, speed, Some(Value::Real(lanes.speed_gts)), &speed_file);
            self.put(page, width, Some(Value::Number(lanes.width.into())), &width_file);
            self.put(page, limit, Some(Value::Number(lanes.bytes_per_s() as u64)), &speed_file);
        }
    }

    /// Advanced Error Reporting: the total at the end of each list.
    fn errors(&self, page: &mut KernelPage) {
        const ROWS: [(&str, &str, Label); 3] = [
            ("aer_dev_correctable", "TOTAL_ERR_COR", Label::plain("aer_correctable", "errors corrected on the link")),
            ("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", Label::plain("aer_nonfatal", "uncorrected errors, not fatal")),
            ("aer_dev_fatal", "TOTAL_ERR_FATAL", Label::plain("aer_fatal", "fatal errors")),
        ];
        for (file, word, label) in ROWS {
            let total = self.system.sys_text(&format!("{}/{file}", self.path)).and_then(|text| total(&text, word));
            self.put(page, label, total.map(Value::Number), file);
        }
    }

    /// The states of link power saving that are allowed; the files exist where the platform leaves them to the kernel.
    fn power(&self, page: &mut KernelPage) {
        const STATES: [&str; 6] = ["l0s_aspm", "l1_aspm", "l1_1_aspm", "l1_2_aspm", "l1_1_pcipm", "l1_2_pcipm"];
        let state = |name: &&str| self.system.sys_text(&format!("{}/link/{name}", self.path));
        if STATES.iter().any(|name| state(name).is_some()) {
            let on = STATES.iter().filter(|name| state(name).as_deref() == Some("1")).map(|name| (*name).to_owned()).collect();
            self.put(page, Label::plain("aspm", "link power saving that is allowed"), Some(Value::List(on)), "link");
        }
    }
}

fn address(function: &str) -> &str {
    function.rsplit('/').next().unwrap_or(function)
}

/// The number behind a word in a list of `NAME NUMBER` lines.
fn total(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
}

/// The link that carries least, as `identify` takes it for the drive's limit.
fn narrowest(page: &mut KernelPage, system: &System, functions: &[&str]) {
    let wired = functions.iter().filter(|function| !is_emulated(system, function));
    let links = wired.filter_map(|function| Some((Lanes::read(system, function, "current")?.bytes_per_s() as u64, function)));
    let Some((bytes_per_s, function)) = links.min_by_key(|(bytes_per_s, _)| *bytes_per_s) else { return };
    let source = format!("/sys/{function}/current_link_speed");
    let limit = Label { key: "pcie_limit_bytes_per_s", title: "what the narrowest link carries", unit: "bytes/s" };
    page.put(limit, Value::Number(bytes_per_s), source.clone());
    page.put(Label::plain("pcie_limit_at", "the narrowest link"), Value::Text(address(function).into()), source);
}

/// Intel's Volume Management Device: bound to the driver `vmd`, and what lies behind it is in a PCI domain of five digits (`drivers/pci/controller/vmd.c`).
fn vmd(page: &mut KernelPage, system: &System, functions: &[&str]) {
    let bound = |function: &&&str| resolved(system, &format!("{function}/driver")).is_some_and(|driver| driver.ends_with("/vmd"));
    let domain = |function: &&&str| address(function).split(':').next().is_some_and(|domain| domain.len() > 4);
    let found = functions.iter().find(bound).or_else(|| functions.iter().find(domain));
    let source = found.or(functions.first()).map_or_else(|| "/sys/devices".to_owned(), |function| format!("/sys/{function}"));
    page.put(Label::plain("vmd_in_path", "VMD in the path"), Value::Flag(found.is_some()), source);
}

fn iommu(page: &mut KernelPage, system: &System, functions: &[&str]) {
    let Some(drive) = functions.first() else { return };
    let label = Label::plain("iommu_group_type", "how the IOMMU treats the drive: identity passes, DMA translates");
    page.text(label, fact(system, &format!("{drive}/iommu_group/type")));
    if let Some(group) = resolved(system, &format!("{drive}/iommu_group")) {
        page.put(Label::plain("iommu_group", "IOMMU group"), Value::Text(address(&group).into()), format!("/sys/{drive}/iommu_group"));
    }
}

/// The node of the nearest device on the path that knows one, and its CPUs; -1 means that there is none.
fn numa(page: &mut KernelPage, system: &System, device_path: &str) {
    let Some(Fact { value, source }) = upwards(device_path).find_map(|folder| fact(system, &format!("{folder}/numa_node"))) else { return };
    let Ok(node) = value.parse::<u64>() else { return };
    page.put(Label::plain("numa_node", "NUMA node"), Value::Number(node), source);
    let list = format!("devices/system/node/node{node}/cpulist");
    // A node of memory only has an empty list, which is a fact as well.
    if system.sys(&list).exists() {
        let cpus = system.sys_text(&list).unwrap_or_default();
        page.put(Label::plain("numa_node_cpus", "CPUs of that node"), Value::Text(cpus), format!("/sys/{list}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn fixture(name: &str, disk: &str) -> Page {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices").join(name);
        page(&SysfsDevice::find(&System::captured(&root), disk))
    }

    /// A drive behind VMD with one error counted and ASPM allowed.
    fn behind_vmd() -> Page {
        let dir = tempfile::tempdir().unwrap();
        let drive = "devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0";
        let files = [
            (format!("{drive}/vendor"), "0x144d\n"),
            (format!("{drive}/aer_dev_correctable"), "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n"),
            (format!("{drive}/aer_dev_fatal"), "Undefined 0\nTOTAL_ERR_FATAL 0\n"),
            (format!("{drive}/link/l1_aspm"), "1\n"),
            (format!("{drive}/link/l0s_aspm"), "0\n"),
            (format!("{drive}/iommu_group/type"), "DMA-FQ\n"),
            (format!("{drive}/numa_node"), "1\n"),
            (format!("{drive}/nvme/nvme0/nvme0n1/size"), "1\n"),
            ("devices/system/node/node1/cpulist".into(), "\n"),
        ];
        for (file, text) in files {
            let path = dir.path().join("sys").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::create_dir_all(dir.path().join("sys/block")).unwrap();
        std::os::unix::fs::symlink(format!("../{drive}/nvme/nvme0/nvme0n1"), dir.path().join("sys/block/nvme0n1")).unwrap();
        page(&SysfsDevice::find(&System::captured(dir.path()), "nvme0n1"))
    }

    #[test]
    fn every_function_up_to_the_root_port() {
        let page = fixture("nvme-p3700-behind-switch", "nvme0n1");
        assert_eq!(page.number("pcie_functions"), Some(4));
        let addresses: Vec<_> = (0..4).map(|n| page.text(&format!("function_{n}_address")).unwrap()).collect();
        assert_eq!(addresses, ["0000:04:00.0", "0000:03:04.0", "0000:02:00.0", "0000:00:03.0"]);
        for n in 0..4 {
            assert!(page.number(&format!("function_{n}_limit_bytes_per_s")).is_some_and(|limit| limit > 0), "{n}");
        }
        let least = (0..4).filter_map(|n| page.number(&format!("function_{n}_limit_bytes_per_s"))).min();
        assert_eq!(page.number("pcie_limit_bytes_per_s"), least);
        assert_eq!(page.field("vmd_in_path").unwrap().value, Value::Flag(false));
    }

    #[test]
    fn an_emulated_link_carries_nothing_known() {
        let page = fixture("nvme-emulated", "nvme0n1");
        assert_eq!(page.field("function_0_emulated").map(|field| &field.value), Some(&Value::Flag(true)));
        assert!(page.field("function_0_limit_bytes_per_s").is_none() && page.field("pcie_limit_bytes_per_s").is_none());
    }

    #[test]
    fn errors_power_saving_translation_and_vmd() {
        let page = behind_vmd();
        assert_eq!((page.number("function_0_aer_correctable"), page.number("function_0_aer_fatal")), (Some(3), Some(0)));
        assert!(page.field("function_0_aer_nonfatal").is_none(), "it is not told");
        assert_eq!(page.field("function_0_aspm").unwrap().value, Value::List(vec!["l1_aspm".into()]));
        assert_eq!(page.field("vmd_in_path").unwrap().value, Value::Flag(true));
        assert_eq!(
            (page.text("iommu_group_type"), page.number("numa_node"), page.text("numa_node_cpus")),
            (Some("DMA-FQ"), Some(1), Some(""))
        );
    }
}
