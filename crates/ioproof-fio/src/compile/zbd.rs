//! `zonemode=zbd` on a file or a drive without zones: the zones, their write pointers and their resets are the job's own, as in fio. A zoned drive has others,
//! which are not followed; the write rule refuses to write it.

use crate::region::FilePlaces;
use crate::region::gaps::loops;
use crate::settings::{JobSettings, Zbd};
use crate::values::{Amount, Mode};
use ioproof_core::shape::{Order, WrittenZones};
use std::borrow::Cow;

const NO_SIZE: &str = "zonemode=zbd needs zonesize=, the size of zones on a file or a drive without any: the write pointers of a zoned drive are not followed";
const ONLY_READS: &str = "a job that only reads has written nothing to its zones, so that zonemode=zbd leaves it nothing to read (in fio too, where no other job \
                          writes them): set read_beyond_wp=1 to read all of them";
const IN_ZONES: &str = "set zonemode=zbd and zonesize=";

/// The settings with every amount in zones (`2z`) in bytes.
pub(super) fn in_bytes(settings: &JobSettings) -> Result<Cow<'_, JobSettings>, String> {
    let region = settings.region;
    let amounts = [region.size, region.io_size, Some(region.offset), Some(region.offset_increment)];
    let (is_zoned, zone_bytes) = (region.zbd.is_set, region.zones.io_bytes);
    match amounts.into_iter().flatten().find(|amount| matches!(amount, Amount::Blocks(_))) {
        None => return Ok(Cow::Borrowed(settings)),
        Some(_) if !is_zoned || zone_bytes == 0 => return Err(format!("sizes in zones need zones: {IN_ZONES}, or give bytes")),
        Some(_) => {}
    }
    let bytes = |amount| match amount {
        Amount::Blocks(zones) => Amount::Bytes(zones.saturating_mul(zone_bytes)),
        other => other,
    };
    let mut own = settings.clone();
    let region = &mut own.region;
    (region.size, region.io_size) = (region.size.map(bytes), region.io_size.map(bytes));
    (region.offset, region.offset_increment) = (bytes(region.offset), bytes(region.offset_increment));
    Ok(Cow::Owned(own))
}

/// The order of a job in such zones, which without them would go `within` its files.
pub(super) fn order(settings: &JobSettings, within: Order) -> Result<Order, String> {
    let (rw, zones, zbd) = (settings.access.rw, settings.region.zones, settings.region.zbd);
    let (zone_bytes, skip_bytes) = (zones.io_bytes, zones.skip_bytes);
    let capacity_bytes = if zbd.capacity_bytes == 0 { zone_bytes } else { zbd.capacity_bytes };
    let refused = match () {
        () if zone_bytes == 0 => NO_SIZE,
        () if capacity_bytes > zone_bytes => "zonecapacity is larger than zonesize",
        () if !skip_bytes.is_multiple_of(zone_bytes) => "zoneskip is no multiple of zonesize",
        () if rw.mode == Mode::Read && zbd.reads_beyond => return Ok(reads(rw.random, zone_bytes, skip_bytes, within)),
        () if rw.mode == Mode::Read => ONLY_READS,
        () if matches!(rw.mode, Mode::Trim | Mode::TrimWrite) => "zones are not reset by trims: leave out zonemode=zbd",
        () if rw.mode == Mode::ReadWrite && !rw.random => {
            "reads and writes in sequence have no zone of their own with zonemode=zbd: set rw=randrw, or give each a job"
        }
        () if settings.verify.method.is_some() => "what zonemode=zbd writes to zones again and again is not verified: leave out verify=",
        () if !matches!(within, Order::Plain | Order::Free) => {
            "with zonemode=zbd zones are written in sequence or at random, without a number after rw, a distribution or blockalign"
        }
        () => "",
    };
    let written = WrittenZones {
        zone_bytes,
        capacity_bytes,
        skip_bytes: if rw.random { 0 } else { skip_bytes },
        free: within == Order::Free,
        most_open: zbd.most_open(),
        reset_above_ppm: zbd.reset_above_ppm,
        reset_every: zbd.reset_every,
    };
    if refused.is_empty() { Ok(Order::WritePointers(written)) } else { Err(refused.into()) }
}

