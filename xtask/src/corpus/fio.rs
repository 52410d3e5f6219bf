//! Job files, read by fio and by ioproof: how many came out how, and the reasons by frequency.

use super::{files_below, frequent};
use crate::debian::{self, Package};
use crate::{command, kept};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const FIO: Package = Package { name: "fio", provides: "fio", why: "to read the job files as it does" };

/// Larger files are no job files. Bytes.
const MOST_BYTES: u64 = 256 << 10;

/// Options of which at least [`LEAST_OPTIONS`] stand in a file that is not called `*.fio`.
const OPTIONS: &str = "ioengine rw readwrite bs blocksize iodepth direct size filename directory numjobs";
const LEAST_OPTIONS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Alike,
    Otherwise,
    Neither,
    FioOnly,
    IoproofOnly,
}

/// Results of reading a job file with both programs: their rows, and whose reasons are listed.
const OUTCOMES: [(Outcome, &str, &str); 5] = [
    (Outcome::Alike, "accepted by both, shown alike", ""),
    (Outcome::Otherwise, "accepted by both, shown otherwise", "by fio and by ioproof"),
    (Outcome::Neither, "refused by both", "fio says"),
    (Outcome::FioOnly, "accepted by fio only", "ioproof says"),
    (Outcome::IoproofOnly, "accepted by ioproof only", "fio says"),
];

/// A file, its outcome, and the reasons for it, each once.
type Compared<'a> = (&'a Path, Outcome, Vec<String>);

pub fn table(folder: &Path) -> Result<String> {
    debian::require(&[&FIO])?;
    let files = files_below(folder, MOST_BYTES, is_job_file)?;
    let program = command::ioproof(false)?;
    let empty = kept::fresh_folder("corpus", |left| drop(std::fs::remove_dir_all(left)))?;
    let all = compare_all(&program, &files, &empty)?;
    std::fs::remove_dir_all(&empty)?;
    let count = |wanted: Outcome| all.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let mut text = format!("{:<34} {:>6}\n", "files", all.len());
    OUTCOMES.iter().for_each(|(outcome, title, _)| text += &format!("{title:<34} {:>6}\n", count(*outcome)));
    for (outcome, title, who) in OUTCOMES {
        let of_outcome = || all.iter().filter(move |(_, other, _)| *other == outcome);
        let rows = frequent(of_outcome().flat_map(|(.., reasons)| reasons));
        text += &if rows.is_empty() { String::new() } else { format!("\n{title}; {who}\n") };
        for (reason, count) in rows {
            let first = of_outcome().find(|(.., reasons)| reasons.contains(reason)).map_or(folder, |(path, ..)| path);
            text += &format!("{count:>6}  {reason}\n        {}\n", first.strip_prefix(folder).unwrap_or(first).display());
        }
    }
    Ok(text)
}

/// Called so, or with a section and some options of fio, each on a line of its own.
fn is_job_file(path: &Path) -> bool {
    let is_option = |line: &&str| line.split_once('=').is_some_and(|(name, _)| OPTIONS.split(' ').any(|option| option == name.trim()));
    let looks_like_one = |text: String| {
        let lines = || text.lines().map(str::trim);
        let has_section = lines().any(|line| line.starts_with('[') && line.ends_with(']') && line.len() > 2);
        has_section && lines().filter(is_option).take(LEAST_OPTIONS).count() == LEAST_OPTIONS
    };
    path.extension().is_some_and(|end| end == "fio") || std::fs::read_to_string(path).is_ok_and(looks_like_one)
}

/// Reads all files, several at a time, in an empty folder, where relative names in a job file lead; in the order given.
fn compare_all<'a>(ioproof: &Path, files: &'a [PathBuf], empty: &Path) -> Result<Vec<Compared<'a>>> {
    let one = |path: &'a PathBuf| {
        let (outcome, reasons) = compare(ioproof, path, empty).with_context(|| path.display().to_string())?;
        Ok((path.as_path(), outcome, reasons))
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().map(one).collect::<Result<Vec<_>>>())).collect();
        let done = parts.into_iter().map(|part| part.join().unwrap_or_else(|_| bail!("a thread panicked")));
        Ok(done.collect::<Result<Vec<_>>>()?.concat())
    })
}

fn compare(ioproof: &Path, path: &Path, folder: &Path) -> Result<(Outcome, Vec<String>)> {
    let fio = |flag: &str| command::finish(Command::new("fio").arg(flag).arg(path).current_dir(folder));
    let ours = |flag: &str| command::finish(Command::new(ioproof).arg("run").arg(flag).arg(path).current_dir(folder));
    let (theirs, own) = (fio("--parse-only")?, ours("--parse-only")?);
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(match (theirs.status.success(), own.status.success()) {
        (true, true) => match difference(&said(&fio("--showcmd")?.stdout), &said(&ours("--showcmd")?.stdout)) {
            None => (Outcome::Alike, Vec::new()),
            Some(words) => (Outcome::Otherwise, vec![words]),
        },
        (false, false) => (Outcome::Neither, vec![complaint(&said(&theirs.stderr))]),
        (true, false) => (Outcome::FioOnly, reasons(&said(&own.stderr))),
        (false, true) => (Outcome::IoproofOnly, vec![complaint(&said(&theirs.stderr))]),
    })
}

/// The first words that differ. Words are compared in their order, since a later option overrides an earlier one.
fn difference(theirs: &str, ours: &str) -> Option<String> {
    let (mut theirs, mut ours) = (theirs.split_whitespace(), ours.split_whitespace());
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return None,
            (fio, own) if fio == own => {}
            (fio, own) => return Some(format!("{}  {}", fio.unwrap_or("(end)"), own.unwrap_or("(end)"))),
        }
    }
}

/// fio's first line on standard error, without a value in quotation marks.
fn complaint(stderr: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(nothing)");
    line.split('"').step_by(2).collect::<Vec<_>>().join("...")
}

/// The complaints on standard error, each once: `error: a.fio:3: cgroup=a is not honoured: why` is `cgroup is not honoured: why`.
fn reasons(stderr: &str) -> Vec<String> {
    let is_place = |text: &str| text.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok());
    let reason = |complaint: &str| {
        let text = complaint.split_once(": ").filter(|(place, _)| is_place(place)).map_or(complaint, |(_, text)| text);
        match text.split_once(" is not honoured") {
            Some((option, why)) => format!("{} is not honoured{why}", option.split('=').next().unwrap_or(option)),
            None => text.to_owned(),
        }
    };
    let mut reasons: Vec<String> = stderr.lines().filter_map(|line| line.strip_prefix("error: ")).map(reason).collect();
    reasons.sort();
    reasons.dedup();
    reasons
}
