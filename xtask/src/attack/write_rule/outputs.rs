//! Reports, results, logs and captures that would replace a file.

use super::{Place, Trespass};
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;
use std::os::unix::fs::symlink;

const ENDINGS: [&str; 8] = ["json", "md", "csv", "html", "txt", "xml", "prom", "xlsx"];
const JOB: &str = "run --name=a --ioengine=null --rw=read --size=16k";

pub fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Result<Trespass> {
    let (run, path) = (attempt.stored_run(), place.path.display().to_string());
    let call = match attempt.random.below(7) {
        0 | 1 => Call::new(["report", &run, "-o", &with_an_ending(attempt, place)?]),
        2 => Call::text("verify --rw read --time 1s --runs 1 --size 64KiB --backend psync -o").and([with_an_ending(attempt, place)?]),
        3 => {
            let format = attempt.random.item("normal | json | json+ | terse | json,normal");
            // What a descriptor leads to is written like standard output, which no file of ours is.
            if name.starts_with("/proc/self") || name.starts_with("/dev/") {
                Call::text(JOB).and([format!("--output={path}")])
            } else {
                Call::text(JOB).and([&format!("--output={name}"), "--output-format", format])
            }
        }
        4 => tables(attempt, place, &run)?,
        5 => Call::new(["runs", "export", &run, "-o", &path]),
        _ => log(attempt, place)?,
    };
    Ok(Trespass { call, statuses: &[2] })
}

/// A name for the place with which a report would be written; a link, where its own has none.
fn with_an_ending(attempt: &mut Attempt, place: &Place) -> Result<String> {
    if ENDINGS.iter().any(|ending| place.path.extension().is_some_and(|own| own == *ending)) {
        return Ok(place.path.display().to_string());
    }
    let link = format!("report.{}", attempt.random.word(&ENDINGS));
    let link = attempt.work(&link);
    symlink(&place.path, &link)?;
    Ok(link.display().to_string())
}

fn tables(attempt: &mut Attempt, place: &Place, run: &str) -> Result<Call> {
    let table = attempt.random.item("results | latency | rounds | notes");
    let folder = attempt.work("tables");
    std::fs::create_dir(&folder)?;
    symlink(&place.path, folder.join(format!("{table}.csv")))?;
    Ok(Call::new(["report", run, "-o", &format!("{}/", folder.display()), "--format", "csv"]))
}

fn log(attempt: &mut Attempt, place: &Place) -> Result<Call> {
    let kinds = [("bw", "bw"), ("iops", "iops"), ("lat", "lat"), ("lat", "clat")];
    let (option, file) = *attempt.random.pick(&kinds);
    symlink(&place.path, attempt.work(&format!("l_{file}.1.log")))?;
    Ok(Call::text(JOB).and([format!("--write_{option}_log=l")]))
}
