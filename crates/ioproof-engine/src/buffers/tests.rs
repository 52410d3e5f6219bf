//! Content of the buffers when a write is handed over, as a drive that compresses or removes duplicates would see it.

use super::*;
use ioproof_core::shape::Fill;
use ioproof_target::mark::MARK;
use std::collections::{HashMap, HashSet};

fn data(fill: Fill, compressible_percent: u8, duplicate_percent: u8) -> Data {
    Data { fill, compressible_percent, duplicate_percent, ..Data::default() }
}

fn buffers(slots: usize, largest_bytes: usize, data: &Data) -> Buffers {
    Buffers::new(slots, largest_bytes, false, true, data, false, 1).unwrap()
}

/// Everything that `writes` writes put on the drive, over all slots in turn.
fn written(buffers: &mut Buffers, slots: u32, bytes: u32, writes: u64) -> Vec<u8> {
    let mut all = Vec::new();
    for number in 0..writes {
        let slot = number as u32 % slots;
        buffers.prepare(slot, bytes, number * u64::from(bytes), number);
        all.extend_from_slice(buffers.write_part(slot, bytes).0);
    }
    all
}

/// Share of the bytes that are in runs of four zeros or more. Percent.
fn zeros_percent(bytes: &[u8]) -> f64 {
    let runs = bytes.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter(|run| run[0] == 0 && run.len() >= 4);
    runs.map(<[u8]>::len).sum::<usize>() as f64 * 100.0 / bytes.len() as f64
}

/// Shannon's entropy of single bytes. Bits a byte.
fn entropy_bits(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let shares = counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / bytes.len() as f64);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

/// Share of the blocks that equal another one, and the number of different contents among these. Percent.
fn duplicates(bytes: &[u8], block_bytes: usize) -> (f64, usize) {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    bytes.chunks(block_bytes).for_each(|block| *counts.entry(block).or_default() += 1);
    let several = counts.values().filter(|n| **n > 1);
    (several.clone().sum::<usize>() as f64 * 100.0 / bytes.chunks(block_bytes).count() as f64, several.count())
}

#[test]
fn every_4_kib_of_random_and_fresh_data_is_marked_and_different() {
    for (fill, bytes) in [(Fill::Random, 16384), (Fill::Fresh, 16384), (Fill::Random, 512), (Fill::Fresh, 512)] {
        let mut buffers = buffers(3, 16384, &data(fill, 0, 0));
        let all = written(&mut buffers, 3, bytes, 100);
        let chunks: Vec<&[u8]> = all.chunks(bytes.min(4096) as usize).collect();
        assert!(chunks.iter().all(|c| c.starts_with(&MARK)));
        assert_eq!(chunks.iter().collect::<HashSet<_>>().len(), chunks.len());
    }
}

#[test]
fn what_is_not_to_compress_does_not() {
    for fill in [Fill::Random, Fill::Fresh] {
        let mut buffers = buffers(2, 65536, &data(fill, 0, 0));
        let all = written(&mut buffers, 2, 65536, 2);
        assert!(entropy_bits(&all) > 7.99 && zeros_percent(&all) < 0.2, "{} bits", entropy_bits(&all));
        let words: HashSet<&[u8]> = all.chunks(8).collect();
        let marks = all.len() / 4096;
        assert_eq!(words.len() + marks, all.len() / 8 + 1, "no eight bytes come twice but the mark");
    }
}

#[test]
fn the_compressible_share_is_zeros_and_the_rest_is_random() {
    for (fill, percent) in [(Fill::Random, 25), (Fill::Random, 90), (Fill::Fresh, 1), (Fill::Fresh, 50), (Fill::Fresh, 99)] {
        for bytes in [4096, 6144, 65536] {
            let mut buffers = buffers(2, 65536, &data(fill.clone(), percent, 0));
            let all = written(&mut buffers, 2, bytes, 40);
            let zeros = zeros_percent(&all);
            assert!((zeros - f64::from(percent)).abs() < 2.0, "{fill:?}: {zeros} % in place of {percent} % in {bytes} bytes");
            let first: Vec<u8> =
                all[..bytes as usize].chunks(512).flat_map(|piece| &piece[..512 - 512 * usize::from(percent) / 100]).copied().collect();
            let odd = first.iter().filter(|b| **b % 2 == 1).count() as f64 / first.len() as f64;
            assert!(first.len() < 1000 || (entropy_bits(&first) > 7.7 && (odd - 0.5).abs() < 0.05), "{} bits", entropy_bits(&first));
        }
    }
}

#[test]
fn small_blocks_compress_as_much_as_large_ones() {
    for percent in [25, 50, 95] {
        let all = written(&mut buffers(2, 4096, &data(Fill::Random, percent, 0)), 2, 512, 40);
        assert!((zeros_percent(&all) - f64::from(percent)).abs() < 2.0, "{percent} %");
    }
}

