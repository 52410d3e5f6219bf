//! Datasheets, stored runs, pasted outputs, captures, command lines, inputs without end; and limits of the user (`prlimit`).

use super::mutate::mutate;
use super::{JUDGED, PLAIN, Reading};
use crate::attack::attempt::Attempt;
use crate::command::tool;
use crate::program::Call;
use anyhow::{Context, Result};
use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.symlink_metadata()?.is_dir() {
            found.extend(files(&path)?);
        } else if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

pub fn changed(attempt: &mut Attempt, folder: &Path, name: &str) -> Result<PathBuf> {
    let path = attempt.work(name);
    std::fs::copy(attempt.random.pick(&files(folder)?), &path)?;
    change(attempt, &path)?;
    Ok(path)
}

fn change(attempt: &mut Attempt, path: &Path) -> Result<()> {
    let bytes = mutate(&mut attempt.random, std::fs::read(path)?);
    Ok(std::fs::write(path, bytes)?)
}

fn change_one(attempt: &mut Attempt, folder: &Path) -> Result<()> {
    let path = attempt.random.pick(&files(folder)?).clone();
    change(attempt, &path)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    tool("cp", &["-r", &from.display().to_string(), &to.display().to_string()]).map(drop)
}

fn reading(line: &str, statuses: &'static [i32]) -> Result<Reading> {
    Ok(Reading { call: Call::text(line), statuses })
}

pub fn datasheet(attempt: &mut Attempt) -> Result<Reading> {
    let fixtures = attempt.setting.fixtures.clone();
    let own = fixtures.join("../datasheets");
    let folder = if attempt.random.once_in(2) { own } else { fixtures.join("datasheets") };
    changed(attempt, &folder, "sheet.toml")?;
    let call = attempt.random.item("verify --datasheet sheet.toml --dry-run | datasheet show sheet.toml | datasheet check sheet.toml");
    reading(call, if call.starts_with("verify") { JUDGED } else { PLAIN })
}

pub fn stored_run(attempt: &mut Attempt) -> Result<Reading> {
    let run = attempt.random.word(&["20261203-101500-7b21", "20261203-101500-7b21", "20261121-031500-3f9a"]);
    let stored = attempt.home("state/ioproof/runs").join(run);
    copy(&attempt.setting.fixtures.join("runs").join(run), &stored)?;
    change_one(attempt, &stored)?;
    let call = attempt.random.item(
        "
        report @ | report @ --json | report @ --rejudge | report @ --rejudge --json |
        report @ -o x.html -o x.md -o x.csv -o x.txt -o x.xlsx | report last | runs list | runs list --json | runs show @ |
        runs list --wide --drive x --since 1d | runs find x | runs name 2026 golden --tag x | runs export @ -o x.json |
        runs rm 2026 | runs prune --size 0",
    );
    let path = if attempt.random.once_in(2) { run.to_owned() } else { stored.display().to_string() };
    let statuses = if call.starts_with("runs find") { FOUND } else { PLAIN };
    reading(&call.replace('@', &path), statuses)
}

const FOUND: &[i32] = &[0, 1, 2];

pub fn exported_run(attempt: &mut Attempt) -> Result<Reading> {
    let run = attempt.random.word(&["20261203-101500-7b21", "20261121-031500-3f9a"]);
    let fixture = attempt.setting.fixtures.join("runs").join(run);
    attempt.run(Call::new(["runs", "export", &fixture.display().to_string(), "-o", "x.json"]), &[0])?;
    if attempt.random.once_in(4) {
        copy(&fixture, &attempt.home("state/ioproof/runs").join(run))?;
    }
    change(attempt, &attempt.work("x.json"))?;
    let call = attempt.random.word(&["runs import x.json", "runs import x.json x.json --json", "report x.json"]);
    reading(call, PLAIN)
}

