//! Traces that filesystems, volume managers, RAID and partition tables leave on a device, by magic numbers at known places.
//!
//! The rows are in `table.rs`, `rare.rs`, `images.rs` and `backups.rs`, what a magic number alone cannot tell is in `check.rs`, and ZFS, whose labels are searched, is in
//! `zfs.rs`. A trace that was half wiped counts: a backup is data too. What no row knows is the business of the guard's clause about
//! unknown content.

mod backups;
mod check;
mod images;
mod rare;
mod table;
mod zfs;

use crate::signs::image::Image;
use std::borrow::Cow;
use std::io;

/// The place of a magic number.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Bytes from the start.
    Start(u64),
    /// The size is rounded down to a multiple of the first number, then the second is taken off.
    End(u64, u64),
    /// `at` bytes into group 1, 3, 5, 7 or 9, where all groups have this size.
    Groups { bytes: u64, at: u64 },
    /// Every `step` bytes from the first on, below a limit from the start.
    Each { first: u64, step: u64, below: u64 },
    /// The start of a part, where all are of equal size: that of the whole in blocks of 4 KiB, divided and rounded up.
    Share { part: u64, of_log2: u32 },
}

impl Place {
    /// Its offsets on a device of this size. Bytes.
    fn offsets(self, size_bytes: u64) -> Vec<u64> {
        match self {
            Self::Start(offset) => vec![offset],
            Self::End(unit, back) => (size_bytes / unit * unit).checked_sub(back).into_iter().collect(),
            Self::Groups { bytes, at } => [1, 3, 5, 7, 9].map(|group| group * bytes + at).to_vec(),
            Self::Each { first, step, below } => (first..below).step_by(step as usize).collect(),
            Self::Share { part, of_log2 } => vec![(size_bytes / 4096).div_ceil(1 << of_log2) * part * 4096],
        }
    }
}

/// Looks closer than the magic number, which lies at the offset given.
type Check = fn(&Image<'_>, u64) -> io::Result<bool>;

/// One row of the table.
#[derive(Clone, Copy)]
struct Signature {
    name: &'static str,
    magics: &'static [&'static [u8]],
    places: &'static [Place],
    check: Option<Check>,
}

/// Usual starts of partitions: sector 34 (the first of a GPT), 63 (DOS), 128 (older Windows) and 2048 (1 MiB). Bytes.
///
/// A wiped partition table leaves the filesystems behind it intact.
const PARTITION_STARTS: [u64; 4] = [34 * 512, 63 * 512, 128 * 512, 2048 * 512];

/// Shorter magic numbers turn up in random data, and partitions begin in the middle of it.
const PARTITION_MAGIC_BYTES: usize = 4;

impl Signature {
    fn found(&self, image: &Image<'_>) -> io::Result<Option<u64>> {
        let size_bytes = image.size_bytes();
        for offset in self.places.iter().flat_map(|place| place.offsets(size_bytes)) {
            if self.matches(image, offset, 1)? {
                return Ok(Some(offset));
            }
        }
        self.found_in_a_partition(image)
    }

    fn found_in_a_partition(&self, image: &Image<'_>) -> io::Result<Option<u64>> {
        let places = self.places.iter().filter(|place| matches!(place, Place::Start(_) | Place::Groups { .. }));
        for place in places.flat_map(|place| place.offsets(image.size_bytes())) {
            for start in PARTITION_STARTS {
                if self.matches(image, start + place, PARTITION_MAGIC_BYTES)? {
                    return Ok(Some(start + place));
                }
            }
        }
        Ok(None)
    }

    fn matches(&self, image: &Image<'_>, offset: u64, shortest: usize) -> io::Result<bool> {
        for magic in self.magics.iter().filter(|magic| magic.len() >= shortest) {
            let same = image.bytes(offset, magic.len())?.is_some_and(|bytes| bytes == *magic);
            if same && self.check.map_or(Ok(true), |check| check(image, offset))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A trace that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Of what: `ext2, ext3 or ext4`; of a member of a ZFS pool also which pool.
    pub name: Cow<'static, str>,
    /// The place of its magic number. Bytes from the start.
    pub offset_bytes: u64,
}

/// All rows.
fn rows() -> impl Iterator<Item = &'static Signature> {
    [table::TABLE, rare::TABLE, images::TABLE, backups::TABLE].into_iter().flatten()
}

/// Every trace, each name once.
pub(crate) fn find(image: &Image<'_>) -> io::Result<Vec<Trace>> {
    let mut traces: Vec<Trace> = Vec::new();
    for row in rows() {
        if traces.iter().any(|t| t.name == row.name) {
            continue;
        }
        traces.extend(row.found(image)?.map(|offset_bytes| Trace { name: row.name.into(), offset_bytes }));
    }
    traces.extend(zfs::find(image)?);
    Ok(traces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signs::image::Source;
    use crate::signs::mark::MARK;

    /// 8 MiB and an odd end, so that rounding shows.
    const SIZE: usize = (8 << 20) + 3 * 512;

    fn names(bytes: &Vec<u8>) -> Vec<Cow<'static, str>> {
        find(&Image::new(bytes).unwrap()).unwrap().into_iter().map(|t| t.name).collect()
    }

    fn with(pieces: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0u8; SIZE];
        for (offset, piece) in pieces {
            bytes[*offset..*offset + piece.len()].copy_from_slice(piece);
        }
        bytes
    }

