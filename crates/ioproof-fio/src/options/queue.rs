//! The depth of the queue and how it is filled.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, approximated, honoured, put, put_some, refused_with};

pub(super) const ROWS: &[Row] = &[
    honoured(
        "iodepth",
        Kind::Whole(1, MOST),
        "I/Os that are kept outstanding by each clone; 1 by default. Engines of which a call is an I/O keep one. The report's `IO depths`, `submit` and \
         `complete` say what was handed over and taken at once: all that had come, where fio takes one at a time and refills.",
        |s, v| put(&mut s.submission.depth, v.whole_as()),
    ),
    honoured(
        "iodepth_batch",
        COUNT,
        "I/Os that are handed over in one call, 0 as many as there is room for. 1, the default, leaves it to ioproof: as many as there is room for, mostly up to 8; \
         with iodepth_low or iodepth_batch_complete_min it is 1.",
        |s, v| put(&mut s.submission.batch, v.whole_as()),
    )
    .or(&["iodepth_batch_submit"]),
    approximated(
        "iodepth_batch_complete_min",
        COUNT,
        "the queue is filled again when this many have come, but each is taken and timed when it comes, not when the last of them has, so that latencies are shorter; 0 is as 1",
        "Completions that are waited for; 1 by default, 0 looks without waiting.",
        |s, v| put(&mut s.submission.complete_min, v.whole_as()),
    )
    .or(&["iodepth_batch_complete"]),
    approximated(
        "iodepth_batch_complete_max",
        COUNT,
        "completions are taken as they come, however many that are",
        "The most completions that are taken at once; by default as many as the least.",
        |s, v| put_some(&mut s.submission.complete_max, v.whole_as()),
    ),
    honoured(
        "iodepth_low",
        COUNT,
        "The depth below which the queue is filled again; iodepth by default.",
        |s, v| put_some(&mut s.submission.low, v.whole_as()),
    ),
    approximated(
        "serialize_overlap",
        Kind::Bool,
        "I/Os of one clone to the same blocks are never under way at once where each block comes once a pass; with norandommap they may",
        "I/Os that overlap wait for each other; 0 by default.",
        |s, v| put(&mut s.submission.serialize_overlap, v.bool()),
    ),
    refused_with(
        "io_submit_mode",
        Kind::Word(&["inline", "offload"]),
        "I/O is submitted by the thread that asks for it; with rate_process=poisson the response time is measured from when an I/O was due, which is what offload is for",
        "Which thread submits; `inline` by default.",
        |_, v| v.only("inline"),
    ),
];
