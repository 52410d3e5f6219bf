//! CPU time and written bytes of a server and of the programs that we ran, as the kernel counts them. A process that has ended is counted with the one that waited for it.

use crate::own_use::written_bytes;
use std::fs::read_to_string;

/// Use so far, or between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResourceUse {
    pub cpu_ns: u64,
    pub written_bytes: Option<u64>,
}

impl ResourceUse {
    /// Of the server with this number, its children, and the programs that this process waited for.
    pub(super) fn of_server(pid: u32) -> Option<Self> {
        let children = read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        let all = std::iter::once(pid).chain(children.split_whitespace().filter_map(|child| child.parse().ok()));
        let (mut ticks, mut written) = (of_waited_for()?, Some(0_u64));
        for process in all {
            // One that has ended since is with its parent by now, or at the next look.
            let Some(stat) = read_to_string(format!("/proc/{process}/stat")).ok() else { continue };
            let [user, system, of_children, system_of_children] = times(&stat)?;
            ticks += user + system + if process == pid { of_children + system_of_children } else { 0 };
            let io = read_to_string(format!("/proc/{process}/io")).ok().as_deref().and_then(written_bytes);
            written = written.zip(io).map(|(sum, more)| sum.saturating_add(more));
        }
        Some(Self { cpu_ns: ticks.saturating_mul(tick_ns()), written_bytes: written })
    }

    /// Use since an earlier moment.
    pub(super) fn since(self, earlier: Self) -> Self {
        let written_bytes = self.written_bytes.zip(earlier.written_bytes).map(|(now, before)| now.saturating_sub(before));
        Self { cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns), written_bytes }
    }
}

/// Ticks of the programs that this process has waited for: pgbench and its kin.
fn of_waited_for() -> Option<u64> {
    let [.., user, system] = times(&read_to_string("/proc/self/stat").ok()?)?;
    Some(user + system)
}

/// Ticks of a process in user mode and in the kernel, and of the children that it waited for (proc_pid_stat(5), fields 14 to 17).
fn times(stat: &str) -> Option<[u64; 4]> {
    // The name may hold anything; the fields follow its last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    let mut next = || fields.next().flatten();
    Some([next()?, next()?, next()?, next()?])
}

fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_file_is_read_whatever_the_name_is() {
        let stat = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17";
        assert_eq!(times(stat), Some([11, 12, 13, 14]));
        assert_eq!([times("42 (x) S 1"), times(""), times("42 (x) S 1 2 3 4 5 6 7 8 9 10 x 12 13 14")], [None, None, None]);
    }

    #[test]
    fn a_process_that_is_gone_has_no_use() {
        assert!(ResourceUse::of_server(std::process::id()).is_some());
        assert_eq!(ResourceUse::of_server(u32::MAX), None);
    }
}
