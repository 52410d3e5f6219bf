//! The filesystem's facts about a file: its size, its share that lies on the drive, and the ways to read it without the page cache.
//!
//! The file is only read: nothing is written, and what holes it has is asked of the filesystem.

use ioproof_core::job::Span;
use ioproof_pages::field::{Field, Page, Value};
use ioproof_pages::pages::field;
use ioproof_target::{Handle, System};
use rustix::fs::{SeekFrom, seek};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Units of `st_blocks`. Bytes.
const STAT_BLOCK_BYTES: u64 = 512;

/// More pieces than this are not counted.
const PIECES_MAX: u64 = 1_000_000;

/// The page `file`; what cannot be told is a problem of it.
pub fn page(system: &System, path: &Path) -> Page {
    let mut page = Page { name: "file".into(), source: path.display().to_string(), ..Page::default() };
    match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
        Ok((stat, file)) => {
            page.fields.extend(sizes(stat.len(), stat.blocks().saturating_mul(STAT_BLOCK_BYTES)));
            page.fields.extend(pieces(&file, stat.len()));
        }
        Err(error) => page.problems.push(format!("it cannot be opened: {error}")),
    }
    match ioproof_target::resolve(system, path).and_then(|target| ioproof_target::open_to_read(&target)) {
        Ok(handle) => page.fields.extend(reading(&handle)),
        Err(error) => page.problems.push(format!("how it can be read is not known: {error}")),
    }
    page
}

fn sizes(size_bytes: u64, allocated_bytes: u64) -> [Field; 2] {
    [
        field("size_bytes", "size", Value::Number(size_bytes), "bytes", "stat: st_size"),
        field("allocated_bytes", "allocated", Value::Number(allocated_bytes), "bytes", "stat: st_blocks x 512"),
    ]
}

/// The pieces of data between holes, and what the holes take; nothing where the filesystem does not tell.
fn pieces(file: &File, size_bytes: u64) -> Vec<Field> {
    let Some((pieces, data_bytes)) = data(file, size_bytes) else { return Vec::new() };
    let holes_bytes = size_bytes.saturating_sub(data_bytes);
    vec![
        field("data_pieces", "pieces of data between holes", Value::Number(pieces), "", "lseek: SEEK_DATA, SEEK_HOLE"),
        field("holes_bytes", "holes", Value::Number(holes_bytes), "bytes", "lseek: SEEK_DATA, SEEK_HOLE"),
    ]
}

fn data(file: &File, size_bytes: u64) -> Option<(u64, u64)> {
    let (mut at, mut pieces, mut data_bytes) = (0, 0, 0);
    while at < size_bytes && pieces < PIECES_MAX {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start,
            // No data from there on.
            Err(rustix::io::Errno::NXIO) => break,
            Err(_) => return None,
        };
        let end = seek(file, SeekFrom::Hole(start)).ok()?;
        if end <= start {
            break;
        }
        (at, pieces, data_bytes) = (end, pieces + 1, data_bytes + (end - start));
    }
    Some((pieces, data_bytes))
}

/// The mode in which it was opened, and the extents that the filesystem keeps without ever having written them.
fn reading(handle: &Handle) -> Vec<Field> {
    let span = Span { offset_bytes: 0, length_bytes: handle.size_bytes() };
    let unwritten = ioproof_target::content(handle, span, 0, 0, &|| true).ok().and_then(|content| content.unwritten_bytes);
    let unwritten = unwritten
        .map(|bytes| field("unwritten_bytes", "holes and reserved space never written", Value::Number(bytes), "bytes", "FS_IOC_FIEMAP"));
    let direct = field("direct_io", "direct I/O (O_DIRECT) works", Value::Flag(handle.direct()), "", "open with O_DIRECT, and a read");
    let alignment = u64::from(handle.alignment_bytes());
    let alignment = field("alignment_bytes", "direct I/O in multiples of", Value::Number(alignment), "bytes", "statx, or tried");
    unwritten.into_iter().chain([direct]).chain(Some(alignment).filter(|_| handle.direct())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn holes_are_told_from_data() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR").to_owned() + "/../../target").unwrap();
        let path = dir.path().join("sparse");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        file.write_all_at(&[7; 65_536], 262_144).unwrap();
        file.write_all_at(&[7; 65_536], 786_432).unwrap();
        file.sync_all().unwrap();
        let page = page(&System::host(), &path);
        assert_eq!(page.number("size_bytes"), Some(1 << 20));
        // A filesystem that knows no holes calls all of it data.
        let told = (page.number("data_pieces"), page.number("holes_bytes"));
        assert!(told == (Some(2), Some((1 << 20) - 131_072)) || told == (Some(1), Some(0)), "{told:?}");
        assert!(page.field("direct_io").is_some() || !page.problems.is_empty(), "{page:?}");
    }

    #[test]
    fn what_cannot_be_opened_is_a_problem() {
        let page = page(&System::host(), Path::new("/no/such/file"));
        assert!(page.fields.is_empty() && page.problems.len() == 2, "{page:?}");
    }
}
