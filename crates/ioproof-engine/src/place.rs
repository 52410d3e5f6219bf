//! Where a worker's thread runs: on the CPUs that it was given, with memory from the node that these belong to, and woken without slack.
//!
//! Memory needs no call of its own: the kernel takes a page from the node of the CPU that first touches it, and a worker is pinned before it makes its buffers.

use ioproof_core::job::JobSpec;
use rustix::thread::{CpuSet, sched_setaffinity};

/// Takes the place of worker `number`; gives what could not be done.
pub(crate) fn take(spec: &JobSpec, number: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(cpus) = pick(&spec.placement.cpus, number)
        && let Err(e) = pin(cpus)
    {
        notes.push(format!("worker {number} could not be pinned to CPU {}: {e}", list(cpus)));
    }
    if !spec.workload.shape.is_plain() {
        end_timers_at_once();
    }
    notes
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

    #[test]
    fn a_cpu_that_is_not_there_is_said() {
        assert!(pin(&[100_000]).is_err());
        std::thread::spawn(|| assert!(pin(&[0]).is_ok())).join().unwrap();
    }
}
