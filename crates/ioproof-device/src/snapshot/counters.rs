//! The kernel's counters of one block device: `/sys/block/DISK/stat`, for a partition `/sys/block/DISK/PART/stat`.
//!
//! The fields are described in `Documentation/block/stat.rst`. Pure but for [`BlockStat::read`]; `snapshot` gathers a stack of them.

use crate::identify::SECTOR_BYTES;
use crate::sysfs_device::SysfsDevice;
use ioproof_core::record::DeviceCounters;

/// The fields of `stat` that a record keeps, since the device was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BlockStat {
    pub(crate) read_ios: u64,
    /// In units of 512 bytes, whatever the logical block is.
    pub(crate) read_sectors: u64,
    pub(crate) write_ios: u64,
    pub(crate) write_sectors: u64,
    /// Kernels before 5.5 do not count flushes; partitions never do.
    pub(crate) flush_ios: u64,
    /// Time with at least one request under way; kept by the kernel in 32 bits.
    pub(crate) busy_ms: u64,
    pub(crate) read_merges: u64,
    pub(crate) write_merges: u64,
    /// These three are kept by the kernel in 32 bits, as `busy_ms` is.
    pub(crate) read_wait_ms: u64,
    pub(crate) write_wait_ms: u64,
    pub(crate) queued_ms: u64,
}

impl BlockStat {
    /// The counters of the device; `None` where it has none. A namespace of a multipath subsystem counts nothing itself before Linux 6.5 (drivers/nvme/host/multipath.c), but each
    /// of its paths does.
    pub(crate) fn read(device: &SysfsDevice) -> Option<Self> {
        let read = |folder: &str| Self::parse(&device.system.sys_text(&format!("{folder}/stat"))?);
        let own = read(&device.own)?;
        if own != Self::default() || device.own != device.disk {
            return Some(own);
        }
        let paths = device.nvme_paths();
        Some(paths.iter().filter_map(|path| read(&format!("block/{path}"))).fold(own, Self::beside))
    }

    /// The counts of two ways to one drive. Of times that pass on both at once the longer stands.
    fn beside(self, other: Self) -> Self {
        Self {
            read_ios: self.read_ios.wrapping_add(other.read_ios),
            read_sectors: self.read_sectors.wrapping_add(other.read_sectors),
            write_ios: self.write_ios.wrapping_add(other.write_ios),
            write_sectors: self.write_sectors.wrapping_add(other.write_sectors),
            flush_ios: self.flush_ios.wrapping_add(other.flush_ios),
            busy_ms: self.busy_ms.max(other.busy_ms),
            read_merges: self.read_merges.wrapping_add(other.read_merges),
            write_merges: self.write_merges.wrapping_add(other.write_merges),
            read_wait_ms: self.read_wait_ms.wrapping_add(other.read_wait_ms),
            write_wait_ms: self.write_wait_ms.wrapping_add(other.write_wait_ms),
            queued_ms: self.queued_ms.wrapping_add(other.queued_ms),
        }
    }

    /// One line of 11 numbers, 15 since Linux 4.18 (discards), 17 since 5.5 (flushes).
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let fields: Vec<u64> = line.split_whitespace().map(|field| field.parse().ok()).collect::<Option<_>>()?;
        if fields.len() < 11 {
            return None;
        }
        let flush_ios = fields.get(15).copied().unwrap_or(0);
        Some(Self {
            read_ios: fields[0],
            read_merges: fields[1],
            read_sectors: fields[2],
            read_wait_ms: fields[3],
            write_ios: fields[4],
            write_merges: fields[5],
            write_sectors: fields[6],
            write_wait_ms: fields[7],
            busy_ms: fields[9],
            queued_ms: fields[10],
            flush_ios,
        })
    }

    /// Counts since `earlier`.
    pub(crate) fn since(&self, earlier: &Self, name: &str, is_drive: bool) -> DeviceCounters {
        let span_ns = |from: u64, to: u64| u64::from((to as u32).wrapping_sub(from as u32)) * 1_000_000;
        DeviceCounters {
            name: name.to_owned(),
            is_drive,
            read_ios: advance(earlier.read_ios, self.read_ios),
            read_bytes: advance(earlier.read_sectors, self.read_sectors).saturating_mul(SECTOR_BYTES),
            write_ios: advance(earlier.write_ios, self.write_ios),
            write_bytes: advance(earlier.write_sectors, self.write_sectors).saturating_mul(SECTOR_BYTES),
            flush_ios: advance(earlier.flush_ios, self.flush_ios),
            busy_ns: span_ns(earlier.busy_ms, self.busy_ms),
            read_merges: advance(earlier.read_merges, self.read_merges),
            write_merges: advance(earlier.write_merges, self.write_merges),
            read_wait_ns: span_ns(earlier.read_wait_ms, self.read_wait_ms),
            write_wait_ns: span_ns(earlier.write_wait_ms, self.write_wait_ms),
            queued_ns: span_ns(earlier.queued_ms, self.queued_ms),
        }
    }
}

