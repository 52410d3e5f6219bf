//! For each rule a picture of a machine on which it fires, and one close to it on which it is silent, in the order of the table.

use crate::doctor::HostPicture;
use crate::doctor::testing::{fields, picture, with_layer};

pub(super) struct Example {
    pub(super) rule: &'static str,
    pub(super) fires: HostPicture,
    pub(super) silent: HostPicture,
}

/// The page that the fields of an example are on.
enum On {
    Host,
    /// The drive's, beside these of the host.
    Drive(&'static str),
    Layer(&'static str),
}
use On::{Drive, Host, Layer};

/// A rule; the page of its fields; the fields of both examples; then those where it fires, and those where it is silent.
type Row = (&'static str, On, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("clock-source", Host, "clocksources = [tsc | hpet]", "clocksource = hpet", "clocksource = tsc"),
    ("clock-cost", Host, "", "clock_cost_ns = 640.4", "clock_cost_ns = 100.0"),
    ("governor", Host, "", "governors = [performance | schedutil]", "governors = [performance]"),
    ("cpu-limit", Host, "cpus_online = 0-3", "cgroup_cpus = 1.5", "cgroup_cpus = 4.0"),
    ("cpu-affinity", Host, "cpus_online = 0-3", "cpus_allowed = \"2\"", "cpus_allowed = 0-3"),
    ("cpu-busy", Host, "", "cpu_busy_percent = 42.0", "cpu_busy_percent = 10.0"),
    ("run-queue", Host, "cpus_usable = 2", "runnable_others = 2.0", "runnable_others = 1.9"),
    ("steal", Host, "", "steal_percent = 12.5", "steal_percent = 2.0"),
    ("virtual-machine", Host, "", "hypervisor = KVM", ""),
    ("mitigations-off", Host, "", "kernel_command_line = quiet mitigations=off", "kernel_command_line = quiet mitigations=auto"),
    ("io-uring", Host, "", "io_uring_disabled = 2", "io_uring_disabled = 0"),
    ("locked-memory", Host, "", "memlock_bytes = 8388608", "memlock_bytes = 16777216"),
    ("libaio-events", Host, "aio_max = 65536", "aio_used = 58983", "aio_used = 58981"),
    ("huge-pages", Host, "", "transparent_huge_pages = [always] madvise never", "transparent_huge_pages = always [madvise] never"),
    ("drive-busy", Drive(""), "foreign_writes = 0",
     "foreign_reads = 3; drive_busy_percent = 60.0", "foreign_reads = 0; drive_busy_percent = 0.0"),
    ("loop-cache", Layer("loop5"), "", "loop_direct_io = false", "loop_direct_io = true"),
    ("background-work", Layer("md0"), "", "md_sync_action = check", "md_sync_action = idle"),
    ("io-limit", Drive("cgroup_io_limits = [259:0 rbps=1048576 wbps=max (/sys/fs/cgroup/a/io.max)]"), "",
     "device_number = 259:0", "device_number = 259:1"),
    ("link-below-capability", Drive(""), IN_A_PORT,
     "function_0_link_speed_gt_per_s = 2.5; function_1_capable_bytes_per_s = 0",
     "function_0_link_speed_gt_per_s = 8.0; function_1_capable_bytes_per_s = 0"),
    ("narrow-bridge", Drive(""), IN_A_PORT,
     "function_0_link_speed_gt_per_s = 8.0; function_1_capable_bytes_per_s = 3660000000",
     "function_0_link_speed_gt_per_s = 8.0; function_1_capable_bytes_per_s = 29000000000"),
    ("link-errors", Drive(""), ONE_FUNCTION,
     "function_0_aer_correctable = 7; function_0_aer_fatal = 1", "function_0_aer_correctable = 0; function_0_aer_fatal = 0"),
    ("link-power", Drive(""), ONE_FUNCTION, "function_0_aspm = [l1_aspm]", "function_0_aspm = []"),
    ("scheduler", Drive(""), "", "scheduler = bfq", "scheduler = none"),
    ("read-ahead", Drive(""), "rotational = false", "read_ahead_bytes = 4194304", "read_ahead_bytes = 131072"),
    ("merging", Drive(""), "", "nomerges = 2", "nomerges = 0"),
    ("iostats", Drive(""), "", "iostats = false", "iostats = true"),
    ("poll-queues", Drive(""), "", "nvme_poll_queues = 0", "nvme_poll_queues = 2"),
    ("interrupts", Drive("cpus_online = 0-3"), "io_interrupts = [36 | 37]",
     "interrupt_effective_affinity = [36: 2 | 37: 2]", "interrupt_effective_affinity = [36: 0 | 37: 1]"),
    ("numa-node", Drive("cpus_allowed = 0-3"), "numa_node = 1", "numa_node_cpus = 4-7", "numa_node_cpus = 2-5"),
    ("iommu", Drive(""), "", "iommu_group_type = DMA", "iommu_group_type = identity"),
    ("vmd", Drive(""), "", "vmd_in_path = true", "vmd_in_path = false"),
];

const ONE_FUNCTION: &str = "pcie_functions = 1; function_0_address = 0000:01:00.0";

const IN_A_PORT: &str = "pcie_functions = 2; function_0_address = 0000:01:00.0; function_1_address = 0000:00:01.0; \
     function_0_link_width = 4; function_0_link_speed_max_gt_per_s = 8.0; function_0_link_width_max = 4; \
     function_1_link_speed_max_gt_per_s = 16.0; function_1_link_width_max = 16; function_0_capable_bytes_per_s = 7300000000";

pub(super) fn examples() -> Vec<Example> {
    let example = |(rule, on, both, fires, silent): &Row| {
        let shown = |own: &&str| {
            let told = format!("{both}; {own}");
            match on {
                Host => picture(&fields(&told), &[]),
                Drive(host) => picture(&fields(host), &fields(&told)),
                Layer(name) => with_layer(name, &fields(&told)),
            }
        };
        Example { rule, fires: shown(fires), silent: shown(silent) }
    };
    ROWS.iter().map(example).collect()
}
