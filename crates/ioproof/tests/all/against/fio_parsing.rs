//! Job files by fio and by ioproof: what fio accepts is accepted, what it refuses is refused, and `--showcmd` prints the same line.
//!
//! Needs fio, no root (`cargo xtask test` brings it in). fio only parses here (`--parse-only`, `--showcmd`), so that no file is touched. Every file of
//! `fixtures/fio/valid` and `fixtures/fio/invalid` is a case and is called after what it shows; where the two programs differ on purpose, the file is named below
//! with the reason.

use ioproof_fio::command_line::{CommandLine, CommandPart};
use ioproof_fio::complaint::Complaint;
use ioproof_fio::grammar::Loader;
use ioproof_fio::jobs::{FioJob, JobFileTexts, jobs};
use ioproof_fio::showcmd::show;
use ioproof_fio::values::ValueContext;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Job files that ioproof accepts and this fio does not, with the reason.
const ACCEPTED_ON_PURPOSE: &[(&str, &str)] =
    &[("numbers-calculated", "Debian builds fio without the parser of calculations, which the manual describes; ioproof has it")];

/// Job files that ioproof refuses and `fio --parse-only` does not, with the reason.
const REFUSED_ON_PURPOSE: &[(&str, &str)] = &[
    ("half-read-size", "fio reads 1.5m as 1 byte and says nothing"),
    ("half-read-time", "fio reads 60sec as 60 microseconds and says nothing"),
    ("include-missing", "fio goes on without the file and drops the job in silence"),
    ("percentile-list-over-100", "fio complains about the value and goes on"),
    ("refused-cgroup", "jobs are not put into cgroups"),
    ("refused-engine", "the engine does no I/O"),
    ("refused-offloaded-depth", "fio 3.33 keeps that many calls under way by as many threads, or hangs; a clone is one thread"),
    ("refused-profile", "fio's built-in benchmarks are not there"),
    ("refused-merged-replay", "logs are not merged"),
    ("unchecked-engine", "fio looks for the engine only when it runs"),
    ("unchecked-error-name", "fio looks at the name only when it runs"),
    ("unchecked-no-clones", "fio fails for want of shared memory when it runs"),
    ("unchecked-waits-for-itself", "fio looks for the job only when it runs"),
    ("unchecked-waits-for-later", "fio looks for the job only when it runs"),
];

/// Job files on disk.
struct Disk;

impl Loader for Disk {
    fn include(&self, name: &str, from: &str) -> Result<String, String> {
        let folder = Path::new(from).parent().unwrap_or(Path::new("."));
        std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

impl JobFileTexts for Disk {
    fn job_file(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(name).map_err(|error| error.to_string())
    }
}

/// The files of a folder of `fixtures/fio`, by name.
fn cases(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fio").join(folder);
    let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = paths.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path)).collect();
    cases.sort();
    assert!(cases.len() >= 40, "cases of {folder:?} are missing");
    cases
}

fn line(path: &Path) -> CommandLine {
    CommandLine { parts: vec![CommandPart::File { name: path.to_string_lossy().into_owned() }], ..CommandLine::default() }
}

fn ours(path: &Path) -> Result<Vec<FioJob>, Vec<Complaint>> {
    jobs(&line(path), &ValueContext { cpus: 2, ..ValueContext::default() }, &Disk)
}

/// The numbers of this machine, which stand in shown lines.
fn machine() -> ValueContext {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap();
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")).unwrap();
    ValueContext {
        kb_base: 1024,
        cpus: std::thread::available_parallelism().unwrap().get() as u64,
        memory_bytes: kib.parse::<u64>().unwrap() << 10,
        page_bytes: rustix::param::page_size() as u64,
        ..ValueContext::default()
    }
}

fn fio(flag: &str, paths: &[&Path]) -> Output {
    let output = Command::new("fio").arg(flag).args(paths).output();
    output.unwrap_or_else(|error| panic!("fio cannot be started ({error}); `cargo xtask test` brings it in"))
}

/// Its lines without the blanks at their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn is_in(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(known, _)| *known == name)
}

// One call of fio for all files, which takes its time to look at the clock of the CPU.
#[test]
fn what_fio_accepts_is_accepted_and_shown_as_the_same_command_lines() {
    let (theirs, ours_alone): (Vec<_>, Vec<_>) = cases("valid").into_iter().partition(|(name, _)| !is_in(ACCEPTED_ON_PURPOSE, name));
    for (name, path) in theirs.iter().chain(&ours_alone) {
        if let Err(wrong) = ours(path) {
            panic!("{name} is refused: {}", wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
        }
    }
    for (name, path) in &ours_alone {
        assert!(!fio("--showcmd", &[path]).status.success(), "{name}: fio");
    }
    let shown = fio("--showcmd", &theirs.iter().map(|(_, path)| path.as_path()).collect::<Vec<_>>());
    assert!(shown.status.success(), "{shown:?}");
    let shown = String::from_utf8(shown.stdout).unwrap();
    let mut left = lines(&shown).into_iter();
    for (name, path) in &theirs {
        let ours = show(&line(path), &machine(), &Disk).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
        let ours = lines(&ours);
        assert_eq!(ours, left.by_ref().take(ours.len()).collect::<Vec<_>>(), "{name}");
    }
    assert_eq!(left.next(), None);
}

#[test]
fn what_fio_refuses_is_refused_with_file_and_line() {
    for (name, path) in cases("invalid") {
        let wrong = ours(&path).err().unwrap_or_else(|| panic!("{name} is accepted"));
        assert!(wrong.iter().all(|complaint| complaint.place.as_ref().is_some_and(|place| place.line > 0)), "{name}: {wrong:?}");
        let theirs = fio("--parse-only", &[&path]).status.success();
        assert_eq!(theirs, is_in(REFUSED_ON_PURPOSE, &name), "{name}: fio");
    }
}

#[test]
fn a_file_without_a_job_is_well_formed_and_cannot_be_run() {
    let path = std::env::temp_dir().join(format!("ioproof-global-{}.fio", std::process::id()));
    for (text, is_good) in [("[global]\nbs=4k\n", true), ("", true), ("[global]\nbs=4x\n", false)] {
        std::fs::write(&path, text).unwrap();
        let read = |parse_only| {
            let mut line = line(&path);
            line.general.parse_only = parse_only;
            jobs(&line, &ValueContext::default(), &Disk)
        };
        assert_eq!((read(true).is_ok(), read(false).is_ok()), (is_good, false), "{text:?}");
        // fio 3.33 reads no value that no job has.
        let ends = ["--parse-only", "--eta=never"].map(|flag| fio(flag, &[&path]).status.success());
        assert_eq!(ends, [true, false], "{text:?}: fio");
        let shown = show(&line(&path), &machine(), &Disk).unwrap();
        let theirs = String::from_utf8(fio("--showcmd", &[&path]).stdout).unwrap();
        assert!(!is_good || shown.trim_end() == theirs.trim_end(), "{text:?}: {shown} {theirs}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn every_difference_that_is_named_is_a_case() {
    for (list, folder) in [(ACCEPTED_ON_PURPOSE, "valid"), (REFUSED_ON_PURPOSE, "invalid")] {
        let cases = cases(folder);
        for (name, reason) in list {
            assert!(cases.iter().any(|(case, _)| case == name) && !reason.is_empty(), "{name}");
        }
    }
}
