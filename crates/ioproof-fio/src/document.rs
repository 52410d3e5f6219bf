//! `docs/fio-compatibility.md`, made from the table of options: what is honoured, what is done in another way, what has no effect, what is refused.

use super::options::{GROUPS, OptionRow, OptionTreatment, rows};

const OPENING: &str = "\
# What ioproof makes of fio's options

`ioproof run` reads fio's job files and fio's command line. This page lists every option that fio 3.33 has on Linux, and those of the engines psync, sync, pvsync,
pvsync2, libaio, io_uring, io_uring_cmd, spdk, posixaio, mmap, null, sg, falloc, ftruncate,
filecreate, filestat and filedelete. It is made from the table that reads them (`crates/ioproof-fio/src/options`), so it says
what the program does.

- **honoured**: it means what it means in fio.
- **approximated**: it is done in another way; what differs stands beside it, and a run says so where a job asks for more than the default.
- **no effect**: nothing is done; why nothing would differ stands beside it.
- **refused**: a job that uses it is not run; why, and what to use instead, stands beside it. A value that asks for nothing (`0`, `none`) is accepted.

A fraction of a time without a unit is left out, as by fio, with a note where it is not zero (`runtime=1.7` is 1 s). One job that cannot run on its files fails, and the others run.

A job file has, with all that it includes, at most 16 MiB of text and 100,000 options; a run has at most 16,384 sections, 16,384 clones (`numjobs`) and 1,048,576
files of clones (`nrfiles`). More is an error with its line, and so are buffers that take more memory than there is.

An option that is not here is an error with its file, its line and the nearest name that is known. Units are fio's: with kb_base=1024, the default, `4k`, `4kB` and
`4Ki` are 4096 bytes and `4KiB` is 4000.

Random draws are not fio's: with the same seed a mix of 2,000 I/Os has 1,177 reads where fio has 1,169, and blocks come in another order. Shares and coverage are
the same. `fsync`, `fdatasync` and `sync_file_range` sync between I/Os and after writes only, as fio 3.38 and later do.

`stddev` comes from bins of a width of at most 1/128 of the latency, so it is off by at most 1/256 of sqrt(mean² + stddev²): by 0.6 % where it is as large as the
mean, and by 4 % where it is a tenth of it. I/Os are submitted one by one as by fio; where every I/O is done before its submission ends (`/dev/zero`, null), up to
32 go at once, as `submit` shows. `complete` counts all I/Os that had come, where fio takes them one by one unless `iodepth_batch_complete` says otherwise.
";

pub fn page() -> String {
    let mut page = format!("{OPENING}\n{}\n", counts());
    for (name, rows) in GROUPS {
        page.push_str(&section(name, rows));
    }
    page
}

pub fn counts() -> String {
    let count = |word: &str| rows().filter(|row| row.treatment.word() == word).count();
    let words = [OptionTreatment::Honoured, OptionTreatment::Approximated(""), OptionTreatment::NoEffect(""), OptionTreatment::Refused("")]
        .map(OptionTreatment::word);
    let counts = words.map(|word| format!("{} {word}", count(word)));
    format!("{} options: {}.", rows().count(), counts.join(", "))
}

fn section(name: &str, rows: &[OptionRow]) -> String {
    let mut text = format!("\n## {}\n\n| Option | Value | | What it means, and what differs |\n|---|---|---|---|\n", name);
    for row in rows {
        text.push_str(&line(row));
    }
    text
}

fn line(row: &OptionRow) -> String {
    let names: Vec<String> = row.names().map(|name| format!("`{name}`")).collect();
    let engines = if row.engines.is_empty() { String::new() } else { format!(" Of {}.", row.engines.join(", ")) };
    let differs = match row.treatment {
        OptionTreatment::Honoured => String::new(),
        OptionTreatment::Approximated(text) => format!(" *Here {text}.*"),
        OptionTreatment::NoEffect(text) | OptionTreatment::Refused(text) => format!(" *Because {text}.*"),
    };
    format!(
        "| {} | {} | {} | {}{engines}{differs} |\n",
        names.join(", "),
        row.kind.describe().replace('|', "\\|"),
        row.treatment.word(),
        row.help
    )
}
