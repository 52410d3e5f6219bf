//! Access: directions, order, sizes of I/Os, and the part of the files.

use crate::values::{Amount, BlockSplit, Distribution, Mode, PerDirection, Rw, Suffix};

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Access {
        pub rw: Rw = Rw { mode: Mode::Read, random: false, suffix: Suffix::None },
        /// `rwmixread`, or 100 less `rwmixwrite`: share of reads where reads and writes are mixed. Percent.
        pub read_percent: u8 = 50,
        pub sequencer: Sequencer = Sequencer::Sequential,
        pub direct: bool = false,
        /// `fadvise_hint`, as typed; `1` is what `rw` says.
        pub advice: String = "1".into(),
    }
}

impl Access {
    pub fn changes_data(&self) -> bool {
        self.rw.mode != Mode::Read
    }

    pub fn writes(&self) -> bool {
        !matches!(self.rw.mode, Mode::Read | Mode::Trim)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequencer {
    Sequential,
    Identical,
}

settings! {
    /// Sizes of I/Os. Where `splits` of a direction are given they hold, else its `range`, else its `size`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Blocks {
        pub size: PerDirection<u64> = PerDirection::all(4096),
        pub range: PerDirection<Option<(u64, u64)>> = PerDirection::all(None),
        /// `bssplit`: sizes and their shares; an empty list: none.
        pub splits: PerDirection<Vec<BlockSplit>> = PerDirection::all(Vec::new()),
        /// `blockalign`: what random offsets are a multiple of, bytes; `None`: the block size.
        pub align: PerDirection<Option<u64>> = PerDirection::all(None),
    }
}

impl Blocks {
    pub fn mean_bytes(&self) -> PerDirection<u64> {
        let one = |size: u64, range: Option<(u64, u64)>, splits: &[BlockSplit]| {
            let sum = splits.iter().map(|split| split.bytes.saturating_mul(split.percent.into())).fold(0, u64::saturating_add);
            let split = (sum > 0).then(|| sum / splits.iter().map(|split| u64::from(split.percent)).sum::<u64>().max(1));
            split.or(range.map(|(least, most)| least.midpoint(most))).unwrap_or(size)
        };
        let Self { size, range, splits, .. } = self;
        PerDirection {
            read: one(size.read, range.read, &splits.read),
            write: one(size.write, range.write, &splits.write),
            trim: one(size.trim, range.trim, &splits.trim),
        }
    }

    /// Size of every I/O, where all directions have the same one. Bytes.
    pub fn one_size(&self) -> Option<u64> {
        let Self { size, range, splits, .. } = self;
        let ranges = [range.read, range.write, range.trim].iter().any(Option::is_some);
        let varies = ranges || [&splits.read, &splits.write, &splits.trim].iter().any(|splits| !splits.is_empty());
        (!varies && size.read == size.write && size.read == size.trim).then_some(size.read)
    }

