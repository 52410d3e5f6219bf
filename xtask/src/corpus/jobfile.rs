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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_file_has_sections_and_options() {
        assert!(looks_like_one("; mine\n[global]\nrw=read\n  bs = 4k\n[a]\n"));
        assert!(!looks_like_one("rw=read\nbs=4k\n"), "no section");
        assert!(!looks_like_one("[unit]\nrw=read\ndescription=a\n"), "one option may be anybody's");
        assert!(!looks_like_one("[]\nrw=read\nbs=4k\n"), "no name");
    }

    #[test]
    fn files_are_found_below_a_folder_in_their_order() {
        let folder = std::env::temp_dir().join(format!("xtask-corpus-{}", std::process::id()));
        let place = |name: &str| folder.join(name);
        std::fs::create_dir_all(place("sub")).unwrap();
        std::fs::write(place("sub/b.fio"), "").unwrap();
        std::fs::write(place("a"), "[global]\nrw=read\nsize=1m\n").unwrap();
        std::fs::write(place("c.txt"), "size=1m").unwrap();
        std::os::unix::fs::symlink(place("a"), place("link.fio")).unwrap();
        let found = find(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [place("a"), place("sub/b.fio")]);
        assert!(find(&folder).is_err(), "it is gone");
    }
}
