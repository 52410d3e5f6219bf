//! Things that targets have in common on their way to the host, by facts alone: drives, filesystems, and the devices between a drive and the host.

use crate::facts::{DeviceFacts, UpstreamKind};
use crate::record::{RunRecord, TargetRecord};

/// The kind of a thing that several targets use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedKind {
    Drive,
    /// The filesystem that their files lie on.
    Filesystem,
    /// A device between their drives and the host.
    Upstream(UpstreamKind),
}

/// A thing that several targets use.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SharedResource {
    pub kind: SharedKind,
    /// Its name: `nvme0n1`, `0000:02:00.0`.
    pub name: String,
    /// Positions of the targets that use it, in their order.
    pub targets: Vec<u32>,
    /// Those of them whose every I/O passes it.
    pub wholly: Vec<u32>,
    /// Most that it carries in one direction, where that is known. Bytes per second.
    pub limit_bytes_per_s: Option<f64>,
    pub source: String,
}

impl SharedResource {
    /// In words: `the drive nvme0n1`, `the PCIe bridge 0000:02:00.0`.
    pub(crate) fn describe(&self) -> String {
        format!("{} {}", self.title(), self.name)
    }

    fn title(&self) -> &'static str {
        match self.kind {
            SharedKind::Drive => "the drive",
            SharedKind::Filesystem => "the filesystem",
            SharedKind::Upstream(kind) => kind.title(),
        }
    }
}

/// A thing that one target uses; `is_whole` where all of its I/O passes it.
struct DeviceUse {
    kind: SharedKind,
    name: String,
    is_whole: bool,
    limit_bytes_per_s: Option<f64>,
    source: String,
}

/// Everything that at least two of these targets use, the nearest to them first. Devices between a drive that the same targets share and the host are left out: of
/// one drive they say nothing more.
pub(crate) fn shared(record: &RunRecord, targets: &[u32]) -> Vec<SharedResource> {
    let mut all: Vec<SharedResource> = Vec::new();
    for target in targets {
        let Some(of) = record.targets.get(*target as usize) else { continue };
        used(of).into_iter().for_each(|used| add(&mut all, *target, used));
    }
    all.retain(|shared| shared.targets.len() > 1);
    let drives: Vec<Vec<u32>> = all.iter().filter(|shared| shared.kind == SharedKind::Drive).map(|drive| drive.targets.clone()).collect();
    let is_above_one = |shared: &SharedResource| drives.iter().any(|of| shared.targets.iter().all(|target| of.contains(target)));
    all.retain(|shared| !matches!(shared.kind, SharedKind::Upstream(_)) || !is_above_one(shared));
    all
}

fn add(all: &mut Vec<SharedResource>, target: u32, used: DeviceUse) {
    let DeviceUse { kind, name, is_whole, limit_bytes_per_s, source } = used;
    let at = all.iter().position(|known| (known.kind, &known.name) == (kind, &name)).unwrap_or_else(|| {
        all.push(SharedResource { kind, name, targets: Vec::new(), wholly: Vec::new(), limit_bytes_per_s, source });
        all.len() - 1
    });
    all[at].targets.push(target);
    all[at].wholly.extend(is_whole.then_some(target));
}

/// The things that a target uses, each once.
fn used(target: &TargetRecord) -> Vec<DeviceUse> {
    let single = target.drives.len() == 1;
    let drives = target.drives.iter().map(|drive| DeviceUse {
        kind: SharedKind::Drive,
        name: drive.name.clone(),
        is_whole: single,
        limit_bytes_per_s: None,
        source: format!("/sys/block/{}", drive.name),
    });
    let filesystem = target.facts.filesystem.iter().map(|filesystem| DeviceUse {
        kind: SharedKind::Filesystem,
        name: format!("{} at {}", filesystem.fs_type, filesystem.mount_point),
        is_whole: true,
        limit_bytes_per_s: None,
        source: "/proc/self/mountinfo".into(),
    });
    let mut all: Vec<DeviceUse> = drives.chain(filesystem).collect();
    for upstream in target.drives.iter().flat_map(|drive| &drive.upstream) {
        // On the way of every drive of a pool it carries all of the pool's I/O.
        let passes = |drive: &DeviceFacts| drive.upstream.iter().any(|other| other.name == upstream.name);
        let kind = SharedKind::Upstream(upstream.kind);
        if all.iter().all(|known| (known.kind, &known.name) != (kind, &upstream.name)) {
            all.push(DeviceUse {
                kind,
                name: upstream.name.clone(),
                is_whole: target.drives.iter().all(passes),
                limit_bytes_per_s: upstream.limit_bytes_per_s,
                source: upstream.source.clone(),
            });
        }
    }
    all
}

/// Sentences on targets that are two names of one drive, which a user may not have meant.
pub fn one_drive(record: &RunRecord) -> Vec<String> {
    let targets: Vec<u32> = (0..record.targets.len() as u32).collect();
    let drives = shared(record, &targets).into_iter().filter(|shared| shared.kind == SharedKind::Drive);
    drives
        .map(|drive| {
            format!("{} lie on one drive, {}, which they share when all are measured at once", names(record, &drive.targets), drive.name)
        })
        .collect()
}

/// Names of targets: `a and b`, `a, b and c`, `a, b and 62 more`.
pub fn names(record: &RunRecord, targets: &[u32]) -> String {
    const MOST: usize = 3;
    let names: Vec<&str> = targets.iter().filter_map(|target| Some(record.targets.get(*target as usize)?.facts.given.as_str())).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] if names.len() <= MOST => format!("{} and {last}", first.join(", ")),
        many => format!("{} and {} more", many[..MOST - 1].join(", "), many.len() + 1 - MOST),
    }
}