    pub fn least_bytes(&self) -> u64 {
        let one = |size: u64, range: Option<(u64, u64)>, splits: &[BlockSplit]| {
            let split = splits.iter().map(|split| split.bytes).min();
            split.or(range.map(|(least, _)| least)).unwrap_or(size)
        };
        let Self { size, range, splits, .. } = self;
        let read = one(size.read, range.read, &splits.read);
        read.min(one(size.write, range.write, &splits.write)).min(one(size.trim, range.trim, &splits.trim))
    }
}

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct RandomSettings {
        pub distribution: PerDirection<Distribution> = PerDirection::all(Distribution::Random),
        pub random_percent: PerDirection<u8> = PerDirection::all(100),
        /// `norandommap`: offsets may repeat; without it each block comes once a pass.
        pub repeats: bool = false,
        pub map_optional: bool = false,
        pub generator: Generator = Generator::Tausworthe,
        pub same_offsets: bool = true,
        pub same_everything: bool = false,
        /// `randseed`; `None`: as `randrepeat` says.
        pub seed: Option<u64> = None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// A generator with a map of the blocks that were used.
    Tausworthe,
    /// One that visits each block once without a map.
    Lfsr,
    Tausworthe64,
}

settings! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Region {
        /// `size`: of all files together; `None`: as large as they are.
        pub size: Option<Amount> = None,
        /// `io_size`: how much I/O; a share is one of `size`; `None`: as much as `size`.
        pub io_size: Option<Amount> = None,
        pub offset: Amount = Amount::Bytes(0),
        /// `offset_increment`: what each clone adds to the offset, times its number from 0.
        pub offset_increment: Amount = Amount::Bytes(0),
        /// `offset_align`: what an offset that was given as a share is rounded up to, bytes; 0: the smallest block.
        pub offset_align_bytes: u64 = 0,
        /// `number_ios`: the job ends after so many I/Os; `None`: no limit.
        pub ios: Option<u64> = None,
        pub zones: Zones = Zones::default(),
        pub zbd: Zbd = Zbd::default(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zones {
    pub strided: bool,
    pub io_bytes: u64,
    /// `zonerange`: length of a zone; 0: `zonesize`. Bytes.
    pub range_bytes: u64,
    pub skip_bytes: u64,
}

/// Zones of `zonemode=zbd`; their size is [`Zones::io_bytes`], and [`Zones::skip_bytes`] lie between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zbd {
    pub is_set: bool,
    /// `zonecapacity`: what can be written of a zone; 0: all. Bytes.
    pub capacity_bytes: u64,
    /// `read_beyond_wp`.
    pub reads_beyond: bool,
    /// `max_open_zones` and `job_max_open_zones`: zones that are begun and not full; 0: no limit.
    pub open_of_all: u32,
    pub open_of_job: u32,
    /// `zone_reset_threshold`: share of data from which on zones are reset. Parts per million.
    pub reset_above_ppm: u32,
    /// `zone_reset_frequency`, as the number of writes from one reset to the next; 0: none.
    pub reset_every: u32,
}

impl Region {
    /// Where the clone `clone`, from 0, begins in a file of `file_bytes`. Where a share is part of it, it is rounded up to `offset_align`, or without it to
    /// `least_block_bytes`. Bytes.
    pub fn offset_bytes(&self, clone: u32, file_bytes: u64, least_block_bytes: u64) -> u64 {
        let bytes = |amount: Amount| match amount {
            Amount::Bytes(bytes) => bytes,
            Amount::Percent(percent) => share(file_bytes, percent),
            Amount::Blocks(_) => 0,
        };
        let offset = bytes(self.offset).saturating_add(bytes(self.offset_increment).saturating_mul(u64::from(clone)));
        if ![self.offset, self.offset_increment].iter().any(|amount| matches!(amount, Amount::Percent(_))) {
            return offset;
        }
        let align = if self.offset_align_bytes > 0 { self.offset_align_bytes } else { least_block_bytes.max(1) };
        offset.div_ceil(align).saturating_mul(align)
    }
}

fn share(bytes: u64, percent: u8) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The offsets that fio 3.33 logged for such jobs: fixed ones, and shares of a file of 1 MiB with blocks of 4 KiB.
    #[test]
    fn clones_begin_one_increment_apart() {
        let region = Region { offset: Amount::Bytes(4096), offset_increment: Amount::Bytes(8192), ..Region::default() };
        assert_eq!([0, 1].map(|clone| region.offset_bytes(clone, 1 << 20, 4096)), [4096, 12288]);
    }

    #[test]
    fn shares_are_rounded_up_to_blocks_or_as_asked_for() {
        let at = |region: Region| [0, 1, 2].map(|clone| region.offset_bytes(clone, 1 << 20, 4096));
        let mut region = Region { offset: Amount::Percent(33), ..Region::default() };
        assert_eq!(at(region)[0], 348_160);
        region.offset_align_bytes = 65536;
        region.offset_increment = Amount::Percent(10);
        assert_eq!(at(region), [393_216, 458_752, 589_824]);
        let region = Region { offset: Amount::Percent(10), offset_increment: Amount::Bytes(5000), ..Region::default() };
        assert_eq!(at(region), [106_496, 110_592, 118_784]);
        let region =
            Region { offset: Amount::Bytes(5000), offset_increment: Amount::Bytes(3000), offset_align_bytes: 65536, ..Region::default() };
        assert_eq!(at(region), [5000, 8000, 11000], "only shares are rounded");
    }

    #[test]
    fn the_smallest_block_is_found_in_every_way_of_saying_sizes() {
        let mut blocks = Blocks { size: PerDirection { read: 8192, write: 4096, trim: 8192 }, ..Blocks::default() };
        assert_eq!(blocks.least_bytes(), 4096);
        blocks.range.write = Some((16384, 65536));
        assert_eq!(blocks.least_bytes(), 8192);
        blocks.splits.trim = vec![BlockSplit { bytes: 512, percent: 100 }];
        assert_eq!(blocks.least_bytes(), 512);
    }
}
