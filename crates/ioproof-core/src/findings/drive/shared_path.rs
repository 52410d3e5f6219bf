//! Targets give less all at once than alone, added up: what they share on the way to the host, and which of it the figures show to be full.
//!
//! What is shared is read in sysfs and stands in the record; what carries it is held against what was moved meanwhile. A cause that no fact carries is not named.

use crate::findings::LINK_FULL;
use crate::findings::host::cpu_quota;
use crate::findings::host::own_limit::{self, EXCEEDED, REACHED};
use crate::findings::prelude::*;
use crate::together::shared::{SharedKind, SharedResource, names, shared};
use crate::together::words::{share, show};
use crate::together::{AtOnce, TogetherRow, rows, stages_of};

rule! {
    name: "shared-path",
    about: "targets give less all at once than each alone, added up",
    check: Check::Run(check),
}

/// Causes that the title has room for; the evidence has all.
const MOST_NAMED: usize = 2;

/// A finding for all workloads that lose for the same reasons.
fn check(context: &Context) -> Vec<Finding> {
    let mut groups: Vec<Vec<RateLoss>> = Vec::new();
    for row in rows(context).into_iter().filter(|row| row.answer == AtOnce::Less) {
        let loss = RateLoss::of(context, row);
        match groups.iter_mut().find(|group| group[0].why == loss.why) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    groups.into_iter().map(of_group).collect()
}

/// The workload that loses most speaks for the others.
fn of_group(mut group: Vec<RateLoss>) -> Finding {
    group.sort_by(|a, b| a.row.share.median.total_cmp(&b.row.share.median));
    let (least, most) = (group[0].row.share, group[group.len() - 1].row.share);
    let (more, shares) = match group.len() {
        1 => (String::new(), share(&group[0].row)),
        count => (format!(" and {} more", count - 1), format!("{} to {}", percent(least.median), percent(most.median))),
    };
    let RateLoss { row, why, figures } = group.swap_remove(0);
    let title = format!("{}{more}: all {} at once give {shares} of what each gives alone, added up: {why}", row.title, row.members.len());
    let remedy = "give each a way of its own (another port, controller or drive), or count on what they give together; `ioproof identify \
                  TARGET` shows the way to its drive";
    finding(&RULE, Severity::Warn, Effect::None, title, figures, remedy)
}

/// A workload that loses, with the causes in words.
struct RateLoss {
    row: TogetherRow,
    why: String,
    figures: Vec<Evidence>,
}

impl RateLoss {
    fn of(context: &Context, row: TogetherRow) -> Self {
        let look = PathLook::of(context, &row);
        let causes = look.causes();
        let named: Vec<&str> = causes.iter().take(MOST_NAMED).map(|cause| cause.text.as_str()).collect();
        let why = if named.is_empty() { look.nothing() } else { named.join("; ") };
        let rate = show(row.metric);
        let mut figures = vec![
            Evidence::number("all at once / each alone", row.share.median, Unit::Share).against(1.0),
            Evidence::text("all at once", rate(row.together.by(row.metric).median)),
            Evidence::text("each alone, added up", rate(row.apart.by(row.metric).median)),
        ];
        let cpu = look.cpu().is_none().then(|| look.cpu_figures()).into_iter().flatten();
        figures.extend(causes.into_iter().flat_map(|cause| cause.figures).chain(cpu));
        figures.extend(look.not_full().map(link_figure));
        figures.extend(look.numa());
        Self { row, why, figures }
    }
}

/// Something that explains the loss, or may.
struct LossCause {
    text: String,
    figures: Vec<Evidence>,
}

/// One workload's stages with all at once, and what its targets share.
struct PathLook<'a> {
    context: &'a Context<'a>,
    targets: Vec<u32>,
    stages: Vec<&'a Stage>,
    /// Each with what was moved over it meanwhile, in the busier direction, by those whose every I/O passes it. Bytes per second.
    shared: Vec<(SharedResource, f64)>,
}

impl<'a> PathLook<'a> {
    fn of(context: &'a Context<'a>, row: &TogetherRow) -> Self {
        let jobs: Vec<u32> = row.members.iter().map(|member| member.job).collect();
        let targets: Vec<u32> = row.members.iter().map(|member| member.target).collect();
        let stages = stages_of(context.record, &jobs);
        let look = Self { context, stages, shared: Vec::new(), targets };
        let found = shared(context.record, &look.targets);
        let shared = found.into_iter().map(|shared| (look.moved(&shared.wholly), shared)).map(|(moved, shared)| (shared, moved)).collect();
        Self { shared, ..look }
    }

