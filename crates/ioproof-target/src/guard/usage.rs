//! Clauses about what stands on the device: on itself, on its partitions, or further up.

mod loops;
#[cfg(test)]
mod tests;
mod writers;

pub(crate) use loops::{backs_loop, loop_backing};
pub(crate) use writers::{unseen, unseen_users, writers};

use super::subject::{Ground, family};
use super::{Reason, Subject};
use crate::block;
use crate::block::serial;
use crate::block::stack;
use crate::block::zpool;
use crate::system::System;
use crate::system::mounts::Mount;
use loops::loops_on;

/// A filesystem on it is mounted, directly or through whatever lies between.
pub(crate) fn mounted(subject: &Subject<'_>) -> Vec<Reason> {
    let mut texts = mounts_on(subject.ground, &subject.name);
    texts.extend(untold_mounts(subject));
    texts.into_iter().map(|text| Reason::new(text).hint("unmount it first")).collect()
}

/// A mount by the number of a device that is not in sysfs, or of a source whose name the table garbles, may be on anything.
fn untold_mounts(subject: &Subject<'_>) -> Vec<String> {
    let system = subject.system();
    let unknown = |mount: &&Mount| mount.major != 0 && block::name_of(system, mount.major, mount.minor).is_none();
    let garbled = |mount: &&Mount| mount.major == 0 && mount.source.starts_with('/') && mount.source.contains('\u{fffd}');
    let untold = subject.ground.mounts.iter().filter(|mount| unknown(mount) || garbled(mount));
    let text = |mount: &Mount| format!("what is mounted at {} cannot be told ({})", mount.mount_point, mount.source);
    untold.map(text).collect()
}

/// The running system stands on it.
pub(crate) fn root_disk(subject: &Subject<'_>) -> Vec<Reason> {
    let roots = subject.ground.mounts.iter().filter(|mount| mount.mount_point == "/");
    let below = |mount| [stack::mounted_names(subject.system(), mount), stack::pool_members(subject.system(), mount)].concat();
    let mut devices = roots.flat_map(below);
    let on_it = devices.any(|device| concerns(subject.system(), &device, &subject.name));
    let text = || format!("the running system stands on {}", subject.name);
    let hint = "give another drive, or a directory on this one for a scratch file";
    on_it.then(|| Reason::new(text()).hint(hint)).into_iter().collect()
}

/// It or a file on it is swapped to.
pub(crate) fn swap(subject: &Subject<'_>) -> Vec<Reason> {
    let mut texts = swaps_on(subject.ground, &subject.name);
    let untold = |swap| subject.ground.swap_device_told(swap).err().map(|why| (swap, why));
    let untold = subject.ground.swaps.iter().filter_map(untold);
    texts.extend(untold.map(|(swap, why)| format!("whether the swap area {} lies on it cannot be told: {why}", swap.path)));
    texts.into_iter().map(|text| Reason::new(text).hint("swapoff it first")).collect()
}

/// Device-mapper, md, bcache and others that the kernel lists as holders.
pub(crate) fn holders(subject: &Subject<'_>) -> Vec<Reason> {
    let mut texts = holders_of(subject.system(), &subject.name);
    let folders = subject.family().into_iter().filter_map(|part| block::folder(subject.system(), &part));
    texts.extend(folders.filter_map(|folder| unreadable(subject.system(), &format!("{folder}/holders"))));
    texts.into_iter().map(Reason::new).collect()
}

/// A Btrfs of several devices is mounted by the name of only one of them.
pub(crate) fn btrfs(subject: &Subject<'_>) -> Vec<Reason> {
    let mut texts = btrfs_on(subject.system(), &subject.name);
    let system = subject.system();
    let devices = system.sys_list("fs/btrfs").into_iter().map(|uuid| format!("fs/btrfs/{uuid}/devices"));
    let folders = std::iter::once("fs/btrfs".to_owned()).chain(devices);
    texts.extend(folders.filter_map(|folder| unreadable(system, &folder)));
    texts.into_iter().map(Reason::new).collect()
}

