//! Recording and replaying I/O.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, no_effect, refused};

const REPLAY: &str = "recorded I/O is not replayed; describe it with rw, bssplit, random_distribution and rate_iops";
const RECORD: &str = "I/O is not recorded for replaying; write_lat_log with log_offset=1 shows each I/O with its time, size and offset";
const ONLY_REPLAY: &str = "it bears on read_iolog only, which is refused";

pub(super) const RECORDED: &[OptionRow] = &[
    refused("write_iolog", ValueKind::Text, RECORD).says("A file that all I/O is recorded in."),
    refused("read_iolog", ValueKind::Text, REPLAY).says("A file of recorded I/O that is replayed."),
    no_effect("read_iolog_chunked", ValueKind::Bool, ONLY_REPLAY).says("The file is read in pieces; 0 by default."),
    no_effect("replay_no_stall", ValueKind::Bool, ONLY_REPLAY).says("I/O is replayed as fast as it goes; 0 by default."),
    no_effect("replay_redirect", ValueKind::Text, ONLY_REPLAY).says("A device that all I/O goes to."),
    no_effect("replay_scale", COUNT, ONLY_REPLAY).says("Offsets are divided by this; 1 by default."),
    no_effect("replay_align", COUNT, ONLY_REPLAY).says("Offsets are made multiples of this, bytes."),
    no_effect("replay_time_scale", ValueKind::Whole(1, MOST), ONLY_REPLAY).says("Times are scaled, percent; 100 by default."),
    no_effect("replay_skip", ValueKind::Text, ONLY_REPLAY).says("Directions that are left out."),
    refused("merge_blktrace_file", ValueKind::Text, REPLAY).says("A file that several recordings are merged into."),
    no_effect("merge_blktrace_scalars", ValueKind::Text, ONLY_REPLAY).says("How times of each are scaled, percent."),
    no_effect("merge_blktrace_iters", ValueKind::Text, ONLY_REPLAY).says("How often each is run."),
];
