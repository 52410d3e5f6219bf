//! Where a drive's I/O is completed and what stands on its way: interrupts, NUMA, IOMMU, VMD.

use super::{RuleInput, RuleOutput, Severity, cpus};

/// Share of the interrupts since boot that one CPU may take. Per cent.
const MOST_ON_ONE_PERCENT: u64 = 95;
const FEWEST_INTERRUPTS: u64 = 1000;

pub(super) fn interrupts(input: &RuleInput) -> Option<RuleOutput> {
    let online = input.text("cpus_online").and_then(cpus).map_or(0, |cpus| cpus.len());
    let irqs = input.list("io_interrupts");
    if online < 2 || irqs.is_empty() || !all_on_one(input) {
        return None;
    }
    #[rustfmt::skip]
    let keys = [
        "io_interrupts", "interrupt_effective_affinity", "interrupt_cpus_seen", "interrupt_busiest_cpu_percent", "hardware_queues",
        "cpus_online",
    ];
    if let [irq] = irqs {
        let title = format!("the drive has one interrupt ({irq}) for {online} CPUs: that CPU completes all I/O, and may be the limit");
        return input.found(Severity::Info, title, &keys, None);
    }
    let title = format!("all {} interrupts of the drive go to one of {online} CPUs, which completes all I/O", irqs.len());
    let mend = format!("c=0; for i in {}; do echo $((c++ % {online})) > /proc/irq/$i/smp_affinity_list; done", irqs.join(" "));
    input.found(Severity::Warn, title, &keys, Some(mend))
}

fn all_on_one(input: &RuleInput) -> bool {
    let goes: Vec<&str> = input.list("interrupt_effective_affinity").iter().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
    match goes.split_first() {
        Some((first, others)) => cpus(first).is_some_and(|cpus| cpus.len() == 1) && others.iter().all(|cpu| cpu == first),
        None => {
            let enough = input.number("interrupt_count").is_some_and(|count| count >= FEWEST_INTERRUPTS);
            enough && input.number("interrupt_busiest_cpu_percent").is_some_and(|share| share >= MOST_ON_ONE_PERCENT)
        }
    }
}

pub(super) fn numa_node(input: &RuleInput) -> Option<RuleOutput> {
    let (node, list) = (input.number("numa_node")?, input.text("numa_node_cpus")?);
    let (near, allowed) = (cpus(list)?, input.text("cpus_allowed").and_then(cpus)?);
    if near.iter().any(|cpu| allowed.contains(cpu)) {
        return None;
    }
    let title =
        format!("the drive is on NUMA node {node}, and none of that node's CPUs may be used here: all I/O crosses between the sockets");
    let mend = (!near.is_empty()).then(|| format!("taskset -c {list} ioproof verify /dev/{}", input.name()));
    input.found(Severity::Warn, title, &["numa_node", "numa_node_cpus", "cpus_allowed"], mend)
}

/// `DMA` flushes the IOMMU's cache at each I/O, `DMA-FQ` in batches, `identity` passes addresses as they are.
pub(super) fn iommu(input: &RuleInput) -> Option<RuleOutput> {
    let (severity, how) = match input.text("iommu_group_type") {
        Some("DMA") => (Severity::Warn, "and flushes its cache at each one"),
        Some("DMA-FQ") => (Severity::Info, "and flushes its cache in batches"),
        _ => return None,
    };
    let title = format!("the IOMMU translates the addresses of each I/O {how}, which costs CPU");
    let mend = "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&iommu=pt /' /etc/default/grub && update-grub   # then boot";
    input.found(severity, title, &["iommu_group_type", "iommu_group"], Some(mend.into()))
}

pub(super) fn vmd(input: &RuleInput) -> Option<RuleOutput> {
    input.flag("vmd_in_path").filter(|is_there| *is_there)?;
    let title =
        "Intel VMD stands in the path: its few interrupts serve all drives behind it (switch VMD off in the firmware for a drive alone)";
    input.found(Severity::Warn, title, &["vmd_in_path"], None)
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{list, number, said, text};
    use crate::field::Value;
    use ioproof_core::finding::{Finding, Severity};

    fn spread(irqs: &[&str], goes: &[&str], count: u64, share: u64) -> Vec<Finding> {
        let mut drive =
            vec![("io_interrupts", list(irqs)), ("interrupt_count", number(count)), ("interrupt_busiest_cpu_percent", number(share))];
        if !goes.is_empty() {
            drive.push(("interrupt_effective_affinity", list(goes)));
        }
        said("interrupts", &[("cpus_online", text("0-3"))], &drive)
    }

    #[test]
    fn interrupts_that_all_go_to_one_cpu() {
        assert!(spread(&["36", "37"], &["36: 0", "37: 1"], 5000, 100).is_empty(), "they go elsewhere by now");
        let told = &spread(&["36", "37"], &["36: 2", "37: 2"], 0, 0)[0];
        assert!(told.severity == Severity::Warn && told.remedy.contains("for i in 36 37; do"));
        assert!(spread(&["36", "37"], &[], 999, 100).is_empty() && spread(&["36", "37"], &[], 5000, 94).is_empty());
        assert_eq!(spread(&["36", "37"], &[], 5000, 95).len(), 1);
    }

    #[test]
    fn one_interrupt_cannot_be_spread() {
        let told = &spread(&["36"], &["36: 1"], 5000, 100)[0];
        assert!(told.severity == Severity::Info && told.remedy.is_empty());
    }

    #[test]
    fn a_node_whose_cpus_are_not_used() {
        let of =
            |near: &str| said("numa-node", &[("cpus_allowed", text("0-3"))], &[("numa_node", number(1)), ("numa_node_cpus", text(near))]);
        assert!(of("2-5").is_empty());
        assert_eq!(of("4-7")[0].remedy, "taskset -c 4-7 ioproof verify /dev/nvme0n1");
        assert!(of("")[0].remedy.is_empty(), "a node of memory only");
    }

    #[test]
    fn translation_by_its_kind() {
        let of = |kind| said("iommu", &[], &[("iommu_group_type", text(kind))]).first().map(|told| told.severity);
        assert_eq!([of("identity"), of("DMA-FQ"), of("DMA")], [None, Some(Severity::Info), Some(Severity::Warn)]);
    }

    #[test]
    fn vmd_in_the_path() {
        let of = |found| said("vmd", &[], &[("vmd_in_path", Value::Flag(found))]);
        assert!(of(false).is_empty() && of(true).len() == 1);
    }
}
