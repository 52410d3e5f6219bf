//! The depth of the queue and how it is filled.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, approximated, honoured, put, put_some, refused_with};

pub(super) const ROWS: &[Row] = &[
    honoured(
        "iodepth",
        Kind::Whole(1, MOST),
        "I/Os that are kept outstanding by each clone; 1 by default. Engines of which a call is an I/O keep one.",
        |s, v| put(&mut s.submission.depth, v.whole_as()),
    ),
    approximated(
        "iodepth_batch",
        COUNT,
        "all I/Os that the depth leaves room for are handed over in one call, as many as have come back",
        "I/Os that are handed over in one call; 1 by default, 0 as many as there is room for.",
        |s, v| put(&mut s.submission.batch, v.whole_as()),
    )
    .or(&["iodepth_batch_submit"]),
    approximated(
        "iodepth_batch_complete_min",
        COUNT,
        "one completion is waited for and all that have come are taken",
        "Completions that are waited for; 1 by default, 0 looks without waiting.",
        |s, v| put(&mut s.submission.complete_min, v.whole_as()),
    )
    .or(&["iodepth_batch_complete"]),
    approximated(
        "iodepth_batch_complete_max",
        COUNT,
        "all completions that have come are taken at once",
        "Completions that are taken at once; as the least by default.",
        |s, v| put_some(&mut s.submission.complete_max, v.whole_as()),
    ),
    approximated(
        "iodepth_low",
        COUNT,
        "the queue is filled again as soon as there is room",
        "The depth below which the queue is filled again; iodepth by default.",
        |s, v| put_some(&mut s.submission.low, v.whole_as()),
    ),
    approximated(
        "serialize_overlap",
        Kind::Bool,
        "I/Os of one clone to the same blocks never are under way together where each block comes once a pass; with norandommap they may",
        "I/Os that overlap wait for each other; 0 by default.",
        |s, v| put(&mut s.submission.serialize_overlap, v.bool()),
    ),
    refused_with(
        "io_submit_mode",
        Kind::Word(&["inline", "offload"]),
        "I/O is submitted by the thread that asks for it; with rate_iops the response time is measured from when an I/O was due, which is what offload is for",
        "Which thread submits; `inline` by default.",
        |_, v| v.only("inline"),
    ),
];
