//! Making, preparing and removing files.

use super::kind::Kind;
use super::row::{Row, approximated, honoured, no_effect, put};
use crate::settings::Fallocate;

pub(super) const ROWS: &[Row] = &[
    honoured(
        "fallocate",
        Kind::Word(&["none", "native", "posix", "keep", "truncate", "0", "1"]),
        "How space is set aside when a file is made; `native` by default.",
        |s, v| {
            s.files.fallocate = match v.text()? {
                "native" => Fallocate::Native,
                "posix" | "1" => Fallocate::Posix,
                "keep" => Fallocate::Keep,
                "truncate" => Fallocate::Truncate,
                _ => Fallocate::None,
            };
            Ok(())
        },
    ),
    honoured(
        "overwrite",
        Kind::Bool,
        "Files are filled before they are written, so that only existing blocks are written; 0 by default.",
        |s, v| put(&mut s.files.overwrite, v.bool()),
    ),
    no_effect(
        "create_serialize",
        Kind::Bool,
        "files are always made one after the other, before any job starts",
        "Whether files are made one after the other; 1 by default.",
    ),
    honoured("create_fsync", Kind::Bool, "Whether a file is synced after it was filled; 1 by default.", |s, v| {
        put(&mut s.files.create_fsync, v.bool())
    }),
    approximated(
        "create_on_open",
        Kind::Bool,
        "files are made before the first job starts: empty where they are only written; files that are read get content, without which fio's job fails",
        "Files are made when I/O comes to them, not before; 0 by default.",
        |s, v| put(&mut s.files.create_on_open, v.bool()),
    ),
    honoured("create_only", Kind::Bool, "Files are made and nothing else is done; 0 by default.", |s, v| {
        put(&mut s.files.create_only, v.bool())
    }),
    honoured("allow_file_create", Kind::Bool, "Whether missing files are made; 1 by default.", |s, v| {
        put(&mut s.files.may_create, v.bool())
    }),
    approximated(
        "allow_mounted_write",
        Kind::Bool,
        "it has no effect: a device that holds a mounted file system is never written to; write to a file on it instead",
        "Whether a device that is mounted may be written to; 0 by default.",
        |s, v| put(&mut s.files.mounted_write, v.bool()),
    ),
    honoured("pre_read", Kind::Bool, "Files are read into the page cache first; 0 by default.", |s, v| {
        s.files.pre_read = v.bool()?;
        s.files.invalidate &= !s.files.pre_read;
        Ok(())
    }),
    approximated(
        "invalidate",
        Kind::Bool,
        "pages are dropped once, before the job begins, and not again before each pass over the files (loops, time_based)",
        "Cached pages of the files are dropped first; 1 by default.",
        |s, v| put(&mut s.files.invalidate, v.bool()),
    ),
    honoured("unlink", Kind::Bool, "Files are removed when the job has ended, those that ioproof made; 0 by default.", |s, v| {
        put(&mut s.files.unlink, v.bool())
    }),
    approximated(
        "unlink_each_loop",
        Kind::Bool,
        "the files stay between the passes, so that each pass but the first writes what is there already",
        "Files are removed after each pass of loops but the last; 0 by default.",
        |s, v| put(&mut s.files.unlink_each_loop, v.bool()),
    )
    .only_when(|s| s.files.unlink_each_loop && s.time.loops > 1),
];
