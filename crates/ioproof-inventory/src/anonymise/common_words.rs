//! Words that stay as they are in an anonymised capture, because every machine has them: folders, RAID levels, kernel names of devices.
//!
//! Deliberately absent: names of makers and models, which `gather` knows by the keys of their fields.

/// Folders that most systems have, words of RAID levels, and what we say of a use ourselves.
const PUBLIC: [&str; 53] = [
    "dev",
    "mapper",
    "sys",
    "proc",
    "mnt",
    "media",
    "home",
    "run",
    "var",
    "tmp",
    "boot",
    "root",
    "srv",
    "opt",
    "usr",
    "lib",
    "efi",
    "by",
    "id",
    "disk",
    "zvol",
    "swap",
    "raid0",
    "raid1",
    "raid4",
    "raid5",
    "raid6",
    "raid10",
    "linear",
    "slice",
    "scope",
    "system",
    "user",
    "service",
    "holds",
    "signature",
    "of",
    "at",
    "byte",
    "pool",
    "ZFS",
    "zfs",
    "Btrfs",
    "btrfs",
    "LVM",
    "logical",
    "volume",
    "member",
    "in",
    "on",
    "is",
    "the",
    "and",
];

/// True for a word that everybody uses, which tells nothing of the machine it came from.
pub fn is_common(word: &str) -> bool {
    PUBLIC.contains(&word) || is_kernel_name(word)
}

/// `sda1`, `nvme0n1`, `dm`: not secret, and needed.
fn is_kernel_name(word: &str) -> bool {
    let prefixes = ["sd", "vd", "nvme", "loop", "dm", "md", "mmcblk", "zram", "sg", "ng", "zd"];
    prefixes
        .iter()
        .filter_map(|prefix| word.strip_prefix(prefix))
        .any(|rest| rest.len() <= 8 && (rest.is_empty() || rest.bytes().any(|b| b.is_ascii_digit()) || rest.len() <= 2) && rest.is_ascii())
}
