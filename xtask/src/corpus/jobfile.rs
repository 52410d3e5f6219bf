//! Job files of a folder: what is called so, and what looks like one.

use super::files_below;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Larger files are no job files. Bytes.
const MOST_BYTES: u64 = 256 << 10;

/// Options of which at least [`LEAST_OPTIONS`] stand in a file that is not called `*.fio`.
const OPTIONS: [&str; 11] =
    ["ioengine", "rw", "readwrite", "bs", "blocksize", "iodepth", "direct", "size", "filename", "directory", "numjobs"];

const LEAST_OPTIONS: usize = 2;

/// The job files in a folder and below it, sorted; links are not followed.
pub fn find(folder: &Path) -> Result<Vec<PathBuf>> {
    files_below(folder, MOST_BYTES, is_job_file)
}

fn is_job_file(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "fio") || std::fs::read_to_string(path).is_ok_and(|text| looks_like_one(&text))
}

/// A section and some options of fio, each on a line of its own.
fn looks_like_one(text: &str) -> bool {
    let lines = || text.lines().map(str::trim);
    let has_section = lines().any(|line| line.starts_with('[') && line.ends_with(']') && line.len() > 2);
    let options = lines().filter(|line| line.split_once('=').is_some_and(|(name, _)| OPTIONS.contains(&name.trim())));
    has_section && options.take(LEAST_OPTIONS).count() == LEAST_OPTIONS
}
