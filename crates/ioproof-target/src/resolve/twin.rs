//! Files that have two numbers: seen through an overlay, and beside it in one of its layers.

use crate::system::filesystem;
use crate::system::mounts::Mount;
use crate::system::pin::Pin;
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

/// True if the file may be seen both through an overlay and beside it: then there are two inodes, and a lease on one tells nothing of the other.
pub(crate) fn may_have_twin(mounts: &[Mount], pin: &Pin) -> bool {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", pin.as_fd().as_raw_fd())).unwrap_or_default();
    let mount = filesystem::mount_id(pin);
    let overlays = || mounts.iter().filter(|mount| mount.fs_type == "overlay");
    overlays().any(|overlay| Some(overlay.id) == mount || layers(overlay).iter().any(|layer| path.starts_with(layer)))
}

/// The folders of which an overlay is made.
fn layers(mount: &Mount) -> Vec<PathBuf> {
    let layers = options(mount).filter(|(name, _)| matches!(name.trim_end_matches('+'), "upperdir" | "lowerdir"));
    layers.flat_map(|(_, folders)| folders.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from)).collect()
}

/// The folder of an overlay that takes what is written.
pub(crate) fn upper_layer(mount: &Mount) -> Option<PathBuf> {
    options(mount).find(|(name, _)| mount.fs_type == "overlay" && *name == "upperdir").map(|(_, folder)| PathBuf::from(folder))
}

fn options(mount: &Mount) -> impl Iterator<Item = (&str, &str)> {
    mount.super_options.split(',').filter_map(|option| option.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn the_layers_of_an_overlay_are_read_from_its_options() {
        let tree = Tree::new();
        tree.write("proc/self/mountinfo", "9 1 0:40 / /m rw - overlay o rw,lowerdir+=/l1,lowerdir=/l2:/l3,upperdir=/u,workdir=/w\n");
        let mounts = crate::system::mounts::mounts(&tree.system()).unwrap();
        assert_eq!(upper_layer(&mounts[0]), Some("/u".into()));
        assert_eq!(layers(&mounts[0]), ["/l1", "/l2", "/l3", "/u"].map(PathBuf::from));
    }
}
