//! The block device below a file, and the longest stretch of the file that lies there in one piece: the place at which the layers below a filesystem can be
//! read alone, on the very blocks of the file.
//!
//! What the filesystem says of its extents is proved by reading: of some, the addresses are of a device inside of it (btrfs), of a second device (XFS's real-time part),
//! or of data that is packed or encrypted. Nothing is ever written here.

use crate::error::TargetError;
use crate::owned::handle::Handle;
use crate::resolve::target::Target;
use crate::signs::image::{FdSource, Source};
use crate::signs::mark;
use crate::system::System;
use crate::system::kernel::{self, EXTENT_ELSEWHERE, Extent};
use crate::system::sample;
use crate::{block, node_of, open_to_read, resolve};
use ioproof_core::job::Span;
use rustix::fs::{fstat, major, minor};
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

/// Blocks by which both places are compared.
const SAMPLES: u64 = 64;

/// Bytes of each.
const SAMPLE_BYTES: u64 = 4096;

/// A stretch of a file, as it lies in the file and on the device below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Its place in the file.
    pub in_file: Span,
    /// The same blocks on the device.
    pub on_device: Span,
}

/// Opens the block device below the filesystem of a file, to be read.
///
/// # Errors
/// A sentence why there is none that can be read.
pub fn device_below(system: &System, file: &Handle) -> Result<(Target, Handle), String> {
    let stat = fstat(file).map_err(|error| format!("it cannot be looked at: {error}"))?;
    let path = device_of(system, stat.st_dev).ok_or("its filesystem stands on no single block device, or does not tell on which")?;
    let open = || -> Result<_, TargetError> {
        let target = resolve(system, &path)?;
        let handle = open_to_read(&target)?;
        Ok((target, handle))
    };
    open().map_err(|error| format!("the device below cannot be read: {error}"))
}

/// Finds the longest stretch of a file that lies in one piece on the device below, which is proved by reading both.
///
/// # Errors
/// A sentence why there is none: extents that are not told, or other data there.
pub fn stretch_on(file: &Handle, device: &Handle) -> Result<Stretch, String> {
    let extents = extents(file).map_err(|error| format!("its filesystem does not tell where it lies: {error}"))?;
    let (in_file, on_device) = longest(&extents).ok_or("its filesystem tells no place of it on a device")?;
    let stretch = Stretch { in_file, on_device };
    match is_proved(file, device, stretch) {
        Ok(true) => Ok(stretch),
        Ok(false) => Err("the device below holds other data at the place that its filesystem tells".into()),
        Err(error) => Err(format!("it cannot be compared with the device below: {error}")),
    }
}

/// The node of a device by its numbers; none where a filesystem bears a number of its own instead (btrfs, ZFS, tmpfs, NFS).
fn device_of(system: &System, number: u64) -> Option<PathBuf> {
    block::name_of(system, major(number), minor(number)).and_then(|name| node_of(system, &name))
}

fn extents(file: &Handle) -> io::Result<Vec<Extent>> {
    let mut all = Vec::new();
    kernel::each_extent(file.as_fd(), 0, file.size_bytes(), |extent| all.push(*extent))?;
    Ok(all)
}

/// The longest run of extents that follow one another both in the file and on the device: where it lies in the file, and on the device.
fn longest(extents: &[Extent]) -> Option<(Span, Span)> {
    let mut runs: Vec<Extent> = Vec::new();
    for extent in extents.iter().filter(|extent| extent.flags & EXTENT_ELSEWHERE == 0) {
        match runs.last_mut() {
            Some(run) if follows(run, extent) => run.length = run.length.saturating_add(extent.length),
            _ => runs.push(*extent),
        }
    }
    let run = runs.into_iter().max_by_key(|run| run.length)?;
    let span = |offset_bytes| Span { offset_bytes, length_bytes: run.length };
    Some((span(run.logical), span(run.physical)))
}

/// True where an extent begins where a run ends, in the file and on the device.
fn follows(run: &Extent, extent: &Extent) -> bool {
    let ends = [run.logical, run.physical].map(|start| start.checked_add(run.length));
    ends == [Some(extent.logical), Some(extent.physical)]
}

/// True where both places hold the same, and not only zeros, which are everywhere.
fn is_proved(file: &Handle, device: &Handle, stretch: Stretch) -> io::Result<bool> {
    let [upper, lower] = [file, device].map(|handle| FdSource::new(handle.as_fd(), handle.size_bytes(), handle.alignment_bytes()));
    let (mut is_same, mut holds_data) = (true, false);
    for block in sample::stratified(stretch.in_file.length_bytes / SAMPLE_BYTES, SAMPLES, 1) {
        let read = |source: &FdSource<'_>, span: Span| source.read(span.offset_bytes + block * SAMPLE_BYTES, SAMPLE_BYTES as usize);
        let (above, beneath) = (read(&upper, stretch.in_file)?, read(&lower, stretch.on_device)?);
        is_same &= above == beneath;
        holds_data |= !mark::is_empty(&above);
    }
    Ok(is_same && holds_data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::kernel::EXTENT_LAST;
    use proptest::prelude::*;

    fn extent(logical: u64, physical: u64, length: u64, flags: u32) -> Extent {
        let mut extent = Extent::default();
        (extent.logical, extent.physical, extent.length, extent.flags) = (logical, physical, length, flags);
        extent
    }

    #[test]
    fn the_longest_run_is_of_neighbours_in_both_places() {
        let found = longest(&[
            extent(0, 1000, 10, 0),
            extent(10, 1010, 10, 0),
            extent(20, 5000, 15, 0),
            extent(100, 5015, 30, EXTENT_ELSEWHERE),
            extent(130, 9000, 19, EXTENT_LAST),
        ]);
        let span = |offset_bytes| Span { offset_bytes, length_bytes: 20 };
        assert_eq!(found, Some((span(0), span(1000))));
        assert_eq!(longest(&[extent(0, 0, 10, EXTENT_ELSEWHERE)]), None);
        assert_eq!(longest(&[]), None);
    }

    proptest! {
        #[test]
        fn any_answer_of_a_kernel_gives_a_run_or_none(
            raw in prop::collection::vec((0u64..1 << 60, 0u64..1 << 60, 0u64..1 << 40, any::<u32>()), 0..40),
        ) {
            let extents: Vec<Extent> = raw.into_iter().map(|(a, b, c, flags)| extent(a, b, c, flags)).collect();
            if let Some((file, device)) = longest(&extents) {
                prop_assert_eq!(file.length_bytes, device.length_bytes);
            }
        }
    }

    #[test]
    fn a_number_that_is_no_devices_leads_nowhere() {
        assert_eq!(device_of(&System::host(), rustix::fs::makedev(0, 42)), None);
    }
}
