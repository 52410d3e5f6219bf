//! The spread of a drive's interrupts over the CPUs: `/proc/interrupts` (proc_interrupts(5)) for those that came since boot, and
//! `/proc/irq/N/*affinity_list` (`Documentation/core-api/irq/irq-affinity.rst`) for where they are to go.
//!
//! The numbers of the drive's interrupts are those of its PCI function: `msi_irqs`, or `irq` where it has a single line. Of a SATA drive
//! they are those of its host adapter, which all its ports share.

use crate::kernel_page::{KernelPage, Label};
use crate::pcie::is_function;
use crate::sysfs_device::{SysfsDevice, upwards};
use ioproof_pages::field::{Page, Value};
use ioproof_target::System;
use std::collections::BTreeMap;

/// One interrupt's line of `/proc/interrupts`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Line {
    /// CPU and how many it took.
    counts: Vec<(u32, u64)>,
    /// The driver's name for it: `nvme0q1`, `virtio1-req.0`.
    name: String,
}

/// The page `interrupts` of a drive.
pub(crate) fn page(device: &SysfsDevice) -> Page {
    let mut page = KernelPage::new("interrupts", "/proc/interrupts");
    let Some((source, numbers)) = device.device_path().as_deref().and_then(|device_path| numbers(device.system, device_path)) else {
        page.problem("no PCI function on the way to the drive names its interrupts".into());
        return page.done();
    };
    let lines = device.system.proc_text("interrupts").map(|text| parse(&text)).unwrap_or_default();
    let all: Vec<(u32, Line)> = numbers.iter().map(|irq| (*irq, lines.get(irq).cloned().unwrap_or_default())).collect();
    let queues: Vec<(u32, Line)> = all.iter().filter(|(_, line)| all.len() == 1 || serves_io(&line.name)).cloned().collect();
    each(&mut page, device.system, &all);
    let irqs = queues.iter().map(|(irq, _)| irq.to_string()).collect();
    page.put(Label::plain("io_interrupts", "interrupts of I/O"), Value::List(irqs), source);
    taken(&mut page, &queues);
    assigned(&mut page, device.system, &queues);
    page.done()
}

/// Neither the admin queue of NVMe nor the configuration of virtio completes I/O; a name that nobody knows may.
fn serves_io(name: &str) -> bool {
    let admin = name.strip_prefix("nvme").is_some_and(|rest| rest.ends_with("q0") && rest.trim_end_matches("q0").parse::<u32>().is_ok());
    !admin && !name.ends_with("-config")
}

/// The file or folder of the nearest function on the path that names interrupts, and their numbers.
fn numbers(system: &System, device_path: &str) -> Option<(String, Vec<u32>)> {
    upwards(device_path).filter(|path| is_function(path)).find_map(|function| {
        let mut file = "msi_irqs";
        let mut numbers: Vec<u32> = system.sys_list(&format!("{function}/msi_irqs")).iter().filter_map(|name| name.parse().ok()).collect();
        if numbers.is_empty() {
            file = "irq";
            numbers.extend(system.sys_number(&format!("{function}/irq")).filter(|irq| *irq > 0).and_then(|irq| u32::try_from(irq).ok()));
        }
        numbers.sort_unstable();
        (!numbers.is_empty()).then(|| (format!("/sys/{function}/{file}"), numbers))
    })
}

/// One field an interrupt: its name, how many came, and where they may go.
fn each(page: &mut KernelPage, system: &System, all: &[(u32, Line)]) {
    for (irq, line) in all {
        let count: u64 = line.counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
        let may = affinity(system, *irq, "smp_affinity_list").map_or(String::new(), |cpus| format!(", may go to CPU {cpus}"));
        let goes = affinity(system, *irq, "effective_affinity_list").map_or(String::new(), |cpus| format!(", goes to CPU {cpus}"));
        let label = Label::plain("", "interrupt");
        let text = format!("{}: {count} since boot{may}{goes}", if line.name.is_empty() { "not in use" } else { &line.name });
        page.put_named(label, format!("interrupt_{irq}"), Value::Text(text), format!("/proc/interrupts and /proc/irq/{irq}"));
    }
}

fn affinity(system: &System, irq: u32, file: &str) -> Option<String> {
    system.proc_text(&format!("irq/{irq}/{file}"))
}

/// Interrupts that each CPU took since boot.
fn taken(page: &mut KernelPage, queues: &[(u32, Line)]) {
    let mut by_cpu: BTreeMap<u32, u64> = BTreeMap::new();
    for (cpu, count) in queues.iter().flat_map(|(_, line)| &line.counts) {
        let sum = by_cpu.entry(*cpu).or_default();
        *sum = sum.saturating_add(*count);
    }
    let total: u64 = by_cpu.values().fold(0, |sum, count| sum.saturating_add(*count));
    let cpus = by_cpu.iter().filter(|(_, count)| **count > 0).map(|(cpu, _)| cpu.to_string()).collect();
    let source = "/proc/interrupts";
    page.put(Label::plain("interrupt_count", "interrupts of I/O since boot"), Value::Number(total), source);
    page.put(Label::plain("interrupt_cpus_seen", "CPUs that took them"), Value::List(cpus), source);
    if let Some(most) = by_cpu.values().max().filter(|_| total > 0) {
        let share = Label { key: "interrupt_busiest_cpu_percent", title: "share of the busiest CPU", unit: "percent" };
        page.put(share, Value::Number((u128::from(*most) * 100 / u128::from(total)) as u64), source);
    }
}