/// Reads on both sides of the write pointers: nothing tells zones apart but those that are left out.
fn reads(random: bool, zone_bytes: u64, skip_bytes: u64, within: Order) -> Order {
    if random || skip_bytes == 0 { within } else { Order::InZones { range_bytes: zone_bytes, io_bytes: zone_bytes, skip_bytes } }
}

/// Cuts the places to whole zones, as fio does. In sequence a pass ends at the last one's capacity.
pub(super) fn whole_zones(settings: &JobSettings, order: &Order, places: &mut FilePlaces) -> Result<(), String> {
    let Order::WritePointers(zones) = order else { return Ok(()) };
    let zone = zones.zone_bytes;
    let mut of_pass = 0u64;
    for span in &mut places.spans {
        let end = span.offset_bytes.saturating_add(span.length_bytes) / zone * zone;
        let start = span.offset_bytes.div_ceil(zone).saturating_mul(zone);
        if end <= start {
            return Err(format!("no whole zone of {zone} bytes lies in what is to be used: make zonesize= smaller, or size= larger"));
        }
        (span.offset_bytes, span.length_bytes) = (start, end - start);
        let ends_there = !settings.access.rw.random && zones.skip_bytes == 0;
        of_pass = of_pass.saturating_add(if ends_there { (end - start) / zone * zones.capacity_bytes } else { end - start });
    }
    if settings.region.io_size.is_none() {
        places.total_bytes = places.total_bytes.min(of_pass.saturating_mul(loops(settings).into()));
    }
    Ok(())
}

impl Zbd {
    /// `max_open_zones` is of all jobs in fio; here each clone has zones of its own.
    fn most_open(&self) -> u32 {
        [self.open_of_all, self.open_of_job].into_iter().filter(|most| *most > 0).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Compiled, compile};
    use crate::region::Existing;
    use crate::settings::Checksum;
    use crate::values::{Rw, Suffix};
    use ioproof_core::job::{Span, Until};

    const KIB: u64 = 1024;

    /// A job on a file of 256 KiB with zones of 64 KiB.
    fn of(mode: Mode, random: bool, change: impl FnOnce(&mut JobSettings)) -> Result<Compiled, String> {
        let mut settings = JobSettings::default();
        settings.access.rw = Rw { mode, random, suffix: Suffix::None };
        (settings.region.zones.io_bytes, settings.region.zbd.is_set) = (64 * KIB, true);
        change(&mut settings);
        compile(&settings, 0, 1, &[Existing { bytes: 256 * KIB, is_device: mode == Mode::Trim, ..Existing::default() }], 7)
    }

    /// Span and I/Os of 4 KiB, in KiB.
    fn place(random: bool, change: impl FnOnce(&mut JobSettings)) -> (u64, u64, u64) {
        let spec = of(Mode::Write, random, change).unwrap().spec;
        let Until::Bytes(bytes) = spec.until else { panic!("{:?}", spec.until) };
        let Span { offset_bytes, length_bytes } = spec.span;
        (offset_bytes / KIB, length_bytes / KIB, bytes / 4 / KIB)
    }

    fn bytes(kib: u64) -> Amount {
        Amount::Bytes(kib * KIB)
    }

