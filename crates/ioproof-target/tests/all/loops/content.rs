//! Unknown content on large devices, and behind marks of our own. Needs root.

use crate::common::*;

const GIB: u64 = 1 << 30;

/// Content without any signature.
fn rows(bytes: u64) -> Vec<u8> {
    (0..bytes / 32).flat_map(|i| format!("{i:09}, somebody's measurement\n").into_bytes()).take(bytes as usize).collect()
}

#[test]
fn a_little_data_on_a_large_device_that_is_mostly_holes() {
    for at in [41 * GIB, 77 * GIB + 4096, 99 * GIB] {
        let device = Loop::filled(100 * GIB, &[], |image| put(image, at, &rows(64 << 10)));
        assert_eq!(refused(&device.device, &destroy(&device.name())), ["unknown-content"], "at {at}");
    }
}

#[test]
fn an_empty_large_device_is_told_with_the_power_of_the_search() {
    let device = Loop::new(100 * GIB);
    let handle = permit(&device.device, &destroy(&device.name())).unwrap();
    let note = &handle.notes()[0];
    assert!(note.contains("holds nothing between its ends") || note.contains("16,384 samples"), "{note}");
}

#[test]
fn what_is_not_yet_in_the_file_is_seen() {
    let device = Loop::new(100 * GIB);
    let file = std::fs::OpenOptions::new().write(true).open(&device.device).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &rows(8192), 55 * GIB).unwrap();
    let _reader = std::fs::File::open(&device.device).unwrap();
    drop(file);
    assert_eq!(refused(&device.device, &destroy(&device.name())), ["unknown-content"]);
}

#[test]
fn data_in_the_other_sectors_of_a_block_that_bears_our_mark() {
    let mut block = vec![0u8; 4096];
    ioproof_target::laid_out::fill((7, 11), 0, &mut block);
    for sector in 1..8 {
        let mut block = block.clone();
        block[sector * 512..(sector + 1) * 512].copy_from_slice(&rows(512));
        let device = Loop::filled(8 * MIB, &[], |image| put(image, 4 * MIB, &block));
        let before = checksum(&device.image);
        assert_eq!(refused(&device.device, &destroy(&device.name())), ["unknown-content"], "sector {sector}");
        assert_eq!(checksum(&device.image), before);
    }
    let device = Loop::filled(8 * MIB, &[], |image| put(image, 4 * MIB, &block));
    assert!(permit(&device.device, &destroy(&device.name())).is_ok());
}

#[test]
fn a_little_plain_text_inside_a_block_that_bears_our_mark() {
    let mut block = vec![0u8; 64 << 10];
    ioproof_target::laid_out::fill((7, 11), 0, &mut block);
    for (length, is_ours) in [(0, true), (40, false), (200, false), (260, false)] {
        let mut block = block.clone();
        block[4096 * 3 + 1030..][..length]
            .copy_from_slice(&b"It was a bright cold day in April, and he wrote it down. ".repeat(5)[..length]);
        let device = Loop::filled(8 * MIB, &[], |image| put(image, 4 * MIB, &block));
        let permit = permit(&device.device, &destroy(&device.name()));
        assert_eq!(permit.is_ok(), is_ours, "{length} bytes");
    }
}
