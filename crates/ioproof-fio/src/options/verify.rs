//! Syncs, and comparing with what was written.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, honoured, no_effect, put, put_some, refused_unless_off, switch};
use super::value::OptionValue;
use crate::settings::{Checksum, JobSettings, OpenSync};

pub(super) const SYNC: &[OptionRow] = &[
    honoured("sync", ValueKind::Word(&["none", "0", "sync", "1", "dsync"]), |s, v| {
        s.syncs.open = match v.text()? {
            "sync" | "1" => OpenSync::Sync,
            "dsync" => OpenSync::Dsync,
            _ => OpenSync::None,
        };
        Ok(())
    })
    .says("How files are opened for writing, O_SYNC or O_DSYNC; `none` by default."),
    approximated("fsync", COUNT, |s, v| put(&mut s.syncs.fsync_every, v.whole_as()))
        .differs("beside sync it is not done, which a note says; with several I/Os outstanding fio 3.33 sends up to a queue of syncs less (libaio) or more (io_uring)")
        .says("fsync(2) after so many writes; 0, none, by default.")
        .only_when(|_| false),
    approximated("fdatasync", COUNT, |s, v| put(&mut s.syncs.fdatasync_every, v.whole_as()))
        .differs("beside sync or fsync it is not done, which a note says")
        .says("fdatasync(2) after so many writes; 0, none, by default.")
        .only_when(|_| false),
    approximated("sync_file_range", ValueKind::Form("wait_before, write, wait_after between commas, `:` and a number"), set_range)
        .differs("the call always waits before, writes and waits after")
        .says("sync_file_range(2) over what was written, after this many writes; none by default."),
    switch("end_fsync", |s| &mut s.syncs.end_fsync).says("fsync(2) when the job ends; 0 by default."),
    approximated("fsync_on_close", ValueKind::Bool, |s, v| put(&mut s.syncs.fsync_on_close, v.bool()))
        .differs("files are closed once, when the job ends, so it is one fsync(2) for each file and clone")
        .says("fsync(2) whenever a file is closed; 0 by default."),
    refused_unless_off("write_barrier", COUNT, "Linux knows no barrier writes since 2.6.37; use fdatasync=N")
        .says("A barrier with every Nth write; 0, none, by default."),
];

fn set_range(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let text = value.text()?;
    let (words, number) = text.split_once(':').ok_or("a number of writes is expected after a colon: write:8")?;
    let every = number.trim().parse().map_err(|_| format!("{number} is no number of writes"))?;
    let is_known = |word: &&str| matches!(word.trim(), "wait_before" | "write" | "wait_after");
    if let Some(other) = words.split(',').find(|word| !is_known(word)) {
        return Err(format!("{} is not known; wait_before, write and wait_after are", other.trim()));
    }
    settings.syncs.range_every = every;
    Ok(())
}

/// All but 0, pattern and null put a checksum into a header.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "0", "md5", "crc64", "crc32", "crc32c-intel", "crc32c", "crc16", "crc7", "sha1", "sha256", "sha512", "sha3-224", "sha3-256",
    "sha3-384", "sha3-512", "xxhash", "meta", "pattern", "null",
];

