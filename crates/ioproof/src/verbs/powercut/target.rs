//! The target of a campaign: opened under the write rule, cut into streams, and known again.

use crate::verbs::powercut::flags::{CutTarget, CutWrite};
use anyhow::Result;
use ioproof_core::facts::TargetKind;
use ioproof_core::identity::Identity;
use ioproof_core::job::Span;
use ioproof_inventory::drives::KnownDrive;
use ioproof_pages::field::{Value, find};
use ioproof_powercut::{How, Names, NamesPlan, Order, StreamPlan, TargetId};
use ioproof_process::complaint::complaint;
use ioproof_target::{Consent, Handle, System, Target, TargetError};
use ioproof_witness::CampaignId;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Part of a target that is written where no size is named: it is read back in full. Bytes.
const SIZE_BYTES: u64 = 256 << 20;
/// Size of a block where none is named: of several units in which drives write, so that a tear between them is seen.
pub const BLOCK_BYTES: u32 = 16 << 10;

/// Ways of making a block durable where none is named.
const SYNCS: [How; 2] = [How::Fdatasync, How::Dsync];
/// Blocks behind one sync where no number is named.
const WRITES_PER_SYNC: u32 = 8;

/// Resolves the target: a file or a device for blocks, a directory for names.
pub fn resolve(system: &System, path: &Path) -> Result<Target> {
    lasting(ioproof_target::resolve(system, path).map_err(|error| match error {
        TargetError::Unsuitable { .. } if path.is_file() => complaint(
            error.to_string(),
            "name what was written; of a file that is empty since, all that was acknowledged is lost: by its filesystem, whatever the drive did",
        ),
        other => other.into(),
    })?)
}

/// Refuses what is no place for data at all.
pub fn lasting(target: Target) -> Result<Target> {
    let lasts = target.is_directory() || matches!(target.facts.kind, TargetKind::File | TargetKind::BlockDevice);
    match lasts {
        true => Ok(target),
        false => {
            Err(complaint(format!("{} keeps nothing over a power cut", target.facts.given), "name a file, a block device, or a directory"))
        }
    }
}

pub fn folder_name(campaign: CampaignId, session: u32, stream: u32) -> String {
    format!("ioproof-powercut-{campaign}-{session}-{stream}")
}

/// Streams of operations on names, for a directory.
pub fn names(args: &CutWrite) -> Vec<NamesPlan> {
    let all = if args.names.is_empty() { Names::ALL.to_vec() } else { args.names.clone() };
    (1..).zip(all).map(|(stream, names)| NamesPlan { stream, names }).collect()
}

/// Opens it to be written, with the consents that were given, past the page cache.
///
/// # Errors
/// A refusal of the write rule, or what the kernel says.
pub fn open_to_write(system: &System, target: &Target, args: &CutWrite) -> Result<Handle> {
    let CutTarget { overwrite, destroy, destroy_unknown_content, destroy_unseen_users } = &args.consent;
    let consent = Consent {
        overwrite: overwrite.iter().cloned().collect(),
        destroy: destroy.clone(),
        destroy_unknown_content: *destroy_unknown_content,
        in_use_unseen: *destroy_unseen_users,
        ..Consent::default()
    };
    Ok(ioproof_target::open_to_write(system, target, &consent)?)
}

/// Size of a block, which the target must be able to write.
pub fn block_bytes(args: &CutWrite, handle: &Handle) -> Result<u32> {
    let bytes = args.bs.map_or(u64::from(BLOCK_BYTES), u64::from);
    let unit = u64::from(handle.alignment_bytes().max(512));
    let fits = bytes.is_multiple_of(unit) && (512..=1 << 20).contains(&bytes);
    match u32::try_from(bytes).ok().filter(|_| fits) {
        Some(bytes) => Ok(bytes),
        None => Err(complaint(format!("blocks of {bytes} bytes cannot be written here"), format!("a multiple of {unit} up to 1 MiB"))),
    }
}

/// A stream for each way, order and number of writes behind a sync, each on a part of its own.
pub fn streams(args: &CutWrite, size_bytes: u64, block_bytes: u32, takes_trims: bool) -> Result<Vec<StreamPlan>> {
    let ways = ways(args, takes_trims)?;
    let block = u64::from(block_bytes);
    let used = args.size.map_or(size_bytes.min(SIZE_BYTES), |size| size.in_bytes(size_bytes)).min(size_bytes);
    let each = used / ways.len().max(1) as u64 / block * block;
    if each < block {
        let text = format!("{used} bytes are too few for {} streams with a block of {block} bytes each", ways.len());
        return Err(complaint(text, "a larger --size or target, or fewer --sync, --order and --writes-per-sync"));
    }
    let most = u32::try_from(each / block).unwrap_or(u32::MAX);
    let plan = |(number, (sync, order, writes)): (usize, (How, Order, u32))| StreamPlan {
        stream: number as u32 + 1,
        order,
        sync,
        writes_per_sync: writes.min(most),
        span: Span { offset_bytes: number as u64 * each, length_bytes: each },
    };
    Ok(ways.into_iter().enumerate().map(plan).collect())
}