/// Difference of two readings of a counter, which is an `unsigned long` of the kernel: where it wrapped, and both readings fit in 32 bits, it did so there.
fn advance(from: u64, to: u64) -> u64 {
    match (u32::try_from(from), u32::try_from(to)) {
        (Ok(from), Ok(to)) => u64::from(to.wrapping_sub(from)),
        _ => to.wrapping_sub(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE_11: &str = "   48361     7311  4419170    36486     8495    12348  1041872     3085        0    20216    39981";

    #[test]
    fn lines_of_all_kernels() {
        let old = BlockStat {
            read_ios: 48361,
            read_merges: 7311,
            read_sectors: 4_419_170,
            read_wait_ms: 36486,
            write_ios: 8495,
            write_merges: 12348,
            write_sectors: 1_041_872,
            write_wait_ms: 3085,
            flush_ios: 0,
            busy_ms: 20216,
            queued_ms: 39981,
        };
        assert_eq!(BlockStat::parse(LINE_11), Some(old));
        assert_eq!(BlockStat::parse(&format!("{LINE_11} 3621 32 230000 359")), Some(old));
        let new = BlockStat { flush_ios: 853, ..old };
        assert_eq!(BlockStat::parse(&format!("{LINE_11} 3621 32 230000 359 853 50\n")), Some(new));
    }

    #[test]
    fn a_cut_or_foreign_line_is_none() {
        assert_eq!(BlockStat::parse("1 2 3 4 5 6 7 8 9 10"), None);
        assert_eq!(BlockStat::parse(&LINE_11.replace("8495", "-1")), None);
        assert_eq!(BlockStat::parse(""), None);
    }

    #[test]
    fn a_namespace_of_several_paths_counts_what_its_paths_do() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, stat: &str| {
            let place = folder.path().join("sys/block").join(name);
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("stat"), stat).unwrap();
        };
        let read = || {
            let system = ioproof_target::System::captured(folder.path());
            let stat = BlockStat::read(&SysfsDevice::find(&system, "nvme3n1")).unwrap();
            (stat.read_ios, stat.read_sectors, stat.busy_ms)
        };
        write("nvme3n1", "0 0 0 0 0 0 0 0 0 0 0");
        assert_eq!(read(), (0, 0, 0));
        write("nvme3c3n1", "1 0 8 0 0 0 0 0 0 20 0");
        write("nvme3c4n1", "2 0 16 0 0 0 0 0 0 30 0");
        write("nvme3c3n2", "5 0 5 0 0 0 0 0 0 50 0");
        write("nvme33c3n1", "5 0 5 0 0 0 0 0 0 50 0");
        assert_eq!(read(), (3, 24, 30));
        write("nvme3n1", "9 0 72 0 0 0 0 0 0 40 0");
        assert_eq!(read(), (9, 72, 40), "kernels that count it itself");
    }

    #[test]
    fn sectors_become_bytes_and_milliseconds_nanoseconds() {
        let later =
            BlockStat { read_ios: 3, read_sectors: 16, write_ios: 2, write_sectors: 8, flush_ios: 1, busy_ms: 5, ..BlockStat::default() };
        let counters = later.since(&BlockStat::default(), "sda", true);
        assert_eq!((counters.read_ios, counters.read_bytes, counters.write_ios, counters.write_bytes), (3, 8192, 2, 4096));
        assert_eq!((counters.flush_ios, counters.busy_ns), (1, 5_000_000));
        assert_eq!((counters.name.as_str(), counters.is_drive), ("sda", true));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}|([0-9]{1,22}[ \n]{1,3}){0,20}") {
            if let Some(stat) = BlockStat::parse(&text) {
                let _ = stat.since(&BlockStat::default(), "x", false);
                let _ = BlockStat::default().since(&stat, "x", false);
            }
        }

        #[test]
        fn a_written_line_is_read_back(fields in proptest::collection::vec(any::<u64>(), 17)) {
            let line = fields.iter().map(u64::to_string).collect::<Vec<_>>().join("  ");
            let stat = BlockStat::parse(&line).unwrap();
            prop_assert_eq!([stat.read_ios, stat.read_sectors], [fields[0], fields[2]]);
            prop_assert_eq!([stat.write_ios, stat.write_sectors], [fields[4], fields[6]]);
            prop_assert_eq!([stat.busy_ms, stat.flush_ios], [fields[9], fields[15]]);
        }

        #[test]
        fn an_advance_survives_a_wrap_of_64_bits(from in (u64::MAX - 1000)..=u64::MAX, by in 0_u64..2000) {
            prop_assert_eq!(advance(from, from.wrapping_add(by)), by);
        }

        #[test]
        fn an_advance_survives_a_wrap_of_32_bits(from in any::<u32>(), by in any::<u32>()) {
            prop_assert_eq!(advance(from.into(), from.wrapping_add(by).into()), u64::from(by));
        }

        #[test]
        fn busy_time_survives_its_wrap(from in any::<u32>(), by in any::<u32>()) {
            let at = |busy_ms: u32| BlockStat { busy_ms: busy_ms.into(), ..BlockStat::default() };
            prop_assert_eq!(at(from.wrapping_add(by)).since(&at(from), "x", true).busy_ns, u64::from(by) * 1_000_000);
        }
    }
}
