//! The part of the files that is used, and how much I/O there is.

use super::kind::{COUNT, Kind};
use super::row::{Row, approximated, honoured, put, put_some};
use super::value::Value;
use crate::settings::Settings;
use crate::values::Amount;

pub(super) const ROWS: &[Row] = &[
    honoured(
        "size",
        Kind::Amount,
        "Bytes of all files of a clone together, or a share of what is there; all that is there by default.",
        |s, v| set_extent(&mut s.region.size, v),
    ),
    honoured(
        "io_size",
        Kind::Amount,
        "Bytes of I/O of a clone, or a share of size, which may be more or less than that; the same as size by default.",
        |s, v| set_extent(&mut s.region.io_size, v),
    )
    .or(&["io_limit"]),
    approximated(
        "filesize",
        Kind::Range,
        "the sizes are drawn from the same range by another generator than fio's, so each file has another of them",
        "Bytes of each file; of two, each file has a size between them. size divided among the files by default.",
        |s, v| put_some(&mut s.files.size_bytes, v.range()),
    )
    .only_when(|s| s.files.size_bytes.is_some_and(|(least, most)| least < most)),
    honoured("offset", Kind::Amount, "Where I/O begins in each file, bytes or a share of it; 0 by default.", |s, v| {
        put(&mut s.region.offset, without_zones(v))
    })
    .or(&["fileoffset"]),
    honoured("offset_increment", Kind::Amount, "What each clone adds to the offset, times its number from 0; 0 by default.", |s, v| {
        put(&mut s.region.offset_increment, without_zones(v))
    }),
    honoured(
        "offset_align",
        COUNT,
        "What an offset is rounded up to that was given as a share, bytes; 0, the default, is the smallest block.",
        |s, v| put(&mut s.region.offset_align_bytes, v.whole_as()),
    ),
    honoured(
        "number_ios",
        Kind::Whole(0, i64::MAX),
        "The job ends after this many I/Os, as often as loops says; 0, the default, is no limit.",
        set_ios,
    ),
    approximated(
        "fill_device",
        Kind::Bool,
        "a job ends at the end of the device, of its size, or where there is no space; files are not made larger than size until a file system is full",
        "Writes until there is no more space; 0 by default.",
        |s, v| put(&mut s.files.fill_device, v.bool()),
    )
    .or(&["fill_fs"]),
    honoured(
        "file_append",
        Kind::Bool,
        "I/O begins at the end of each file, whatever offset says, and size, which must be given, is what the files grow by; 0 by default.",
        |s, v| put(&mut s.files.append, v.bool()),
    ),
];

fn set_extent(extent: &mut Option<Amount>, value: &Value<'_>) -> Result<(), String> {
    let amount = without_zones(value)?;
    *extent = (amount != Amount::Bytes(0)).then_some(amount);
    Ok(())
}

fn without_zones(value: &Value<'_>) -> Result<Amount, String> {
    match value.amount()? {
        Amount::Blocks(_) => Err("sizes in zones need a zoned device, which ioproof does not test; give bytes or a share".into()),
        amount => Ok(amount),
    }
}

fn set_ios(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let ios: u64 = value.whole_as()?;
    settings.region.ios = (ios > 0).then_some(ios);
    Ok(())
}
