//! Name of a job, and the ways in which its values are read and shown.

use super::kind::Kind;
use super::row::{Row, honoured, put_some, refused};

pub(super) const ROWS: &[Row] = &[
    honoured("name", Kind::Text, "Name of the job in reports. On the command line it begins a job.", |s, v| {
        put_some(&mut s.name, v.owned())
    }),
    honoured("description", Kind::Text, "Text that is shown with the job.", |s, v| put_some(&mut s.description, v.owned())),
    honoured(
        "kb_base",
        Kind::Word(&["1024", "1000"]),
        "Bytes of `k` in values and the prefixes that the report prefers; 1024 by default, where `4Ki` is 4096 but `4KiB` is 4000 bytes.",
        |s, v| {
            s.kb_base = if v.text()? == "1000" { 1000 } else { 1024 };
            Ok(())
        },
    ),
    honoured(
        "unit_base",
        Kind::Word(&["0", "8", "1"]),
        "Whether rates in text are in bytes (8) or bits (1); 0, the default, is bytes.",
        |s, v| {
            s.unit_base = v.whole_as()?;
            Ok(())
        },
    ),
    refused(
        "profile",
        Kind::Text,
        "fio's built-in benchmarks are not included; write what they do as jobs",
        "A benchmark that is built into fio.",
    ),
];
