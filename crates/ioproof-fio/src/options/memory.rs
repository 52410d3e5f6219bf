//! Where buffers lie.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, approximated, honoured, no_effect, put};
use super::value::Value;
use crate::settings::{MemoryKind, Settings};

pub(super) const ROWS: &[Row] = &[
    approximated(
        "mem",
        Kind::Form("malloc, shm, shmhuge, mmap, mmaphuge or mmapshared"),
        "buffers always come from mmap(2), in huge pages for shmhuge and mmaphuge; a file to map is refused",
        "Where buffers lie; `malloc` by default.",
        set_kind,
    )
    .or(&["iomem"]),
    approximated(
        "iomem_align",
        COUNT,
        "buffers begin at pages",
        "Alignment of buffers, bytes; by default what the target needs.",
        |s, v| put(&mut s.memory.align_bytes, v.whole_as()),
    )
    .or(&["mem_align"]),
    no_effect(
        "hugepage-size",
        Kind::Whole(0, MOST),
        "the kernel knows the size of its huge pages",
        "Length of a huge page, bytes; 2 MiB by default.",
    ),
    honoured("lockmem", Kind::Size(0), "Memory of the machine that each clone locks away while it runs, bytes; 0 by default.", |s, v| {
        put(&mut s.memory.locked_bytes, v.size())
    }),
];

fn set_kind(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let text = value.text()?;
    settings.memory.kind = match text {
        "malloc" | "shm" | "mmap" | "mmapshared" => MemoryKind::Plain,
        "shmhuge" | "mmaphuge" => MemoryKind::Huge,
        _ if text.starts_with("mmap") && text.contains(':') => return Err("buffers are not mapped from files; leave out the file".into()),
        _ => return Err(format!("{text} is no kind of memory; malloc, shm, shmhuge, mmap, mmaphuge and mmapshared are")),
    };
    Ok(())
}
