//! The layer below a filesystem: the device that it stands on, and the blocks of it on which the scratch file lies. Reads of these very blocks are held against reads of
//! the file; they are never written.

use ioproof_core::record::{JobRecord, RunRecord, TargetRecord};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, percent};
use ioproof_target::{Handle, System, Target, stretch_on};

/// Least part of the file that must lie in one piece: reads of less would hit the drive's cache where those of the file do not.
const LEAST_SHARE: f64 = 0.25;

/// Device below a directory's filesystem, open to be read; or a sentence why there is none.
pub type DeviceBelow = Result<(Target, Handle), String>;

pub fn open(system: &System, file: &Handle) -> DeviceBelow {
    ioproof_target::device_below(system, file)
}

/// Finds the blocks once the file is written, and adds them to the record as a target with one job: the reads of the file. Those read the same part of the file from now on.
/// Where there are none the record says why.
pub fn add(record: &mut RunRecord, file: &Handle, below: &DeviceBelow, at: u32) {
    if let Err(why) = added(record, file, below, at) {
        let given = visible(&record.targets[at as usize].facts.given);
        record.notes.push(format!("{given}: reads past the filesystem are not measured: {why}"));
    }
}

fn added(record: &mut RunRecord, file: &Handle, below: &DeviceBelow, at: u32) -> Result<(), String> {
    let (device, handle) = below.as_ref().map_err(Clone::clone)?;
    let stretch = stretch_on(file, handle)?;
    let share = stretch.in_file.length_bytes as f64 / file.size_bytes().max(1) as f64;
    if share < LEAST_SHARE {
        let size = binary_size(stretch.in_file.length_bytes);
        return Err(format!("the file lies in pieces, the longest of {size} ({} of it)", percent(share)));
    }
    let is_read = |job: &&mut JobRecord| job.targets == [at] && !job.workload.writes();
    let reads = record.jobs.iter_mut().find(is_read).ok_or("no reads are asked for")?;
    reads.span = stretch.in_file;
    let job = JobRecord { targets: vec![record.targets.len() as u32], span: stretch.on_device, ..reads.clone() };
    let drives = record.targets.get(at as usize).map(|target| target.drives.clone()).unwrap_or_default();
    record.targets.push(TargetRecord { drives, below: Some(at), ..TargetRecord::new(device.facts.clone()) });
    record.jobs.push(job);
    Ok(())
}
