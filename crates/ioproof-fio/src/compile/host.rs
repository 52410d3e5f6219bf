//! Where a clone stands on the machine: CPUs, priority of its I/O, memory, and its turns among files.

use crate::settings::{
    Access, CpuPolicy, HostSettings, JobSettings, MemoryKind, MemoryPolicy, PrioritySettings, PrioritySplit, ServiceOrder,
};
use crate::values::cpus;
use ioproof_core::job::{CommandPriorities, CommandPriority, IoPriority, MemoryNodes, OrderHint, Placement, Span, Turns};

const REAL_TIME: u8 = 1;
const BEST_EFFORT: u8 = 2;

pub(super) fn placement(settings: &JobSettings, clone: u32, spans: &[Span], notes: &mut Vec<String>) -> Result<Placement, String> {
    let host = &settings.host;
    let cpus = match (host.cpus.as_slice(), host.cpu_policy) {
        ([], _) => Vec::new(),
        (cpus, CpuPolicy::Shared) => vec![cpus.to_vec()],
        (cpus, CpuPolicy::Split) => vec![vec![cpus[clone as usize % cpus.len()]]],
    };
    let service = &settings.files.service;
    let turns = match service.order {
        ServiceOrder::RoundRobin if service.every <= 1 => Turns::InTurn,
        ServiceOrder::RoundRobin => Turns::Each(service.every),
        ServiceOrder::Sequential => Turns::Sequential,
        ServiceOrder::Random => Turns::Random,
        ServiceOrder::Zipf(_) | ServiceOrder::Pareto(_) | ServiceOrder::Normal(_) => {
            notes.push("every file is equally likely to be drawn, whatever the distribution of file_service_type".into());
            Turns::Random
        }
    };
    let huge_pages = settings.memory.kind == MemoryKind::Huge;
    Ok(Placement {
        cpus,
        huge_pages,
        spans: Vec::new(),
        target_spans: spans.to_vec(),
        turns,
        io_priority: io_priority(host),
        command_priorities: command_priorities(settings)?,
        memory_nodes: host.memory_policy.as_ref().map(memory_nodes).transpose()?.flatten(),
        locked_bytes: settings.memory.locked_bytes,
        order_hint: order_hint(&settings.access),
        begin_ppm: 0,
    })
}

fn io_priority(host: &HostSettings) -> Option<IoPriority> {
    let asked = host.io_priority.is_some() || host.io_priority_class > 0;
    let class = if host.io_priority_class > 0 { host.io_priority_class } else { BEST_EFFORT };
    asked.then(|| IoPriority { class, level: host.io_priority.unwrap_or(0) })
}

/// `cmdprio_percentage`, `cmdprio_bssplit`.
fn command_priorities(settings: &JobSettings) -> Result<CommandPriorities, String> {
    let PrioritySettings { percent, class, level, splits } = &settings.engine.priorities;
    if percent.iter().any(|percent| *percent > 0) && splits.iter().any(|list| !list.is_empty()) {
        return Err("cmdprio_percentage and cmdprio_bssplit exclude each other: give one of them".into());
    }
    let of = |at: usize| {
        let usual = IoPriority { class: class[at].unwrap_or(REAL_TIME), level: level[at] };
        let all = CommandPriority { bytes: None, percent: percent[at], priority: usual };
        let split = |split: &PrioritySplit| CommandPriority {
            bytes: Some(u32::try_from(split.bytes).unwrap_or(u32::MAX)),
            percent: split.percent,
            priority: split.own.map_or(usual, |(class, level)| IoPriority { class, level }),
        };
        splits[at].iter().map(split).chain([all]).filter(|rule| rule.percent > 0).collect()
    };
    let report = &settings.report;
    Ok(CommandPriorities { reads: of(0), writes: of(1), total_latency: report.lat_percentiles })
}

fn memory_nodes(policy: &MemoryPolicy) -> Result<Option<MemoryNodes>, String> {
    let list = |text: &str| cpus(text).map_err(|error| format!("numa_mem_policy: {text}: {error}"));
    Ok(match policy {
        MemoryPolicy::Default => None,
        MemoryPolicy::Local => Some(MemoryNodes::Local),
        MemoryPolicy::Prefer(node) => match list(node)?.as_slice() {
            [one] => Some(MemoryNodes::Preferred(*one)),
            _ => return Err(format!("numa_mem_policy: only one node can be preferred, not {node}")),
        },
        MemoryPolicy::Bind(nodes) => Some(MemoryNodes::Bind(list(nodes)?)),
        MemoryPolicy::Interleave(nodes) => Some(MemoryNodes::Interleave(list(nodes)?)),
    })
}

/// `fadvise_hint`: by default what `rw` says.
fn order_hint(access: &Access) -> Option<OrderHint> {
    match access.advice.as_str() {
        "0" => None,
        "random" => Some(OrderHint::Random),
        "sequential" => Some(OrderHint::Sequential),
        _ if access.rw.random => Some(OrderHint::Random),
        _ => Some(OrderHint::Sequential),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::rw;

    fn placed(change: fn(&mut JobSettings)) -> Result<Placement, String> {
        let mut settings = JobSettings::default();
        change(&mut settings);
        placement(&settings, 0, &[], &mut Vec::new())
    }

    #[test]
    fn a_priority_without_a_class_is_of_best_effort() {
        let of = |change: fn(&mut JobSettings)| placed(change).unwrap().io_priority;
        assert_eq!(of(|_| {}), None);
        assert_eq!(of(|s| s.host.io_priority = Some(3)), Some(IoPriority { class: 2, level: 3 }));
        assert_eq!(of(|s| s.host.io_priority_class = 3), Some(IoPriority { class: 3, level: 0 }));
    }

    #[test]
    fn policies_of_memory_name_nodes() {
        let of = |change: fn(&mut JobSettings)| placed(change).map(|place| place.memory_nodes);
        assert_eq!(of(|s| s.host.memory_policy = Some(MemoryPolicy::Default)), Ok(None));
        let bind = of(|s| s.host.memory_policy = Some(MemoryPolicy::Bind("0-1,3".into())));
        assert_eq!(bind, Ok(Some(MemoryNodes::Bind(vec![0, 1, 3]))));
        assert_eq!(of(|s| s.host.memory_policy = Some(MemoryPolicy::Prefer("2".into()))), Ok(Some(MemoryNodes::Preferred(2))));
        assert!(of(|s| s.host.memory_policy = Some(MemoryPolicy::Prefer("0-1".into()))).is_err());
        assert!(of(|s| s.host.memory_policy = Some(MemoryPolicy::Interleave("x".into()))).is_err());
    }

    #[test]
    fn the_order_that_is_told_is_that_of_rw_unless_another_is_given() {
        let of = |word: &str, advice: &str| {
            let mut settings = JobSettings::default();
            settings.access.rw = rw(word, &Default::default()).unwrap();
            settings.access.advice = advice.into();
            order_hint(&settings.access)
        };
        assert_eq!([of("read", "1"), of("rw", "1")], [Some(OrderHint::Sequential); 2]);
        assert_eq!([of("randwrite", "1"), of("read", "random")], [Some(OrderHint::Random); 2]);
        assert_eq!((of("randread", "sequential"), of("randread", "0")), (Some(OrderHint::Sequential), None));
    }
}
