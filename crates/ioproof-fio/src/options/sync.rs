//! Syncs and flags that make writes durable.

use super::kind::{COUNT, Kind};
use super::row::{Row, approximated, honoured, put, refused_unless_off};
use super::value::Value;
use crate::settings::{OpenSync, RangeSync, Settings};

pub(super) const ROWS: &[Row] = &[
    honoured(
        "sync",
        Kind::Word(&["none", "0", "sync", "1", "dsync"]),
        "How files are opened for writing, O_SYNC or O_DSYNC; `none` by default.",
        |s, v| {
            s.syncs.open = match v.text()? {
                "sync" | "1" => OpenSync::Sync,
                "dsync" => OpenSync::Dsync,
                _ => OpenSync::None,
            };
            Ok(())
        },
    ),
    approximated(
        "fsync",
        COUNT,
        "beside sync it is not done, which a note says",
        "fsync(2) after so many writes; 0, none, by default.",
        |s, v| put(&mut s.syncs.fsync_every, v.whole_as()),
    )
    .only_when(|_| false),
    approximated(
        "fdatasync",
        COUNT,
        "beside sync or fsync it is not done, which a note says",
        "fdatasync(2) after so many writes; 0, none, by default.",
        |s, v| put(&mut s.syncs.fdatasync_every, v.whole_as()),
    )
    .only_when(|_| false),
    approximated(
        "sync_file_range",
        Kind::Form("wait_before, write, wait_after between commas, `:` and a number"),
        "the call always waits before, writes and waits after",
        "sync_file_range(2) over what was written, after this many writes; none by default.",
        set_range,
    ),
    honoured("end_fsync", Kind::Bool, "fsync(2) when the job ends; 0 by default.", |s, v| put(&mut s.syncs.end_fsync, v.bool())),
    approximated(
        "fsync_on_close",
        Kind::Bool,
        "files are closed once, when the job ends, so it is one fsync(2) for each file and clone",
        "fsync(2) whenever a file is closed; 0 by default.",
        |s, v| put(&mut s.syncs.fsync_on_close, v.bool()),
    ),
    refused_unless_off(
        "write_barrier",
        COUNT,
        "Linux knows no barrier writes since 2.6.37; use fdatasync=N",
        "A barrier with every Nth write; 0, none, by default.",
    ),
];

fn set_range(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let text = value.text()?;
    let (words, number) = text.split_once(':').ok_or("a number of writes is expected after a colon: write:8")?;
    let every = number.trim().parse().map_err(|_| format!("{number} is no number of writes"))?;
    let mut range = RangeSync { wait_before: false, write: false, wait_after: false, every };
    for word in words.split(',') {
        match word.trim() {
            "wait_before" => range.wait_before = true,
            "write" => range.write = true,
            "wait_after" => range.wait_after = true,
            other => return Err(format!("{other} is not known; wait_before, write and wait_after are")),
        }
    }
    settings.syncs.range = (every > 0).then_some(range);
    Ok(())
}
