//! The two programs of the tiny writer, which are this program in processes of their own: nothing that waits for the drive is in the one that serves it.
//!
//! `write` says *ready*, waits for a line, and then says `ack N` whenever a further group is durable, until something fails, which is how it ends. `check` prints what it found as JSON.

use super::plan::{AREA_BYTES, Durable};
use super::{Place, judge, write_all};
use crate::powercut::found::{Found, Kind};
use anyhow::{Context, Result, bail};
use rustix::fs::{FallocateFlags, OFlags, fallocate};
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Memory that direct I/O takes begins at a multiple of this. Bytes.
const ALIGNMENT: usize = 4096;

/// Runs one of them.
pub fn main(words: &[String]) -> Result<()> {
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", target, offset, seed, how] => write(Path::new(target), offset.parse()?, seed.parse()?, how),
        ["check", target, offset, seed, groups] => check(Path::new(target), offset.parse()?, seed.parse()?, groups.parse()?),
        _ => bail!("these are no words of the tiny writer: {}", words.join(" ")),
    }
}

/// Opens a target by the last word: `device` is there and takes direct I/O, `new` is a file to be made anew, `old` one that may be there.
fn write(target: &Path, offset: u64, seed: u64, how: &str) -> Result<()> {
    if how == "new" && target.exists() {
        std::fs::remove_file(target).context("cannot remove the file of the last cut")?;
    }
    let mut area = Area::open(target, offset, how == "device")?;
    if how != "device" {
        area.plain.sync_all()?;
        File::open(target.parent().context("a file is in a folder")?)?.sync_all()?;
    }
    say("ready")?;
    io::stdin().lock().read_line(&mut String::new())?;
    let end = write_all(seed, &mut area, |groups| say(&format!("ack {groups}")));
    say(&format!("end {}", end.err().map_or_else(|| "of the plan".to_owned(), |error| error.to_string())))?;
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The area in a file or on a device.
struct Area {
    offset: u64,
    plain: File,
    /// The same, but each write is durable when it returns.
    durable: File,
    buffer: Vec<u8>,
}

impl Area {
    fn open(target: &Path, offset: u64, is_device: bool) -> Result<Self> {
        let open = |flags: OFlags| {
            let flags = if is_device { flags | OFlags::DIRECT } else { flags };
            let file =
                File::options().read(true).write(true).create(!is_device).truncate(false).custom_flags(flags.bits() as i32).open(target);
            file.with_context(|| format!("cannot open {}", target.display()))
        };
        let (plain, durable) = (open(OFlags::empty())?, open(OFlags::DSYNC)?);
        Ok(Self { offset, plain, durable, buffer: vec![0; AREA_BYTES + ALIGNMENT] })
    }
}

impl Place for Area {
    fn write(&mut self, at: usize, data: &[u8], durable: Durable) -> io::Result<()> {
        let start = self.buffer.as_ptr().align_offset(ALIGNMENT);
        let aligned = &mut self.buffer[start..start + data.len()];
        aligned.copy_from_slice(data);
        let file = if durable == Durable::Fua { &self.durable } else { &self.plain };
        file.write_all_at(aligned, self.offset + at as u64)
    }

    fn trim(&mut self, place: Range<usize>) -> io::Result<()> {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.plain, hole, self.offset + place.start as u64, place.len() as u64)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.plain.sync_data()
    }
}

fn check(target: &Path, offset: u64, seed: u64, groups: u64) -> Result<()> {
    let found = match File::open(target) {
        Ok(file) => judge::judge(seed, groups, &read(&file, offset)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Found::all_gone(Kind::Missing),
        Err(error) => return Err(error).with_context(|| format!("cannot open {}", target.display())),
    };
    say(&serde_json::to_string(&found)?)?;
    Ok(())
}

/// The area as far as the file goes.
fn read(file: &File, offset: u64) -> Result<Vec<u8>> {
    let mut area = vec![0; AREA_BYTES];
    let mut length = 0;
    while length < AREA_BYTES {
        match file.read_at(&mut area[length..], offset + length as u64).context("cannot read what was written")? {
            0 => break,
            more => length += more,
        }
    }
    area.truncate(length);
    Ok(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_to_a_file_is_found_and_what_is_cut_off_is_lost() {
        let folder = std::env::temp_dir().join(format!("xtask-tiny-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        let mut area = Area::open(&file, 512, false).unwrap();
        let end = write_all(3, &mut area, |groups| if groups == 40 { Err(io::Error::other("enough")) } else { Ok(()) });
        assert_eq!(end.unwrap_err().to_string(), "enough");
        let found = judge::judge(3, 40, &read(&area.plain, 512).unwrap());
        assert!(found.is_clean() && found.acknowledged > 40, "{found:?}");
        area.plain.set_len(100_000).unwrap();
        assert!(judge::judge(3, 40, &read(&area.plain, 512).unwrap()).has(Kind::Lost));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
