//! `cargo xtask bench`: ioproof and fio in turn on the same target, and what came out as medians, spreads and ratios.
//!
//! `contest` holds the lines of the table with the ratios to reach, `tools` runs one tool once. Absolute times of a machine say little; the ratios of
//! alternating runs, and CPU time per I/O, say what a generator costs. Nothing here is a test: a slow machine fails nothing.

mod contest;
mod tools;

use crate::debian::{self, Package};
use crate::{Verb, command};
use anyhow::{Context, Result, bail};
use contest::{LINES, Line, Place};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tools::Sample;

pub const VERB: Verb = Verb {
    name: "bench",
    usage: "[--rounds N] [--seconds S] [FILTER]",
    about: "ioproof against fio on the same targets: IOPS and CPU time per I/O",
    help: "
Builds ioproof in release mode, installs fio when you are root, and runs both in turn on /dev/zero, /dev/null and a file of 512 MiB below target/bench,
with percentiles on at both unless a line says otherwise. Prints medians of all rounds, their spread, and the ratios ioproof / fio with what is to be reached.

--rounds N    rounds of each line (default 5)
--seconds S   length of one run (default 2)
FILTER        only lines whose title contains it
",
    run: main,
};

const FIO: Package = Package { name: "fio", provides: "fio", why: "to compare with it" };
const FILE_BYTES: u64 = 512 << 20;

struct Options {
    rounds: usize,
    seconds: u32,
    filter: String,
}

fn main(args: &[String]) -> Result<ExitCode> {
    let options = parse(args)?;
    if !debian::ensure(&[&FIO])?.is_empty() {
        bail!("fio is missing");
    }
    command::run(command::cargo().args(["build", "--release", "--package", "ioproof"]))?;
    let program = crate::workspace_root().join("target/release/ioproof");
    let file = test_file()?;
    println!("{}", heading());
    for line in LINES.iter().filter(|l| l.title.contains(&options.filter)) {
        let target = match line.place {
            Place::Zero => Path::new("/dev/zero"),
            Place::Null => Path::new("/dev/null"),
            Place::File => &file,
        };
        println!("{}", compare(line, target, &program, &options)?);
    }
    std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options { rounds: 5, seconds: 2, filter: String::new() };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0).context("a number is missing");
        match word.as_str() {
            "--rounds" => options.rounds = number()? as usize,
            "--seconds" => options.seconds = number()?,
            flag if flag.starts_with('-') => bail!("usage: cargo xtask bench {}", VERB.usage),
            filter => options.filter = filter.to_owned(),
        }
    }
    Ok(options)
}

/// A file without pattern and without holes, for direct I/O.
fn test_file() -> Result<PathBuf> {
    let folder = crate::workspace_root().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("file");
    let mut file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
    let mut source = File::open("/dev/urandom")?;
    let mut block = vec![0; 1 << 20];
    for _ in 0..FILE_BYTES >> 20 {
        source.read_exact(&mut block)?;
        file.write_all(&block)?;
    }
    file.sync_all()?;
    Ok(path)
}

/// Runs both in turn and gives one line of the table.
fn compare(line: &Line, target: &Path, program: &Path, options: &Options) -> Result<String> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        ours.push(tools::ioproof(program, line, target, options.seconds)?);
        theirs.push(tools::fio(line, target, options.seconds)?);
    }
    Ok(row(line, &ours, &theirs))
}

fn heading() -> String {
    let columns = ["ioproof kIOPS", "fio kIOPS", "ratio", "to reach", "ioproof ns", "fio ns", "ratio", "to reach"];
    let cells: String = columns.iter().map(|c| format!(" {c:>20} |")).collect();
    format!("| {:<46} |{cells}\n|{}|{}", "against fio", "-".repeat(48), columns.map(|_| "-".repeat(21) + ":|").concat())
}

fn row(line: &Line, ours: &[Sample], theirs: &[Sample]) -> String {
    let rate = |s: &Sample| s.iops / 1e3;
    let cost = |s: &Sample| s.cpu_ns_per_io;
    let ratio = |of: &dyn Fn(&Sample) -> f64| median(ours, of) / median(theirs, of);
    let cells = [
        spread(ours, &rate),
        spread(theirs, &rate),
        format!("{:.2}", ratio(&rate)),
        line.least_iops.map_or("-".into(), |least| format!("{least:.1} {}", mark(ratio(&rate) >= least))),
        spread(ours, &cost),
        spread(theirs, &cost),
        format!("{:.2}", ratio(&cost)),
        format!("{:.2} {}", line.most_cpu, mark(ratio(&cost) <= line.most_cpu)),
    ];
    format!("| {:<46} |{}", line.title, cells.map(|c| format!(" {c:>20} |")).concat())
}

fn mark(reached: bool) -> &'static str {
    if reached { "reached" } else { "missed" }
}

fn sorted(samples: &[Sample], of: &dyn Fn(&Sample) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = samples.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(samples: &[Sample], of: &dyn Fn(&Sample) -> f64) -> f64 {
    let values = sorted(samples, of);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `2059 (1988-2110)`: median, smallest and largest.
fn spread(samples: &[Sample], of: &dyn Fn(&Sample) -> f64) -> String {
    let values = sorted(samples, of);
    match (values.first(), values.last()) {
        (Some(least), Some(most)) => format!("{:.0} ({least:.0}-{most:.0})", median(samples, of)),
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::tools::Fio;
    use super::*;

    #[test]
    fn a_row_says_what_is_reached() {
        let line =
            Line { title: "x", place: Place::Zero, rw: "randread", workers: 1, fio: Fio::Default, least_iops: Some(3.5), most_cpu: 0.25 };
        let sample = |iops, cpu_ns_per_io| Sample { iops, cpu_ns_per_io };
        let ours = [sample(4e6, 200.0), sample(5e6, 100.0), sample(3e6, 150.0)];
        let theirs = [sample(1e6, 800.0)];
        let text = row(&line, &ours, &theirs);
        for part in ["4000 (3000-5000)", "4.00", "3.5 reached", "150 (100-200)", "0.19", "0.25 reached"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(row(&line, &theirs, &theirs).contains("3.5 missed"));
    }

    #[test]
    fn options() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let options = parse(&words("--rounds 7 zero")).unwrap();
        assert_eq!((options.rounds, options.seconds, options.filter.as_str()), (7, 2, "zero"));
        assert!(parse(&words("--rounds x")).is_err() && parse(&words("--what")).is_err());
    }
}
