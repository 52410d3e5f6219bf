//! Recording and replaying I/O.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, honoured, no_effect, put, put_some, refused, switch};
use super::value::OptionValue;
use crate::settings::{JobSettings, ReplaySkip};

const MERGE: &str = "logs are not merged; give each job a read_iolog of its own, or merge them with another program";
const ONLY_MERGE: &str = "it bears on merge_blktrace_file only, which is refused";

pub(super) const RECORDED: &[OptionRow] = &[
    approximated("write_iolog", ValueKind::Text, |s, v| put_some(&mut s.replay.record, v.owned()))
        .differs("the log is written when the job has ended, with the first 8,000,000 I/Os of a clone; clones that share a file stand in it one after the other, \
         and files are added, opened and closed once")
        .says("A file that all I/O is recorded in, ramp included, in version 3 of fio's format. It grows where an earlier run wrote it.")
        .only_when(|s| s.start.clones > 1),
    approximated("read_iolog", ValueKind::Files, |s, v| put(&mut s.replay.logs, v.files()))
        .differs("a line that cannot be read refuses the job, where fio passes over it; files that the log names must also be named by filename=, --overwrite or \
         --overwrite-all-in, or be redirected; a file is made before the job, as long as what is written to it")
        .says("Logs of recorded I/O (fio's versions 2 and 3, blktrace's binary form), which are replayed in the place of all that rw, bs, size and filename ask for; \
         clones take them in turn. Of version 2, `wait` is milliseconds from the start, as fio 3.33 takes it.")
        .only_when(|_| false),
    no_effect("read_iolog_chunked", ValueKind::Bool, "a log is read whole before the job, up to 256 MiB").says("The file is read in pieces; 0 by default."),
    switch("replay_no_stall", |s| &mut s.replay.no_stall).says("I/O is replayed as fast as it goes; 0 by default."),
    honoured("replay_redirect", ValueKind::Text, |s, v| put_some(&mut s.replay.redirect, v.owned())).says("A file or device that all I/O goes to."),
    honoured("replay_scale", ValueKind::Whole(1, MOST), |s, v| put(&mut s.replay.scale, v.whole_as())).says("Offsets are divided by this; 1 by default."),
    honoured("replay_align", COUNT, set_align).says("Offsets are rounded down to multiples of this power of two, bytes; by default they stay."),
    honoured("replay_time_scale", ValueKind::Whole(1, MOST), |s, v| put(&mut s.replay.time_percent, v.whole_as()))
        .says("How fast time goes, percent: 200 is twice as fast; 100 by default. As in fio it bears on version 3 and on blktrace."),
    approximated("replay_skip", ValueKind::Text, set_skip)
        .differs("kinds are left out of logs of fio's as well, where fio 3.33 leaves them out of blktrace's alone")
        .says("Kinds of I/O that are left out: read, write, trim, sync, between commas."),
    refused("merge_blktrace_file", ValueKind::Text, MERGE).says("A file that several recordings are merged into."),
    no_effect("merge_blktrace_scalars", ValueKind::Text, ONLY_MERGE).says("How times of each are scaled, percent."),
    no_effect("merge_blktrace_iters", ValueKind::Text, ONLY_MERGE).says("How often each is run."),
];

fn set_align(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let bytes: u64 = value.whole_as()?;
    if bytes > 0 && !bytes.is_power_of_two() {
        return Err(format!("{bytes} is no power of two"));
    }
    settings.replay.align_bytes = bytes;
    Ok(())
}

fn set_skip(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let mut skip = ReplaySkip::default();
    for word in value.text()?.split(',').map(str::trim) {
        match word {
            "read" => skip.reads = true,
            "write" => skip.writes = true,
            "trim" => skip.trims = true,
            "sync" => skip.syncs = true,
            other => return Err(format!("{other:?} is no kind of I/O; read, write, trim and sync are")),
        }
    }
    settings.replay.skip = skip;
    Ok(())
}