    // Each as fio 3.33 did it on a file of 256 KiB with zonesize=64k.
    #[test]
    fn jobs_are_cut_to_whole_zones() {
        assert_eq!(place(true, |s| s.region.zbd.capacity_bytes = 48 * KIB), (0, 256, 64));
        assert_eq!(place(false, |s| s.region.zbd.capacity_bytes = 48 * KIB), (0, 256, 48));
        assert_eq!(place(false, |s| (s.region.zbd.capacity_bytes, s.time.loops) = (48 * KIB, 2)), (0, 256, 96));
        assert_eq!(place(false, |s| (s.region.zbd.capacity_bytes, s.region.io_size) = (48 * KIB, Some(bytes(256)))), (0, 256, 64));
        assert_eq!(place(false, |s| s.region.zones.skip_bytes = 64 * KIB), (0, 256, 64));
        assert_eq!(place(false, |s| s.region.size = Some(bytes(100))), (0, 64, 16));
        assert_eq!(place(false, |s| (s.region.size, s.region.offset) = (Some(bytes(128)), bytes(20))), (64, 64, 16));
        assert_eq!(place(true, |s| (s.region.size, s.region.io_size) = (Some(bytes(200)), Some(bytes(300)))), (0, 192, 75));
        assert_eq!(place(false, |s| s.region.zones.io_bytes = 60 * KIB), (0, 240, 60));
        let zones = |s: &mut JobSettings| (s.region.size, s.region.offset) = (Some(Amount::Blocks(2)), Amount::Blocks(1));
        assert_eq!(place(false, zones), (64, 128, 32));
        assert!(of(Mode::Write, false, |s| s.region.zones.io_bytes = 512 * KIB).unwrap_err().contains("no whole zone"));
    }

    #[test]
    fn reads_beyond_the_write_pointers_are_plain() {
        let order = |random, skip_kib| {
            let change = |s: &mut JobSettings| (s.region.zbd.reads_beyond, s.region.zones.skip_bytes) = (true, skip_kib * KIB);
            of(Mode::Read, random, change).unwrap().spec.workload.shape.order
        };
        assert_eq!([order(false, 0), order(true, 0), order(true, 64)], [Order::Plain, Order::Plain, Order::Plain]);
        assert_eq!(order(false, 64), Order::InZones { range_bytes: 64 * KIB, io_bytes: 64 * KIB, skip_bytes: 64 * KIB });
    }

    #[test]
    fn limits_and_resets_are_passed_on() {
        let change = |s: &mut JobSettings| {
            s.random.repeats = true;
            let Zbd { open_of_all, open_of_job, reset_above_ppm, reset_every, .. } = &mut s.region.zbd;
            (*open_of_all, *open_of_job, *reset_above_ppm, *reset_every) = (8, 2, 500_000, 4);
        };
        let order = of(Mode::ReadWrite, true, change).unwrap().spec.workload.shape.order;
        let expected = WrittenZones {
            zone_bytes: 64 * KIB,
            capacity_bytes: 64 * KIB,
            skip_bytes: 0,
            free: true,
            most_open: 2,
            reset_above_ppm: 500_000,
            reset_every: 4,
        };
        assert_eq!(order, Order::WritePointers(expected));
    }

    #[test]
    fn what_is_not_done_is_said() {
        let words = |mode, random, change: fn(&mut JobSettings)| of(mode, random, change).unwrap_err();
        let write = |change| words(Mode::Write, false, change);
        assert!(write(|s| s.region.zones.io_bytes = 0).starts_with("zonemode=zbd needs zonesize="));
        assert!(write(|s| s.region.zbd.capacity_bytes = 65 * KIB).contains("larger than zonesize"));
        assert!(write(|s| s.region.zones.skip_bytes = 10 * KIB).contains("no multiple of zonesize"));
        assert!(write(|s| s.verify.method = Some(Checksum::Header("crc32c"))).contains("is not verified"));
        assert!(words(Mode::Read, false, |_| ()).contains("read_beyond_wp=1"));
        assert!(words(Mode::Trim, true, |_| ()).contains("not reset by trims"));
        assert!(words(Mode::ReadWrite, false, |_| ()).contains("set rw=randrw"));
        assert!(words(Mode::Write, true, |s| s.random.random_percent.read = 50).contains("a distribution"));
        assert!(write(|s| (s.region.zbd.is_set, s.region.size) = (false, Some(Amount::Blocks(1)))).contains("sizes in zones need zones"));
    }
}
