//! Which part of each of its files a clone works on, and how many bytes it moves, once the sizes of the files are known.
//!
//! `size` is of all files of a clone together and divided among them; with an offset it is what follows the offset, so a regular file is made as large as
//! both. Devices, and files without `size`, are used as far as they go. Every rule here was seen by running fio.

pub(super) mod gaps;
mod parts;
mod total;

pub use parts::{Existing, FilePlaces};

use super::settings::{FileSettings, JobSettings, Region};
use super::values::{Amount, Mode, Suffix};
use gaps::loops;
use ioproof_core::job::Span;
use ioproof_core::splitmix;
use total::{beyond, share, total};

/// The places of clone `clone` (from 0) on its files. `seed` draws the sizes of files where `filesize` is a range.
///
/// # Errors
/// When no size can be told, or nothing is left of a file behind the offset.
pub fn places(settings: &JobSettings, clone: u32, existing: &[Existing], seed: u64) -> Result<FilePlaces, String> {
    let JobSettings { region, files, blocks, .. } = settings;
    let least = blocks.least_bytes().max(1);
    let mut places = FilePlaces { spans: Vec::new(), needs_bytes: Vec::new(), total_bytes: 0 };
    let mut asked = 0u64;
    for (at, file) in existing.iter().enumerate() {
        let size_bytes = files.size_bytes.map(|limits| drawn(limits, least, seed, at as u64));
        let offset_bytes = if files.append { end(file)? } else { region.offset_bytes(clone, file.bytes, least) };
        let there_bytes = length(region, files, *file, existing.len() as u64, offset_bytes, size_bytes)?;
        let whole_bytes = match goes_on(settings, file, offset_bytes, there_bytes) {
            Some(bytes) => bytes,
            None => there_bytes / least * least,
        };
        if whole_bytes == 0 {
            return Err(below_a_block(there_bytes, offset_bytes, least));
        }
        let length_bytes = if gaps::passes(settings).is_some() { there_bytes } else { whole_bytes };
        let beyond_bytes = beyond(settings, *file, existing.len() as u64).filter(|_| offset_bytes == 0).unwrap_or(0);
        asked = asked.saturating_add(there_bytes.max(beyond_bytes));
        places.spans.push(Span { offset_bytes, length_bytes });
        places.needs_bytes.push(needed(region, *file, existing.len() as u64, offset_bytes, length_bytes, size_bytes));
    }
    let covered = places.spans.iter().map(|span| span.length_bytes).fold(0, u64::saturating_add);
    let most = gaps::all_bytes(settings, &places, existing).unwrap_or(u64::MAX);
    let capped = capped(region, files, covered.min(asked.max(least).next_multiple_of(least)));
    if capped < least {
        return Err(below_a_block(capped, 0, least));
    }
    places.total_bytes = total(settings, capped, if capped < covered { capped } else { asked }, loops(settings).into()).min(most);
    Ok(places)
}

/// Whole blocks of a file's share, rounded up, where the file goes on behind it: read or written in order fio ends by the size of all files, not of one.
fn goes_on(settings: &JobSettings, file: &Existing, offset_bytes: u64, there_bytes: u64) -> Option<u64> {
    let JobSettings { access, blocks, region, files, .. } = settings;
    let rounded = there_bytes.next_multiple_of(blocks.one_size()?);
    let is_in_order = !access.rw.random && access.rw.mode != Mode::ReadWrite && access.rw.suffix == Suffix::None;
    let is_shared_out = matches!(region.size, Some(Amount::Bytes(_))) && files.size_bytes.is_none() && !file.is_device && !file.is_endless;
    (is_in_order && is_shared_out && file.bytes >= offset_bytes.saturating_add(rounded)).then_some(rounded)
}

fn below_a_block(bytes: u64, offset_bytes: u64, least: u64) -> String {
    let what = format!("{bytes} bytes are to be used{}, and a block has {least}", behind(offset_bytes));
    format!("{what}: make bs= smaller, or size= (or the file) larger")
}

fn behind(offset_bytes: u64) -> String {
    if offset_bytes > 0 { format!(" behind the offset {offset_bytes}") } else { String::new() }
}

/// Where I/O begins that is appended, whatever the offset is.
fn end(file: &Existing) -> Result<u64, String> {
    match file.is_device || file.is_endless {
        true => Err(
            "file_append=1 needs a file that can grow, and this is none: leave it out, or give a part of the device with offset= and size="
                .into(),
        ),
        false => Ok(file.bytes),
    }
}

