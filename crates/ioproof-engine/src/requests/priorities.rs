//! Priorities of single I/Os: one is drawn for each read and write, by the shares of its direction and size.

use crate::random::Draws;
use crate::slot::IoOperation;
use ioproof_core::job::{CommandPriority, IoPriority, JobSpec};

/// Priorities of a job; the first is that of an I/O without one of its own.
pub(crate) fn classes(spec: &JobSpec) -> Vec<IoPriority> {
    let all = &spec.placement.command_priorities;
    let mut classes = vec![spec.placement.io_priority.unwrap_or(IoPriority { class: 0, level: 0 })];
    for rule in all.reads.iter().chain(&all.writes) {
        if !classes.contains(&rule.priority) {
            classes.push(rule.priority);
        }
    }
    classes
}

/// The draws of a worker.
#[derive(Debug)]
pub(crate) struct Priorities {
    reads: Box<[Rule]>,
    writes: Box<[Rule]>,
    numbers: Box<[u16]>,
    random: Draws,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    bytes: Option<u32>,
    percent: u8,
    class: u8,
}

impl Priorities {
    /// `None` where no I/O has a priority of its own.
    pub(crate) fn new(spec: &JobSpec, worker: u32) -> Option<Self> {
        let all = &spec.placement.command_priorities;
        let classes = classes(spec);
        let place = |priority: IoPriority| classes.iter().position(|class| *class == priority).unwrap_or(0) as u8;
        let rule = |rule: &CommandPriority| Rule { bytes: rule.bytes, percent: rule.percent, class: place(rule.priority) };
        // Without a share of its own an I/O has what the thread has, and the kernel is told nothing.
        let numbers = classes.iter().enumerate().map(|(at, class)| if at == 0 { 0 } else { class.number() }).collect();
        (!all.is_empty()).then(|| Self {
            reads: all.reads.iter().map(rule).collect(),
            writes: all.writes.iter().map(rule).collect(),
            numbers,
            random: Draws::new(Draws::new(spec.seed).next() ^ u64::from(worker) ^ 0x5052_494f),
        })
    }

    /// The class of the next I/O, and the number that the kernel is told; 0 for nothing.
    #[inline]
    pub(crate) fn draw(&mut self, operation: IoOperation, bytes: u32) -> (u8, u16) {
        let rules = match operation {
            IoOperation::Read => &self.reads,
            IoOperation::Write => &self.writes,
            _ => return (0, 0),
        };
        if rules.is_empty() {
            return (0, 0);
        }
        let mut left = self.random.below(100) as u8;
        for rule in rules.iter().filter(|rule| rule.bytes.is_none_or(|of| of == bytes)) {
            if left < rule.percent {
                return (rule.class, self.numbers[rule.class as usize]);
            }
            left -= rule.percent;
        }
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::job::{CommandPriorities, Placement, Span, Until};
    use ioproof_core::workload::{Pattern, Workload};

    #[test]
    fn shares_go_by_direction_and_size() {
        let of = |bytes, percent, class, level| CommandPriority { bytes, percent, priority: IoPriority { class, level } };
        let command_priorities = CommandPriorities {
            reads: vec![of(Some(4096), 20, 1, 2), of(Some(4096), 30, 1, 3), of(Some(8192), 100, 2, 4)],
            ..CommandPriorities::default()
        };
        let placement = Placement { command_priorities, ..Placement::default() };
        let workload = Workload::plain(Pattern::Random, 50, 4096, 1, 1);
        let spec = JobSpec { placement, ..JobSpec::plain(workload, Span { offset_bytes: 0, length_bytes: 1 << 20 }, Until::SpanCovered) };
        assert_eq!(classes(&spec).len(), 4);
        let Some(mut all) = Priorities::new(&spec, 0) else { panic!("there are priorities") };
        let mut count = [0; 4];
        (0..10_000).for_each(|_| count[all.draw(IoOperation::Read, 4096).0 as usize] += 1);
        let near = |n: i32, share: i32| (n - share).abs() < 250;
        assert!(near(count[0], 5000) && near(count[1], 2000) && near(count[2], 3000) && count[3] == 0, "{count:?}");
        assert_eq!(all.draw(IoOperation::Read, 8192), (3, 2 << 13 | 4));
        assert_eq!([all.draw(IoOperation::Read, 512), all.draw(IoOperation::Write, 8192), all.draw(IoOperation::Fsync, 0)], [(0, 0); 3]);
        let plain = JobSpec { placement: Placement::default(), ..spec };
        assert!(Priorities::new(&plain, 0).is_none());
    }
}
