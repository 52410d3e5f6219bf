//! Names for a place: its path and ways around it.

use super::Place;
use crate::attack::attempt::Attempt;
use crate::command::tool;
use anyhow::Result;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

pub fn of(attempt: &mut Attempt, place: &Place) -> Result<(String, Option<File>)> {
    let path = place.path.display().to_string();
    let name = match attempt.random.below(9) {
        0 => link(attempt, &place.path)?,
        1 => format!("{}/../{}", parent(&place.path), relative_end(&place.path)),
        2 => path.replacen('/', "//", 2),
        3 => format!("{}/./{}", parent(&place.path), place.path.file_name().unwrap_or_default().to_string_lossy()),
        4 => path.strip_prefix(&format!("{}/", attempt.work("").display())).unwrap_or(&path).to_owned(),
        5 => descriptor(attempt),
        6 if place.is_device => node(attempt, &place.path)?,
        6 => link_to_a_link(attempt, &place.path)?,
        _ => path,
    };
    let stdin =
        if name.starts_with("/proc/self") || name.starts_with("/dev/fd") || name == "/dev/stdin" { Some(open(place)?) } else { None };
    Ok((name, stdin))
}

fn open(place: &Place) -> Result<File> {
    let to_write = File::options().read(true).write(true).open(&place.path);
    Ok(to_write.or_else(|_| File::open(&place.path))?)
}

fn parent(path: &Path) -> String {
    path.parent().unwrap_or(path).display().to_string()
}

fn relative_end(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    Path::new(folder).join(path.file_name().unwrap_or_default()).display().to_string()
}

fn link(attempt: &Attempt, path: &Path) -> Result<String> {
    let link = attempt.work("by-id");
    std::fs::create_dir_all(&link)?;
    let link = link.join("scsi-SACME_DISK_1234");
    symlink(path, &link)?;
    Ok(link.display().to_string())
}

fn link_to_a_link(attempt: &Attempt, path: &Path) -> Result<String> {
    let first = link(attempt, path)?;
    symlink(first, attempt.work("second"))?;
    Ok("second".to_owned())
}

fn descriptor(attempt: &mut Attempt) -> String {
    attempt.random.word(&["/proc/self/fd/0", "/dev/fd/0", "/dev/stdin"]).to_owned()
}

fn node(attempt: &Attempt, path: &Path) -> Result<String> {
    let number = path.metadata()?.rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let node = attempt.work("node").display().to_string();
    tool("mknod", &[&node, "b", &major.to_string(), &minor.to_string()])?;
    Ok(node)
}
