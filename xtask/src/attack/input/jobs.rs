//! Job files: changed fixtures, of which nothing is run, and made ones that ask for more than there is.

use super::families;
use super::{JUDGED, Reading};
use crate::attack::attempt::Attempt;
use crate::program::Call;
use anyhow::Result;

/// Only read: a changed job may name whatever there is.
pub fn changed(attempt: &mut Attempt) -> Result<Reading> {
    let kind = attempt.random.word(&["valid", "good", "invalid", "differential"]);
    let folder = attempt.setting.fixtures.join("fio").join(kind);
    families::changed(attempt, &folder, "job.fio")?;
    let way = attempt.random.word(&["--parse-only", "--dry-run", "--showcmd", "--dry-run --output-format=json", "--dry-run --strict"]);
    Ok(Reading { call: Call::text(&format!("run job.fio {way}")), statuses: JUDGED })
}

/// Values that ask for too much or for nothing, of options that make nobody wait.
const EXTREMES: &str = "
    numjobs=4294967295 | numjobs=16385 | numjobs=-1 | nrfiles=4294967295 | nrfiles=100000 numjobs=16384 | bs=16e |
    bs=1g iodepth=4096 | bs=1 | bs=0 | iodepth=4294967295 | iodepth=1000000 | size=16e | size=-1 | size=0 |
    size=100000000000000000000 | size=(1/0) | size=(2**1000000) | size=(1024*1024*1024*1024*1024*1024*1024) | filesize=1-16e |
    offset=16e | offset_increment=16e numjobs=4 | io_size=16e number_ios=1 | bssplit=4k/101 | bssplit=::::: | bsrange=16e-1 |
    zonesize=16e zoneskip=16e | random_distribution=zipf:1e308 | random_distribution=zoned:0/0 |
    percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22 | buffer_pattern=0x |
    verify=crc32c verify_interval=1 | verify_pattern=%o%o%o | dedupe_percentage=101 | cpus_allowed=0-4294967295 | cpumask=0 |
    nice=100 | prioclass=9 | rwmixread=101 | loops=9223372036854775807 size=0 | filename=a:b:c:d:e::::: |
    filename_format=$jobname$jobname$jobname/../$filenum | directory=/nonexistent:/dev/null | description=\u{1b}[31m |
    name=\u{1b}[31m | unlink=1 create_only=1 | ioengine=\u{202e} | thinktime_blocks=0 | stonewall wait_for=a |
    exitall=1 group_reporting=1";

pub fn made(attempt: &mut Attempt) -> Result<Reading> {
    let (kind, sections) = (attempt.random.below(8), attempt.random.below(30_000));
    let text = match kind {
        0 => (0..=sections).map(|n| format!("[s{n}]\n")).collect(),
        1 => includes(attempt)?,
        2 => format!("[a]\nsize={}1{}\n", "(".repeat(100_000), ")".repeat(100_000)),
        3 => format!("[{}]\n{}={}\n", "n".repeat(1 << 20), "o".repeat(1 << 16), "v".repeat(1 << 20)),
        4 => format!("[a]\nfilename={}\n", (0..200_000).map(|n| format!("f{n}:")).collect::<String>()),
        _ => extremes(attempt),
    };
    let global = "[global]\nioengine=null\nsize=16k\nnumber_ios=1\nrw=read\n";
    std::fs::write(attempt.work("job.fio"), format!("{global}{text}"))?;
    // A job for each of thousands of sections runs, and takes its time; so they are only read.
    let runs = kind != 0 || !(100..=16_384).contains(&sections);
    let ways: &[&'static str] =
        if runs { &["", "", "--dry-run", "--showcmd", "--output-format=json+", "--strict"] } else { &["--showcmd", "--dry-run"] };
    let way = attempt.random.word(ways);
    Ok(Reading { call: Call::text(&format!("run job.fio {way}")), statuses: JUDGED })
}

fn extremes(attempt: &mut Attempt) -> String {
    let some = (0..1 + attempt.random.below(3)).map(|_| attempt.random.item(EXTREMES).replace(' ', "\n"));
    format!("[a]\n{}\n", some.collect::<Vec<_>>().join("\n"))
}

/// A file that includes itself, a long chain, or many large ones.
fn includes(attempt: &mut Attempt) -> Result<String> {
    let kind = attempt.random.below(3);
    let count = if kind == 2 { 20 } else { 200 };
    for n in 0..count {
        let text = match kind {
            0 => "include job.fio\n".to_owned(),
            1 => format!("include part{}\n", n + 1),
            _ => "# nothing at all\n".repeat(60_000),
        };
        std::fs::write(attempt.work(&format!("part{n}")), text)?;
    }
    std::fs::write(attempt.work(&format!("part{count}")), "bs=4k\n")?;
    Ok("include part0\n".repeat(if kind == 2 { 40 } else { 1 }) + "[a]\n")
}
