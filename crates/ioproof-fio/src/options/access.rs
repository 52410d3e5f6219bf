//! Directions and order.

use super::kind::Kind;
use super::row::{Row, honoured, no_effect, put, refused_unless_off};
use super::value::Value;
use crate::settings::{Sequencer, Settings};
use crate::values::{Mode, rw};

pub(super) const ROWS: &[Row] = &[
    honoured(
        "rw",
        Kind::Form("read, write, trim, randread, randwrite, randtrim, rw, readwrite or randrw, `:` and a number"),
        "Directions and order; `read` by default. A number after a random order lets so many I/Os follow each other, after a sequential one it is the \
         gap after each, a multiple of 512 bytes. A gap below 0 goes backwards. A job with gaps ends where the gap leads past the end of a part of a file; over whole \
         files it goes on from the start until size is done, unless an I/O ends exactly where the file does. trimwrite and randtrimwrite are refused; trims are for devices, as in \
         fio, and refused on files.",
        set_rw,
    )
    .or(&["readwrite"]),
    honoured(
        "rw_sequencer",
        Kind::Word(&["sequential", "identical"]),
        "Whether the number of a random rw repeats a block or goes on to the next; `sequential` by default.",
        |s, v| {
            s.access.sequencer = if v.text()? == "identical" { Sequencer::Identical } else { Sequencer::Sequential };
            Ok(())
        },
    ),
    honoured("rwmixread", Kind::Whole(0, 100), "Share of reads where reads and writes are mixed, percent; 50 by default.", |s, v| put(&mut s.access.read_percent, v.whole_as())),
    honoured("rwmixwrite", Kind::Whole(0, 100), "Share of writes where reads and writes are mixed, percent; 50 by default.", |s, v| {
        s.access.read_percent = 100u8.saturating_sub(v.whole_as()?);
        Ok(())
    }),
    honoured("direct", Kind::Bool, "Past the page cache (O_DIRECT); 0 by default.", |s, v| put(&mut s.access.direct, v.bool())),
    honoured("buffered", Kind::Bool, "Through the page cache, the opposite of direct; 1 by default.", |s, v| {
        s.access.direct = !v.bool()?;
        Ok(())
    }),
    refused_unless_off("atomic", Kind::Bool, "Linux never had O_ATOMIC; direct=1 with sync=dsync makes each write durable", "Atomic I/O past the page cache; 0 by default."),
    honoured(
        "fadvise_hint",
        Kind::Word(&["0", "1", "random", "sequential"]),
        "What the kernel is told about the order of buffered I/O; 1, the default, is what rw says.",
        |s, v| put(&mut s.access.advice, v.owned()),
    ),
    no_effect(
        "write_hint",
        Kind::Word(&["none", "short", "medium", "long", "extreme"]),
        "since Linux 5.18 the kernel keeps such hints from drives",
        "How long written data is expected to live; `none` by default.",
    ),
];

fn set_rw(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let asked = rw(value.text()?, value.context)?;
    if asked.mode == Mode::TrimWrite {
        return Err(
            "blocks are not trimmed and then written by one job; let a job with rw=trim run before one with rw=write and stonewall".into(),
        );
    }
    settings.access.rw = asked;
    Ok(())
}