pub(super) const VERIFY: &[OptionRow] = &[
    approximated("verify", ValueKind::Word(WORDS), set_method)
        .differs("but for pattern, every 512 bytes bear ioproof's own header with seed, offset, sequence number and CRC32C, whichever checksum is asked for: it tells corrupt, \
         misplaced, stale and torn apart (of what an earlier job or run wrote: corrupt and misplaced), but neither program knows the headers of the other; what was \
         written over in part is read back in the pieces that are left, once, after all passes of loops; with null nothing is read back")
        .says("How blocks are known again when they are read back; 0, not at all, by default.")
        .only_when(|s| matches!(s.verify.method, Some(Checksum::Header(_)))),
    switch("do_verify", |s| &mut s.verify.after_writing).says("What a job wrote is read back when it has ended; 1 by default."),
    approximated("verify_only", ValueKind::Flag, |s, v| put(&mut s.verify.only, v.flag()))
        .differs("what is not written is not counted, where fio counts it as written; a file that is not there or shorter than the job fails it, since there is nothing to verify; a job that writes or trims and has no `verify` to go by is refused")
        .says("Nothing is written, what an earlier run wrote is read back."),
    // What verify says, before or after, goes before this.
    approximated("verify_pattern", ValueKind::Pattern, |s, v| {
        if !s.verify.is_named {
            s.verify.method = Some(Checksum::Pattern);
        }
        put_some(&mut s.verify.pattern, v.pattern())
    })
        .differs("without verify it means verify=pattern, where fio writes a header before the pattern; with any method but pattern, blocks carry headers and random data instead, and a note says so")
        .says("What blocks are filled with, `%o` for the block's own offset. A write that was lost is not told where the same pattern stood before.")
        .only_when(|_| false),
    approximated("verify_interval", ValueKind::Whole(80, MOST), |s, v| put_some(&mut s.verify.interval_bytes, v.whole_as()))
        .differs("headers are 512 bytes apart; a pattern has none")
        .says("Distance between two headers, bytes; the block by default."),
    approximated("verify_offset", ValueKind::Whole(40, MOST), |s, v| put(&mut s.verify.header_offset_bytes, v.whole_as()))
        .differs("a header is always the first thing of its 512 bytes")
        .says("Where a header stands in its block, bytes; 0 by default."),
    approximated("verify_fatal", ValueKind::Bool, |s, v| put(&mut s.verify.fatal, v.bool()))
        .differs("what is under way at the first difference is still waited for; without it all is compared before the job ends in error, where fio ends at the first")
        .says("The first difference ends the job; 0 by default."),
    approximated("verify_dump", ValueKind::Bool, |s, v| put(&mut s.verify.dump, v.bool()))
        .differs("the offset and the kind of the first difference are reported, no blocks are saved")
        .says("Blocks that differ are saved to files; 0 by default."),
    no_effect("verify_async", COUNT, "reading back is checked by the thread that reads, fast enough for any drive, and nothing is timed by it")
        .says("Threads that check what was read; 0, the reader itself, by default."),
    no_effect("verify_async_cpus", ValueKind::Cpus, "there are no threads of their own that check").says("CPUs of the threads that check."),
    approximated("verify_backlog", COUNT, |s, v| put_some(&mut s.verify.backlog, v.whole_as()))
        .differs("data is read back when the job has ended")
        .says("Data is read back after this many writes; at the end by default."),
    approximated("verify_backlog_batch", COUNT, |s, v| put_some(&mut s.verify.backlog_batch, v.whole_as()))
        .differs("all that was written is read back when the job has ended")
        .says("How many writes are read back at once; all by default."),
    no_effect("experimental_verify", ValueKind::Bool, "which blocks were written is kept in memory, so nothing is to be replayed")
        .says("Writes are replayed to find what to read back; 0 by default."),
    approximated("verify_state_save", ValueKind::Bool, |s, v| put(&mut s.verify.state_save, v.bool()))
        .differs("fio's files of state are not documented, so ioproof's has a form of its own; it is saved where do_verify=0, since a job that is stopped reads back \
         what it wrote before it ends, and not with ramp_time or over a file that ioproof did not make")
        .says("How far a job came that does not read back is saved in local-NAME-CLONE-verify.state; 1 by default.")
        .only_when(|_| false),
    approximated("verify_state_load", ValueKind::Bool, |s, v| put(&mut s.verify.state_load, v.bool()))
        .differs("states that fio saved are not read; one of another load is refused")
        .says("A job that only verifies goes as far as the state of an earlier one of its name says; 0 by default.")
        .only_when(|s| s.verify.state_load),
];

fn set_method(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    settings.verify.is_named = true;
    settings.verify.method = match value.text()? {
        "0" => None,
        "pattern" => Some(Checksum::Pattern),
        "null" => Some(Checksum::Null),
        text => WORDS.iter().find(|word| **word == text).map(|word| Checksum::Header(word)),
    };
    Ok(())
}

const WHY: &str =
    "written blocks are not trimmed while they are verified; let jobs with rw=write, rw=trim and rw=read follow each other with stonewall";

pub(super) const TRIM: &[OptionRow] = &[
    refused_unless_off("trim_percentage", ValueKind::Whole(0, 100), WHY)
        .says("Share of the written blocks that are trimmed, percent; 0 by default."),
    no_effect("trim_verify_zero", ValueKind::Bool, "it bears on trim_percentage only, which is refused")
        .says("Whether trimmed blocks must read as zeros; 1 by default."),
    refused_unless_off("trim_backlog", COUNT, WHY).says("Blocks are trimmed after so many writes."),
    refused_unless_off("trim_backlog_batch", COUNT, WHY).says("How many blocks are trimmed at once."),
];
