//! The targets of a run: kind, filesystem, stack, content and fill of each.

use super::facts::{Brief, MOST_LISTED, MOST_NAMED, listed};
use super::section::{Fact, Section, fact};
use ioproof_core::facts::{FilesystemFacts, StackNode, TargetFacts, TargetKind};
use ioproof_core::record::{RunRecord, TargetRecord};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, decimal_size, duration};
use std::time::Duration;

/// The paths as they were given, for a title.
pub(super) fn names(record: &RunRecord) -> String {
    listed(&given(&record.targets), MOST_NAMED).unwrap_or_else(|| "no target".into())
}

/// The drive and where it is, as a heading: `INTEL SSDPEDMD020T4, /dev/nvme0n1`. A relative path says nothing to whoever was not there.
pub(super) fn heading(record: &RunRecord) -> String {
    let place = match record.targets.as_slice() {
        [target] => visible(&target.facts.resolved),
        _ => names(record),
    };
    let model = record.drive().and_then(|drive| drive.model.as_ref()).map(|model| visible(&model.value));
    model.map_or_else(|| place.clone(), |model| format!("{model}, {place}"))
}

fn given(targets: &[TargetRecord]) -> Vec<&str> {
    targets.iter().map(|target| target.facts.given.as_str()).collect()
}

/// The first targets, a line each, and the names of all further ones.
pub(super) fn brief(record: &RunRecord) -> Brief {
    let (first, others) = record.targets.split_at(record.targets.len().min(MOST_NAMED));
    let mut brief: Brief = first.iter().map(|target| ("target", describe(&target.facts))).collect();
    brief.extend(listed(&given(others), MOST_NAMED).map(|names| ("and", names)));
    if brief.is_empty() { vec![("target", "none: the jobs move no data".into())] } else { brief }
}

/// The filesystems that targets lie on, each once.
pub(super) fn filesystems(record: &RunRecord) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in record.targets.iter().filter_map(|target| target.facts.filesystem.as_ref()).map(describe_filesystem) {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// One section a target; from the most that are listed on, names only.
pub(super) fn sections(record: &RunRecord) -> Vec<Section> {
    let (first, others) = record.targets.split_at(record.targets.len().min(MOST_LISTED));
    let title = |target: &TargetRecord| match first.len() {
        1 => "Target".to_owned(),
        _ => format!("Target {}", visible(&target.facts.given)),
    };
    let mut sections: Vec<Section> =
        first.iter().map(|target| Section { title: title(target), facts: target_facts(&target.facts) }).collect();
    let others = listed(&given(others), MOST_LISTED).map(|names| fact("paths", names, ""));
    sections.extend(others.map(|names| Section { title: "Further targets".into(), facts: vec![names] }));
    sections
}

fn describe(target: &TargetFacts) -> String {
    let resolved = if target.given == target.resolved { String::new() } else { format!(" -> {}", visible(&target.resolved)) };
    let direct = if target.direct { "O_DIRECT" } else { "buffered, not O_DIRECT" };
    format!("{}{resolved}, {}, {}, {direct}", visible(&target.given), describe_kind(target.kind), decimal_size(target.size_bytes))
}

fn describe_kind(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::BlockDevice => "block device",
        TargetKind::File => "file",
        TargetKind::Scratch => "scratch file",
        TargetKind::Generator => "no drive: the generator alone",
    }
}

fn describe_filesystem(fs: &FilesystemFacts) -> String {
    format!("{} of {} at {}, {} free", visible(&fs.fs_type), visible(&fs.source), visible(&fs.mount_point), decimal_size(fs.free_bytes))
}

fn target_facts(target: &TargetFacts) -> Vec<Fact> {
    let mut facts = vec![
        fact("path", &target.given, ""),
        fact("resolved", &target.resolved, ""),
        fact("kind", describe_kind(target.kind), ""),
        fact("size", decimal_size(target.size_bytes), ""),
        fact("opened", if target.direct { "with O_DIRECT" } else { "through the page cache" }, ""),
        fact("alignment", binary_size(target.alignment_bytes.into()), ""),
    ];
    facts.extend(target.stack.as_ref().map(|stack| fact("stack", describe_stack(stack), "")));
    if let Some(fs) = &target.filesystem {
        facts.push(fact("filesystem", describe_filesystem(fs), ""));
        facts.push(fact("mount options", &fs.options, ""));
    }
    facts
}

/// `dm-0 (device-mapper) on nvme0n1p2 (partition) on nvme0n1 (disk)`.
fn describe_stack(node: &StackNode) -> String {
    let own = format!("{} ({})", node.name, node.kind);
    let under: Vec<String> = node.under.iter().map(describe_stack).collect();
    if under.is_empty() { own } else { format!("{own} on {}", under.join(" and ")) }
}

/// The content that reads find on a target, and the pass that wrote it; none where nobody looked at it.
pub(super) fn describe_content(target: &TargetRecord) -> Option<String> {
    let content = &target.content;
    let filled = match &target.fill {
        Some(fill) => {
            format!("written in full first: {} in {}", decimal_size(fill.bytes), duration(Duration::from_nanos(fill.elapsed_ns)))
        }
        None => "not written by this run before it was read".into(),
    };
    let sampled =
        (content.sampled_blocks > 0).then(|| format!("{} of {} sampled blocks were zero", content.zero_blocks, content.sampled_blocks));
    let unwritten = content.unwritten_bytes.map(|bytes| format!("{} never written", decimal_size(bytes)));
    let seen: Vec<String> = sampled.into_iter().chain(unwritten).collect();
    match seen.is_empty() {
        true => target.fill.is_some().then_some(filled),
        false => Some(format!("{filled}; {}", seen.join(", "))),
    }
}