fn or_default<T: Copy>(given: &[T], default: &[T]) -> Vec<T> {
    if given.is_empty() { default.to_vec() } else { given.to_vec() }
}

/// Ways of writing. No trim is durable by itself, and no write that is waits for others.
fn ways(args: &CutWrite, takes_trims: bool) -> Result<Vec<(How, Order, u32)>> {
    let is_default = |order: &Order| takes_trims || *order != Order::Trim;
    let orders = if args.order.is_empty() { Order::ALL.into_iter().filter(is_default).collect() } else { args.order.clone() };
    if orders.contains(&Order::Trim) && !takes_trims {
        return Err(complaint("the target takes no trims", "another --order"));
    }
    let (syncs, writes_per_sync) = (or_default(&args.sync, &SYNCS), or_default(&args.writes_per_sync, &[WRITES_PER_SYNC]));
    let most = writes_per_sync.iter().copied().max().unwrap_or(1);
    let writes = |sync: How, order: Order| match (sync.is_flush(), order) {
        (true, Order::Trim) => vec![most],
        (true, _) => writes_per_sync.clone(),
        (false, Order::Trim) => Vec::new(),
        (false, _) => vec![1],
    };
    let each = syncs.iter().flat_map(|sync| orders.iter().map(move |order| (*sync, *order)));
    let all: Vec<_> = each.flat_map(|(sync, order)| writes(sync, order).into_iter().map(move |writes| (sync, order, writes))).collect();
    match all.is_empty() {
        true => Err(complaint("no trim is durable by itself", "fdatasync or fsync among --sync")),
        false => Ok(all),
    }
}

/// True where it can be trimmed, as far as the kernel says. That a filesystem has no holes is seen when one is made.
pub fn takes_trims(system: &System, target: &Target) -> bool {
    let is_device = target.facts.kind == TargetKind::BlockDevice;
    !is_device || queue(system, target, "discard_max_bytes").is_some_and(|bytes| bytes != "0")
}

/// `write back` or `write through`: with the latter the kernel sends no flush.
pub fn write_cache(system: &System, target: &Target) -> Option<String> {
    queue(system, target, "write_cache")
}

/// An attribute in sysfs of the queue of the device that it is or lies on.
fn queue(system: &System, target: &Target, attribute: &str) -> Option<String> {
    let disk = ioproof_target::disk_of(system, &target.facts.stack.as_ref()?.name);
    system.sys_text(&format!("class/block/{disk}/queue/{attribute}"))
}

/// Power cycles that its drives count together; none where one of them tells none, or says 0 while it has power.
pub fn power_cycles(system: &System, target: &Target) -> Option<u64> {
    let count = |name: &str| match &find(&KnownDrive::look(system, name, None).pages, "power_cycles")?.value {
        Value::Number(cycles) => Some(*cycles).filter(|cycles| *cycles > 0),
        _ => None,
    };
    let drives = target.facts.stack.as_ref()?.drives();
    drives.iter().map(|node| count(&node.name)).sum::<Option<u64>>().filter(|cycles| *cycles > 0)
}

/// Marks by which it is known again.
pub fn id(system: &System, target: &Target) -> TargetId {
    let drive = target.facts.stack.as_ref().and_then(|stack| stack.drives().first().map(|node| ioproof_device::identify(system, node)));
    let identity = target.facts.identity.clone();
    TargetId {
        given: target.facts.given.clone(),
        // Of a directory it is the room that is left.
        size_bytes: if target.is_directory() { 0 } else { target.facts.size_bytes },
        serial: drive.and_then(|drive| Some(drive.serial?.value)),
        identity: if target.is_directory() {
            identity.map(|filesystem| of_directory(Path::new(&target.facts.given), filesystem))
        } else {
            identity
        },
    }
}

/// Marks of a directory, in front of those of the filesystem that it lies on: another one of its name has not the folders that were made there. None of its own where inodes do not last.
fn of_directory(path: &Path, filesystem: Identity) -> Identity {
    let found = std::fs::metadata(path).ok().filter(|_| filesystem.inode.is_some());
    let born = found.as_ref().and_then(|found| found.created().ok()?.duration_since(UNIX_EPOCH).ok());
    Identity {
        inode: found.map(|found| found.ino()),
        born_unix_ms: born.and_then(|born| i64::try_from(born.as_millis()).ok()),
        under: Some(Box::new(filesystem)),
        ..Identity::default()
    }
}

/// True where the running system stands on one of its drives, which can hardly have lost its power alone.
pub fn carries_system(system: &System, target: &Target) -> bool {
    let drives = |target: &Target| {
        let stack = target.facts.stack.as_ref();
        stack.map_or(Vec::new(), |stack| stack.drives().iter().map(|node| node.name.clone()).collect())
    };
    let own: Vec<String> = ioproof_target::resolve(system, Path::new("/")).map_or(Vec::new(), |root| drives(&root));
    drives(target).iter().any(|name| own.contains(name))
}

pub fn host(system: &System) -> Option<String> {
    system.proc_text("sys/kernel/hostname").map(|text| text.trim().to_owned()).filter(|name| !name.is_empty())
}

pub fn boot_id(system: &System) -> Option<String> {
    system.proc_text("sys/kernel/random/boot_id").map(|text| text.trim().to_owned())
}