    /// Limits of this machine first, since the generator is then what the figures are of; then what a figure shows to be full, a drive that they share, and what else
    /// they share of which nothing more is known.
    fn causes(&self) -> Vec<LossCause> {
        let shown = self.cpu().into_iter().chain(self.quota()).chain(self.io_limits()).chain(self.full_links());
        let of_kind = |is_drive: bool| self.shared.iter().filter(move |(shared, _)| (shared.kind == SharedKind::Drive) == is_drive);
        let open = of_kind(false).filter(|(shared, moved)| is_open(shared, *moved)).map(|(shared, _)| self.unknown(shared));
        shown.chain(of_kind(true).map(|(drive, _)| self.one(drive))).chain(open).collect()
    }

    /// Full links; of those on one way the nearest to the drives, since both ends of a link tell of it.
    fn full_links(&self) -> Vec<LossCause> {
        let mut full: Vec<&(SharedResource, f64)> = self.links().filter(|(_, share)| *share >= LINK_FULL).map(|(link, _)| link).collect();
        full.dedup_by(|next, known| next.0.targets == known.0.targets);
        full.into_iter().map(|link| self.full(link)).collect()
    }

    /// Links of which it is known what they carry, each with the share of it that was used.
    fn links(&self) -> impl Iterator<Item = (&(SharedResource, f64), f64)> {
        self.shared.iter().filter_map(|link| Some((link, used(&link.0, link.1)?)))
    }

    fn not_full(&self) -> impl Iterator<Item = &(SharedResource, f64)> {
        self.links().filter(|(_, share)| *share < LINK_FULL).map(|(link, _)| link)
    }

    fn full(&self, link: &(SharedResource, f64)) -> LossCause {
        let (shared, moved) = link;
        let limit = shared.limit_bytes_per_s.unwrap_or_default();
        let text = format!(
            "{} share the link at {}, which is full: {} of at most {}",
            self.names(&shared.targets),
            shared.describe(),
            throughput(*moved),
            throughput(limit)
        );
        LossCause { text, figures: vec![link_figure(link)] }
    }

    fn one(&self, drive: &SharedResource) -> LossCause {
        let text = format!("{} lie on {}", self.names(&drive.targets), drive.describe());
        LossCause { text, figures: vec![self.fact(drive)] }
    }

    fn unknown(&self, shared: &SharedResource) -> LossCause {
        let text = format!("{} share {}, and what it carries is not known", self.names(&shared.targets), shared.describe());
        LossCause { text, figures: vec![self.fact(shared)] }
    }

    fn fact(&self, shared: &SharedResource) -> Evidence {
        Evidence::text(&format!("shared by {}", self.names(&shared.targets)), shared.describe()).read_at(shared.source.clone())
    }

    fn cpu(&self) -> Option<LossCause> {
        let most = self.context.record.policy.cpu_saturated;
        let is_full = |share: &f64| *share >= most;
        let own = self.own_cpu().filter(is_full).filter(|own| *own <= EXCEEDED);
        let text = match (self.cpu_busy().filter(is_full), own) {
            (Some(busy), _) => format!("the CPUs of this machine are {} busy meanwhile", percent(busy)),
            (None, Some(own)) => format!("the generator uses {} of the CPUs that it may use", percent(own.min(1.0))),
            (None, None) => return None,
        };
        Some(LossCause { text, figures: self.cpu_figures() })
    }

    fn cpu_busy(&self) -> Option<f64> {
        self.median(Stage::cpu_busy)
    }

    /// CPU time of this process for that of all CPUs that it may use.
    fn own_cpu(&self) -> Option<f64> {
        let usable = f64::from(self.context.record.host.cpus_usable.max(1));
        self.median(|stage| Some(stage.host.as_ref()?.own_cpu_ns? as f64 / stage.elapsed_ns.max(1) as f64 / usable))
    }

    fn cpu_figures(&self) -> Vec<Evidence> {
        let most = self.context.record.policy.cpu_saturated;
        let figure = |name: &str, share: Option<f64>| share.map(|share| Evidence::number(name, share, Unit::Share).against(most));
        let figures = [figure("CPU time used by anyone", self.cpu_busy()), figure("CPU time used / CPUs that may be used", self.own_cpu())];
        figures.into_iter().flatten().collect()
    }

    fn quota(&self) -> Option<LossCause> {
        let stopped = self.median(cpu_quota::stopped_in).filter(|share| *share > cpu_quota::MOST)?;
        let text = format!("a limit on CPU time stops the generator for {} of the time", percent(stopped));
        Some(LossCause { text, figures: vec![Evidence::number("time stopped / time", stopped, Unit::Share).against(cpu_quota::MOST)] })
    }

