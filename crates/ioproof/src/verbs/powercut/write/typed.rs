//! Flags of `powercut write` that do not go together, or with the target.

use crate::verbs::powercut::flags::CutWrite;
use anyhow::Result;
use ioproof_core::units::binary_size;
use ioproof_powercut::Names;
use ioproof_process::complaint::complaint;
use ioproof_session::request::TargetExtent;
use ioproof_target::{Target, TargetError};

/// Refuses a command that would never run.
pub(super) fn settled(args: &CutWrite) -> Result<()> {
    match args.time.filter(|time| args.cut_with.is_some() && *time <= args.cut_after) {
        Some(time) => Err(complaint(
            format!("writing ends after {time:?}, before the command of --cut-with is run (--cut-after {:?})", args.cut_after),
            "a longer --time, or a shorter --cut-after",
        )),
        None => Ok(()),
    }
}

/// Refuses flags that are for the other kind of target.
pub(super) fn fits(args: &CutWrite, target: &Target) -> Result<()> {
    if !target.is_directory() {
        let is_wrong = !args.names.is_empty();
        return if is_wrong { Err(complaint("--names is for a directory", "name the directory as the target")) } else { Ok(()) };
    }
    let flags = [
        ("--sync", !args.sync.is_empty()),
        ("--order", !args.order.is_empty()),
        ("--writes-per-sync", !args.writes_per_sync.is_empty()),
        ("--bs", args.bs.is_some()),
        ("--size", args.size.is_some()),
    ];
    let given: Vec<_> = flags.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| *flag).collect();
    if given.is_empty() {
        return Ok(());
    }
    let names = Names::ALL.map(Names::name).join(",");
    let hint = format!("name a file or a block device, or leave them out: operations in a directory are chosen with --names {names}");
    Err(complaint(format!("{} has no effect on a directory: it is for blocks", given.join(", ")), hint))
}

/// The sentence about a `--size` that the target does not have.
pub(super) fn cut_down(args: &CutWrite, target: &Target) -> Option<String> {
    match args.size? {
        TargetExtent::Bytes(bytes) if !target.is_directory() && bytes > target.facts.size_bytes => {
            let [asked, there] = [bytes, target.facts.size_bytes].map(binary_size);
            Some(format!("--size {asked} is more than {} has: {there} are used", target.facts.given))
        }
        _ => None,
    }
}

/// An error of the target, with the way to one that can be written.
pub(super) fn unfit(error: TargetError) -> anyhow::Error {
    let hint = match &error {
        TargetError::Missing(path) if path.starts_with("/dev") => return error.into(),
        TargetError::Missing(_) => "check the spelling; a file to write to must be there and have its size: truncate -s 256M FILE",
        TargetError::Unsuitable { what, .. } if what.contains("without a medium") => {
            "put a medium in, or attach a file to the loop device: losetup DEVICE FILE"
        }
        TargetError::Unsuitable { .. } => "name a block device, a directory, or a file that has its size: truncate -s 256M FILE",
        _ => return error.into(),
    };
    complaint(error.to_string(), hint)
}
