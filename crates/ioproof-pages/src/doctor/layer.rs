//! Layers between a file and its drive: loop devices, and others with a queue of their own.

use super::{RuleInput, RuleOutput, Severity};

/// A loop device without direct I/O reads and writes its file through the page cache (losetup(8), `--direct-io`).
pub(super) fn loop_cache(input: &RuleInput) -> Option<RuleOutput> {
    input.flag("loop_direct_io").filter(|is_direct| !is_direct)?;
    let title = "the loop device goes through the page cache, so the figures are memory's as far as the file fits into it";
    let mend = format!("losetup --direct-io=on /dev/{}", input.name());
    input.found(Severity::Warn, title, &["loop_direct_io", "loop_backing_file"], Some(mend))
}

/// An array that reads or writes all of its drives by itself (`md/sync_action`, Documentation/admin-guide/md.rst). A check can be ended; what makes it whole again
/// is waited for.
pub(super) fn background_work(input: &RuleInput) -> Option<RuleOutput> {
    let work = input.text("md_sync_action").filter(|work| !matches!(*work, "idle" | "frozen"))?;
    let title = format!("the array is at work on itself ({work}), and takes a part of what its drives can do");
    let mend = (work == "check").then(|| format!("echo idle > /sys/block/{}/md/sync_action", input.name()));
    input.found(Severity::Warn, title, &["md_sync_action"], mend)
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{on_layer, text};
    use crate::field::Value;
    use ioproof_core::finding::Subject;

    #[test]
    fn a_loop_device_through_the_page_cache() {
        let of = |direct| on_layer("loop-cache", "loop5", &[("loop_direct_io", Value::Flag(direct))]);
        assert!(of(true).is_empty());
        assert_eq!(of(false)[0].remedy, "losetup --direct-io=on /dev/loop5");
        assert_eq!(of(false)[0].subject, Subject::Drive("loop5".into()));
    }

    #[test]
    fn an_array_at_work_on_itself() {
        let of = |work| on_layer("background-work", "md0", &[("md_sync_action", text(work))]);
        assert!(of("idle").is_empty() && of("frozen").is_empty());
        assert_eq!(of("check")[0].remedy, "echo idle > /sys/block/md0/md/sync_action");
        assert_eq!((of("recover")[0].remedy.as_str(), of("recover").len()), ("", 1));
    }

    #[test]
    fn settings_of_a_layer_count_like_those_of_a_drive() {
        let told = on_layer("scheduler", "dm-0", &[("scheduler", text("bfq"))]);
        assert_eq!(told[0].remedy, "echo none > /sys/block/dm-0/queue/scheduler");
        assert!(on_layer("iommu", "dm-0", &[("iommu_group_type", text("DMA"))]).is_empty(), "the way to a drive is the drive's");
    }
}
