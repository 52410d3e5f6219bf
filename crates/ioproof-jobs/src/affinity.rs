//! The CPUs of a clone: those of the memory nodes that it names, and those that the kernel keeps from this process.

use ioproof_core::job::JobSpec;
use ioproof_fio::settings::HostSettings;
use ioproof_fio::values::cpus;
use ioproof_target::System;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// The load of a clone on the CPUs that it asks for, or the reason for which it cannot stand there and the errno that tells it.
pub fn stands(system: &System, spec: &JobSpec, host: &HostSettings) -> Result<JobSpec, (String, i32)> {
    let mut spec = spec.clone();
    if let Some(nodes) = &host.cpu_nodes {
        let of_nodes = cpus_of(system, nodes).map_err(|text| (format!("numa_cpu_nodes={nodes}: {text}"), Errno::INVAL.raw_os_error()))?;
        spec.placement.cpus = vec![of_nodes];
    }
    for cpus in &spec.placement.cpus {
        let refused = |error: io::Error| {
            let text = format!("it may not run on CPU {} ({error}): they are offline or kept from this process (cpuset)", describe(cpus));
            (text, error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error()))
        };
        kept_away(cpus).map_err(refused)?;
    }
    Ok(spec)
}

/// Those of the CPUs that the kernel keeps from the process (cpuset): it takes them out of a list in silence, and refuses a list of which nothing is left.
/// Restores the thread's affinity before it returns.
fn kept_away(cpus: &[u32]) -> io::Result<Vec<u32>> {
    let before = sched_getaffinity(None)?;
    let mut wanted = CpuSet::new();
    cpus.iter().filter(|cpu| (**cpu as usize) < CpuSet::MAX_CPU).for_each(|cpu| wanted.set(*cpu as usize));
    let got = sched_setaffinity(None, &wanted).and_then(|()| sched_getaffinity(None));
    sched_setaffinity(None, &before)?;
    let got = got?;
    Ok(cpus.iter().copied().filter(|cpu| !got.is_set(*cpu as usize)).collect())
}

/// A note on a clone that may stand on some of its CPUs only.
pub fn note(system: &System, spec: &JobSpec, host: &HostSettings) -> Option<String> {
    let spec = stands(system, spec, host).ok()?;
    let away: Vec<u32> = spec.placement.cpus.iter().filter_map(|cpus| kept_away(cpus).ok()).flatten().collect();
    (!away.is_empty()).then(|| format!("CPUs {} are kept from this process (cpuset): it runs on the others", describe(&away)))
}

fn describe(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// The CPUs of memory nodes: a list of nodes, or `all`.
fn cpus_of(system: &System, nodes: &str) -> Result<Vec<u32>, String> {
    let online = || system.sys_text("devices/system/node/online").ok_or("this machine says nothing about its memory nodes");
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
    fn cpus_that_may_not_be_taken_are_told_and_leave_the_thread_where_it_was() {
        std::thread::spawn(|| {
            let before = sched_getaffinity(None).unwrap();
            let own: Vec<u32> = (0..CpuSet::MAX_CPU as u32).filter(|cpu| before.is_set(*cpu as usize)).collect();
            let none = CpuSet::MAX_CPU as u32 - 1;
            assert!(kept_away(&own).unwrap().is_empty() && kept_away(&[none]).is_err());
            assert_eq!(kept_away(&[own[0], none]).unwrap(), [none]);
            assert_eq!(sched_getaffinity(None).unwrap(), before);
        })
        .join()
        .unwrap();
    }

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
