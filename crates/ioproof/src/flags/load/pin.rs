//! `--pin`: on which CPUs workers stand.

use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_target::System;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinFlag {
    Cpus(Vec<u32>),
    /// Each worker on a CPU of its own, as far as those reach on which this process may run.
    Own,
    /// All CPUs of one NUMA node for each worker, nodes in turn.
    Nodes,
}

/// Numbers beyond this are a slip of the finger; Linux is built for 8192 CPUs at most.
const MOST_CPUS: u32 = 8192;

/// Reads `--pin`.
pub fn read(text: &str) -> Result<PinFlag, String> {
    match text {
        "nodes" => Ok(PinFlag::Nodes),
        "own" => Ok(PinFlag::Own),
        list => match cpu_list(list) {
            Some(cpus) if !cpus.is_empty() => Ok(PinFlag::Cpus(cpus)),
            _ => Err(format!(
                "`{list}` is no list of CPUs; write 0,2,4-7, `own` for a CPU of its own for each worker, or `nodes` for all CPUs of each NUMA node"
            )),
        },
    }
}

/// A list as people and sysfs write it: `0,2,4-7`.
fn cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|_| !text.trim().is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

impl PinFlag {
    /// The CPUs for each worker in turn.
    ///
    /// # Errors
    /// When a CPU is not there, or the kernel names no NUMA nodes.
    pub fn cpus(&self, system: &System) -> Result<Vec<Vec<u32>>> {
        match self {
            Self::Nodes => nodes(system),
            Self::Own => own(system),
            Self::Cpus(cpus) => {
                check_online(system, cpus)?;
                Ok(cpus.iter().map(|cpu| vec![*cpu]).collect())
            }
        }
    }
}

fn check_online(system: &System, cpus: &[u32]) -> Result<()> {
    // Where the kernel does not say, it will say so itself when a worker is to be pinned.
    let Some(text) = system.sys_text("devices/system/cpu/online") else { return Ok(()) };
    let online = cpu_list(&text).unwrap_or_default();
    match cpus.iter().find(|cpu| !online.contains(cpu)) {
        Some(cpu) if !online.is_empty() => Err(complaint(format!("--pin: there is no CPU {cpu} online"), format!("these are: {text}"))),
        _ => Ok(()),
    }
}

/// The CPUs on which this process may run, one by one.
fn own(system: &System) -> Result<Vec<Vec<u32>>> {
    let status = system.proc_text("self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| cpu_list(line.strip_prefix("Cpus_allowed_list:")?)).unwrap_or_default();
    if allowed.is_empty() {
        return Err(complaint("--pin own: the kernel does not say on which CPUs this process may run", "name them: --pin 0,1"));
    }
    Ok(allowed.into_iter().map(|cpu| vec![cpu]).collect())
}

/// The CPUs of each NUMA node that has any, in the order of their numbers.
fn nodes(system: &System) -> Result<Vec<Vec<u32>>> {
    let number = |name: &String| name.strip_prefix("node").and_then(|n| n.parse::<u32>().ok());
    let mut numbers: Vec<u32> = system.sys_list("devices/system/node").iter().filter_map(number).collect();
    numbers.sort_unstable();
    let cpus = |n: u32| cpu_list(&system.sys_text(&format!("devices/system/node/node{n}/cpulist"))?);
    let nodes: Vec<Vec<u32>> = numbers.into_iter().filter_map(cpus).filter(|cpus| !cpus.is_empty()).collect();
    if nodes.is_empty() {
        return Err(complaint("--pin nodes: the kernel names no NUMA nodes", "name CPUs instead, as --pin 0,2,4-7"));
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join("sys/devices/system").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn lists() {
        assert_eq!(read("0,2,4-7"), Ok(PinFlag::Cpus(vec![0, 2, 4, 5, 6, 7])));
        assert_eq!(read("nodes"), Ok(PinFlag::Nodes));
        for bad in ["", "a", "3-1", "0-99999", "1,,2", "-1", "0x1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_worker_takes_one_cpu_that_is_there() {
        let dir = tree(&[("cpu/online", "0-3\n")]);
        let system = System::captured(dir.path());
        assert_eq!(PinFlag::Cpus(vec![3, 1]).cpus(&system).unwrap(), [[3], [1]]);
        assert!(PinFlag::Cpus(vec![0, 4]).cpus(&system).unwrap_err().to_string().contains("CPU 4"));
    }

    #[test]
    fn nodes_without_cpus_are_passed_over() {
        let dir = tree(&[
            ("node/node10/cpulist", "8-9\n"),
            ("node/node2/cpulist", "0-1,4\n"),
            ("node/node3/cpulist", "\n"),
            ("node/online", "2-10\n"),
        ]);
        assert_eq!(PinFlag::Nodes.cpus(&System::captured(dir.path())).unwrap(), [vec![0, 1, 4], vec![8, 9]]);
        let none = tree(&[]);
        assert!(PinFlag::Nodes.cpus(&System::captured(none.path())).is_err());
    }
}
