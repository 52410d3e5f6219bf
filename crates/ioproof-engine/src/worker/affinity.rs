//! A worker thread's affinity: the CPUs that it was given, memory from the node that these belong to or from those that it was given,
//! its own priority of I/O, and woken without slack.
//!
//! Unless nodes are given, memory needs no call of its own: the kernel takes a page from the node of the CPU that first touches it, and a worker is pinned
//! before it makes its buffers.

use ioproof_core::job::{IoPriority, JobSpec, MemoryNodes};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;

/// Puts this thread where worker `number` is to run; gives the wishes that could not be fulfilled.
///
/// # Errors
/// Where the kernel refuses a priority or nodes: the measurement would be another than the one that was asked for.
pub(crate) fn take(spec: &JobSpec, number: usize) -> io::Result<Vec<String>> {
    let mut notes = Vec::new();
    if let Some(cpus) = pick(&spec.placement.cpus, number)
        && let Err(e) = pin(cpus)
    {
        notes.push(format!("worker {number} could not be pinned to CPU {}: {e}", list(cpus)));
    }
    if let Some(priority) = spec.placement.io_priority {
        prefer(priority)?;
    }
    if let Some(nodes) = &spec.placement.memory_nodes {
        bind(nodes)?;
    }
    if !spec.workload.shape.is_plain() {
        end_timers_at_once();
    }
    Ok(notes)
}

/// The error of a call that the kernel refused, in words.
fn refused(what: String) -> io::Error {
    let error = io::Error::last_os_error();
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// Sets the priority of this thread's I/O (ioprio_set(2), which libc has no function for).
fn prefer(IoPriority { class, level }: IoPriority) -> io::Result<()> {
    const WHO_PROCESS: i32 = 1;
    const THIS_THREAD: i32 = 0;
    let priority = i32::from(class) << 13 | i32::from(level);
    // SAFETY: the call takes numbers only and changes nothing but the priority of this thread.
    match unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, THIS_THREAD, priority) } {
        0 => Ok(()),
        _ => Err(refused(format!("I/O priority {level} of class {class}"))),
    }
}

/// Words of 64 nodes, for as many as a kernel can be built with.
const NODE_WORDS: usize = 16;

/// Sets where this thread's memory comes from (set_mempolicy(2), which libc has no function for).
fn bind(nodes: &MemoryNodes) -> io::Result<()> {
    let (mode, nodes) = match nodes {
        MemoryNodes::Local => (libc::MPOL_LOCAL, &[][..]),
        MemoryNodes::Preferred(node) => (libc::MPOL_PREFERRED, std::slice::from_ref(node)),
        MemoryNodes::Bind(nodes) => (libc::MPOL_BIND, nodes.as_slice()),
        MemoryNodes::Interleave(nodes) => (libc::MPOL_INTERLEAVE, nodes.as_slice()),
    };
    let mut mask = [0u64; NODE_WORDS];
    for node in nodes {
        let word = mask.get_mut(*node as usize / 64).ok_or(io::ErrorKind::InvalidInput)?;
        *word |= 1 << (node % 64);
    }
    let (words, bits) = if nodes.is_empty() { (std::ptr::null(), 0) } else { (mask.as_ptr(), NODE_WORDS * 64 + 1) };
    // SAFETY: the mask has as many bits as are told, less the one that the call counts too many.
    match unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, words, bits) } {
        0 => Ok(()),
        _ => Err(refused(format!("memory of nodes {}", list(nodes)))),
    }
}

fn pick(lists: &[Vec<u32>], number: usize) -> Option<&[u32]> {
    (!lists.is_empty()).then(|| lists[number % lists.len()].as_slice())
}

fn pin(cpus: &[u32]) -> rustix::io::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        if *cpu as usize >= CpuSet::MAX_CPU {
            return Err(rustix::io::Errno::INVAL);
        }
        set.set(*cpu as usize);
    }
    sched_setaffinity(None, &set)
}

fn list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// The kernel ends a sleep up to 50 us late so that it can wake several sleepers at once (prctl(2), PR_SET_TIMERSLACK); a pace wants none of that.
fn end_timers_at_once() {
    // SAFETY: the call takes numbers only and changes nothing but the slack of this thread.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_go_round_the_lists() {
        let lists = vec![vec![0], vec![1, 2]];
        assert_eq!(pick(&lists, 0), Some([0].as_slice()));
        assert_eq!(pick(&lists, 3), Some([1, 2].as_slice()));
        assert_eq!(pick(&[], 3), None);
    }

    /// The priority of this thread's I/O as the kernel has it.
    fn priority_now() -> i64 {
        // SAFETY: the call takes numbers only and changes nothing.
        unsafe { libc::syscall(libc::SYS_ioprio_get, 1, 0) }
    }

    #[test]
    fn a_priority_is_that_of_the_thread_alone() {
        let before = priority_now();
        let there = std::thread::spawn(|| {
            prefer(IoPriority { class: 2, level: 6 }).unwrap();
            priority_now()
        });
        assert_eq!((there.join().unwrap(), priority_now()), (2 << 13 | 6, before));
        assert!(prefer(IoPriority { class: 7, level: 0 }).is_err());
    }

    #[test]
    fn memory_comes_from_nodes_that_there_are() {
        let try_on_a_thread = |nodes: MemoryNodes| std::thread::spawn(move || bind(&nodes).map_err(|e| e.to_string())).join().unwrap();
        for good in [MemoryNodes::Local, MemoryNodes::Preferred(0), MemoryNodes::Bind(vec![0]), MemoryNodes::Interleave(vec![0])] {
            assert_eq!(try_on_a_thread(good), Ok(()));
        }
        assert!(try_on_a_thread(MemoryNodes::Bind(vec![1000])).is_err_and(|text| text.starts_with("memory of nodes 1000: ")));
        assert!(try_on_a_thread(MemoryNodes::Bind(vec![100_000])).is_err());
    }

    #[test]
    fn a_cpu_that_is_not_there_is_said() {
        assert!(pin(&[100_000]).is_err());
        std::thread::spawn(|| assert!(pin(&[0]).is_ok())).join().unwrap();
    }
}