    #[test]
    fn nothing_is_found_in_zeros_marks_and_tiny_images() {
        assert_eq!(names(&with(&[])), [] as [&str; 0]);
        assert_eq!(names(&vec![0u8; 512]), [] as [&str; 0]);
        assert_eq!(names(&Vec::new()), [] as [&str; 0]);
        let marks: Vec<(usize, &[u8])> = (0..SIZE - 8).step_by(4096).map(|offset| (offset, &MARK[..])).collect();
        assert_eq!(names(&with(&marks)), [] as [&str; 0]);
    }

    #[test]
    fn every_unchecked_row_is_found_at_every_place() {
        for row in rows().filter(|row| row.check.is_none()) {
            for offset in row.places.iter().flat_map(|place| ends(*place, SIZE as u64)).map(|offset| offset as usize) {
                for magic in row.magics {
                    if offset + magic.len() <= SIZE {
                        assert!(names(&with(&[(offset, magic)])).contains(&Cow::from(row.name)), "{} at {offset}", row.name);
                    }
                }
            }
        }
    }

    /// The offsets of a place; of a range of them the first, the second and the last.
    fn ends(place: Place, size_bytes: u64) -> Vec<u64> {
        let all = place.offsets(size_bytes);
        match place {
            Place::Each { .. } => vec![all[0], all[1], all[all.len() - 1]],
            _ => all,
        }
    }

    /// A device of zeros with a few bytes somewhere.
    struct Large(u64, &'static [u8]);

    impl Source for Large {
        fn size_bytes(&self) -> u64 {
            5 << 40
        }

        fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
            let byte = |at: u64| at.checked_sub(self.0).and_then(|at| self.1.get(at as usize)).copied();
            let is_far = offset + length as u64 <= self.0 || offset >= self.0 + self.1.len() as u64;
            Ok(if is_far { vec![0; length] } else { (offset..).take(length).map(|at| byte(at).unwrap_or(0)).collect() })
        }
    }

    #[test]
    fn copies_far_inside_are_found() {
        let far = |place: &Place| ends(*place, 5 << 40).into_iter().filter(|offset| *offset > SIZE as u64).collect::<Vec<_>>();
        let mut copies = 0;
        for row in rows().filter(|row| row.check.is_none()) {
            let inside = row.places.iter().filter(|place| !matches!(place, Place::End(..)));
            for offset in inside.flat_map(far) {
                let found = find(&Image::new(&Large(offset, row.magics[0])).unwrap()).unwrap();
                let trace = Trace { name: row.name.into(), offset_bytes: offset };
                assert!(found.contains(&trace), "{} at {offset}: {found:?}", row.name);
                copies += 1;
            }
        }
        assert!(copies > 20, "only {copies}");
    }

    #[test]
    fn copies_with_a_check_are_found() {
        let end = SIZE / 512 * 512;
        let anchor = b"\x02\0\x03\0\x2c\0\x01\0\x11\x22\xf0\x01\0\x01\0\0";
        let mut anchor = *anchor;
        anchor[4] = anchor.iter().enumerate().filter(|(at, _)| *at != 4).fold(0, |sum: u8, (_, byte)| sum.wrapping_add(*byte));
        for at in
            [256 * 512, 256 * 2048, 256 * 4096, end - 512, end - 257 * 512, SIZE / 2048 * 2048 - 2048, SIZE / 4096 * 4096 - 257 * 4096]
        {
            assert_eq!(names(&with(&[(at, &anchor)])), ["UDF (anchor)"], "at {at}");
        }
        anchor[4] ^= 1;
        assert_eq!(names(&with(&[(end - 512, &anchor)])), [] as [&str; 0], "a sum that is wrong");
        let hfs = [(end - 1024, &b"BD"[..]), (end - 1024 + 20, &b"\0\0\x10\0"[..])];
        assert_eq!(names(&with(&hfs)), ["HFS (backup)"]);
        assert_eq!(names(&with(&hfs[..1])), [] as [&str; 0]);
        let core = [(end - 512 + 8, &b"\x01\0\x10\0"[..]), (end - 512 + 88, &b"CS\x01\0\0\0"[..])];
        assert_eq!(names(&with(&core)), ["Core Storage (backup)"]);
        assert_eq!(names(&with(&core[1..])), [] as [&str; 0]);
    }

