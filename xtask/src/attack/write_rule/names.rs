//! Names for a place: its path and ways around it.

use super::Place;
use crate::attack::attempt::Attempt;
use crate::command::tool;
use anyhow::Result;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

/// A name, and the standard input that it leads to where it is one of a descriptor.
pub fn of(attempt: &mut Attempt, place: &Place) -> Result<(String, Option<File>)> {
    let path = place.path.display().to_string();
    let (parent, end) = path.rsplit_once('/').unwrap_or(("", &path));
    let name = match attempt.random.below(9) {
        0 => link(attempt, &place.path)?,
        1 => format!("{parent}/../{}/{end}", parent.rsplit('/').next().unwrap_or_default()),
        2 => path.replacen('/', "//", 2),
        3 => format!("{parent}/./{end}"),
        4 => path.strip_prefix(&format!("{}/", attempt.work("").display())).unwrap_or(&path).to_owned(),
        5 => attempt.random.item("/proc/self/fd/0 | /dev/fd/0 | /dev/stdin").to_owned(),
        6 if place.is_device => node(attempt, &place.path)?,
        6 => {
            symlink(link(attempt, &place.path)?, attempt.work("second"))?;
            "second".to_owned()
        }
        _ => path,
    };
    let is_descriptor = name.starts_with("/proc/self") || name.starts_with("/dev/fd") || name == "/dev/stdin";
    let open = || File::options().read(true).write(true).open(&place.path).or_else(|_| File::open(&place.path));
    Ok((name, is_descriptor.then(open).transpose()?))
}

fn link(attempt: &Attempt, path: &Path) -> Result<String> {
    std::fs::create_dir_all(attempt.work("by-id"))?;
    let link = attempt.work("by-id/scsi-SACME_DISK_1234");
    symlink(path, &link)?;
    Ok(link.display().to_string())
}

fn node(attempt: &Attempt, path: &Path) -> Result<String> {
    let number = path.metadata()?.rdev();
    let node = attempt.work("node").display().to_string();
    tool("mknod", &[&node, "b", &rustix::fs::major(number).to_string(), &rustix::fs::minor(number).to_string()])?;
    Ok(node)
}