/// Bytes of a file that are used behind the offset, before they are cut to whole blocks.
fn length(
    region: &Region,
    files: &FileSettings,
    file: Existing,
    count: u64,
    offset_bytes: u64,
    size_bytes: Option<u64>,
) -> Result<u64, String> {
    let there = file.bytes.saturating_sub(offset_bytes);
    // `filesize` is of the file, and what lies before the offset is a part of it.
    let size_bytes = size_bytes.map(|size| if files.append { size } else { size.saturating_sub(offset_bytes) });
    let wanted = match (region.size, size_bytes) {
        (Some(Amount::Bytes(_)), Some(size)) => Some(size),
        (Some(Amount::Bytes(bytes)), None) => Some(bytes / count),
        (Some(Amount::Percent(percent)), _) if files.append => Some(share(file.bytes, percent)),
        (Some(Amount::Percent(percent)), _) => Some(share(file.bytes, percent).min(there)),
        (Some(Amount::Blocks(_)), _) => return Err("sizes in zones need zonemode=zbd and zonesize=".into()),
        (None, size) => size,
    };
    match wanted {
        Some(_) if file.is_device && file.bytes == 0 => {
            Err("the device has no bytes: nothing is attached to it, or no medium is in it".into())
        }
        Some(bytes) if file.is_device => Ok(bytes.min(there)),
        Some(bytes) => Ok(bytes),
        None if file.is_endless => Err("what has no end needs a size= above 0".into()),
        None if files.append => Err("file_append=1 needs size=: how much is appended".into()),
        None if file.bytes == 0 => Err("a file that is not there, or is empty, needs size= or filesize=".into()),
        None => Ok(there),
    }
}

fn needed(region: &Region, file: Existing, count: u64, offset_bytes: u64, length_bytes: u64, size_bytes: Option<u64>) -> u64 {
    let used = offset_bytes.saturating_add(length_bytes);
    if file.is_device || file.is_endless {
        return used;
    }
    let made = match (region.size, size_bytes) {
        (_, Some(size)) => size,
        (Some(Amount::Bytes(bytes)), None) => offset_bytes.saturating_add(bytes / count),
        _ => 0,
    };
    used.max(made)
}

/// Where each file has a size of its own (`filesize`), `size` divides nothing and only ends the clone.
fn capped(region: &Region, files: &FileSettings, covered: u64) -> u64 {
    match region.size {
        Some(Amount::Bytes(bytes)) if files.size_bytes.is_some() => covered.min(bytes),
        _ => covered,
    }
}

