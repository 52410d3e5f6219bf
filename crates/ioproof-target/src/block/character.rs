//! The character device of an NVMe namespace (`/dev/ng0n1`): commands sent to it reach the drive past the block layer.
//!
//! Only sysfs is read here; `owned/passthrough.rs` opens the device, under the permit of a handle.

use crate::block;
use crate::system::System;

/// Size of a page of memory. Bytes.
const PAGE_BYTES: u32 = 4096;

/// The character device beside a namespace's block device, with the facts that a command depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Character {
    /// `ng0n1`.
    pub(crate) name: String,
    /// Major and minor device number.
    pub(crate) number: (u32, u32),
    /// Logical block. Bytes.
    pub(crate) block_bytes: u32,
    /// The most that one command moves, from buffers in single pages. Bytes.
    pub(crate) most_bytes: u32,
    /// The driver has queues for polling.
    pub(crate) polls: bool,
    /// The format has metadata beside each block.
    pub(crate) has_metadata: bool,
    /// The target was named by this device.
    pub(crate) is_given: bool,
}

/// The name that the character device beside a namespace has: `ng0n1` beside `nvme0n1`.
pub(crate) fn name_beside(block: &str) -> Option<String> {
    block.strip_prefix("nvme").map(|rest| format!("ng{rest}"))
}

/// The character device of a whole namespace; `None` where the kernel made none (before Linux 5.13), or for anything else.
pub(crate) fn of_namespace(system: &System, name: &str) -> Option<Character> {
    if !block::is_nvme_namespace(system, name) {
        return None;
    }
    let character = name_beside(name)?;
    let folder = format!("class/nvme-generic/{character}");
    let number = parsed(&system.sys_text(&format!("{folder}/dev"))?)?;
    let controller = std::fs::canonicalize(system.sys(&format!("{folder}/device"))).ok();
    if controller.is_none() || controller != block::device_folder(system, name) {
        return None;
    }
    let queue = |file: &str| block::attribute(system, name, &format!("queue/{file}"))?.parse::<u32>().ok();
    let block_bytes = block::logical_block_bytes(system, name)?;
    Some(Character {
        name: character,
        number,
        block_bytes,
        most_bytes: most_bytes(block_bytes, queue("max_hw_sectors_kb"), queue("max_segments")),
        polls: queue("io_poll") == Some(1),
        // "none" without metadata, else the kind of protection or "nop" (block/blk-integrity.c).
        has_metadata: block::attribute(system, name, "integrity/format").is_some_and(|format| format != "none"),
        is_given: false,
    })
}

/// The block device beside a character device, by their names: `nvme0n1` of `ng0n1`.
pub(crate) fn block_name(system: &System, character: &str) -> Option<String> {
    let rest = character.strip_prefix("ng").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
    let beside = format!("nvme{rest}");
    block::folder(system, &beside).map(|_| beside)
}

/// Whole blocks within the kernel's limits: the controller's MDTS is part of the first, and each page of a buffer may be a segment of its own.
fn most_bytes(block_bytes: u32, hardware_kib: Option<u32>, segments: Option<u32>) -> u32 {
    let by_hardware = hardware_kib.map_or(u32::MAX, |kib| kib.saturating_mul(1024));
    let by_segments = segments.map_or(u32::MAX, |segments| segments.saturating_mul(PAGE_BYTES));
    // A command counts its blocks by 16 bits (NVM Command Set Specification 1.0, 3.2.4, NLB).
    let by_count = block_bytes.saturating_mul(1 << 16);
    let most = by_hardware.min(by_segments).min(by_count);
    (most - most % block_bytes.max(PAGE_BYTES)).max(block_bytes)
}

fn parsed(number: &str) -> Option<(u32, u32)> {
    let (major, minor) = number.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn a_namespace_has_its_character_device_beside_it() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        tree.character("nvme0", "ng0n1", "241:0");
        tree.write("sys/block/nvme0n1/queue/max_hw_sectors_kb", "512\n");
        tree.write("sys/block/nvme0n1/queue/max_segments", "127\n");
        tree.write("sys/block/nvme0n1/queue/io_poll", "1\n");
        tree.write("sys/block/nvme0n1/integrity/format", "none\n");
        let found = of_namespace(&tree.system(), "nvme0n1").unwrap();
        assert_eq!((found.name.as_str(), found.number, found.block_bytes), ("ng0n1", (241, 0), 512));
        assert_eq!((found.most_bytes, found.polls, found.has_metadata), (127 * 4096, true, false));
        assert_eq!(of_namespace(&tree.system(), "nvme0n2"), None, "the kernel made none");
        tree.write("sys/block/nvme0n1/integrity/format", "T10-DIF-TYPE1-CRC\n");
        assert!(of_namespace(&tree.system(), "nvme0n1").unwrap().has_metadata);
    }

    #[test]
    fn a_device_of_another_controller_is_not_taken() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        tree.nvme("nvme1", &[("nvme1n1", "259:1", 1)], "S2");
        tree.character("nvme1", "ng0n1", "241:0");
        assert_eq!(of_namespace(&tree.system(), "nvme0n1"), None);
    }

    #[test]
    fn the_most_that_one_command_moves_is_whole_pages_and_blocks() {
        assert_eq!(most_bytes(512, Some(512), Some(127)), 508 << 10);
        assert_eq!(most_bytes(512, Some(128), Some(127)), 128 << 10);
        assert_eq!(most_bytes(512, Some(5), None), 4096);
        assert_eq!(most_bytes(4096, None, None), 4096 << 16);
        assert_eq!(most_bytes(512, Some(0), None), 512);
    }
}
