//! Reports, results, logs and captures that would replace a file.

use super::{Place, Trespass};
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;

const ENDINGS: [&str; 8] = ["json", "md", "csv", "html", "txt", "xml", "prom", "xlsx"];

pub fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Result<Trespass> {
    let run = attempt.setting.fixtures.join("runs/20261203-101500-7b21").display().to_string();
    let job = "run --name=a --ioengine=null --rw=read --size=16k";
    let call = match attempt.random.below(7) {
        0 | 1 => Call::new(["report", &run, "-o", &with_an_ending(attempt, place)?]),
        2 => Call::text("verify --rw read --time 1s --runs 1 --size 64KiB --backend psync -o").and([with_an_ending(attempt, place)?]),
        3 => Call::text(job).and([format!("--output={name}"), "--output-format".to_owned(), format(attempt)]),
        4 => tables(attempt, place, &run)?,
        5 => Call::new(["runs", "export", &run, "-o", &place.path.display().to_string()]),
        _ => log(attempt, place)?,
    };
    // What a descriptor leads to is written like standard output, which no file of ours is.
    let is_stream = name.starts_with("/proc/self") || name.starts_with("/dev/");
    if is_stream && call.words.iter().any(|word| word.starts_with("--output=")) {
        return Ok(Trespass { call: Call::text(job).and([format!("--output={}", place.path.display())]), statuses: &[2] });
    }
    Ok(Trespass { call, statuses: &[2] })
}

fn format(attempt: &mut Attempt) -> String {
    attempt.random.word(&["normal", "json", "json+", "terse", "json,normal"]).to_owned()
}

/// A name for the place with which a report would be written; a link, where its own has none.
fn with_an_ending(attempt: &mut Attempt, place: &Place) -> Result<String> {
    let ending = place.path.extension().unwrap_or_default().to_string_lossy();
    if ENDINGS.contains(&ending.as_ref()) {
        return Ok(place.path.display().to_string());
    }
    let ending = attempt.random.word(&ENDINGS);
    let link = attempt.work(&format!("report.{ending}"));
    std::os::unix::fs::symlink(&place.path, &link)?;
    Ok(link.display().to_string())
}

fn tables(attempt: &mut Attempt, place: &Place, run: &str) -> Result<Call> {
    let format = "csv";
    let table = attempt.random.word(&["results", "latency", "rounds", "notes"]);
    let folder = attempt.work("tables");
    std::fs::create_dir(&folder)?;
    std::os::unix::fs::symlink(&place.path, folder.join(format!("{table}.{format}")))?;
    Ok(Call::new(["report", run, "-o", &format!("{}/", folder.display()), "--format", format]))
}

/// A log whose name is that of the place, by a link where it has another one.
fn log(attempt: &mut Attempt, place: &Place) -> Result<Call> {
    let (option, file) = *attempt.random.pick(&[
        ("write_bw_log", "l_bw.1.log"),
        ("write_iops_log", "l_iops.1.log"),
        ("write_lat_log", "l_lat.1.log"),
        ("write_lat_log", "l_clat.1.log"),
    ]);
    std::os::unix::fs::symlink(&place.path, attempt.work(file))?;
    Ok(Call::text("run --name=a --ioengine=null --rw=read --size=16k").and([format!("--{option}=l")]))
}
