//! The part of the files, how much I/O, and zones.

use super::kind::{COUNT, ValueKind};
use super::row::{OptionRow, approximated, honoured, no_effect, put, put_some, refused_unless_off, switch};
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
    honoured("offset", ValueKind::Amount, |s, v| put(&mut s.region.offset, without_zones(v)))
        .says("Where I/O begins in each file, bytes or a share of it; 0 by default.")
        .or(&["fileoffset"]),
    honoured("offset_increment", ValueKind::Amount, |s, v| put(&mut s.region.offset_increment, without_zones(v)))
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
    let amount = without_zones(value)?;
    *extent = (amount != Amount::Bytes(0)).then_some(amount);
    Ok(())
}

fn without_zones(value: &OptionValue<'_>) -> Result<Amount, String> {
    match value.amount()? {
        Amount::Blocks(_) => Err("sizes in zones need a zoned device, which ioproof does not test; give bytes or a share".into()),
        amount => Ok(amount),
    }
}

fn set_ios(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let ios: u64 = value.whole_as()?;
    settings.region.ios = (ios > 0).then_some(ios);
    Ok(())
}

const WHY: &str = "I/O at the write pointers of a zoned drive is not supported: zonemode=none reads such a drive, and zonemode=strided goes through zones of any other";
const ONLY: &str = "it bears on zonemode=zbd only, which is refused";

pub(super) const ZONES: &[OptionRow] = &[
    approximated("zonemode", ValueKind::Word(&["none", "strided", "zbd"]), |s, v| match v.text()? {
        "zbd" => Err(WHY.into()),
        mode => {
            s.region.zones.strided = mode == "strided";
            Ok(())
        }
    })
        .differs("each file, and of a mixed job each direction, goes through the zones by itself, and those that lie beyond size are left out, where fio goes on to the end of the file or device; random offsets may repeat in a zone, and a job goes on until it has moved all of its size, where fio may end earlier; within zones there are no \
         distributions")
        .says("Whether I/O goes from zone to zone, sequential or random within each; `none` by default. zbd is refused, because write pointers of zoned drives are not followed.")
        .only_when(differs),
    honoured("zonesize", ValueKind::Size(0), |s, v| put(&mut s.region.zones.io_bytes, v.size()))
        .says("Bytes of I/O in a zone before the next one, of zonemode=strided; 0 by default."),
    honoured("zonerange", ValueKind::Size(0), |s, v| put(&mut s.region.zones.range_bytes, v.size()))
        .says("Bytes of a zone, of zonemode=strided; zonesize by default."),
    honoured("zoneskip", ValueKind::Amount, |s, v| match v.amount()? {
        Amount::Bytes(bytes) => put(&mut s.region.zones.skip_bytes, Ok(bytes)),
        _ => Err("give the bytes between two zones; a share of the file means something else in each version of fio".into()),
    })
        .says("Bytes between two zones, of zonemode=strided; 0 by default."),
    refused_unless_off("zonecapacity", ValueKind::Size(0), WHY).says("Bytes of a zone that can be written; 0 by default."),
    no_effect("read_beyond_wp", ValueKind::Bool, ONLY).says("Reads may go beyond what was written of a zone; 0 by default."),
    no_effect("max_open_zones", ValueKind::Whole(0, 4096), ONLY).says("Zones that are written at once by all jobs; 0, no limit, by default."),
    no_effect("job_max_open_zones", ValueKind::Whole(0, 4096), ONLY).says("Zones that are written at once by a clone; 0, no limit, by default."),
    no_effect("ignore_zone_limits", ValueKind::Bool, ONLY).says("The device's own limit is not looked at; 0 by default."),
    no_effect("zone_reset_threshold", ValueKind::Number(0.0, 1.0), ONLY).says("Share of written data above which zones are reset."),
    no_effect("zone_reset_frequency", ValueKind::Number(0.0, 1.0), ONLY).says("How often zones are reset then, for each write."),
];

fn differs(settings: &JobSettings) -> bool {
    let mixed = settings.access.rw.mode == Mode::ReadWrite;
    let files = settings.files.names.len() > 1 || settings.files.count > 1;
    settings.region.zones.strided && (mixed || files || settings.access.rw.random && !settings.random.repeats)
}
