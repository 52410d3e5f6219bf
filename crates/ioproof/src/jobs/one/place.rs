//! Where a clone stands on the machine, as far as the program sees to it: its priority, and the CPUs of memory nodes.
//!
//! The thread of a clone takes the priority before it starts the engine, whose threads inherit it.

use ioproof_core::fio::settings::Host;
use ioproof_core::fio::values::cpus;
use ioproof_core::job::JobSpec;
use ioproof_target::System;

/// The clone's job where it stands, or why it cannot stand there and the errno that tells it.
pub fn taken(system: &System, spec: &JobSpec, host: &Host) -> Result<JobSpec, (String, i32)> {
    if host.nice != 0 {
        let set = rustix::process::setpriority_process(None, host.nice.into());
        set.map_err(|error| (format!("nice={}: {error}", host.nice), error.raw_os_error()))?;
    }
    let mut spec = spec.clone();
    if let Some(nodes) = &host.cpu_nodes {
        let of_nodes = cpus_of(system, nodes).map_err(|text| (format!("numa_cpu_nodes={nodes}: {text}"), 22))?;
        spec.placement.cpus = vec![of_nodes];
    }
    Ok(spec)
}

/// The CPUs of memory nodes: a list of nodes, or `all`.
fn cpus_of(system: &System, nodes: &str) -> Result<Vec<u32>, String> {
    let online = || system.sys_text("devices/system/node/online").ok_or("this machine tells nothing of its memory nodes");
    let nodes = if nodes == "all" { cpus(online()?.trim())? } else { cpus(nodes)? };
    let mut all = Vec::new();
    for node in nodes {
        let folder = format!("devices/system/node/node{node}");
        if !system.sys(&folder).exists() {
            return Err(format!("there is no node {node}"));
        }
        // A node of memory alone has an empty list.
        if let Some(list) = system.sys_text(&format!("{folder}/cpulist")).filter(|list| !list.trim().is_empty()) {
            all.extend(cpus(list.trim())?);
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.is_empty() { Err("these nodes have no CPUs".into()) } else { Ok(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_become_their_cpus() {
        let root = std::env::temp_dir().join(format!("ioproof-nodes-{}", std::process::id()));
        let nodes = root.join("sys/devices/system/node");
        for (node, list) in [("node0", "0-1,4\n"), ("node1", "2-3\n"), ("node2", "\n")] {
            std::fs::create_dir_all(nodes.join(node)).unwrap();
            std::fs::write(nodes.join(node).join("cpulist"), list).unwrap();
        }
        std::fs::write(nodes.join("online"), "0-2\n").unwrap();
        let system = System::captured(&root);
        assert_eq!(cpus_of(&system, "1"), Ok(vec![2, 3]));
        assert_eq!(cpus_of(&system, "all"), Ok(vec![0, 1, 2, 3, 4]));
        assert!(cpus_of(&system, "2").is_err() && cpus_of(&system, "7").is_err());
        std::fs::remove_dir_all(root).unwrap();
    }
}