/// A folder below `/sys` that is there and cannot be listed.
fn unreadable(system: &System, folder: &str) -> Option<String> {
    match std::fs::read_dir(system.sys(folder)) {
        Err(error) if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => {
            Some(format!("/sys/{folder} cannot be read: {error}"))
        }
        _ => None,
    }
}

/// ZFS makes no holders, and its mounts name no device.
pub(crate) fn zfs(subject: &Subject<'_>) -> Vec<Reason> {
    pools_on(subject.system(), &subject.name).into_iter().map(|text| Reason::new(text).hint("zpool export it first")).collect()
}

/// Other namespaces share the controller: a format or a sanitize reaches them, and so does the load.
pub(crate) fn namespaces(subject: &Subject<'_>) -> Vec<Reason> {
    let in_use = |name: String| {
        let why = uses(subject.ground, &name).into_iter().next()?;
        Some(Reason::new(format!("{} shares its controller with {name}, which is in use: {why}", subject.name)))
    };
    serial::siblings(subject.system(), &subject.name).into_iter().filter_map(in_use).collect()
}

/// Everything that stands on a disk.
fn uses(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let mut found = mounts_on(ground, name);
    found.extend(swaps_on(ground, name));
    found.extend(holders_of(ground.system, name));
    found.extend(btrfs_on(ground.system, name));
    found.extend(pools_on(ground.system, name));
    found.extend(loops_on(ground.system, name));
    found
}

fn mounts_on(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let on = |mount: &Mount| {
        let devices = stack::mounted_names(ground.system, mount);
        let device = devices.into_iter().find(|device| concerns(ground.system, device, name))?;
        Some(standing(&device, name, &format!("is mounted at {}", mount.mount_point)))
    };
    ground.mounts.iter().filter_map(on).collect()
}

fn swaps_on(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let on = |swap| {
        let device = ground.swap_device(swap)?;
        concerns(ground.system, &device, name).then(|| standing(&device, name, &format!("is swapped to ({})", swap.path)))
    };
    ground.swaps.iter().filter_map(on).collect()
}

fn holders_of(system: &System, name: &str) -> Vec<String> {
    let held = |part: String| {
        let mut holders = block::list(system, &part, "holders");
        holders.extend(block::has(system, &part, "bcache").then(|| "bcache".to_owned()));
        (!holders.is_empty()).then(|| format!("{part} is held by {}", holders.join(", ")))
    };
    family(system, name).into_iter().filter_map(held).collect()
}

fn btrfs_on(system: &System, name: &str) -> Vec<String> {
    let filesystems = system.sys_list("fs/btrfs");
    let devices = |uuid: &String| system.sys_list(&format!("fs/btrfs/{uuid}/devices"));
    let on = |uuid: &String| {
        let member = devices(uuid).into_iter().find(|device| concerns(system, device, name))?;
        Some(standing(&member, name, &format!("is part of the mounted Btrfs {uuid}")))
    };
    filesystems.iter().filter_map(on).collect()
}

fn pools_on(system: &System, name: &str) -> Vec<String> {
    let on = |pool: &String| {
        let member = zpool::members(system, pool).into_iter().find(|member| concerns(system, member, name))?;
        Some(standing(&member, name, &format!("is part of the imported ZFS pool {pool}")))
    };
    zpool::imported(system).iter().filter_map(on).collect()
}

/// True if `device` is `disk` or a partition of it.
fn on_it(system: &System, device: &str, disk: &str) -> bool {
    family(system, disk).iter().any(|part| part == device)
}

/// True if `device` is `disk`, a partition of it or lies on it.
fn concerns(system: &System, device: &str, disk: &str) -> bool {
    stack::reaches(system, device, disk)
}

fn standing(device: &str, disk: &str, what: &str) -> String {
    if device == disk { format!("{disk} {what}") } else { format!("{device}, which lies on {disk}, {what}") }
}
