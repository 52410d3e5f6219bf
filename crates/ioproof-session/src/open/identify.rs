//! Identify: the drives under the target, the host, and the datasheet that they are held against.

use crate::datasheets;
use crate::open::target::Chosen;
use crate::request::PlanRequest;
use anyhow::Result;
use ioproof_core::datasheet::variant_of;
use ioproof_core::describe::{NO_DATASHEET, VIRTUAL_DISK};
use ioproof_core::facts::{DeviceFacts, DriveKind, HostFacts, Layer, StackNode};
use ioproof_core::record::DatasheetUse;
use ioproof_core::units::decimal_size;
use ioproof_process::complaint::complaint;
use ioproof_target::System;

/// Everything known before a plan is made.
#[derive(Debug, Clone)]
pub struct Facts {
    pub drives: Vec<DeviceFacts>,
    pub host: HostFacts,
    pub datasheet: Option<DatasheetUse>,
    /// Sentences that the user must read.
    pub notes: Vec<String>,
}

/// Identifies drives and host, and finds the datasheet.
///
/// # Errors
/// When a datasheet was asked for that does not exist or has mistakes.
pub fn identify(system: &System, chosen: &Chosen, request: &PlanRequest) -> Result<Facts> {
    if request.load.is_null() {
        return generator_alone(system, request);
    }
    let facts = chosen.facts();
    let nodes = facts.stack.as_ref().map(|s| s.drives()).unwrap_or_default();
    let drives: Vec<DeviceFacts> = nodes.into_iter().map(|n| ioproof_device::identify(system, n)).collect();
    let drives = chosen.bound().map_or(drives, |drive| vec![drive]);
    let mut notes = facts.notes.clone();
    notes.extend(facts.stack.as_ref().and_then(on_a_loop));
    notes.extend(drives.iter().filter_map(what_hides));
    let datasheet = match &request.datasheet {
        Some(name) => Some(by_request(name, &drives)?),
        None => by_model(&drives, &mut notes),
    };
    if datasheet.is_none() && facts.layer != Layer::Generator && request.kind.row().takes_datasheet {
        let has_limit = !request.kind.goals().is_empty();
        let verdicts = if has_limit { "measured without verdicts but that on the limit" } else { "measured without verdicts" };
        notes.push(format!("{NO_DATASHEET}{verdicts} (--datasheet NAME judges by one)"));
    }
    Ok(Facts { drives, host: ioproof_device::host(system), datasheet, notes })
}

/// Without I/O no drive is tested, and nothing can be held against one.
fn generator_alone(system: &System, request: &PlanRequest) -> Result<Facts> {
    if request.datasheet.is_some() {
        return Err(complaint(
            "--backend null does no I/O: there is nothing to hold against a datasheet",
            "leave out --datasheet or --backend null",
        ));
    }
    Ok(Facts { drives: Vec::new(), host: ioproof_device::host(system), datasheet: None, notes: Vec::new() })
}

/// A loop device on the way to the drive brings a filesystem of its own along.
fn on_a_loop(node: &StackNode) -> Option<String> {
    let here = node
        .backing_file
        .as_ref()
        .map(|file| format!("{} is a loop device on {file}: the figures include the filesystem that holds the file", node.name));
    here.or_else(|| node.under.iter().find_map(on_a_loop))
}

fn what_hides(drive: &DeviceFacts) -> Option<String> {
    match drive.kind {
        DriveKind::Virtio => Some(format!("{} {VIRTUAL_DISK}", drive.name)),
        DriveKind::Zram => Some(format!("{} is compressed memory, no drive", drive.name)),
        DriveKind::Loop => Some(format!("{} is a loop device: what it lies on could not be told", drive.name)),
        _ => None,
    }
}

fn by_request(name: &str, drives: &[DeviceFacts]) -> Result<DatasheetUse> {
    let datasheet = datasheets::find(name)?;
    let capacity_bytes = match drives {
        [drive] => {
            let model = drive.model.as_ref().map_or("", |m| m.value.as_str());
            variant_of(&datasheet, model, drive.capacity_bytes.value).map(|v| v.capacity_bytes)
        }
        _ => None,
    };
    Ok(DatasheetUse { datasheet, chosen_by: format!("--datasheet {name}"), capacity_bytes })
}

fn by_model(drives: &[DeviceFacts], notes: &mut Vec<String>) -> Option<DatasheetUse> {
    let [drive] = drives else {
        if drives.len() > 1 {
            notes.push(format!("{} drives lie under the target: no datasheet can be held against all of them", drives.len()));
        }
        return None;
    };
    let model = drive.model.as_ref()?.value.as_str();
    let catalogue = datasheets::catalogue();
    let matched = catalogue.match_device(drive)?;
    let capacity_bytes = matched.variant.map(|v| v.capacity_bytes);
    if capacity_bytes.is_none() && !matched.datasheet.variants.is_empty() {
        notes.push(format!("the datasheet knows no capacity of {}", decimal_size(drive.capacity_bytes.value)));
    }
    let chosen_by = format!("model \"{model}\" matches \"{}\"", matched.pattern);
    Some(DatasheetUse { datasheet: matched.datasheet.clone(), chosen_by, capacity_bytes })
}
