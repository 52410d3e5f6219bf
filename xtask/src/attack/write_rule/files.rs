//! Files of others: of every kind that could be taken for one of the program's own, and its own files once somebody changed them.

use super::Place;
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;
use rustix::fs::FlockOperation;
use std::fs::{File, FileTimes};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files that speak of ioproof or of fio, by name and text.
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

type Change = fn(&Path) -> Result<()>;

const CHANGES: &[Change] = &[append, change_a_byte, change_and_set_the_time_back, cut, copy_over, rename_over];

pub fn make(attempt: &mut Attempt) -> Result<Place> {
    match attempt.random.below(12) {
        0..=2 => text(attempt),
        3 => report_that_was_changed(attempt),
        4 => output_that_was_changed(attempt),
        5 | 6 => own_that_was_changed(attempt),
        7 => linked(attempt),
        8 => sparse(attempt),
        9 => behind_a_loop_device(attempt),
        10 => on_a_filesystem_of_its_own(attempt),
        _ => in_use(attempt),
    }
}

fn place(path: PathBuf, firm: bool) -> Place {
    Place { consent: path.display().to_string(), path, is_device: false, firm }
}

fn text(attempt: &mut Attempt) -> Result<Place> {
    let (name, text) = attempt.random.pick(TEXTS);
    let path = attempt.work(name);
    std::fs::write(&path, text)?;
    if attempt.random.once_in(4) {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o400))?;
    }
    Ok(place(path, false))
}

fn report_that_was_changed(attempt: &mut Attempt) -> Result<Place> {
    let name = attempt.random.word(&["r.json", "r.md", "r.csv", "r.html", "r.txt", "r.xlsx", "r.xml", "r.prom", "s.csv"]);
    let path = attempt.work(name);
    let run = attempt.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string();
    attempt.run(Call::new(["report", &run, "-o", &path.display().to_string()]), &[0])?;
    changed(attempt, path)
}

fn output_that_was_changed(attempt: &mut Attempt) -> Result<Place> {
    let format = *attempt.random.pick(&["normal", "json", "json+", "terse"]);
    let job = Call::text("run --name=a --ioengine=null --rw=read --size=16k --output=own --write_bw_log=own --output-format").and([format]);
    attempt.run(job, &[0])?;
    let name = attempt.random.word(&["own", "own_bw.1.log"]);
    let path = attempt.work(name);
    changed(attempt, path)
}

fn own_that_was_changed(attempt: &mut Attempt) -> Result<Place> {
    attempt.run(Call::text("run --name=a --rw=write --bs=4k --size=64k --filename=own"), &[0])?;
    let path = attempt.work("own");
    changed(attempt, path)
}

fn changed(attempt: &mut Attempt, path: PathBuf) -> Result<Place> {
    attempt.random.pick(CHANGES)(&path)?;
    Ok(place(path, false))
}

fn to_write(path: &Path) -> Result<File> {
    Ok(File::options().read(true).write(true).open(path)?)
}

fn append(path: &Path) -> Result<()> {
    let file = to_write(path)?;
    Ok(file.write_all_at(b"mine\n", file.metadata()?.len())?)
}

fn change_a_byte(path: &Path) -> Result<()> {
    let file = to_write(path)?;
    let at = file.metadata()?.len() / 2;
    let mut byte = [0];
    file.read_exact_at(&mut byte, at)?;
    Ok(file.write_all_at(&[byte[0] ^ 1], at)?)
}

fn change_and_set_the_time_back(path: &Path) -> Result<()> {
    let before = path.metadata()?.modified()?;
    change_a_byte(path)?;
    Ok(to_write(path)?.set_times(FileTimes::new().set_modified(before))?)
}

fn cut(path: &Path) -> Result<()> {
    let file = to_write(path)?;
    Ok(file.set_len(file.metadata()?.len() - 1)?)
}

fn copy_over(path: &Path) -> Result<()> {
    std::fs::copy(path.with_file_name("other"), path)?;
    Ok(())
}

fn rename_over(path: &Path) -> Result<()> {
    let new = path.with_file_name("new");
    std::fs::copy(path.with_file_name("other"), &new)?;
    Ok(std::fs::rename(new, path)?)
}

/// A file with another name elsewhere, and the links that lead to it.
fn linked(attempt: &mut Attempt) -> Result<Place> {
    let precious = attempt.foreign("precious/data", 65_536)?;
    std::fs::create_dir_all(attempt.work("inside"))?;
    let path = attempt.work("inside/data");
    if attempt.random.once_in(2) {
        std::fs::hard_link(&precious, &path)?;
    } else {
        std::os::unix::fs::symlink("../precious/data", &path)?;
    }
    Ok(place(path, false))
}

fn sparse(attempt: &mut Attempt) -> Result<Place> {
    let path = attempt.work("sparse");
    let file = File::create(&path)?;
    let size = (1 + attempt.random.below(1024)) << 20;
    file.set_len(size)?;
    file.write_all_at(b"x", attempt.random.below(size))?;
    Ok(place(path, false))
}

fn behind_a_loop_device(attempt: &mut Attempt) -> Result<Place> {
    let path = attempt.foreign("image", 1 << 20)?;
    attempt.kept.attach(&path, &[])?;
    Ok(place(path, true))
}

/// In memory, bound to a second place, or only to be read, for which no consent helps.
fn on_a_filesystem_of_its_own(attempt: &mut Attempt) -> Result<Place> {
    let point = attempt.work("mounted");
    let kind = attempt.random.below(3);
    if kind == 0 {
        // Of a folder that no consent names.
        attempt.foreign("bound/data", 65_536)?;
        let from = attempt.work("bound").display().to_string();
        attempt.kept.mount(&["--bind", &from], &point)?;
        return Ok(place(point.join("data"), false));
    }
    attempt.kept.mount(&["-t", "tmpfs", "-o", "size=8m", "none"], &point)?;
    let path = attempt.foreign("mounted/data", 65_536)?;
    if kind == 1 {
        let again = ["-o", "remount,ro", &point.display().to_string()];
        crate::command::tool("mount", &again)?;
    }
    Ok(place(path, kind == 1))
}

fn in_use(attempt: &mut Attempt) -> Result<Place> {
    let path = attempt.foreign("used", 65_536)?;
    match attempt.random.below(3) {
        0 => attempt.kept.keep(to_write(&path)?),
        1 => {
            let file = to_write(&path)?;
            rustix::fs::flock(&file, FlockOperation::LockExclusive)?;
            attempt.kept.keep(file);
        }
        _ => attempt.kept.map(&path)?,
    }
    Ok(place(path, false))
}
