//! The targets of a run: kind, filesystem, stack, content and fill of each.

use super::{Brief, Fact, MOST_LISTED, MOST_NAMED, Section, fact, listed};
use crate::base::distinct::distinct;
use crate::facts::{DeviceFacts, DriveKind, FilesystemFacts, StackNode, TargetFacts, TargetKind};
use crate::record::{RunRecord, TargetRecord};
use crate::text::visible;
use crate::units::{binary_size, decimal_size, duration};
use std::time::Duration;

/// The paths as they were given, for a title.
pub fn names(record: &RunRecord) -> String {
    listed(&given(&record.targets), MOST_NAMED).unwrap_or_else(|| "no target".into())
}

/// The drive and where on it, as a heading: `INTEL SSDPEDMD020T4, /dev/nvme0n1`, `275 GB virtual disk vda, ext4 at /srv`. A path within a filesystem says
/// nothing to whoever was not there, so it is the mount that is named.
pub fn heading(record: &RunRecord) -> String {
    let drives: Vec<String> = record.drives().into_iter().take(MOST_NAMED + 1).map(describe_drive).collect();
    let drives = Some(drives.join(" and ")).filter(|_| (1..=MOST_NAMED).contains(&drives.len()));
    let parts: Vec<String> = drives.into_iter().chain(place(record)).collect();
    if parts.is_empty() { names(record) } else { parts.join(", ") }
}

/// The model; of a drive that has none its size and kind.
fn describe_drive(drive: &DeviceFacts) -> String {
    match &drive.model {
        Some(model) => visible(&model.value),
        None => format!("{} {} {}", decimal_size(drive.capacity_bytes.value), short_kind(drive.kind), visible(&drive.name)),
    }
}

fn short_kind(kind: DriveKind) -> &'static str {
    match kind {
        DriveKind::Nvme => "NVMe drive",
        DriveKind::Sata => "SATA drive",
        DriveKind::Scsi => "SCSI drive",
        DriveKind::Virtio => "virtual disk",
        DriveKind::Loop => "loop device",
        DriveKind::Zram => "compressed memory",
        DriveKind::Mmc => "SD or eMMC card",
        DriveKind::Other => "drive",
    }
}

/// The one mount that all targets lie on, else their paths.
fn place(record: &RunRecord) -> Option<String> {
    let mount = |target: &TargetRecord| {
        target.facts.filesystem.as_ref().map(|fs| format!("{} at {}", visible(&fs.fs_type), visible(&fs.mount_point)))
    };
    let mounts: Vec<Option<String>> = record.targets.iter().map(mount).collect();
    let first = mounts.first()?;
    match (first, record.targets.as_slice()) {
        (Some(mount), _) if mounts.iter().all(|other| other == first) => Some(mount.clone()),
        (_, [target]) => Some(visible(&target.facts.resolved)),
        _ => Some(names(record)),
    }
}

fn given(targets: &[TargetRecord]) -> Vec<&str> {
    targets.iter().map(|target| target.facts.given.as_str()).collect()
}

/// The first targets, a line each, and the names of all further ones.
pub(super) fn brief(record: &RunRecord) -> Brief {
    let (first, others) = record.targets.split_at(record.targets.len().min(MOST_NAMED));
    let is_cached = !record.jobs.is_empty() && record.jobs.iter().all(|job| job.workload.shape.buffered);
    let mut brief: Brief = first.iter().map(|target| ("target", describe(&target.facts, is_cached))).collect();
    brief.extend(listed(&given(others), MOST_NAMED).map(|names| ("and", names)));
    if brief.is_empty() { vec![("target", "none: the jobs move no data".into())] } else { brief }
}

/// The filesystems that targets lie on, each once.
pub(super) fn filesystems(record: &RunRecord) -> Vec<String> {
    distinct(record.targets.iter().filter_map(|target| target.facts.filesystem.as_ref()).map(describe_filesystem))
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

fn describe(target: &TargetFacts, is_cached: bool) -> String {
    let resolved = if target.given == target.resolved { String::new() } else { format!(" -> {}", visible(&target.resolved)) };
    let direct = if target.direct && !is_cached { "O_DIRECT" } else { "buffered, not O_DIRECT" };
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
    let sampled = (content.sampled_blocks > 0).then(|| {
        let repeated =
            if content.repeated_blocks > 0 { format!(", {} like an earlier one", content.repeated_blocks) } else { String::new() };
        format!("{} of {} sampled blocks were zero or one byte throughout{repeated}", content.zero_blocks, content.sampled_blocks)
    });
    let unwritten = content.unwritten_bytes.map(|bytes| format!("{} never written", decimal_size(bytes)));
    let seen: Vec<String> = sampled.into_iter().chain(unwritten).collect();
    match seen.is_empty() {
        true => target.fill.is_some().then_some(filled),
        false => Some(format!("{filled}; {}", seen.join(", "))),
    }
}