    #[test]
    fn a_filesystem_in_a_partition_is_found_without_its_table() {
        for start in PARTITION_STARTS.map(|start| start as usize) {
            let mut ext = vec![0u8; 0x54];
            ext[0x38..0x3a].copy_from_slice(b"\x53\xef");
            assert_eq!(names(&with(&[(start + 1024, &ext)])), ["ext2, ext3 or ext4 in a partition"], "ext4 at {start}");
            assert!(names(&with(&[(start, b"XFSB")])).contains(&Cow::from("XFS")), "XFS at {start}");
            let short = with(&[(start + 510, b"\x55\xaa")]);
            assert_eq!(names(&short), [] as [&str; 0], "two bytes are too few in the middle of random data");
        }
    }

    #[test]
    fn magic_numbers_beyond_the_image_are_not_looked_for() {
        let far = rows().flat_map(|row| row.places).flat_map(|place| place.offsets(SIZE as u64)).filter(|offset| *offset > SIZE as u64);
        assert!(far.count() > 0, "Btrfs has a copy at 64 MiB");
    }

    #[test]
    fn both_ends_of_a_partition_table() {
        assert_eq!(names(&with(&[(512, b"EFI PART")])), ["GPT partition table"]);
        assert_eq!(names(&with(&[(4096, b"EFI PART")])), ["GPT partition table"]);
        assert_eq!(names(&with(&[(SIZE - 512, b"EFI PART")])), ["GPT partition table (backup)"]);
    }

    #[test]
    fn md_metadata_of_all_versions() {
        let magic = 0xa92b_4efcu32;
        for (offset, bytes) in [
            (0, magic.to_le_bytes()),
            (4096, magic.to_le_bytes()),
            (SIZE / 4096 * 4096 - 8192, magic.to_le_bytes()),
            (SIZE / 65_536 * 65_536 - 65_536, magic.to_le_bytes()),
            (SIZE / 65_536 * 65_536 - 65_536, magic.to_be_bytes()),
        ] {
            assert_eq!(names(&with(&[(offset, &bytes)])), ["md RAID"], "at {offset}");
        }
    }

    #[test]
    fn zfs_labels_at_all_four_places_and_in_both_byte_orders() {
        let end = SIZE / (256 << 10) * (256 << 10);
        for label in [0, 256 << 10, end - (512 << 10), end - (256 << 10)] {
            for magic in [0x00ba_b10cu64.to_le_bytes(), 0x00ba_b10cu64.to_be_bytes()] {
                assert_eq!(names(&with(&[(label + (128 << 10) + 5 * 1024, &magic)])), ["ZFS"], "at {label}");
            }
            let list = b"\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\0\0\x24\0\0\0\x20\0\0\0\x07version\0";
            assert_eq!(names(&with(&[(label + (16 << 10), list)])), ["ZFS"], "a list that is cut off, at {label}");
        }
    }

    /// Captured from real devices; `zfs/README.md` says from which.
    const ZFS_LABEL: &[u8] = include_bytes!("zfs/label.bin");
    const ZFS_CACHE: &[u8] = include_bytes!("zfs/label-cache.bin");
    const ZFS_UBERBLOCK: &[u8] = include_bytes!("zfs/uberblock.bin");

    #[test]
    fn real_zfs_labels_tell_the_pool() {
        let end = SIZE / (256 << 10) * (256 << 10);
        for label in [0, 256 << 10, end - (512 << 10), end - (256 << 10)] {
            let at = label + (16 << 10);
            let ring = label + (128 << 10) + 4096;
            assert_eq!(names(&with(&[(at, ZFS_LABEL)])), ["ZFS pool tank"], "at {label}");
            assert_eq!(names(&with(&[(at, ZFS_CACHE)])), ["ZFS cache"], "at {label}");
            assert_eq!(names(&with(&[(ring, ZFS_UBERBLOCK)])), ["ZFS"], "at {label}");
            assert_eq!(names(&with(&[(4096 + (128 << 10), ZFS_UBERBLOCK), (at, ZFS_LABEL)])), ["ZFS pool tank"], "the last list tells");
        }
    }

