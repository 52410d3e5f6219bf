//! The part of the files, how much I/O, and zones.

use super::kind::{COUNT, ValueKind};
use super::row::{OptionRow, approximated, honoured, no_effect, put, put_some, switch};
use super::value::OptionValue;
use crate::settings::JobSettings;
use crate::values::{Amount, Mode};

pub(super) const REGION: &[OptionRow] = &[
    honoured("size", ValueKind::Amount, |s, v| set_extent(&mut s.region.size, v))
        .says("Bytes of all files of a clone together, or a share of what is there; all that is there by default."),
    honoured("io_size", ValueKind::Amount, |s, v| set_extent(&mut s.region.io_size, v))
        .says("Bytes of I/O of a clone, or a share of size, which may be more or less than that; the same as size by default.")
        .or(&["io_limit"]),
    approximated("filesize", ValueKind::Range, |s, v| put_some(&mut s.files.size_bytes, v.range()))
        .differs("the sizes are drawn from the same range by another generator than fio's, so each file has another of them")
        .says("Bytes of each file; of two, each file has a size between them. size divided among the files by default.")
        .only_when(|s| s.files.size_bytes.is_some_and(|(least, most)| least < most)),
    honoured("offset", ValueKind::Amount, |s, v| put(&mut s.region.offset, v.amount()))
        .says("Where I/O begins in each file, bytes or a share of it; 0 by default.")
        .or(&["fileoffset"]),
    honoured("offset_increment", ValueKind::Amount, |s, v| put(&mut s.region.offset_increment, v.amount()))
        .says("What each clone adds to the offset, times its number from 0; 0 by default."),
    honoured("offset_align", COUNT, |s, v| put(&mut s.region.offset_align_bytes, v.whole_as()))
        .says("What an offset is rounded up to that was given as a share, bytes; 0, the default, is the smallest block."),
    honoured("number_ios", ValueKind::Whole(0, i64::MAX), set_ios)
        .says("The job ends after this many I/Os, as often as loops says; 0, the default, is no limit."),
    approximated("fill_device", ValueKind::Bool, |s, v| put(&mut s.files.fill_device, v.bool()))
        .differs("a job ends at the end of the device, of its size, or where there is no space; files are not made larger than size until a file system is full")
        .says("Writes until there is no more space; 0 by default.")
        .or(&["fill_fs"]),
    switch("file_append", |s| &mut s.files.append)
        .says("I/O begins at the end of each file, whatever offset says, and size, which must be given, is what the files grow by; 0 by default."),
];

fn set_extent(extent: &mut Option<Amount>, value: &OptionValue<'_>) -> Result<(), String> {
    let amount = value.amount()?;
    *extent = (amount != Amount::Bytes(0)).then_some(amount);
    Ok(())
}

fn set_ios(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let ios: u64 = value.whole_as()?;
    settings.region.ios = (ios > 0).then_some(ios);
    Ok(())
}

pub(super) const ZONES: &[OptionRow] = &[
    approximated("zonemode", ValueKind::Word(&["none", "strided", "zbd"]), |s, v| {
        let mode = v.text()?;
        (s.region.zones.strided, s.region.zbd.is_set) = (mode == "strided", mode == "zbd");
        Ok(())
    })
        .differs("with strided each file, and of a mixed job each direction, goes through the zones by itself, and those that lie beyond size are left out, where fio goes on to the end of the file or device; random offsets may repeat in a zone, and a job goes on until it has moved all of its size, where fio may end earlier; within zones there are no \
         distributions. With zbd, on a file or a drive without zones, each clone keeps write pointers of its own, where in fio all clones share them, and reads go anywhere until something was written; zones that were reset are not counted in the report, and zoned drives are not written")
        .says("Whether I/O goes from zone to zone: strided, sequential or random within each; zbd, writes at the write pointer of each, from the start of one that is full; `none` by default.")
        .only_when(differs),
    honoured("zonesize", ValueKind::Size(0), |s, v| put(&mut s.region.zones.io_bytes, v.size()))
        .says("Of zonemode=strided bytes of I/O in a zone before the next one, of zonemode=zbd bytes of a zone, which it needs; 0 by default."),
    honoured("zonerange", ValueKind::Size(0), |s, v| put(&mut s.region.zones.range_bytes, v.size()))
        .says("Bytes of a zone, of zonemode=strided; zonesize by default."),
    honoured("zoneskip", ValueKind::Amount, |s, v| match v.amount()? {
        Amount::Bytes(bytes) => put(&mut s.region.zones.skip_bytes, Ok(bytes)),
        _ => Err("give the bytes between two zones; a share of the file means something else in each version of fio".into()),
    })
        .says("Bytes between two zones, of zonemode=strided and of sequential I/O with zbd; 0 by default."),
    honoured("zonecapacity", ValueKind::Size(0), |s, v| put(&mut s.region.zbd.capacity_bytes, v.size()))
        .says("Bytes of a zone that can be written, of zonemode=zbd; zonesize by default."),
    honoured("read_beyond_wp", ValueKind::Bool, |s, v| put(&mut s.region.zbd.reads_beyond, v.bool()))
        .says("Reads may go beyond what was written of a zone, of zonemode=zbd; 0 by default."),
    approximated("max_open_zones", ValueKind::Whole(0, 4096), |s, v| put(&mut s.region.zbd.open_of_all, v.whole_as()))
        .differs("the limit is of each clone, where fio's is of all jobs; of the zones that are open another one is written than in fio where no more may be opened")
        .says("Zones that are written at once; 0, no limit, by default."),
    honoured("job_max_open_zones", ValueKind::Whole(0, 4096), |s, v| put(&mut s.region.zbd.open_of_job, v.whole_as()))
        .says("Zones that are written at once by a clone; 0, no limit, by default."),
    no_effect("ignore_zone_limits", ValueKind::Bool, "a drive without zones has no limit").says("The device's own limit is not looked at; 0 by default."),
    honoured("zone_reset_threshold", ValueKind::Number(0.0, 1.0), |s, v| put(&mut s.region.zbd.reset_above_ppm, v.number().map(millionths)))
        .says("Share of the blocks with data from which on zones are reset before they are full, of zonemode=zbd; 0 by default."),
    honoured("zone_reset_frequency", ValueKind::Number(0.0, 1.0), |s, v| put(&mut s.region.zbd.reset_every, v.number().map(writes_a_reset)))
        .says("How often zones are reset then, for each write; 0, never, by default."),
];

fn millionths(share: f64) -> u32 {
    (share * 1e6).round() as u32
}

fn writes_a_reset(resets_a_write: f64) -> u32 {
    if resets_a_write > 0.0 { (1.0 / resets_a_write).round().min(f64::from(u32::MAX)) as u32 } else { 0 }
}

fn differs(settings: &JobSettings) -> bool {
    let mixed = settings.access.rw.mode == Mode::ReadWrite;
    let files = settings.files.names.len() > 1 || settings.files.count > 1;
    settings.region.zbd.is_set || settings.region.zones.strided && (mixed || files || settings.access.rw.random && !settings.random.repeats)
}
