//! Files of others: of every kind that could be taken for one of the program's own, and its own files once somebody changed them.

use super::Place;
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;
use rustix::fs::FlockOperation;
use std::fs::{File, FileTimes};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const TEXTS: &[(&str, &str)] = &[
    ("notes.md", "# Notes\n\nioproof verify says 885 MB/s; ioproof 0.1.0 wrote report.html\n"),
    ("package.json", "{\"name\": \"ioproof-wrapper\", \"schema_version\": 2, \"version\": \"1.0.0\"}\n"),
    ("people.csv", "kind,name,age\nuncle,Bob,60\n"),
    ("index.html", "<!DOCTYPE html><html><title>ioproof</title><body>mine</body></html>\n"),
    ("letter.txt", "Dear Ann,\nthe report of ioproof is wrong.\n"),
    ("fio.json", "{\"fio version\": \"fio-3.33\", \"jobs\": []}\n"),
    ("terse.txt", "3;fio-3.33;mine;0;0;1048576\n"),
    ("own_bw.1.log", "1, 100, 0, 4096, 0\n2, 110, 0, 4096, 0\n"),
    ("own_lat.1.log", "500, 7, 1, 4096\n"),
    ("stamp.json", "{\"stamp\": \"0123456789abcdef\", \"tool\": \"ioproof\"}\n"),
    ("marked.bin", "IOPROOF\u{1}\u{0}\u{0}\u{0}mine"),
];

pub fn make(attempt: &mut Attempt) -> Result<Place> {
    let mut firm = false;
    let path = match attempt.random.below(12) {
        0..=2 => text(attempt)?,
        kind @ 3..=6 => {
            let path = own(attempt, kind)?;
            change(attempt.random.below(6), &path)?;
            path
        }
        7 => linked(attempt)?,
        8 => sparse(attempt)?,
        9 => {
            firm = true;
            let path = attempt.foreign("image", 1 << 20)?;
            attempt.kept.attach(&path, &[])?;
            path
        }
        10 => on_a_filesystem_of_its_own(attempt, &mut firm)?,
        _ => in_use(attempt)?,
    };
    Ok(Place { consent: path.display().to_string(), path, is_device: false, firm })
}

fn text(attempt: &mut Attempt) -> Result<PathBuf> {
    let (name, text) = attempt.random.pick(TEXTS);
    let path = attempt.work(name);
    std::fs::write(&path, text)?;
    if attempt.random.once_in(4) {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o400))?;
    }
    Ok(path)
}

fn own(attempt: &mut Attempt, kind: u64) -> Result<PathBuf> {
    let (call, name) = match kind {
        3 => {
            let name = attempt.random.item("r.json | r.md | r.csv | r.html | r.txt | r.xlsx | r.xml | r.prom | s.csv");
            (Call::new(["report", &attempt.stored_run(), "-o", &attempt.work(name).display().to_string()]), name)
        }
        4 => {
            let format = attempt.random.item("normal | json | json+ | terse");
            let job = Call::text("run --name=a --ioengine=null --rw=read --size=16k --output=own --write_bw_log=own --output-format");
            (job.and([format]), attempt.random.item("own | own_bw.1.log"))
        }
        _ => (Call::text("run --name=a --rw=write --bs=4k --size=64k --filename=own"), "own"),
    };
    attempt.run(call, &[0])?;
    Ok(attempt.work(name))
}

fn to_write(path: &Path) -> Result<File> {
    Ok(File::options().read(true).write(true).open(path)?)
}

/// Changes a file as somebody does: in place, with its time set back or not, or by another file in its place.
fn change(kind: u64, path: &Path) -> Result<()> {
    let (file, other, new) = (to_write(path)?, path.with_file_name("other"), path.with_file_name("new"));
    let length = file.metadata()?.len();
    match kind {
        0 => file.write_all_at(b"mine\n", length)?,
        1 | 2 => {
            let (modified, mut byte) = (file.metadata()?.modified()?, [0]);
            file.read_exact_at(&mut byte, length / 2)?;
            file.write_all_at(&[byte[0] ^ 1], length / 2)?;
            if kind == 2 {
                file.set_times(FileTimes::new().set_modified(modified))?;
            }
        }
        3 => file.set_len(length - 1)?,
        4 => std::fs::copy(other, path).map(drop)?,
        _ => std::fs::copy(other, &new).and_then(|_| std::fs::rename(&new, path))?,
    }
    Ok(())
}

fn linked(attempt: &mut Attempt) -> Result<PathBuf> {
    let precious = attempt.foreign("precious/data", 65_536)?;
    std::fs::create_dir_all(attempt.work("inside"))?;
    let path = attempt.work("inside/data");
    if attempt.random.once_in(2) {
        std::fs::hard_link(&precious, &path)?
    } else {
        symlink("../precious/data", &path)?
    }
    Ok(path)
}

fn sparse(attempt: &mut Attempt) -> Result<PathBuf> {
    let path = attempt.work("sparse");
    let file = File::create(&path)?;
    let size = (1 + attempt.random.below(1024)) << 20;
    file.set_len(size)?;
    file.write_all_at(b"x", attempt.random.below(size))?;
    Ok(path)
}

/// In memory, bound to a second place, or only to be read, for which no consent helps.
fn on_a_filesystem_of_its_own(attempt: &mut Attempt, firm: &mut bool) -> Result<PathBuf> {
    let point = attempt.work("mounted");
    let kind = attempt.random.below(3);
    if kind == 0 {
        // Of a folder that no consent names.
        attempt.foreign("bound/data", 65_536)?;
        let from = attempt.work("bound").display().to_string();
        attempt.kept.mount(&["--bind", &from], &point)?;
        return Ok(point.join("data"));
    }
    attempt.kept.mount(&["-t", "tmpfs", "-o", "size=8m", "none"], &point)?;
    let path = attempt.foreign("mounted/data", 65_536)?;
    *firm = kind == 1;
    if *firm {
        crate::command::tool("mount", &["-o", "remount,ro", &point.display().to_string()])?;
    }
    Ok(path)
}

fn in_use(attempt: &mut Attempt) -> Result<PathBuf> {
    let path = attempt.foreign("used", 65_536)?;
    match attempt.random.below(3) {
        kind @ 0..=1 => {
            let file = to_write(&path)?;
            if kind == 1 {
                rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
            }
            attempt.kept.keep(file);
        }
        _ => attempt.kept.map(&path)?,
    }
    Ok(path)
}