#[test]
fn the_duplicate_share_is_of_few_contents_and_the_rest_is_unique() {
    for (fill, percent, bytes) in
        [(Fill::Random, 30, 4096), (Fill::Random, 80, 16384), (Fill::Fresh, 50, 4096), (Fill::Fresh, 99, 4096), (Fill::Fresh, 10, 512)]
    {
        let mut buffers = buffers(7, 16384, &data(fill, 0, percent));
        let all = written(&mut buffers, 7, bytes, 40_000_000 / 4096 * 512 / u64::from(bytes.max(512)));
        let (share, contents) = duplicates(&all, bytes.min(4096) as usize);
        assert!((share - f64::from(percent)).abs() < 2.0, "{share} % in place of {percent} %");
        assert!(contents <= 32, "{contents} contents");
        assert!(all.chunks(4096).all(|c| c.starts_with(&MARK)));
    }
}

#[test]
fn duplicate_and_compressible_shares_go_together() {
    let all = written(&mut buffers(3, 4096, &data(Fill::Random, 50, 40)), 3, 4096, 5000);
    assert!((zeros_percent(&all) - 50.0).abs() < 2.0);
    assert!((duplicates(&all, 4096).0 - 40.0).abs() < 2.0);
}

#[test]
fn the_same_seed_and_numbers_make_the_same_data_and_another_seed_other() {
    for fill in [Fill::Random, Fill::Fresh] {
        let data = data(fill, 0, 30);
        let make = |seed| written(&mut Buffers::new(2, 4096, false, true, &data, false, seed).unwrap(), 2, 4096, 100);
        assert_eq!(make(5), make(5));
        let (five, six) = (make(5), make(6));
        assert!(five.chunks(4096).all(|block| six.chunks(4096).all(|other| block != other)));
    }
}

#[test]
fn fresh_data_is_new_with_every_write_and_random_data_is_that_of_its_slot() {
    let bodies = |fill| {
        let all = written(&mut buffers(1, 4096, &data(fill, 0, 0)), 1, 4096, 2);
        (all[16..4096].to_vec(), all[4112..].to_vec())
    };
    let (first, second) = bodies(Fill::Random);
    assert_eq!(first, second);
    let (first, second) = bodies(Fill::Fresh);
    assert!(first.chunks(8).zip(second.chunks(8)).all(|(a, b)| a != b));
}

#[test]
fn zeros_and_a_pattern_stay_as_they_are() {
    let mut zeros = buffers(2, 8192, &data(Fill::Zero, 0, 0));
    assert!(written(&mut zeros, 2, 8192, 4).iter().all(|b| *b == 0));
    let pattern = [1, 2, 3, 4, 5];
    let mut repeated = buffers(2, 8192, &data(Fill::Pattern(pattern.into()), 0, 0));
    for block in written(&mut repeated, 2, 8192, 4).chunks(8192) {
        assert!(block.iter().enumerate().all(|(i, b)| *b == pattern[i % 5]));
    }
    let mut none = buffers(1, 4096, &data(Fill::Pattern(Vec::new()), 0, 0));
    assert!(written(&mut none, 1, 4096, 1).iter().all(|b| *b == 0));
}

#[test]
fn blocks_that_are_no_multiple_of_anything_do_not_hurt() {
    for fill in [Fill::Random, Fill::Fresh] {
        let mut buffers = buffers(2, 5000, &data(fill, 33, 50));
        for (bytes, number) in [(5000, 1), (4097, 2), (1, 3), (0, 4)] {
            buffers.prepare(1, bytes, 512, number);
            buffers.prepare_checked(1, bytes, 512, 1, 1);
        }
    }
}

#[test]
fn blocks_that_have_no_room_for_a_mark_differ_too() {
    let all = written(&mut buffers(1, 8, &data(Fill::Random, 0, 0)), 1, 8, 1000);
    let blocks: HashSet<&[u8]> = all.chunks(8).collect();
    assert_eq!(blocks.len(), 1000);
}

#[test]
fn a_mix_reads_into_other_memory_than_it_writes_from() {
    let buffers = Buffers::new(4, 512, true, true, &Data::default(), false, 1).unwrap();
    let parts: Vec<_> = (0..4).flat_map(|s| [buffers.write_at(s) as usize, buffers.read_at(s) as usize]).collect();
    for (i, a) in parts.iter().enumerate() {
        assert!(parts[i + 1..].iter().all(|b| a.abs_diff(*b) >= 512));
    }
    let region = buffers.as_iovec();
    let (start, end) = (region.iov_base as usize, region.iov_base as usize + region.iov_len);
    assert!(parts.iter().all(|p| (start..=end - 512).contains(p)));
    assert_eq!(buffers.read_part(3, 512), [0; 512]);
}

#[test]
fn notes_are_of_huge_pages_only() {
    let of = |huge_pages| Buffers::new(1, 4096, true, true, &Data::default(), huge_pages, 1).unwrap().notes();
    assert_eq!(of(false), Vec::<String>::new());
    assert!(of(true).iter().all(|note| note.starts_with("huge pages: ")));
}
