//! The target of a campaign: opened under the write rule, cut into streams, and known again.

use crate::cli::{CutTarget, CutWrite};
use crate::complaint::complaint;
use anyhow::Result;
use ioproof_core::facts::TargetKind;
use ioproof_core::job::Span;
use ioproof_powercut::{Names, NamesPlan, StreamPlan, TargetId};
use ioproof_target::{Consent, Handle, System, Target};
use ioproof_witness::CampaignId;
use std::path::Path;

/// Part of a target that is written where no size is named: it is read back in full. Bytes.
const SIZE_BYTES: u64 = 256 << 20;
/// Size of a block where none is named.
pub const BLOCK_BYTES: u32 = 4096;

/// Resolves the target: a file or a device for blocks, a directory for names.
pub fn resolve(system: &System, path: &Path) -> Result<Target> {
    let target = ioproof_target::resolve(system, path)?;
    let lasts = target.is_directory() || matches!(target.facts.kind, TargetKind::File | TargetKind::BlockDevice);
    match lasts {
        true => Ok(target),
        false => {
            Err(complaint(format!("{} keeps nothing over a power cut", path.display()), "name a file, a block device, or a directory"))
        }
    }
}

/// Folder of a stream of operations on names, below the target.
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

/// A stream for each way and order, each on a part of its own.
pub fn streams(args: &CutWrite, size_bytes: u64, block_bytes: u32) -> Result<Vec<StreamPlan>> {
    let ways: Vec<_> = args.sync.iter().flat_map(|sync| args.order.iter().map(|order| (*sync, *order))).collect();
    let block = u64::from(block_bytes);
    let used = args.size.map_or(size_bytes.min(SIZE_BYTES), |size| size.of(size_bytes)).min(size_bytes);
    let each = used / ways.len().max(1) as u64 / block * block;
    if each < block {
        let text = format!("{used} bytes are too few for {} streams with a block of {block} bytes each", ways.len());
        return Err(complaint(text, "a larger --size or target, or fewer --sync and --order"));
    }
    let plan = |(number, (sync, order)): (usize, &_)| StreamPlan {
        stream: number as u32 + 1,
        order: *order,
        sync: *sync,
        span: Span { offset_bytes: number as u64 * each, length_bytes: each },
    };
    Ok(ways.iter().enumerate().map(plan).collect())
}

/// Marks by which it is known again.
pub fn id(system: &System, target: &Target) -> TargetId {
    let drive = target.facts.stack.as_ref().and_then(|stack| stack.drives().first().map(|node| ioproof_device::identify(system, node)));
    TargetId {
        given: target.facts.given.clone(),
        // Of a directory it is the room that is left.
        size_bytes: if target.is_directory() { 0 } else { target.facts.size_bytes },
        serial: drive.and_then(|drive| Some(drive.serial?.value)),
        identity: target.facts.identity.clone(),
    }
}

/// The start of this machine.
pub fn boot_id(system: &System) -> Option<String> {
    system.proc_text("sys/kernel/random/boot_id").map(|text| text.trim().to_owned())
}
