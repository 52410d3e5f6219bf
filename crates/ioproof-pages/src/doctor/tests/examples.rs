//! For each rule a picture of a machine on which it fires, and one close to it on which it is silent, in the order of the table.

use crate::doctor::HostPicture;
use crate::doctor::testing::{list, number, picture, text, with_layer};
use crate::field::Value;

pub(super) struct Example {
    pub(super) rule: &'static str,
    pub(super) fires: HostPicture,
    pub(super) silent: HostPicture,
}

type Fields<'a> = &'a [(&'a str, Value)];

pub(super) fn examples() -> Vec<Example> {
    [clocks_and_cpus(), work_of_others(), machine(), kernel(), busy_and_limited(), links(), queues(), placement()]
        .into_iter()
        .flatten()
        .collect()
}

fn of_host(rule: &'static str, fires: Fields, silent: Fields) -> Example {
    Example { rule, fires: picture(fires, &[]), silent: picture(silent, &[]) }
}

fn of_drive(rule: &'static str, fires: Fields, silent: Fields) -> Example {
    of_both(rule, &[], fires, silent)
}

fn of_both(rule: &'static str, host: Fields, fires: Fields, silent: Fields) -> Example {
    Example { rule, fires: picture(host, fires), silent: picture(host, silent) }
}

fn clocks_and_cpus() -> Vec<Example> {
    let source = |name| [("clocksource", text(name)), ("clocksources", list(&["tsc", "hpet"]))];
    let cost = |ns| [("clock_cost_ns", Value::Real(ns))];
    let governors = |names: &[&str]| [("governors", list(names))];
    let left = |cpus| [("cgroup_cpus", Value::Real(cpus)), ("cpus_online", text("0-3"))];
    let allowed = |cpus| [("cpus_allowed", text(cpus)), ("cpus_online", text("0-3"))];
    vec![
        of_host("clock-source", &source("hpet"), &source("tsc")),
        of_host("clock-cost", &cost(640.4), &cost(100.0)),
        of_host("governor", &governors(&["performance", "schedutil"]), &governors(&["performance"])),
        of_host("cpu-limit", &left(1.5), &left(4.0)),
        of_host("cpu-affinity", &allowed("2"), &allowed("0-3")),
    ]
}

fn work_of_others() -> Vec<Example> {
    let busy = |percent| [("cpu_busy_percent", Value::Real(percent))];
    let waiting = |others| [("runnable_others", Value::Real(others)), ("cpus_usable", number(2))];
    let stolen = |percent| [("steal_percent", Value::Real(percent))];
    vec![
        of_host("cpu-busy", &busy(42.0), &busy(10.0)),
        of_host("run-queue", &waiting(2.0), &waiting(1.9)),
        of_host("steal", &stolen(12.5), &stolen(2.0)),
    ]
}

fn machine() -> Vec<Example> {
    let line = |words| [("kernel_command_line", text(words))];
    vec![
        of_host("virtual-machine", &[("hypervisor", text("KVM"))], &[]),
        of_host("mitigations-off", &line("quiet mitigations=off"), &line("quiet mitigations=auto")),
    ]
}

fn kernel() -> Vec<Example> {
    let disabled = |level| [("io_uring_disabled", number(level))];
    let locked = |bytes| [("memlock_bytes", number(bytes))];
    let events = |used| [("aio_used", number(used)), ("aio_max", number(65_536))];
    let pages = |setting| [("transparent_huge_pages", text(setting))];
    vec![
        of_host("io-uring", &disabled(2), &disabled(0)),
        of_host("locked-memory", &locked(8 << 20), &locked(16 << 20)),
        of_host("libaio-events", &events(58_983), &events(58_981)),
        of_host("huge-pages", &pages("[always] madvise never"), &pages("always [madvise] never")),
    ]
}

fn busy_and_limited() -> Vec<Example> {
    let used =
        |reads, percent| [("foreign_reads", number(reads)), ("foreign_writes", number(0)), ("drive_busy_percent", Value::Real(percent))];
    let cached = |direct| with_layer("loop5", &[("loop_direct_io", Value::Flag(direct))]);
    let array = |work| with_layer("md0", &[("md_sync_action", text(work))]);
    let limits = [("cgroup_io_limits", list(&["259:0 rbps=1048576 wbps=max (/sys/fs/cgroup/a/io.max)"]))];
    let device = |number| [("device_number", text(number))];
    vec![
        of_drive("drive-busy", &used(3, 60.0), &used(0, 0.0)),
        Example { rule: "loop-cache", fires: cached(false), silent: cached(true) },
        Example { rule: "background-work", fires: array("check"), silent: array("idle") },
        of_both("io-limit", &limits, &device("259:0"), &device("259:1")),
    ]
}

fn links() -> Vec<Example> {
    let errors = |corrected, fatal| {
        [
            ("pcie_functions", number(1)),
            ("function_0_address", text("0000:01:00.0")),
            ("function_0_aer_correctable", number(corrected)),
            ("function_0_aer_fatal", number(fatal)),
        ]
    };
    let states =
        |names: &[&str]| [("pcie_functions", number(1)), ("function_0_address", text("0000:01:00.0")), ("function_0_aspm", list(names))];
    vec![
        of_drive("link-below-capability", &in_a_port(2.5, 0), &in_a_port(8.0, 0)),
        of_drive("narrow-bridge", &in_a_port(8.0, 3_660_000_000), &in_a_port(8.0, 29_000_000_000)),
        of_drive("link-errors", &errors(7, 1), &errors(0, 0)),
        of_drive("link-power", &states(&["l1_aspm"]), &states(&[])),
    ]
}

fn in_a_port(speed_gt_per_s: f64, port_bytes_per_s: u64) -> [(&'static str, Value); 11] {
    [
        ("pcie_functions", number(2)),
        ("function_0_address", text("0000:01:00.0")),
        ("function_1_address", text("0000:00:01.0")),
        ("function_0_link_speed_gt_per_s", Value::Real(speed_gt_per_s)),
        ("function_0_link_width", number(4)),
        ("function_0_link_speed_max_gt_per_s", Value::Real(8.0)),
        ("function_0_link_width_max", number(4)),
        ("function_1_link_speed_max_gt_per_s", Value::Real(16.0)),
        ("function_1_link_width_max", number(16)),
        ("function_0_capable_bytes_per_s", number(7_300_000_000)),
        ("function_1_capable_bytes_per_s", number(port_bytes_per_s)),
    ]
}

fn queues() -> Vec<Example> {
    let scheduler = |name| [("scheduler", text(name))];
    let ahead = |bytes| [("read_ahead_bytes", number(bytes)), ("rotational", Value::Flag(false))];
    let level = |level| [("nomerges", number(level))];
    let counts = |is_counted| [("iostats", Value::Flag(is_counted))];
    let polled = |queues| [("nvme_poll_queues", number(queues))];
    vec![
        of_drive("scheduler", &scheduler("bfq"), &scheduler("none")),
        of_drive("read-ahead", &ahead(4 << 20), &ahead(128 << 10)),
        of_drive("merging", &level(2), &level(0)),
        of_drive("iostats", &counts(false), &counts(true)),
        of_drive("poll-queues", &polled(0), &polled(2)),
    ]
}

fn placement() -> Vec<Example> {
    let goes = |to: &[&str]| [("io_interrupts", list(&["36", "37"])), ("interrupt_effective_affinity", list(to))];
    let node = |cpus| [("numa_node", number(1)), ("numa_node_cpus", text(cpus))];
    let group = |kind| [("iommu_group_type", text(kind))];
    let vmd = |is_there| [("vmd_in_path", Value::Flag(is_there))];
    vec![
        of_both("interrupts", &[("cpus_online", text("0-3"))], &goes(&["36: 2", "37: 2"]), &goes(&["36: 0", "37: 1"])),
        of_both("numa-node", &[("cpus_allowed", text("0-3"))], &node("4-7"), &node("2-5")),
        of_drive("iommu", &group("DMA"), &group("identity")),
        of_drive("vmd", &vmd(true), &vmd(false)),
    ]
}
