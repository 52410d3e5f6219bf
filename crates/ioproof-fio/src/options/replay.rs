//! Recording and replaying I/O.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, no_effect, refused};

const REPLAY: &str = "recorded I/O is not replayed; describe it with rw, bssplit, random_distribution and rate_iops";
const RECORD: &str = "I/O is not recorded for replaying; write_lat_log with log_offset=1 shows each I/O with its time, size and offset";
const ONLY_REPLAY: &str = "it bears on read_iolog only, which is refused";

pub(super) const RECORDED: &[Row] = &[
    refused("write_iolog", Kind::Text, RECORD).says("A file that all I/O is recorded in."),
    refused("read_iolog", Kind::Text, REPLAY).says("A file of recorded I/O that is replayed."),
    no_effect("read_iolog_chunked", Kind::Bool, ONLY_REPLAY).says("The file is read in pieces; 0 by default."),
    no_effect("replay_no_stall", Kind::Bool, ONLY_REPLAY).says("I/O is replayed as fast as it goes; 0 by default."),
    no_effect("replay_redirect", Kind::Text, ONLY_REPLAY).says("A device that all I/O goes to."),
    no_effect("replay_scale", COUNT, ONLY_REPLAY).says("Offsets are divided by this; 1 by default."),
    no_effect("replay_align", COUNT, ONLY_REPLAY).says("Offsets are made multiples of this, bytes."),
    no_effect("replay_time_scale", Kind::Whole(1, MOST), ONLY_REPLAY).says("Times are scaled, percent; 100 by default."),
    no_effect("replay_skip", Kind::Text, ONLY_REPLAY).says("Directions that are left out."),
    refused("merge_blktrace_file", Kind::Text, REPLAY).says("A file that several recordings are merged into."),
    no_effect("merge_blktrace_scalars", Kind::Text, ONLY_REPLAY).says("How times of each are scaled, percent."),
    no_effect("merge_blktrace_iters", Kind::Text, ONLY_REPLAY).says("How often each is run."),
];
