//! Content of writes, and where buffers lie.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, flag, honoured, ignored, no_effect, put, put_some, refused_unless_off};
use super::value::OptionValue;
use crate::settings::{JobSettings, MemoryKind};

pub fn is_of_writes(name: &str) -> bool {
    BUFFERS.iter().any(|row| row.name == name)
}

pub(super) const BUFFERS: &[OptionRow] = &[
    flag("zero_buffers", |s| &mut s.buffers.zero).says("Nothing but zeros is written."),
    approximated("refill_buffers", ValueKind::Flag, |s, v| put(&mut s.buffers.refill, v.flag()))
        .differs("every write carries new data from ioproof's own generator; without it each block of 4 KiB is still made different, as with scramble_buffers")
        .says("New data for every write; without it, data is made once and repeated, but where a share is to be compressible or repeated."),
    approximated("scramble_buffers", ValueKind::Bool, |s, v| put(&mut s.buffers.scramble, v.bool()))
        .differs("each 4 KiB that is written carries a mark and a number of its own in any case, so that a drive cannot merge them")
        .says("A few bytes are changed for every write, so that blocks are not alike; 1 by default."),
    approximated("buffer_pattern", ValueKind::Pattern, |s, v| {
        let pattern = v.pattern()?;
        if !pattern.offsets.is_empty() {
            return Err("%o stands for the block's own offset in verify_pattern only".into());
        }
        put_some(&mut s.buffers.pattern, Ok(pattern))
    })
        .differs("beside buffer_compress_percentage (under 100) or dedupe_percentage data is random, and the compressible part of it zeros, where fio puts the pattern there")
        .says("These bytes are written over and over.")
        .only_when(|s| s.buffers.is_mixed()),
    approximated("buffer_compress_percentage", ValueKind::Whole(0, 100), |s, v| put_some(&mut s.buffers.compressible_percent, v.whole_as()))
        .differs("the share holds for each 4 KiB that is written, up to 99 percent")
        .says("Share of the data that a compressor can remove, percent; not asked for by default.")
        .only_when(|s| !s.buffers.zero),
    ignored("buffer_compress_chunk", COUNT, "512")
        .differs("each 4 KiB are compressible to the share that is asked for, whatever the length given here")
        .says("Length of a piece that is compressible to that share, bytes; 512 by default."),
    approximated("dedupe_percentage", ValueKind::Whole(0, 100), |s, v| put_some(&mut s.buffers.duplicate_percent, v.whole_as()))
        .differs("the share counts blocks of 4 KiB, not whole I/Os, up to 99 percent")
        .says("Share of the written blocks that equal another one, percent; not asked for by default."),
    ignored("dedupe_mode", ValueKind::Word(&["repeat", "working_set"]), "repeat")
        .differs("a duplicate repeats another block of the same clone in either mode")
        .says("Which block a duplicate repeats; `repeat`, the last one, by default."),
    ignored("dedupe_working_set_percentage", ValueKind::Whole(0, 100), "5")
        .differs("there is no working set; see dedupe_mode")
        .says("Size of the set that duplicates are taken from, percent of the file; 5 by default."),
    refused_unless_off("dedupe_global", ValueKind::Bool, "clones do not share duplicates; use dedupe_percentage in each job")
        .says("Duplicates are shared among jobs; 0 by default."),
];

pub(super) const MEMORY: &[OptionRow] = &[
    approximated("mem", ValueKind::Form("malloc, shm, shmhuge, mmap, mmaphuge, mmapshared or mmapshared:FILE"), set_kind)
        .differs("buffers always come from mmap(2), in huge pages for shmhuge and mmaphuge; files to map are refused, but for that of mmapshared")
        .says("Where buffers lie; `malloc` by default. mmapshared:FILE has them in an ordinary file, which is made where it is missing and written like any file of a \
         job; each clone needs a file of its own.")
        .or(&["iomem"]),
    ignored("iomem_align", COUNT, "0")
        .differs("buffers begin at pages")
        .says("Alignment of buffers, bytes; by default what the target needs.")
        .or(&["mem_align"]),
    no_effect("hugepage-size", ValueKind::Whole(0, MOST), "the kernel knows the size of its huge pages")
        .says("Length of a huge page, bytes; 2 MiB by default."),
    honoured("lockmem", ValueKind::Size(0), |s, v| put(&mut s.memory.locked_bytes, v.size()))
        .says("Memory of the machine that each clone locks away while it runs, bytes; 0 by default."),
];

fn set_kind(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let text = value.text()?;
    settings.memory.file = text.strip_prefix("mmapshared:").map(str::to_owned);
    settings.memory.kind = match text {
        "mmapshared:" => return Err("mmapshared: needs the name of a file behind the colon".into()),
        _ if settings.memory.file.is_some() => MemoryKind::Plain,
        "malloc" | "shm" | "mmap" | "mmapshared" => MemoryKind::Plain,
        "shmhuge" | "mmaphuge" => MemoryKind::Huge,
        _ if text.starts_with("mmap") && text.contains(':') => return Err("buffers are not mapped from files; leave out the file".into()),
        _ => return Err(format!("{text} is no kind of memory; malloc, shm, shmhuge, mmap, mmaphuge and mmapshared are")),
    };
    Ok(())
}