pub fn paste(attempt: &mut Attempt) -> Result<Reading> {
    let folder = attempt.setting.fixtures.join("paste");
    let path = changed(attempt, &folder, "paste.txt")?;
    let json = attempt.random.word(&["", "--json", "--json --raw"]);
    if attempt.random.once_in(2) {
        return reading(&format!("identify --from paste.txt {json}"), PLAIN);
    }
    let mut call = Call::text(&format!("identify --from - {json}"));
    call.stdin = Some(File::open(path)?);
    Ok(Reading { call, statuses: PLAIN })
}

pub fn capture(attempt: &mut Attempt) -> Result<Reading> {
    let device = attempt.random.word(&["nvme-p3700-behind-switch", "sata-s3700-ahci", "rig-scsi-a", "virtio-disk", "mmc-emmc"]);
    let folder = attempt.work("capture");
    copy(&attempt.setting.fixtures.join("devices").join(device), &folder)?;
    change_one(attempt, &folder)?;
    let json = attempt.random.word(&["", "--json", "--json --raw"]);
    reading(&format!("identify --from capture {json}"), PLAIN)
}

pub fn key(attempt: &mut Attempt) -> Result<Reading> {
    let path = attempt.work("key");
    std::fs::write(&path, [b"0f1e2d3c4b5a6978".repeat(4), b"\n".to_vec()].concat())?;
    change(attempt, &path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    let verb = attempt.random.word(&["list --witness 127.0.0.1:1", "list --json --witness [::1]:1", "witness --listen 192.0.2.1"]);
    reading(&format!("powercut {verb} --key-file key"), PLAIN)
}

const VERBS: &str = "
    verify | run | doctor | list | identify | report | runs | datasheet | runs list | runs show | runs find | runs name |
    runs import | runs rm | runs prune | powercut list | help | ";

/// With `--dry-run`, so that no load runs that was asked for by chance.
const FLAGS: &str = "
    --rw | --bs | --depth | --workers | --size | --offset | --time | --runs | --distribution | --stride | --worker-span |
    --sync | --rate | --poisson | --latency-target | --max-read-iops | --max-write-rate | --think | --data | --compressible |
    --duplicates | --ios | --bytes | --backend | --pin | --threshold | --seed | --datasheet | --admit | --overwrite |
    --destroy | --last | --from | --json | --name | --filename | --numjobs | --cmdhelp | --section | --output-format |
    --max-jobs | --check";

const VALUES: &str = "
    0 | 1 | -1 | 18446744073709551615 | 18446744073709551616 | 1e309 | NaN | inf | 4KiB | 512B | 16EiB | 99999999999EiB | 0% |
    101% | randread | rw:70:40 | randrw:-1 | 4KiB:60/16KiB:40 | 4KiB:60/ | zipf:1.2 | zipf:1e308 | zipf:-1 | pareto:0 |
    normal:NaN | zoned:60/10:40/90 | zoned:100/0 | p99.9:1ms | p100:0s | 1ns | 5e18h | 0,1,2-4294967295 | nodes | pattern:0x |
    pattern:ff | fsync:0 | range:18446744073709551615 |  | - | -- | mine | . | .. | / | /dev/null | /dev/zero |
    /proc/self/mem | \u{1b}[31m\u{202e} | ä\u{301}\u{feff}";

pub fn command_line(attempt: &mut Attempt) -> Result<Reading> {
    let verb = attempt.random.item(VERBS);
    let mut call = Call::text(verb);
    for _ in 0..attempt.random.below(6) {
        let (flag, value) = (attempt.random.item(FLAGS), attempt.random.item(VALUES));
        match attempt.random.below(4) {
            0 => call.words.push(value.to_owned()),
            1 => call.words.push(format!("{flag}={value}")),
            _ => call.words.extend([flag, value].map(str::to_owned)),
        }
    }
    if attempt.random.once_in(50) {
        call.words.push("x".repeat(100_000));
    }
    let call = call.and(matches!(verb, "verify" | "run").then_some("--dry-run"));
    Ok(Reading { call, statuses: JUDGED })
}

/// Sources that give nothing, never end, or are no file, in the place of every input.
pub fn endless(attempt: &mut Attempt) -> Result<Reading> {
    tool("mkfifo", &[&attempt.work("fifo").display().to_string()])?;
    let input = attempt.random.word(&["fifo", "/dev/zero", "/dev/urandom", "/dev/full", ".", "/proc/self/mem", "fifo"]);
    let runs = attempt.home("state/ioproof/runs/20261203-101500-7b21");
    if attempt.random.once_in(3) {
        copy(&attempt.setting.fixtures.join("runs/20261203-101500-7b21"), &runs)?;
        let file =
            runs.join(attempt.random.word(&["run.json", "judgement.json", "summary.json", "digests.json", "stages/0001.json", "lock"]));
        let _ = std::fs::remove_file(&file);
        if input == "fifo" {
            drop(tool("mkfifo", &[&file.display().to_string()])?)
        } else {
            std::os::unix::fs::symlink(input, &file)?
        }
        let call = attempt.random.word(&["runs list", "runs list --json", "report last", "runs show last", "report 2026 --rejudge"]);
        return reading(call, PLAIN);
    }
    let call = attempt.random.item(
        "
        run @ | run @ --parse-only | datasheet check @ | datasheet show @ | verify --datasheet @ --dry-run |
        identify --from @ | report @ | runs import @ | report mine -o @ |
        run --name=a --ioengine=null --size=16k --output=@ | run --name=a --ioengine=null --size=16k --write_bw_log=@ |
        verify @ --dry-run | run --name=a --rw=read --size=16k --filename=@ |
        run --name=a --rw=write --size=16k --filename=@ --dry-run | identify @ | doctor @",
    );
    // Standard output that goes nowhere takes all that it is given; a device of the kernel is no file of results.
    reading(&call.replace('@', input), JUDGED)
}

const CALLS: &[&str] = &[
    "run --name=a --ioengine=null --rw=read --size=16k --numjobs=8",
    "run --name=a --rw=write --bs=4k --size=64k --nrfiles=8 --numjobs=2",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=libaio --iodepth=8",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=io_uring --iodepth=8",
    "run --name=a --rw=randread --bs=4k --size=64k --filename=mine --ioengine=posixaio --iodepth=8",
    "run --name=a --rw=read --bs=4k --size=64k --filename=mine --output=x --write_bw_log=x",
    "verify mine --rw read --time 1s --runs 1 --ios 4 -o x.json",
    "verify --size 1MiB --rw write --time 1s --runs 1 --ios 4",
    "doctor",
    "list --all",
    "identify .",
    "report RUN -o x.html",
    "report RUN -o x.xlsx",
    "runs list",
];

/// The user `nobody` of every system; limits of processes do not hold for root.
const NOBODY: u32 = 65_534;

pub fn limited(attempt: &mut Attempt) -> Result<Reading> {
    let run = attempt.stored_run();
    let mut call = Call::text(&attempt.random.word(CALLS).replace("RUN", &run));
    let limit = match attempt.random.below(4) {
        0 => format!("--nofile={}", 5 + attempt.random.below(20)),
        1 => format!("--fsize={}", attempt.random.pick(&[0, 1, 511, 4096, 65_536])),
        2 => format!("--as={}", (256 + attempt.random.below(2048)) << 20),
        _ => format!("--nproc={}", 1 + attempt.random.below(12)),
    };
    // Another user cannot come to a tree that is below somebody's closed folder; there only the limit itself is tried.
    if limit.starts_with("--nproc") && is_open_to_all(&attempt.folder) {
        for folder in [attempt.work(""), attempt.home("")] {
            chown(folder, Some(NOBODY), Some(NOBODY))?;
        }
        call.user = Some(NOBODY);
    }
    call.wrapper = ["prlimit".to_owned(), limit].into();
    Ok(Reading { call, statuses: JUDGED })
}

fn is_open_to_all(path: &Path) -> bool {
    path.ancestors().all(|folder| folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o001 != 0))
}