/// Where they go from now on: one entry an interrupt, `36: 1`.
fn assigned(page: &mut KernelPage, system: &System, queues: &[(u32, Line)]) {
    let of = |file: &str| -> Vec<String> {
        queues.iter().filter_map(|(irq, _)| affinity(system, *irq, file).map(|cpus| format!("{irq}: {cpus}"))).collect()
    };
    let rows = [
        ("smp_affinity_list", Label::plain("interrupt_affinity", "CPUs that each interrupt may go to")),
        ("effective_affinity_list", Label::plain("interrupt_effective_affinity", "CPU that each interrupt goes to")),
    ];
    for (file, label) in rows {
        let found = of(file);
        if !found.is_empty() {
            page.put(label, Value::List(found), format!("/proc/irq/*/{file}"));
        }
    }
}

/// The numbered lines of `/proc/interrupts`; the first line names the CPUs that are online, which need not be all.
fn parse(text: &str) -> BTreeMap<u32, Line> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let cpus: Vec<u32> = header.split_whitespace().filter_map(|word| word.strip_prefix("CPU")?.parse().ok()).collect();
    lines.filter_map(|line| parse_line(line, &cpus)).collect()
}

fn parse_line(line: &str, cpus: &[u32]) -> Option<(u32, Line)> {
    let (irq, rest) = line.split_once(':')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let counts: Vec<(u32, u64)> = cpus.iter().zip(&words).map_while(|(cpu, word)| Some((*cpu, word.parse().ok()?))).collect();
    let name = words.get(counts.len()..)?.last().copied().unwrap_or_default().to_owned();
    Some((irq.trim().parse().ok()?, Line { counts, name }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "           CPU0       CPU2
 35:          7          1  PCI-MSIX-0000:01:00.0   0-edge      nvme0q0
 36:         30         10  PCI-MSIX-0000:01:00.0   1-edge      nvme0q1
 37:          0         60  PCI-MSIX-0000:01:00.0   2-edge      nvme0q2
NMI:          0          0   Non-maskable interrupts
ERR:          0
";

    fn page_of(irqs: &[&str], text: &str) -> Page {
        let dir = tempfile::tempdir().unwrap();
        let write = |file: String, text: &str| {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let function = "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";
        write(format!("{function}/nvme/nvme0/nvme0n1/size"), "1\n");
        write("proc/interrupts".into(), text);
        for irq in irqs {
            write(format!("{function}/msi_irqs/{irq}"), "msix\n");
            write(format!("proc/irq/{irq}/effective_affinity_list"), "2\n");
        }
        std::fs::create_dir_all(dir.path().join("sys/block")).unwrap();
        std::os::unix::fs::symlink(
            "../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1",
            dir.path().join("sys/block/nvme0n1"),
        )
        .unwrap();
        page(&SysfsDevice::find(&System::captured(dir.path()), "nvme0n1"))
    }

    fn list(page: &Page, key: &str) -> Vec<String> {
        match &page.field(key).unwrap().value {
            Value::List(list) => list.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_admin_queue_is_told_and_does_not_count() {
        let page = page_of(&["35", "36", "37"], TEXT);
        assert_eq!(list(&page, "io_interrupts"), ["36", "37"]);
        assert_eq!((page.number("interrupt_count"), page.number("interrupt_busiest_cpu_percent")), (Some(100), Some(70)));
        assert_eq!(list(&page, "interrupt_cpus_seen"), ["0", "2"]);
        assert_eq!(list(&page, "interrupt_effective_affinity"), ["36: 2", "37: 2"]);
        assert_eq!(page.text("interrupt_35"), Some("nvme0q0: 8 since boot, goes to CPU 2"));
    }

    #[test]
    fn a_single_interrupt_counts_whatever_its_name() {
        assert_eq!(list(&page_of(&["35"], TEXT), "io_interrupts"), ["35"]);
    }

    #[test]
    fn without_interrupts_the_page_says_so() {
        let page = page_of(&[], TEXT);
        assert!(page.fields.is_empty() && page.problems.len() == 1);
    }

    #[test]
    fn names_that_serve_io() {
        assert!(
            serves_io("nvme0q1")
                && serves_io("nvme12q10")
                && serves_io("virtio1-req.0")
                && serves_io("ahci[0000:00:17.0]")
                && serves_io("")
        );
        assert!(!serves_io("nvme0q0") && !serves_io("virtio1-config"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "( CPU[0-9]{1,3}){0,3}\n(\\PC{0,40}|[0-9]{1,3}: [0-9 ]{0,40}[a-z]{0,5}\n){0,3}") {
            for line in parse(&text).values() {
                prop_assert!(line.counts.len() <= 3);
            }
        }
    }
}