/// The size of file `at` of a clone: as likely any between the limits, in whole blocks and at least one, the same in every run with the same seed.
fn drawn((least, most): (u64, u64), block: u64, seed: u64, at: u64) -> u64 {
    if least >= most {
        return least;
    }
    let sizes = u128::from(most - least) + 1;
    let size = least + ((u128::from(splitmix::nth(seed, at)) * sizes) >> 64) as u64;
    (size / block * block).max(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Mode, Rw, Suffix};

    const MIB: u64 = 1 << 20;
    const NEW: Existing = Existing { bytes: 0, is_device: false, is_endless: false };
    const FILE: Existing = Existing { bytes: MIB, ..NEW };
    const DEVICE: Existing = Existing { bytes: MIB, is_device: true, is_endless: false };

    /// Offset and length in each file, size that each must have, bytes in all.
    type Found = (Vec<(u64, u64)>, Vec<u64>, u64);

    fn places_of(change: impl FnOnce(&mut JobSettings), existing: &[Existing]) -> Result<Found, String> {
        let mut settings = JobSettings::default();
        change(&mut settings);
        let places = places(&settings, 0, existing, 7)?;
        let spans = places.spans.iter().map(|s| (s.offset_bytes, s.length_bytes)).collect();
        Ok((spans, places.needs_bytes, places.total_bytes))
    }

    fn bytes(n: u64) -> Option<Amount> {
        Some(Amount::Bytes(n))
    }

    // Each with what fio 3.33 did: the offsets in its logs, the sizes of its files, its count of bytes.
    #[test]
    fn as_fio_does() {
        assert_eq!(places_of(|s| s.region.size = bytes(MIB), &[NEW]), Ok((vec![(0, MIB)], vec![MIB], MIB)));
        let behind = |s: &mut JobSettings| (s.region.size, s.region.offset) = (bytes(MIB), Amount::Bytes(MIB / 2));
        assert_eq!(places_of(behind, &[NEW]), Ok((vec![(MIB / 2, MIB)], vec![MIB * 3 / 2], MIB)));
        assert_eq!(places_of(|s| s.region.offset = Amount::Bytes(MIB / 4), &[FILE]).unwrap().2, MIB * 3 / 4);
        assert_eq!(places_of(|s| s.region.size = Some(Amount::Percent(50)), &[FILE]).unwrap().0, [(0, MIB / 2)]);
        let all_behind = |s: &mut JobSettings| (s.region.size, s.region.offset) = (Some(Amount::Percent(100)), Amount::Bytes(MIB / 2));
        assert_eq!(places_of(all_behind, &[FILE]), Ok((vec![(MIB / 2, MIB / 2)], vec![MIB], MIB / 2)), "a share of a file ends with it");
        assert_eq!(places_of(|s| s.region.io_size = bytes(2 * MIB), &[FILE]).unwrap().2, 2 * MIB);
        assert_eq!(places_of(|s| s.region.size = bytes(MIB), &[NEW; 3]), Ok((vec![(0, 348_160); 3], vec![349_525; 3], 1_044_480)));
        assert_eq!(places_of(|s| s.files.size_bytes = Some((MIB / 4, MIB / 4)), &[NEW; 3]).unwrap().2, MIB * 3 / 4);
        let both = |s: &mut JobSettings| (s.files.size_bytes, s.region.size) = (Some((MIB / 4, MIB / 4)), bytes(MIB / 2));
        assert_eq!(places_of(both, &[NEW; 4]), Ok((vec![(0, MIB / 4); 4], vec![MIB / 4; 4], MIB / 2)));
        let below_a_block = |s: &mut JobSettings| (s.files.size_bytes, s.region.size) = (Some((MIB, MIB)), bytes(4095));
        assert!(places_of(below_a_block, &[NEW]).unwrap_err().starts_with("4095 bytes are to be used, and a block has 4096"));
        let large_blocks = |s: &mut JobSettings| {
            (s.files.size_bytes, s.region.size, s.blocks.size.read) = (Some((4 * MIB, 4 * MIB)), bytes(16 * MIB), 4 * MIB);
            (s.blocks.size.write, s.blocks.size.trim) = (4 * MIB, 4 * MIB);
        };
        assert_eq!(places_of(large_blocks, &[NEW; 8]), Ok((vec![(0, 4 * MIB); 8], vec![4 * MIB; 8], 16 * MIB)));
        // fio 3.33: 100 blocks appended with io_size=200k and loops=2, 256 with 500k and loops=3, 16 with size=64k and io_size=2m.
        let appended = |size: u64, io_size: u64, loops: u32| {
            let change = |s: &mut JobSettings| {
                (s.files.append, s.region.size, s.region.io_size, s.time.loops) = (true, bytes(size), bytes(io_size), loops);
            };
            places_of(change, &[NEW]).unwrap().2 / 4096
        };
        assert_eq!([appended(MIB, 200 << 10, 2), appended(MIB, 500 << 10, 3), appended(64 << 10, 2 * MIB, 1)], [100, 256, 16]);
        let nothing = |s: &mut JobSettings| (s.region.size, s.region.io_size) = (bytes(MIB), Some(Amount::Percent(0)));
        assert_eq!(places_of(nothing, &[NEW]).unwrap().2, MIB, "as if it were not given, which fio does too");
        // fio 3.33 with filesize=1m: 128 blocks and a file of 1 MiB with size=1m and without, 64 with size=256k, 192 of a file of 512 KiB with offset=256k.
        let behind = |size: Option<Amount>, offset: u64, there: u64| {
            let change = |s: &mut JobSettings| {
                (s.files.size_bytes, s.region.size, s.region.offset) = (Some((MIB, MIB)), size, Amount::Bytes(offset));
            };
            places_of(change, &[Existing { bytes: there, ..NEW }]).map(|(_, needs, total)| (needs[0], total / 4096))
        };
        assert_eq!([bytes(MIB), None].map(|size| behind(size, MIB / 2, 0)), [Ok((MIB, 128)), Ok((MIB, 128))]);
        assert_eq!([behind(bytes(MIB / 4), MIB / 2, 0), behind(bytes(4 * MIB), MIB / 4, MIB / 2)], [Ok((MIB, 64)), Ok((MIB, 192))]);
        assert!(behind(None, 2 * MIB, 0).is_err());
        let twice = |s: &mut JobSettings| (s.region.size, s.time.loops) = (bytes(MIB), 2);
        assert_eq!(places_of(twice, &[NEW]).unwrap().2, 2 * MIB);
        let total = |io_size, loops, change: fn(&mut JobSettings)| {
            let change = |s: &mut JobSettings| {
                (s.region.size, s.region.io_size, s.time.loops) = (bytes(4 * MIB), bytes(io_size * MIB), loops);
                change(s);
            };
            places_of(change, &[NEW]).unwrap().2 / MIB
        };
        let randomly = |s: &mut JobSettings| s.access.rw.random = true;
        let freely = |s: &mut JobSettings| (s.access.rw.random, s.random.repeats) = (true, true);
        assert_eq!([(1, 2), (6, 1), (6, 2), (10, 2), (6, 3)].map(|(io, loops)| total(io, loops, randomly)), [2, 6, 8, 12, 12]);
        assert_eq!([(6, 2), (10, 2)].map(|(io, loops)| total(io, loops, freely)), [12, 20]);
        assert_eq!([(6, 2), (10, 2)].map(|(io, loops)| total(io, loops, |_| ())), [8, 12]);
        let large = |s: &mut JobSettings| {
            (s.region.size, s.blocks.size.read, s.blocks.size.write, s.blocks.size.trim) = (bytes(1_024_000), 65536, 65536, 65536)
        };
        assert_eq!(places_of(large, &[NEW]), Ok((vec![(0, 983_040)], vec![1_024_000], 983_040)));
    }

    // fio 3.33 with size=16m on a loop device of 8 MiB: 2048 blocks, 1024 with offset=4m.
    #[test]
    fn a_device_is_used_as_far_as_it_goes() {
        let behind = |offset: u64| move |s: &mut JobSettings| (s.region.size, s.region.offset) = (bytes(2 * MIB), Amount::Bytes(offset));
        assert_eq!(places_of(behind(0), &[DEVICE]), Ok((vec![(0, MIB)], vec![MIB], MIB)));
        assert_eq!(places_of(behind(MIB / 2), &[DEVICE]), Ok((vec![(MIB / 2, MIB / 2)], vec![MIB], MIB / 2)));
    }

    // fio 3.33 there: 4096 blocks with norandommap, randread:8, zipf or read:4k, twice as many with loops=2, and 2048 with a map.
    #[test]
    fn a_pass_without_an_end_is_as_long_as_size_says() {
        let total = |change: fn(&mut JobSettings)| {
            let both = |s: &mut JobSettings| {
                s.region.size = bytes(2 * MIB);
                change(s);
            };
            places_of(both, &[DEVICE]).unwrap().2 / MIB
        };
        let random = |suffix| Rw { mode: Mode::Read, random: true, suffix };
        assert_eq!(total(|s| (s.access.rw.random, s.random.repeats) = (true, true)), 2);
        assert_eq!(total(|s| (s.access.rw.random, s.random.repeats, s.time.loops) = (true, true, 2)), 4);
        assert_eq!(total(|s| s.access.rw.suffix = Suffix::Skip(4096)), 2);
        assert_eq!(
            [Suffix::None, Suffix::Every(8)].map(|suffix| {
                let change = |s: &mut JobSettings| (s.region.size, s.access.rw) = (bytes(2 * MIB), random(suffix));
                places_of(change, &[DEVICE]).unwrap().2 / MIB
            }),
            [1, 2]
        );
    }

    // fio 3.33 with size=64k on files of 1000000, 32768 and 0 bytes.
    #[test]
    fn what_is_appended_begins_at_the_end_of_each_file() {
        let append = |s: &mut JobSettings| {
            (s.files.append, s.region.size, s.region.offset) = (true, bytes(3 * 65536), Amount::Bytes(8192));
            s.time.loops = 2;
        };
        let files = [1_000_000, 32768, 0].map(|bytes| Existing { bytes, ..NEW });
        let expected = (vec![(1_000_000, 65536), (32768, 65536), (0, 65536)], vec![1_065_536, 98304, 65536], 3 * 65536);
        assert_eq!(places_of(append, &files), Ok(expected));
        let words = |size, file| places_of(if size { append } else { |s: &mut JobSettings| s.files.append = true }, &[file]).unwrap_err();
        assert!(words(true, DEVICE).contains("that can grow") && words(false, FILE).contains("how much is appended"));
    }

    // fio 3.33 with size=1m filesize=100k nrfiles=3: three files of 102400 bytes, 75 I/Os.
    #[test]
    fn a_size_of_each_file_below_its_share_of_all_holds() {
        let small = |s: &mut JobSettings| (s.files.size_bytes, s.region.size) = (Some((102_400, 102_400)), bytes(MIB));
        assert_eq!(places_of(small, &[NEW; 3]), Ok((vec![(0, 102_400); 3], vec![102_400; 3], 307_200)));
        assert_eq!(places_of(small, &[NEW]), Ok((vec![(0, 102_400)], vec![102_400], 102_400)));
    }

    // fio 3.33 draws sizes in whole blocks, goes through the files as far as they reach, and ends at size where that comes first.
    #[test]
    fn each_file_has_a_size_of_its_own_between_two_limits() {
        let range = |s: &mut JobSettings| s.files.size_bytes = Some((10_000, 65536));
        let (spans, needs, total) = places_of(range, &[NEW; 200]).unwrap();
        assert!(needs.iter().all(|size| (8192..=65536).contains(size) && size % 4096 == 0), "{needs:?}");
        assert!(needs.contains(&8192) && needs.iter().any(|size| *size >= 61440), "{needs:?}");
        assert_eq!(spans.iter().map(|(_, length)| *length).collect::<Vec<_>>(), needs);
        assert_eq!(total, needs.iter().sum::<u64>());
        assert_eq!(places_of(range, &[NEW; 200]).unwrap().1, needs, "the same in every run");
        let seeds = [1, 2].map(|seed| {
            let mut settings = JobSettings::default();
            range(&mut settings);
            places(&settings, 0, &[NEW; 8], seed).unwrap().needs_bytes
        });
        assert_ne!(seeds[0], seeds[1]);
        let both = |s: &mut JobSettings| (s.files.size_bytes, s.region.size) = (Some((10_000, 65536)), bytes(65536));
        let (ended_spans, ended_needs, ended_total) = places_of(both, &[NEW; 200]).unwrap();
        assert_eq!((ended_spans, ended_needs, ended_total), (spans, needs, 65536));
    }

    // fio 3.33 with rw=read bs=1m on files of 16 MiB: size=16m makes 16 I/Os on three of them, 17m 17, and bs=2m size=9m five on two; randread 15.
    #[test]
    fn in_order_larger_files_are_used_until_the_size_of_all_is_reached() {
        let ios = |size: u64, block: u64, count: usize, random: bool| {
            let mut settings = JobSettings::default();
            settings.region.size = bytes(size * MIB);
            settings.blocks.size = crate::values::PerDirection::all(block * MIB);
            settings.access.rw.random = random;
            places(&settings, 0, &vec![Existing { bytes: 16 * MIB, ..NEW }; count], 1).unwrap().total_bytes / (block * MIB)
        };
        assert_eq!([ios(16, 1, 3, false), ios(17, 1, 3, false), ios(9, 2, 2, false), ios(16, 1, 3, true)], [16, 17, 5, 15]);
    }

    #[test]
    fn what_cannot_be_told_or_does_not_fit_is_said() {
        let words = |change: fn(&mut JobSettings), file: Existing| places_of(change, &[file]).unwrap_err();
        assert!(words(|_| (), NEW).contains("needs size="));
        assert!(words(|_| (), Existing { is_endless: true, ..NEW }).contains("has no end"));
        assert!(words(|s| s.region.size = bytes(2 * MIB), Existing { bytes: 0, ..DEVICE }).contains("nothing is attached"));
        assert!(
            words(|s| (s.region.size, s.region.offset) = (bytes(MIB), Amount::Bytes(2 * MIB)), DEVICE).contains("0 bytes are to be used")
        );
        assert!(words(|s| s.region.offset = Amount::Bytes(MIB), FILE).contains("a block has 4096"));
        assert!(words(|s| s.region.size = bytes(100), NEW).contains("a block has 4096"));
    }
}