    #[test]
    fn a_pool_is_not_named_by_what_would_upset_a_terminal() {
        let at = ZFS_LABEL.windows(4).position(|w| w == b"tank").unwrap();
        let mut label = ZFS_LABEL.to_vec();
        label[at..at + 4].copy_from_slice(b"\x1b[2J");
        assert_eq!(names(&with(&[(16 << 10, &label)])), ["ZFS"]);
    }

    #[test]
    fn a_boot_record_counts_unless_our_mark_and_nonsense_stand_before_it() {
        let mut table = with(&[(510, b"\x55\xaa")]);
        assert_eq!(names(&table), ["DOS partition table or boot sector"], "an empty table");
        table[..8].copy_from_slice(&MARK);
        table[446 + 4] = 0x83;
        table[446 + 12] = 8;
        assert_eq!(names(&table), ["DOS partition table or boot sector"], "a table over what we wrote");
        table[446] = 0x17;
        assert_eq!(names(&table), [] as [&str; 0], "random data of ours");
        table[0] = 0;
        assert_eq!(names(&table), ["DOS partition table or boot sector"], "not ours");
    }

    #[test]
    fn short_magic_numbers_need_a_sane_superblock() {
        let ext = [(1024 + 0x38, &b"\x53\xef"[..]), (1024, &[1, 0, 0, 0, 1][..])];
        assert_eq!(names(&with(&ext)), ["ext2, ext3 or ext4"]);
        let nonsense = [(1024 + 0x38, &b"\x53\xef"[..]), (1024 + 0x18, &[0xff; 4][..])];
        assert_eq!(names(&with(&nonsense)), [] as [&str; 0]);
        assert_eq!(names(&with(&[(1024 + 6, b"\x34\x34"), (1024, b"\x02\0\0\0")])), ["NILFS2"]);
        assert_eq!(names(&with(&[(1024 + 6, b"\x34\x34"), (1024, b"\x77\x10\0\0")])), [] as [&str; 0]);
        let minix = [(1024 + 16, &b"\x8f\x13"[..]), (1024 + 4, &b"\x03\0\x05\0"[..])];
        assert_eq!(names(&with(&minix)), ["Minix"]);
    }

    #[test]
    fn checked_rows_of_rare_kinds_need_more_than_two_bytes() {
        let last = SIZE / 512 * 512 - 512;
        let mut via = [0u8; 51];
        via[..4].copy_from_slice(b"\x55\xaa\x01\x07");
        via[50] = via[..50].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        assert_eq!(names(&with(&[(last, &via)])), ["VIA RAID"]);
        via[50] ^= 1;
        assert_eq!(names(&with(&[(last, &via)])), [] as [&str; 0]);
        assert_eq!(names(&with(&[(last, b"JM\x01\x02")])), ["JMicron RAID"]);
        let mut random = vec![0u8; 4096];
        crate::signs::laid_out::fill((1, 1), 0, &mut random);
        random[3584..3586].copy_from_slice(b"JM");
        assert_eq!(names(&with(&[(SIZE - 4096, &random)])), [] as [&str; 0], "our own data");
        random[3584..3588].copy_from_slice(b"JM\x01\0");
        assert_eq!(names(&with(&[(SIZE - 4096, &random)]))[..1], ["JMicron RAID"], "a version of theirs");
        assert_eq!(names(&with(&[(0, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c")])), ["suspended system (TuxOnIce)"]);
        let core = [(8, &b"\x01\0\x10\0"[..]), (88, &b"CS\x01\0\0\0"[..])];
        assert_eq!(names(&with(&core)), ["Core Storage"]);
        assert_eq!(names(&with(&core[1..])), [] as [&str; 0]);
    }

    #[test]
    fn copies_of_superblocks_of_the_usual_geometries() {
        let superblock = |at: usize| [(at + 0x38, &b"\x53\xef"[..]), (at + 0x4c, &b"\x01\0\0\0"[..])];
        assert_eq!(names(&with(&superblock((8 << 20) + 1024)[..0])), [] as [&str; 0]);
        let mut bytes = vec![0u8; 33 << 20];
        for at in [8193 << 10, 3 * (8 << 20) + 1024, 32 << 20] {
            for (offset, piece) in superblock(at) {
                bytes[offset..offset + piece.len()].copy_from_slice(piece);
            }
            assert_eq!(names(&bytes), ["ext2, ext3 or ext4 (backup)"], "at {at}");
            bytes[at..at + 0x60].fill(0);
        }
        let quarter = (SIZE / 4096).div_ceil(4) * 4096;
        for at in [quarter, 2 * quarter, 3 * quarter] {
            assert_eq!(names(&with(&[(at, b"XFSB")])), ["XFS (backup)"], "at {at}");
        }
    }
}
