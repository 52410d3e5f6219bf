//! CPUs, memory nodes, priorities.

use super::kind::ValueKind;
use super::row::{OptionRow, honoured, put, put_some, refused, refused_unless_off};
use super::value::OptionValue;
use crate::settings::{CpuPolicy, JobSettings, MemoryPolicy};

const CGROUP: &str = "jobs are not put into cgroups; start ioproof in one (`systemd-run --scope -p IOWeight=`)";
const USER: &str = "jobs run as whoever starts ioproof; start it as that user";

pub(super) const HOST: &[OptionRow] = &[
    honoured("cpus_allowed", ValueKind::Cpus, |s, v| put(&mut s.host.cpus, v.cpus()))
        .says("CPUs that the job may run on, of those that the machine has; all by default."),
    honoured("cpumask", ValueKind::CpuMask, |s, v| put(&mut s.host.cpus, v.cpu_mask())).says("The same as bits."),
    honoured("cpus_allowed_policy", ValueKind::Word(&["shared", "split"]), |s, v| {
        put(&mut s.host.cpu_policy, v.text().map(|text| if text == "split" { CpuPolicy::Split } else { CpuPolicy::Shared }))
    })
    .says("Whether clones share these CPUs or each gets one; `shared` by default."),
    honoured("numa_cpu_nodes", ValueKind::Text, |s, v| {
        let nodes = v.owned()?;
        if nodes != "all" {
            v.has_nodes(&nodes)?;
        }
        put_some(&mut s.host.cpu_nodes, Ok(nodes))
    })
    .says("Memory nodes on whose CPUs the job runs: a list, or `all`."),
    honoured("numa_mem_policy", ValueKind::Form("default, local, prefer:node, bind:nodes or interleave:nodes"), set_policy)
        .says("Which nodes memory is taken from."),
    honoured("nice", ValueKind::Whole(-20, 19), |s, v| put(&mut s.host.nice, v.whole_as()))
        .says("Priority of the job's CPU time, -20 (first) to 19; 0 by default."),
    honoured("prio", ValueKind::Whole(0, 7), |s, v| put_some(&mut s.host.io_priority, v.whole_as()))
        .says("Priority of the job's I/O within its class, 0 (first) to 7."),
    honoured("prioclass", ValueKind::Whole(0, 3), |s, v| put(&mut s.host.io_priority_class, v.whole_as()))
        .says("Class of priority of the job's I/O: 1 real time, 2 best effort, 3 idle."),
    refused(
        "ioscheduler",
        ValueKind::Text,
        "settings of the machine are not changed; set it in /sys/block/NAME/queue/scheduler before the run",
    )
    .says("The I/O scheduler that is set for the device."),
    refused("cgroup", ValueKind::Text, CGROUP).says("The cgroup that the job is put into."),
    refused_unless_off("cgroup_nodelete", ValueKind::Bool, CGROUP).says("Whether that cgroup is kept; 0 by default."),
    refused("cgroup_weight", ValueKind::Whole(100, 1000), CGROUP).says("The weight of that cgroup, 100 to 1000."),
    refused_unless_off("uid", ValueKind::Whole(0, u32::MAX as i64), USER).says("The user that the job runs as."),
    refused_unless_off("gid", ValueKind::Whole(0, u32::MAX as i64), USER).says("The group that the job runs as."),
];

fn set_policy(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let text = value.text()?;
    let (word, nodes) = text.split_once(':').unwrap_or((text, ""));
    let policy = match (word, nodes) {
        ("default", _) => MemoryPolicy::Default,
        ("local", _) => MemoryPolicy::Local,
        ("prefer" | "bind" | "interleave", "") => return Err(format!("{word} needs nodes after a colon: {word}:0")),
        ("prefer", node) => MemoryPolicy::Prefer(node.into()),
        ("bind", nodes) => MemoryPolicy::Bind(nodes.into()),
        ("interleave", nodes) => MemoryPolicy::Interleave(nodes.into()),
        _ => return Err(format!("{word} is no policy; default, local, prefer, bind and interleave are")),
    };
    if let MemoryPolicy::Prefer(nodes) | MemoryPolicy::Bind(nodes) | MemoryPolicy::Interleave(nodes) = &policy {
        value.has_nodes(nodes)?;
    }
    settings.host.memory_policy = Some(policy);
    Ok(())
}
