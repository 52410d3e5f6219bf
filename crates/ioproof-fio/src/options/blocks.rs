//! Sizes of I/Os.

use super::kind::Kind;
use super::row::{Row, approximated, honoured, put, refused_unless_off};
use super::value::Value;
use crate::settings::Settings;
use crate::values::{Distribution, Mode, PerDirection, Suffix, splits};

pub(super) const ROWS: &[Row] = &[
    honoured("bs", Kind::Sizes(1), "Bytes of an I/O: of all, or of reads, writes and trims; 4096 by default.", |s, v| {
        s.blocks.size = v.sizes()?.over(PerDirection::all(4096));
        Ok(())
    })
    .or(&["blocksize"]),
    honoured(
        "bsrange",
        Kind::Ranges,
        "Least and most bytes of an I/O, of which multiples of the least are drawn; it goes before bs. Random I/O comes to each of the least blocks once a pass, for \
         which it is cut short before a block that was visited (see norandommap).",
        set_range,
    )
    .or(&["blocksize_range"]),
    honoured(
        "bssplit",
        Kind::Form("size/percent between colons, lists for reads, writes and trims between commas"),
        "Sizes and the share of each, percent; it goes before bs. Random I/O comes to each of the smallest blocks once a pass, for which it is cut short before a \
         block that was visited (see norandommap).",
        |s, v| {
            s.blocks.splits = splits(v.text()?, v.context)?;
            s.blocks.range = PerDirection::all(None);
            Ok(())
        },
    ),
    refused_unless_off(
        "bs_unaligned",
        Kind::Flag,
        "sizes that are not a multiple of the smallest one are not supported; list them in bssplit",
        "Any size within bsrange; 0 by default.",
    )
    .or(&["blocksize_unaligned"]),
    refused_unless_off(
        "bs_is_seq_rand",
        Kind::Bool,
        "sizes go by direction, not by order; write one job for sequential and one for random I/O",
        "The size for reads is that of sequential I/O, the size for writes that of random I/O; 0 by default.",
    ),
    approximated(
        "ba",
        Kind::Sizes(1),
        "in a job that reads and writes, the value of reads holds for both; with a number after rw or a distribution it is not kept",
        "What random offsets are a multiple of, bytes, counted from where I/O begins; offsets then repeat as with norandommap. The block size by default.",
        |s, v| put(&mut s.blocks.align, v.sizes()),
    )
    .only_when(|s| {
        let align = &s.blocks.align;
        let drawn = s.access.rw.suffix == Suffix::None && s.random.distribution.read == Distribution::Random && s.random.random_percent.read == 100;
        s.access.rw.random && (!drawn || s.access.rw.mode == Mode::ReadWrite && align.read != align.write)
    })
    .or(&["blockalign"]),
];

fn set_range(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    put(&mut settings.blocks.range, value.ranges())?;
    settings.blocks.splits = PerDirection::all(Vec::new());
    Ok(())
}
