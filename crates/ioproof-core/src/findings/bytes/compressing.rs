//! The filesystem of a target compresses what it keeps, so that fewer bytes reach the drive than are read and written where data can be compressed
//! (btrfs(5), `compress`; f2fs, `compress_algorithm`; bcachefs, `compression`).

use crate::findings::prelude::*;

rule! {
    name: "compressing",
    about: "the filesystem of a target compresses what it keeps",
    check: Check::EachCounted(of_job),
}

/// Beginnings of mount options by which a filesystem compresses.
const OPTIONS: [&str; 4] = ["compress=", "compress-force", "compress_algorithm=", "compression="];

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let filesystems = context.record.targets_of(measured.job).filter_map(|target| target.facts.filesystem.as_ref());
    let (filesystem, option) = filesystems.filter_map(|filesystem| Some((filesystem, option(filesystem)?))).next()?;
    let title = format!(
        "{} at {} compresses ({option}): of data that can be compressed fewer bytes reach the drive than are read or written",
        filesystem.fs_type, filesystem.mount_point
    );
    let figure = Evidence::text("mount option", option).read_at("/proc/self/mountinfo");
    let remedy = "measure a scratch file of ioproof's, whose data cannot be compressed, or a file that is not (chattr +m)";
    Some(finding_on(measured, &RULE, Severity::Info, Effect::None, title, vec![figure], remedy))
}

/// The mount option by which it compresses, where it does.
pub(crate) fn option(filesystem: &FilesystemFacts) -> Option<&str> {
    let compresses =
        |option: &&str| OPTIONS.iter().any(|known| option.starts_with(known)) && !option.ends_with("=none") && !option.ends_with("=no");
    filesystem.options.split(',').find(compresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: mounted("rw,compress-force=zstd:3"), silent: mounted("rw,compress=none") }

    fn mounted(options: &str) -> RunRecord {
        record().mounted("btrfs", "/srv", options)
    }

    #[test]
    fn the_option_is_named() {
        assert!(RULE.found(&fires())[0].title.contains("btrfs at /srv compresses (compress-force=zstd:3)"));
    }
}