    /// Limits of control groups on devices that several of them lie on.
    fn io_limits(&self) -> Vec<LossCause> {
        let record = self.context.record;
        let lies_on = |target: u32, device: &str| {
            let stack = record.targets.get(target as usize).and_then(|target| target.facts.stack.as_ref());
            stack.is_some_and(|stack| stack.nodes().iter().any(|node| format!("{}:{}", node.major, node.minor) == device))
        };
        let reached = record.host.limits.iter().filter_map(|limit| {
            let targets: Vec<u32> =
                self.targets.iter().copied().filter(|target| lies_on(*target, limit.device.as_ref().unwrap_or(&String::new()))).collect();
            let rate = self.sum(&targets, |round| own_limit::rate_of(round, limit.resource).unwrap_or(0.0));
            let share = rate / limit.value;
            let is_reached = targets.len() > 1 && limit.value > 0.0 && (REACHED..=EXCEEDED).contains(&share);
            let text = format!("a control group's limit holds {} back together: {} of it is used", self.names(&targets), percent(share));
            let figure = Evidence::number("share of the limit", share, Unit::Share).against(REACHED).read_at(limit.source.clone());
            is_reached.then(|| LossCause { text, figures: vec![figure] })
        });
        reached.collect()
    }

    /// The words where nothing explains it.
    fn nothing(&self) -> String {
        let free: Vec<String> = self.not_full().map(|(shared, _)| shared.describe()).collect();
        match free.as_slice() {
            [] => "nothing was found that they share".into(),
            [one] => format!("what they share, {one}, has room left; nothing else was found"),
            [first, ..] => format!("what they share, {first} and {} more, has room left; nothing else was found", free.len() - 1),
        }
    }

    /// The NUMA node, where all drives hang on one.
    fn numa(&self) -> Option<Evidence> {
        let targets = self.targets.iter().filter_map(|target| self.context.record.targets.get(*target as usize));
        let nodes: Option<Vec<_>> = targets.flat_map(|target| &target.drives).map(|drive| drive.numa_node.as_ref()).collect();
        let nodes = nodes?;
        let first = nodes.first()?;
        let is_one = nodes.iter().all(|node| node.value == first.value);
        is_one.then(|| Evidence::text("NUMA node of all", first.value.to_string()).read_at(first.source.clone()))
    }

    /// Bytes that these targets moved in the busier direction. Bytes per second.
    fn moved(&self, targets: &[u32]) -> f64 {
        let per_s = |bytes: u64, round: &Round| bytes as f64 * 1e9 / round.elapsed_ns.max(1) as f64;
        let read = self.sum(targets, |round| per_s(round.read.bytes, round));
        read.max(self.sum(targets, |round| per_s(round.write.bytes, round)))
    }

    /// Median over the stages of what these targets' rounds add up to.
    fn sum(&self, targets: &[u32], value: impl Fn(&Round) -> f64) -> f64 {
        let is_of = |job: &crate::record::JobRecord| job.targets.iter().any(|target| targets.contains(target));
        let of_stage = |stage: &Stage| {
            let parts = stage.parts(&self.context.record.jobs).filter(|part| is_of(part.job));
            Some(parts.map(|part| value(part.round)).sum::<f64>())
        };
        self.median(of_stage).unwrap_or(0.0)
    }

    fn median(&self, value: impl Fn(&Stage) -> Option<f64>) -> Option<f64> {
        median(&self.stages.iter().filter_map(|stage| value(stage)).collect::<Vec<_>>())
    }

    fn names(&self, targets: &[u32]) -> String {
        if targets == self.targets { "all of them".into() } else { names(self.context.record, targets) }
    }
}

/// The share of what it carries that was used; none where that is not known.
fn used(shared: &SharedResource, moved: f64) -> Option<f64> {
    shared.limit_bytes_per_s.filter(|limit| *limit > 0.0).map(|limit| moved / limit)
}

/// True where no figure tells whether it holds them back. A port only passes on what its link carries; an adapter may do less than its link.
fn is_open(shared: &SharedResource, moved: f64) -> bool {
    let is_port = shared.kind == SharedKind::Upstream(crate::facts::UpstreamKind::PciBridge);
    used(shared, moved).is_none_or(|share| !is_port && share < LINK_FULL)
}

fn link_figure((shared, moved): &(SharedResource, f64)) -> Evidence {
    let limit = shared.limit_bytes_per_s.unwrap_or_default();
    let name = format!("moved over the link at {}", shared.describe());
    Evidence::number(&name, *moved, Unit::BytesPerSecond).against(LINK_FULL * limit).read_at(shared.source.clone())
}

#[cfg(test)]
mod tests;
